/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/proc.h"
#include "bench/rollask.h"
#include "bench/work.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- the parent's side ---- */

/* out: where the child's answer goes; below zero: nowhere. */
static pid_t start(const char *question, const struct target *t, const char *arg, int out)
{
	posix_spawn_file_actions_t actions;
	char slot[32], self[] = "/proc/self/exe";
	char *argv[] = { self,
			 (char *)(uintptr_t) "--child",
			 (char *)(uintptr_t)question,
			 (char *)(uintptr_t)t->path,
			 slot,
			 (char *)(uintptr_t)arg,
			 NULL };
	pid_t pid = -1;

	snprintf(slot, sizeof(slot), "%lu", t->slot);
	posix_spawn_file_actions_init(&actions);
	if (out >= 0)
		posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	else
		posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, self, &actions, NULL, argv, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

static bool ended_well(pid_t pid)
{
	int status = 0;

	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 0;
}

double proc_ask(const char *question, const struct target *t, const char *arg)
{
	int fd[2];
	char text[64];
	double v = -1;

	if (pipe(fd) != 0)
		return -1;
	pid_t pid = start(question, t, arg, fd[1]);
	close(fd[1]);
	ssize_t n = read(fd[0], text, sizeof(text) - 1);
	close(fd[0]);
	if (n > 0) {
		text[n] = '\0';
		v = strtod(text, NULL);
	}
	return ended_well(pid) ? v : -1;
}

double proc_time(const char *question, const struct target *t)
{
	double begin = work_clock();

	return ended_well(start(question, t, NULL, -1)) ? work_clock() - begin : -1;
}

double proc_rss(void)
{
	unsigned long size = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f == NULL)
		return -1;
	int n = fscanf(f, "%lu %lu", &size, &resident);
	fclose(f);
	return n == 2 ? (double)resident * (double)sysconf(_SC_PAGESIZE) : -1;
}

/* ---- the child's side ---- */

/* A module loaded without the client layer: nothing but the module itself is in the figure. */
static const CK_FUNCTION_LIST *load(const char *path)
{
	CK_C_GetFunctionList get;
	CK_FUNCTION_LIST *fn = NULL;
	void *dl = dlopen(path, RTLD_NOW);

	if (dl == NULL)
		return NULL;
	*(void **)&get = dlsym(dl, "C_GetFunctionList");
	return get != NULL && get(&fn) == CKR_OK ? fn : NULL;
}

static const CK_FUNCTION_LIST *load_initialised(const char *path)
{
	CK_C_INITIALIZE_ARGS args = { .flags = CKF_OS_LOCKING_OK };
	const CK_FUNCTION_LIST *fn = load(path);

	return fn != NULL && fn->C_Initialize(&args) == CKR_OK ? fn : NULL;
}

/* What any program has that uses libcrypto at all: one digest. */
static void touch_libcrypto(void)
{
	uint8_t d[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	EVP_Digest("x", 1, d, &n, EVP_sha256(), NULL);
}

static double q_nothing(const char *path, CK_SLOT_ID slot, const char *arg)
{
	(void)path, (void)slot, (void)arg;
	return 0;
}

static double q_initialise(const char *path, CK_SLOT_ID slot, const char *arg)
{
	const CK_FUNCTION_LIST *fn = load_initialised(path);

	(void)slot, (void)arg;
	return fn != NULL && fn->C_Finalize(NULL) == CKR_OK ? 0 : -1;
}

static double q_rss(const char *path, CK_SLOT_ID slot, const char *arg)
{
	(void)slot, (void)arg;
	touch_libcrypto();
	double before = proc_rss();
	return load_initialised(path) != NULL ? proc_rss() - before : -1;
}

enum { SESSIONS = 100000 };

static double q_session_bytes(const char *path, CK_SLOT_ID slot, const char *arg)
{
	const CK_FUNCTION_LIST *fn = load_initialised(path);
	CK_SESSION_HANDLE h;

	(void)arg;
	if (fn == NULL || fn->C_OpenSession(slot, CKF_SERIAL_SESSION, NULL, NULL, &h) != CKR_OK)
		return -1;
	double before = proc_rss();
	for (int i = 0; i < SESSIONS; i++)
		if (fn->C_OpenSession(slot, CKF_SERIAL_SESSION, NULL, NULL, &h) != CKR_OK)
			return -1;
	return (proc_rss() - before) / SESSIONS;
}

/* Milliseconds of the first search by label, after login. */
static double q_first_find(const char *path, CK_SLOT_ID slot, const char *arg)
{
	const CK_FUNCTION_LIST *fn = load_initialised(path);
	CK_ATTRIBUTE a = { CKA_LABEL, (void *)(uintptr_t)arg, arg != NULL ? strlen(arg) : 0 };
	CK_UTF8CHAR_PTR pin = (CK_UTF8CHAR_PTR)(uintptr_t)TARGET_PIN;
	CK_SESSION_HANDLE h;
	CK_OBJECT_HANDLE o;
	CK_ULONG n = 0;

	if (fn == NULL || fn->C_OpenSession(slot, CKF_SERIAL_SESSION, NULL, NULL, &h) != CKR_OK ||
	    fn->C_Login(h, CKU_USER, pin, strlen(TARGET_PIN)) != CKR_OK)
		return -1;
	double begin = work_clock();
	if (fn->C_FindObjectsInit(h, &a, 1) != CKR_OK ||
	    fn->C_FindObjects(h, &o, 1, &n) != CKR_OK || fn->C_FindObjectsFinal(h) != CKR_OK ||
	    n != 1)
		return -1;
	return (work_clock() - begin) * 1e3;
}

static const struct {
	const char *name;
	double (*answer)(const char *path, CK_SLOT_ID slot, const char *arg);
} questions[] = {
	{ "nothing", q_nothing },
	{ "initialise", q_initialise },
	{ "rss", q_rss },
	{ "session-bytes", q_session_bytes },
	{ "first-find", q_first_find },
	{ "digest-lines", rollask_digest },
	{ "verify-consistent", rollask_consistent },
	{ "verify-authentic", rollask_authentic },
	{ "verify-memory", rollask_memory },
};

int proc_child(int argc, char **argv)
{
	for (size_t i = 0; argc >= 5 && i < sizeof(questions) / sizeof(questions[0]); i++)
		if (strcmp(questions[i].name, argv[2]) == 0) {
			double v = questions[i].answer(argv[3], strtoul(argv[4], NULL, 10),
						       argc > 5 ? argv[5] : NULL);
			if (v >= 0)
				printf("%.9g\n", v);
			return v >= 0 ? 0 : 1;
		}
	return 2;
}
