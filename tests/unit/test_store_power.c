/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests/fault/powercut.sh runs: `work DIR ACKS` works on tokens in DIR and writes down, line by line, what it is
 * about to do, and what was acknowledged or refused; `check DIR ACKS` looks whether DIR is what the lines say. Without arguments it does
 * both, with nothing in between, and sees whether the check notices what it must.
 *
 * Lines: "will create 3 17" (thread, number of the object's content), then "did create 3 17 4" (its id) or "not create 3 17";
 * "replace ID N", "remove ID 0"; "pin N 0"; "token SLOT 0", "gone SLOT 0" alike.
 */
#include "vault.h"

#include "base/mem.h"
#include "crypto/lib.h"
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define THREADS 3
#define CHANGES 16
#define OBJECTS 4096

static const char label[33] = "power                           ";

/* ---- work ---- */

struct work {
	const char *dir;
	struct store_policy policy;
	int acks;
	struct store *s;
	struct seal *k;
};

static void say(const struct work *w, const char *when, const char *what, uint64_t a, uint64_t b,
		uint64_t c)
{
	char line[128];
	int n = snprintf(line, sizeof(line), "%s %s %llu %llu %llu\n", when, what,
			 (unsigned long long)a, (unsigned long long)b, (unsigned long long)c);

	if (write(w->acks, line, (size_t)n) != n)
		abort();
}

static struct record content(uint64_t n)
{
	char name[32];

	snprintf(name, sizeof(name), "n%llu", (unsigned long long)n);
	return vault_record(CKO_SECRET_KEY, n % 2 == 0, name, "id", 50 + (size_t)(n * 37 % 900));
}

static const char *const kinds[] = {
	[CHANGE_CREATE] = "create",
	[CHANGE_REPLACE] = "replace",
	[CHANGE_REMOVE] = "remove",
};

/* *r names the object before and after. */
static bool change(const struct work *w, unsigned thread, enum store_change_kind kind,
		   struct record *r, uint64_t n)
{
	struct record next = content(n);
	struct store_change c = { kind, &next };
	struct store_event ev = { .body = text("event") };
	uint64_t who = kind == CHANGE_CREATE ? thread : r->id;
	enum err e;

	next.id = r->id;
	next.version = r->version;
	say(w, "will", kinds[kind], who, n, 0);
	e = store_commit(w->s, w->k, &c, 1, kind == CHANGE_CREATE ? &ev : NULL);
	say(w, e == OK ? "did" : "not", kinds[kind], who, n, next.id);
	r->id = next.id;
	r->version = next.version;
	record_clear(&next);
	return e == OK;
}

struct worker {
	const struct work *w;
	unsigned thread;
};

static void *change_objects(void *arg)
{
	const struct worker *x = arg;
	struct record kept = { 0 }, passing = { 0 };
	uint64_t n = x->thread * 1000;

	if (!change(x->w, x->thread, CHANGE_CREATE, &kept, ++n))
		kept.id = 0;
	for (int i = 0; i < CHANGES; i++) {
		if (kept.id != 0)
			(void)change(x->w, x->thread, CHANGE_REPLACE, &kept, ++n);
		passing = (struct record){ 0 };
		if (i % 2 == 0 && change(x->w, x->thread, CHANGE_CREATE, &passing, ++n) &&
		    i % 4 == 0)
			(void)change(x->w, x->thread, CHANGE_REMOVE, &passing, 0);
	}
	return NULL;
}

static void work_on_objects(const struct work *w)
{
	struct worker x[THREADS];
	pthread_t id[THREADS];

	for (unsigned i = 0; i < THREADS; i++) {
		x[i] = (struct worker){ w, i };
		if (pthread_create(&id[i], NULL, change_objects, &x[i]) != 0)
			abort();
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
}

static bool make_token(const struct work *w, CK_SLOT_ID slot)
{
	enum err e;

	say(w, "will", "token", slot, 0, 0);
	e = store_create(w->dir, slot, &w->policy, text(SO_PIN), label, NULL, NULL);
	say(w, e == OK ? "did" : "not", "token", slot, 0, 0);
	return e == OK;
}

static void delete_token(const struct work *w, CK_SLOT_ID slot)
{
	enum err e;

	say(w, "will", "gone", slot, 0, 0);
	e = store_delete(w->dir, slot, NULL);
	say(w, e == OK ? "did" : "not", "gone", slot, 0, 0);
}

static void pin_text(char out[32], uint64_t n)
{
	snprintf(out, 32, "power-pin-%llu", (unsigned long long)n);
}

static bool first_pin(struct work *w)
{
	struct seal *so = NULL;
	char pin[32];
	enum err e = store_login(w->s, STORE_SO, text(SO_PIN), &so);

	pin_text(pin, 1);
	say(w, "will", "pin", 1, 0, 0);
	if (e == OK)
		e = store_init_pin(w->s, so, text(pin), NULL);
	say(w, e == OK ? "did" : "not", "pin", 1, 0, 0);
	seal_free(so);
	return e == OK && store_login(w->s, STORE_USER, text(pin), &w->k) == OK;
}

static void change_pins(const struct work *w)
{
	uint64_t now = 1;
	char old[32], new_pin[32];

	for (uint64_t n = 2; n < 6; n++) {
		enum err e;

		pin_text(old, now);
		pin_text(new_pin, n);
		say(w, "will", "pin", n, 0, 0);
		e = store_set_pin(w->s, STORE_USER, text(old), text(new_pin), NULL);
		say(w, e == OK ? "did" : "not", "pin", n, 0, 0);
		now = e == OK ? n : now;
	}
}

static int do_work(const char *dir, const char *acks)
{
	struct work w = { .dir = dir, .policy = vault_policy() };

	w.acks = open(acks, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (w.acks < 0 || crypto_start() != OK)
		return 2;
	if (make_token(&w, 0) && store_open(dir, 0, &w.policy, &w.s, NULL) == OK && first_pin(&w)) {
		work_on_objects(&w);
		change_pins(&w);
	}
	seal_free(w.k);
	store_close(w.s);
	if (make_token(&w, 1))
		delete_token(&w, 1);
	make_token(&w, 2);
	close(w.acks);
	return 0;
}

/* ---- what the lines say ---- */

enum being { ABSENT, PRESENT, EITHER };

struct object {
	enum being now;
	uint64_t n;     /* its content */
	bool under_way; /* a change that is neither acknowledged nor refused */
	bool removing;
	uint64_t n_next;
};

struct model {
	struct object object[OBJECTS];
	unsigned creating[THREADS]; /* under way */
	uint64_t last_id;
	enum being token[8];
	uint64_t pin, pin_next; /* 0: none */
};

static void model_create(struct model *m, char when, uint64_t thread, uint64_t n, uint64_t id)
{
	m->creating[thread % THREADS] = when == 'w';
	if (when != 'd' || id >= OBJECTS)
		return;
	m->object[id] = (struct object){ .now = PRESENT, .n = n };
	if (id > m->last_id)
		m->last_id = id;
}

static void model_change(struct model *m, char when, uint64_t id, uint64_t n, bool removing)
{
	struct object *o = &m->object[id % OBJECTS];

	o->under_way = when == 'w';
	o->removing = removing;
	o->n_next = n;
	if (when == 'd' && removing)
		o->now = ABSENT;
	else if (when == 'd')
		o->n = n;
}

static void model_token(struct model *m, char when, uint64_t slot, bool made)
{
	enum being done = made ? PRESENT : ABSENT, before = made ? ABSENT : PRESENT;

	m->token[slot % 8] = when == 'w' ? EITHER : when == 'd' ? done : before;
}

static void model_pin(struct model *m, char when, uint64_t n)
{
	m->pin_next = when == 'w' ? n : 0;
	if (when == 'd')
		m->pin = n;
}

static void read_lines(struct model *m, const char *acks)
{
	FILE *f = fopen(acks, "r");
	char when[8], what[16];
	unsigned long long a, b, c;

	if (f == NULL)
		return;
	while (fscanf(f, "%7s %15s %llu %llu %llu", when, what, &a, &b, &c) == 5) {
		if (strcmp(what, "create") == 0)
			model_create(m, when[0], a, b, c);
		else if (strcmp(what, "replace") == 0 || strcmp(what, "remove") == 0)
			model_change(m, when[0], a, b, what[2] == 'm');
		else if (strcmp(what, "pin") == 0)
			model_pin(m, when[0], a);
		else
			model_token(m, when[0], a, strcmp(what, "token") == 0);
	}
	fclose(f);
}

/* ---- check ---- */

static unsigned wrong;

static void complain(const char *what, uint64_t which)
{
	printf("%s %llu\n", what, (unsigned long long)which);
	wrong++;
}

static bool has_content(const struct record *r, uint64_t n)
{
	struct record want = content(n);
	bool same =
		span_eq(attrset_bytes(r->attrs, CKA_LABEL), attrset_bytes(want.attrs, CKA_LABEL)) &&
		span_eq(attrset_bytes(r->attrs, CKA_VALUE), attrset_bytes(want.attrs, CKA_VALUE));

	record_clear(&want);
	return same;
}

static void check_object(struct store *s, const struct seal *k, const struct object *o, uint64_t id)
{
	struct record r = { 0 };
	enum err e = store_get(s, k, id, &r);
	bool may_be_gone = o->under_way && o->removing;

	if (o->now == PRESENT && e != OK && !(may_be_gone && e == E_OBJECT_HANDLE))
		complain("acknowledged, and not there: object", id);
	if (o->now == ABSENT && e != E_OBJECT_HANDLE)
		complain("removed, and there: object", id);
	if (o->now == PRESENT && e == OK && !has_content(&r, o->n) &&
	    !(o->under_way && !o->removing && has_content(&r, o->n_next)))
		complain("not as acknowledged: object", id);
	record_clear(&r);
}

static void check_objects(struct store *s, const struct seal *k, const struct model *m)
{
	size_t live = 0, slack = 0, n;

	for (uint64_t id = 1; id <= m->last_id; id++) {
		const struct object *o = &m->object[id];

		if (o->now == PRESENT || o->n != 0)
			check_object(s, k, o, id);
		live += o->now == PRESENT;
		slack += o->under_way && o->removing;
	}
	for (int i = 0; i < THREADS; i++)
		slack += m->creating[i];
	n = vault_count(s, k);
	if (n + slack < live || n > live + slack)
		complain("number of objects:", n);
	if (vault_findings(s, k, false) != 0)
		complain("findings of store_check", 0);
}

static enum err count_event(void *arg, uint64_t number, struct span event, bool *over)
{
	(void)number;
	*over = true;
	++*(size_t *)arg;
	return span_eq(event, text("event")) ? OK : E_CORRUPT;
}

/* One event for each object that was ever created. */
static void check_events(struct store *s, const struct model *m)
{
	size_t n = 0, created = 0, under_way = 0;

	if (store_events_drain(s, count_event, &n) != OK)
		complain("events cannot be read", 0);
	for (uint64_t id = 1; id <= m->last_id; id++)
		created += m->object[id].n != 0;
	for (int i = 0; i < THREADS; i++)
		under_way += m->creating[i];
	if (n < created || n > created + under_way)
		complain("number of events:", n);
}

static bool try_pin(struct store *s, uint64_t n, struct seal **k)
{
	char pin[32];

	pin_text(pin, n);
	return n != 0 && store_login(s, STORE_USER, text(pin), k) == OK;
}

static void check_first(struct store *s, const struct model *m)
{
	struct seal *k = NULL;

	if (!try_pin(s, m->pin, &k) && !try_pin(s, m->pin_next, &k)) {
		if (m->pin != 0)
			complain("no PIN works, not even", m->pin);
		return;
	}
	check_objects(s, k, m);
	check_events(s, m);
	seal_free(k);
}

static void check_token(const char *dir, CK_SLOT_ID slot, const struct model *m)
{
	const struct store_policy p = vault_policy();
	struct why why = { .text = "" };
	struct store *s = NULL;

	if (store_open(dir, slot, &p, &s, &why) != OK) {
		printf("%s\n", why.text);
		complain("is not whole: token", slot);
		return;
	}
	if (store_login(s, STORE_SO, text(SO_PIN), NULL) != OK)
		complain("does not know its SO: token", slot);
	if (slot == 0)
		check_first(s, m);
	store_close(s);
}

static int do_check(const char *dir, const char *acks)
{
	struct model *m = calloc(1, sizeof(*m));
	CK_SLOT_ID *ids = NULL, next = 0;
	size_t n = 0;
	bool there[8] = { false };

	if (m == NULL || crypto_start() != OK || store_list(dir, &ids, &n, &next, NULL) != OK)
		return 2;
	read_lines(m, acks);
	for (size_t i = 0; i < n; i++) {
		there[ids[i] % 8] = true;
		check_token(dir, ids[i], m);
	}
	for (unsigned i = 0; i < 8; i++)
		if (m->token[i] != EITHER && there[i] != (m->token[i] == PRESENT))
			complain(there[i] ? "should not be there: token"
					  : "acknowledged, and not there: token",
				 i);
	for (unsigned i = 0; i < 8; i++)
		if (m->token[i] == PRESENT && next <= i)
			complain("would be used again: slot", i);
	mem_free(ids);
	free(m);
	return wrong != 0;
}

/* ---- by itself ---- */

static void append(const char *path, const char *line)
{
	FILE *f = fopen(path, "a");

	assert_non_null(f);
	fputs(line, f);
	fclose(f);
}

static void test_work_and_check(void **state)
{
	struct vault *v = *state;
	char acks[PATH_MAX], tokens[PATH_MAX];

	assert_true(snprintf(acks, sizeof(acks), "%s/acks", v->dir) < PATH_MAX);
	assert_true(snprintf(tokens, sizeof(tokens), "%s/tokens", v->dir) < PATH_MAX);
	assert_int_equal(do_work(tokens, acks), 0);
	assert_int_equal(do_check(tokens, acks), 0);
	append(acks, "did token 5 0 0\n"); /* and the events were drained by the first check */
	(void)do_check(tokens, acks);
	assert_true(wrong >= 2);
	wrong = 0;
	append(acks, "did gone 5 0 0\ndid replace 1 77 0\n");
	(void)do_check(tokens, acks);
	assert_true(wrong >= 2);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_work_and_check, vault_empty, vault_close),
	};

	if (argc == 4 && strcmp(argv[1], "work") == 0)
		return do_work(argv[2], argv[3]);
	if (argc == 4 && strcmp(argv[1], "check") == 0)
		return do_check(argv[2], argv[3]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
