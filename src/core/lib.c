/* SPDX-License-Identifier: Apache-2.0 */
#include "core/lib.h"

#include "audit/roll.h"
#include "base/dir.h"
#include "base/home.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/rollplace.h"
#include "core/keycache.h"
#include "core/lib_internal.h"
#include "core/uses.h"
#include "crypto/lib.h"
#include "crypto/mech.h"
#include "store/store.h"

#define TOKENS "/tokens" /* in the directory of state */

/* One initialise or finalise after the other; a fork waits for them, so that a child never finds one half done. */
static struct lock life = { PTHREAD_MUTEX_INITIALIZER, RANK_LIB };
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Where the pointer to this process's library is: in memory that a forked child finds wiped, where the system has that. */
static void *_Atomic *_Atomic word;
static void *_Atomic plain_word;

/* ---- fork ---- */

static void fork_prepare(void)
{
	lock_take(&life);
	store_fork_prepare();
	roll_fork_prepare();
}

static void fork_parent(void)
{
	roll_fork_parent();
	store_fork_parent();
	lock_drop(&life);
}

/* The child starts with nothing: what the parent had stays where it is, its locks untouched. */
static void fork_child(void)
{
	atomic_store(atomic_load(&word), NULL);
	roll_fork_child();
	store_fork_child();
	lock_drop(&life);
}

static void prepare_process(void)
{
	void **wiped = mem_fork_slot();

	atomic_store(&word, wiped != NULL ? (void *_Atomic *)(void *)wiped : &plain_word);
	(void)pthread_atfork(fork_prepare, fork_parent, fork_child);
}

/* ---- this process's library ---- */

struct lib *lib_this(void)
{
	void *_Atomic *w = atomic_load_explicit(&word, memory_order_acquire);

	return w != NULL ? atomic_load_explicit(w, memory_order_acquire) : NULL;
}

/* life is held */
static enum err make_locked(struct lib **out)
{
	struct lib *l = lib_this();

	if (l == NULL) {
		l = mem_alloc(sizeof(*l));
		if (l == NULL)
			return E_MEMORY;
		rwlock_init(&l->enter, RANK_ENTER);
		sessions_init(&l->sessions);
		slots_init(&l->slots);
		keycache_start();
		atomic_store(atomic_load(&word), l);
	}
	*out = l;
	return OK;
}

bool lib_ready(void)
{
	const struct lib *l = lib_this();

	return l != NULL && atomic_load_explicit(&l->ready, memory_order_acquire);
}

const struct conf *lib_conf(void)
{
	return lib_this()->conf;
}

struct roll *lib_roll(void)
{
	return lib_this()->roll;
}

enum err lib_enter(void)
{
	struct lib *l = lib_this();

	if (l == NULL)
		return E_NOT_INITIALIZED;
	rwlock_read(&l->enter);
	if (atomic_load_explicit(&l->ready, memory_order_acquire))
		return OK;
	rwlock_drop(&l->enter);
	return E_NOT_INITIALIZED;
}

void lib_leave(void)
{
	rwlock_drop(&lib_this()->enter);
}

/* ---- C_Initialize ---- */

/*
 * 3.2, 5.4.1: all callbacks or none. Ours are the system's locks, so an application that insists on its own cannot be
 * served; one that allows the system's, or has no threads, can.
 */
static enum err check_args(const CK_C_INITIALIZE_ARGS *a)
{
	int given;

	if (a == NULL)
		return OK;
	if (a->pReserved != NULL)
		return E_ARGUMENTS;
	given = (a->CreateMutex != NULL) + (a->DestroyMutex != NULL) + (a->LockMutex != NULL) +
		(a->UnlockMutex != NULL);
	if (given == 0)
		return OK;
	if (given != 4)
		return E_ARGUMENTS;
	return (a->flags & CKF_OS_LOCKING_OK) != 0 ? OK : E_CANT_LOCK;
}

/* A wrong configuration cannot say where to log: the journal is where an administrator looks first. */
static enum err read_conf(struct lib *l)
{
	struct why why = { .text = "" };
	enum err e = conf_load(NULL, &l->conf, &why);

	if (e != OK) {
		log_open(TARGET_JOURNAL, LEVEL_ERROR, "chancery");
		log_fault(FAULT_CONFIG, "%s", why.text);
		return e == E_MEMORY ? e : E_CONFIG;
	}
	log_open((enum log_target)l->conf->module.log_target,
		 (enum log_level)l->conf->module.log_level, "chancery");
	return OK;
}

static void forget_conf(struct lib *l)
{
	conf_free(l->conf);
	l->conf = NULL;
}

/*
 * Nowhere to keep tokens is no reason to fail: programs load every module that is registered on a machine, also
 * for users who have nothing to do with this one.
 */
static void find_home(struct lib *l)
{
	char state[PATH_MAX];
	enum err e = home_state(state, &l->homeless);

	l->home[0] = '\0';
	if (e == OK && strlen(state) + sizeof(TOKENS) > sizeof(l->home))
		e = why_fail(&l->homeless, E_CONFIG, "the path of the state is too long");
	if (e == OK) {
		memcpy(l->home, state, strlen(state));
		memcpy(l->home + strlen(state), TOKENS, sizeof(TOKENS));
	} else {
		log_fault(FAULT_STORE, "no tokens: %s", l->homeless.text);
	}
}

enum err lib_make_state_for(const char *path, struct why *why)
{
	const struct lib *l = lib_this();
	char state[PATH_MAX];
	size_t n;

	if (l->home[0] == '\0')
		return OK;
	n = strlen(l->home) - strlen(TOKENS);
	if (strncmp(path, l->home, n) != 0 || path[n] != '/')
		return OK;
	memcpy(state, l->home, n);
	state[n] = '\0';
	return dir_make(state, l->conf->module.group_mode, why);
}

enum err lib_roll_policy(struct roll_policy *p, char target[PATH_MAX], struct why *why)
{
	const struct conf *c = lib_this()->conf;
	enum err e = rollplace_path(c->module.audit, target, why);

	*p = (struct roll_policy){
		.target = e == OK && target[0] != '\0' ? target : NULL,
		.group = c->module.group_mode,
		.mldsa = c->audit.mldsa,
		.rotate_bytes = (uint64_t)c->audit.rotate_mib << 20,
		.checkpoint_records = (uint32_t)c->audit.checkpoint_records,
		.checkpoint_seconds = (uint32_t)c->audit.checkpoint_seconds,
	};
	return e;
}

/* Where there can be no directory of state there are no tokens either, and nothing to record (find_home said why). */
static enum err start_roll(struct lib *l)
{
	struct roll_policy p;
	struct why why = { .text = "" };
	char target[PATH_MAX];
	enum err e;

	l->roll = NULL;
	l->uses = NULL;
	(void)lib_roll_policy(&p, target, &why);
	e = p.target != NULL ? roll_new(&p, &l->roll) : OK;
	if (e == OK)
		e = uses_new(l->roll, p.group, &l->uses);
	if (e == OK)
		return OK;
	roll_free(l->roll);
	l->roll = NULL;
	return e;
}

static void set_memory(const struct conf_module *m)
{
	struct mem_stats stats;

	mem_locked_limit((size_t)m->locked_kb * 1024, m->locked == LOCKED_STRICT);
	mem_stats(&stats);
	/* a quarter stays for data keys, PINs and what operations hold themselves */
	keycache_limit(stats.lockable / 4 * 3);
}

/* life is held */
static enum err start_locked(struct lib *l)
{
	enum err e = read_conf(l);

	if (e != OK)
		return e;
	set_memory(&l->conf->module);
	mech_profile_set((enum conf_profile)l->conf->module.profile);
	find_home(l);
	e = crypto_start();
	if (e == OK) {
		e = crypto_random(&l->hash, sizeof(l->hash));
		if (e == OK)
			e = start_roll(l);
		if (e != OK)
			crypto_stop();
	}
	if (e != OK)
		forget_conf(l);
	else
		atomic_store_explicit(&l->ready, true, memory_order_release);
	return e;
}

enum err lib_initialize(const CK_C_INITIALIZE_ARGS *args)
{
	struct lib *l = NULL;
	enum err e = check_args(args);

	if (e != OK)
		return e;
	if (pthread_once(&once, prepare_process) != 0)
		return E_FAILED;
	lock_take(&life);
	if (lib_ready())
		e = E_ALREADY_INITIALIZED;
	if (e == OK)
		e = make_locked(&l);
	if (e == OK)
		e = start_locked(l);
	lock_drop(&life);
	return e;
}

/* ---- C_Finalize ---- */

/*
 * Nobody enters any more, then those inside leave: calls without a session by the lock, the others one by one
 * as their sessions are closed. What comes later finds the library not ready, or its session closed.
 */
static void stop_locked(struct lib *l)
{
	rwlock_write(&l->enter);
	atomic_store_explicit(&l->ready, false, memory_order_release);
	rwlock_drop(&l->enter);
	sessions_close(&l->sessions);
	slots_clear(&l->slots);
	uses_free(l->uses);
	l->uses = NULL;
	roll_free(l->roll);
	l->roll = NULL;
	crypto_stop();
	forget_conf(l);
}

enum err lib_finalize(void)
{
	enum err e = E_NOT_INITIALIZED;
	struct lib *l;

	lock_take(&life);
	l = lib_this();
	if (l != NULL && lib_ready()) {
		stop_locked(l);
		e = OK;
	}
	lock_drop(&life);
	return e;
}
