/* SPDX-License-Identifier: Apache-2.0 */
#include "core/token.h"

#include "base/dir.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/pad.h"
#include "base/version.h"
#include "core/release.h"
#include "core/token_internal.h"
#include "store/meter.h"

#define MODEL "Chancery"

/* PBKDF2-HMAC-SHA-256, of the approved profile. */
#define PBKDF2_ITERATIONS 600000

/* ---- label and configuration ---- */

static struct span trimmed(const char text[32])
{
	size_t n = 32;

	while (n > 0 && text[n - 1] == ' ')
		n--;
	return span(text, n);
}

const char *token_label(const struct token *t)
{
	return atomic_load_explicit(&t->label, memory_order_acquire)->text;
}

struct meter *token_meter(const struct token *t)
{
	return atomic_load_explicit(&t->meter, memory_order_acquire);
}

const char *token_serial(const struct token *t)
{
	const struct label *l = atomic_load_explicit(&t->label, memory_order_acquire);

	return l->serial[0] != '\0' ? l->serial : NULL;
}

bool token_requires_audit(const struct token *t)
{
	return atomic_load_explicit(&t->audit_required, memory_order_relaxed);
}

static bool same_label(const struct label *l, const char *text, const char *serial)
{
	return l != NULL && memcmp(l->text, text, sizeof(l->text)) == 0 &&
	       (serial == NULL || memcmp(l->serial, serial, sizeof(l->serial)) == 0);
}

/* The old text stays where it is until the token is freed: others may be reading it. */
enum err token_set_label(struct token *t, const char text[32], const char serial[16])
{
	struct label *l, *old = atomic_load(&t->label);

	if (same_label(old, text, serial))
		return OK;
	l = mem_alloc(sizeof(*l));
	if (l == NULL)
		return E_MEMORY;
	memcpy(l->text, text, sizeof(l->text));
	if (serial == NULL && old != NULL)
		serial = old->serial;
	if (serial != NULL)
		memcpy(l->serial, serial, sizeof(l->serial));
	atomic_store(&t->conf, conf_token(lib_conf(), trimmed(text)));
	do
		l->older = old;
	while (!atomic_compare_exchange_weak(&t->label, &old, l));
	meter_name(token_meter(t), text, NULL);
	return OK;
}

struct store_policy token_policy(const struct conf_token *c)
{
	const struct conf_module *m = &lib_conf()->module;
	bool pbkdf2 = m->profile == PROFILE_APPROVED;

	return (struct store_policy){
		.pbkdf2 = pbkdf2,
		.kdf_cost = pbkdf2 ? PBKDF2_ITERATIONS : (uint32_t)c->argon2_kib,
		.kdf_passes = (uint32_t)c->argon2_time,
		.pin_max = (uint32_t)c->pin_max_failures,
		.dir_mode = dir_mode(m->group_mode),
		.file_mode = dir_file_mode(m->group_mode),
		.public_write = m->public_write,
		.sight = object_sight,
	};
}

/* ---- life ---- */

enum err token_new(CK_SLOT_ID slot, struct token **out)
{
	static const char blank[33] = "                                ";
	struct token *t = mem_alloc(sizeof(*t));
	enum err e;

	if (t == NULL)
		return E_MEMORY;
	t->slot = slot;
	lock_init(&t->login, RANK_LOGIN);
	rwlock_init(&t->rw, RANK_TOKEN);
	e = map_init(&t->map);
	if (e == OK)
		e = token_set_label(t, blank, NULL);
	if (e != OK) {
		token_free(t);
		return e;
	}
	*out = t;
	return OK;
}

void token_free(struct token *t)
{
	if (t == NULL)
		return;
	token_uses_settle(t); /* C_Finalize logs nobody out */
	map_free(&t->map);
	access_unref(t->access);
	asked_clear(&t->asked);
	meter_close(t->meter);
	for (struct label *l = t->label, *older; l != NULL; l = older) {
		older = l->older;
		mem_free(l);
	}
	lock_destroy(&t->login);
	rwlock_destroy(&t->rw);
	mem_free(t);
}

/* ---- opening the store ---- */

static enum err open_store(const struct token *t, struct store **store, struct store_info *info)
{
	struct store_policy policy = token_policy(atomic_load(&t->conf));
	struct why why = { .text = "" };
	enum err e = store_open(lib_this()->home, t->slot, &policy, store, &why);

	if (e == OK) {
		e = store_info(*store, info);
		if (e == OK)
			return OK;
		store_close(*store);
		*store = NULL;
	}
	if (e == E_ABSENT || e == E_DEVICE_REMOVED)
		return E_TOKEN_ABSENT;
	log_fault(e == E_TOKEN_UNKNOWN ? FAULT_FORMAT : FAULT_STORE, "slot %lu: %s", t->slot,
		  why.text[0] != '\0' ? why.text : err_text(e));
	return e;
}

/* A token with a section of its own in the configuration is opened again, with that. */
static enum err open_configured(struct token *t, struct store **store, struct store_info *info)
{
	const struct conf_token *before = atomic_load(&t->conf);
	enum err e = open_store(t, store, info);

	if (e == OK)
		e = token_set_label(t, info->label, info->serial);
	if (e == OK && atomic_load(&t->conf) != before) {
		store_close(*store);
		*store = NULL;
		e = open_store(t, store, info);
	}
	return e;
}

/* Those who hold the meter of an earlier opening go on with it. t->login is held. */
static void open_meter(struct token *t, const struct store *store, const struct store_info *info)
{
	struct meter *older = token_meter(t), *m;

	if (info->read_only || !lib_conf()->module.counters)
		return;
	m = meter_open(store_path(store), token_policy(atomic_load(&t->conf)).file_mode, older);
	meter_name(m, info->label, info->serial);
	if (m != NULL)
		atomic_store_explicit(&t->meter, m, memory_order_release);
}

static enum err open_locked(struct token *t)
{
	struct store *store = NULL;
	struct store_info info;
	struct access *a = NULL, *old = NULL;
	uint64_t version;
	enum err e = open_configured(t, &store, &info);

	/* the version before the counter: what comes in between is then seen as a change */
	if (e == OK)
		e = store_version(store, &version);
	if (e == OK)
		e = store_info(store, &info);
	if (e != OK) {
		store_close(store);
		return e;
	}
	e = access_open(store, info.read_only, &a);
	if (e != OK)
		return e;
	open_meter(t, store, &info);
	rwlock_write(&t->rw);
	access_swap_locked(t, a, &old);
	t->version = version;
	t->changes = info.changes;
	rwlock_drop(&t->rw);
	atomic_store(&t->read_only, info.read_only);
	atomic_store(&t->audit_required, info.audit_required);
	access_unref(old);
	return OK;
}

static bool is_open(struct token *t)
{
	bool yes;

	rwlock_read(&t->rw);
	yes = t->access != NULL;
	rwlock_drop(&t->rw);
	return yes;
}

/* What a process that ended still owed to the roll. */
static enum err recover(void *arg, uint64_t number, struct span body, bool *over)
{
	const struct token *t = arg;
	enum err e = roll_recover(lib_roll(), body, token_serial(t), number, over);

	if (e == E_DATA) { /* nothing of ours: it stays, and doctor counts it */
		*over = false;
		e = OK;
	}
	return e;
}

/*
 * t->login is held. A roll that fails now has latched that, and keeps keys from being used; looking at the token goes
 * on, and what is left stays.
 */
static void recover_locked(struct token *t)
{
	struct access *a = NULL;

	if (lib_roll() != NULL && access_get(t, &a) == OK)
		(void)store_events_drain(a->medium->store, recover, t);
	access_unref(a);
}

enum err token_open(struct token *t)
{
	bool was_open;
	enum err e = OK;

	if (is_open(t))
		return OK;
	lock_take(&t->login);
	was_open = is_open(t);
	if (!was_open)
		e = open_locked(t);
	if (e == OK && !was_open)
		recover_locked(t);
	lock_drop(&t->login);
	return e == E_DEVICE_REMOVED ? E_TOKEN_ABSENT : e;
}

void token_shut(struct token *t)
{
	(void)access_lost(t, NULL);
}

/* ---- sessions come and go ---- */

static atomic_ulong *session_count(struct token *t, bool rw)
{
	return rw ? &t->rw_sessions : &t->ro_sessions;
}

static enum err may_attach(const struct token *t, bool rw)
{
	if (atomic_load(&t->closing))
		return E_TOKEN_ABSENT;
	if (!rw && atomic_load(&t->who) == WHO_SO)
		return E_SESSION_SO_EXISTS;
	return rw && atomic_load(&t->read_only) ? E_WRITE_PROTECTED : OK;
}

/* Counted first, checked then: C_Login of the SO, C_InitToken look the other way round, so one of both sees the other. */
enum err token_attach(struct token *t, bool rw, uint32_t *insertion)
{
	enum err e;

	atomic_fetch_add(session_count(t, rw), 1);
	*insertion = atomic_load(&t->insertion);
	e = may_attach(t, rw);
	if (e != OK)
		token_detach(t, rw);
	return e;
}

bool token_has_sessions(const struct token *t)
{
	return atomic_load(&t->ro_sessions) != 0 || atomic_load(&t->rw_sessions) != 0;
}

void token_detach(struct token *t, bool rw)
{
	atomic_fetch_sub(session_count(t, rw), 1);
	/* 3.2, 5.6.3: the last session of the application ends the login */
	if (atomic_load(&t->who) != WHO_NOBODY && !token_has_sessions(t))
		(void)token_logout_unused(t);
}

enum err token_seclude(struct token *t)
{
	if (atomic_exchange(&t->closing, true))
		return E_SESSION_EXISTS; /* another thread is at it */
	if (!token_has_sessions(t))
		return OK;
	token_admit(t);
	return E_SESSION_EXISTS;
}

void token_admit(struct token *t)
{
	atomic_store(&t->closing, false);
}

/* ---- C_GetTokenInfo ---- */

struct pin_flags {
	CK_FLAGS low, last, locked;
};

/* 3.2, Table 6: how far a PIN is from being locked. */
static CK_FLAGS pin_flags(const struct pin_flags *f, uint32_t failures, uint32_t max)
{
	if (failures >= max)
		return f->locked;
	return (failures > 0 ? f->low : 0) | (failures + 1 == max ? f->last : 0);
}

static CK_FLAGS token_flags(const struct token *t, const struct store_info *s)
{
	static const struct pin_flags user = { CKF_USER_PIN_COUNT_LOW, CKF_USER_PIN_FINAL_TRY,
					       CKF_USER_PIN_LOCKED };
	static const struct pin_flags so = { CKF_SO_PIN_COUNT_LOW, CKF_SO_PIN_FINAL_TRY,
					     CKF_SO_PIN_LOCKED };
	CK_FLAGS flags =
		CKF_RNG | CKF_LOGIN_REQUIRED | CKF_DUAL_CRYPTO_OPERATIONS | CKF_TOKEN_INITIALIZED;

	if (s->user_pin_set)
		flags |= CKF_USER_PIN_INITIALIZED;
	if (s->read_only)
		flags |= CKF_WRITE_PROTECTED;
	if (atomic_load(&t->conf)->pin_source != NULL)
		flags |= CKF_PROTECTED_AUTHENTICATION_PATH;
	if (release_ready(t) !=
	    OK) /* no key of it works: the roll failed, or is off and required */
		flags |= CKF_ERROR_STATE;
	return flags | pin_flags(&user, s->user_failures, s->pin_max) |
	       pin_flags(&so, s->so_failures, s->pin_max);
}

void token_info_blank(CK_TOKEN_INFO *info)
{
	*info = (CK_TOKEN_INFO){
		.flags = CKF_RNG | CKF_LOGIN_REQUIRED | CKF_DUAL_CRYPTO_OPERATIONS,
		.ulMaxSessionCount = CK_EFFECTIVELY_INFINITE,
		.ulMaxRwSessionCount = CK_EFFECTIVELY_INFINITE,
		.ulMaxPinLen = TOKEN_PIN_MAX,
		.ulMinPinLen = TOKEN_PIN_MIN,
		.ulTotalPublicMemory = CK_UNAVAILABLE_INFORMATION,
		.ulFreePublicMemory = CK_UNAVAILABLE_INFORMATION,
		.ulTotalPrivateMemory = CK_UNAVAILABLE_INFORMATION,
		.ulFreePrivateMemory = CK_UNAVAILABLE_INFORMATION,
		.hardwareVersion = { CHANCERY_VERSION_MAJOR, CHANCERY_VERSION_MINOR },
		.firmwareVersion = { CHANCERY_VERSION_MAJOR, CHANCERY_VERSION_MINOR },
	};
	pad_put(info->label, sizeof(info->label), "");
	pad_put(info->manufacturerID, sizeof(info->manufacturerID), CHANCERY_MANUFACTURER);
	pad_put(info->model, sizeof(info->model), MODEL);
	pad_put(info->serialNumber, sizeof(info->serialNumber), "");
	pad_put(info->utcTime, sizeof(info->utcTime), ""); /* no clock */
}

enum err token_info(struct token *t, CK_TOKEN_INFO *info)
{
	struct access *a = NULL;
	struct store_info s;
	enum err e = access_get(t, &a);

	if (e == OK)
		e = store_info(a->medium->store, &s);
	if (e == OK)
		e = token_set_label(t, s.label, s.serial); /* another process may have renamed it */
	if (e == OK) {
		atomic_store(&t->audit_required, s.audit_required);
		token_info_blank(info);
		memcpy(info->label, s.label, sizeof(info->label));
		memcpy(info->serialNumber, s.serial, sizeof(info->serialNumber));
		info->flags = token_flags(t, &s);
		info->ulRwSessionCount = atomic_load(&t->rw_sessions);
		info->ulSessionCount = info->ulRwSessionCount + atomic_load(&t->ro_sessions);
	}
	if (e == E_DEVICE_REMOVED)
		(void)access_lost(t, a);
	access_unref(a);
	return e == E_DEVICE_REMOVED ? E_TOKEN_ABSENT : e;
}
