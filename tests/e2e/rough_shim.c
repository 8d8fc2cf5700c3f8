/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A PKCS#11 module with two slots that offer different things, and that misbehaves as the environment variable ROUGH says:
 * crash (in C_Initialize), late (crash in C_Finalize), hang, deaf (hang, whatever signal comes),
 * twins (a process it starts keeps every descriptor and stays, deaf), hang-twins (both), exit, noise (on
 * stdout), none (no mechanism), empty (no token), refuse (C_GetMechanismList of slot 2 fails), forge (writes ROUGH_ANSWER
 * into every pipe that its process made, and ends), steer (names that turn a terminal's colours and the direction of its text).
 * A process that stays writes its id to the file that ROUGH_PID names.
 */
#include <chancery/pkcs11.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct offered {
	CK_MECHANISM_TYPE type;
	CK_MECHANISM_INFO info;
};

static const struct offered first[] = {
	{ CKM_SHA256, { 0, 0, CKF_DIGEST } },
	{ CKM_AES_CBC, { 16, 32, CKF_HW | CKF_ENCRYPT | CKF_DECRYPT } },
};
static const struct offered second[] = {
	{ CKM_AES_CBC, { 16, 16, CKF_ENCRYPT | CKF_WRAP } },
	{ CKM_SHA256, { 0, 0, CKF_DIGEST } },
	{ CKM_ECDSA, { 256, 521, CKF_SIGN | CKF_EC_F_P } },
};
static const struct {
	const struct offered *rows;
	CK_ULONG n;
} slots[] = { { first, 2 }, { second, 3 } };

static int rough(const char *how)
{
	const char *v = getenv("ROUGH");

	return v != NULL && strcmp(v, how) == 0;
}

static void pad(CK_UTF8CHAR *field, size_t n, const char *text)
{
	memset(field, ' ', n);
	memcpy(field, text, strlen(text));
}

/* For longer than any test waits, but not for ever. */
static void stay(void)
{
	for (int i = 0; i < 60; i++)
		sleep(1);
}

static void deafen(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	stay();
}

static void note(pid_t pid)
{
	const char *path = getenv("ROUGH_PID");
	FILE *f = path != NULL ? fopen(path, "w") : NULL;

	if (f == NULL)
		return;
	fprintf(f, "%ld\n", (long)pid);
	fclose(f);
}

static void start_twin(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		deafen();
		_exit(0);
	}
	note(pid);
}

static void forge(void)
{
	const char *text = getenv("ROUGH_ANSWER");
	struct stat st;

	for (int fd = STDERR_FILENO + 1; fd < 64; fd++)
		if (fcntl(fd, F_GETFD) == FD_CLOEXEC && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode))
			(void)!write(fd, text, strlen(text));
	_exit(0);
}

static CK_RV initialize(CK_VOID_PTR args)
{
	(void)args;
	if (rough("forge"))
		forge();
	if (rough("crash"))
		abort();
	if (rough("exit"))
		_exit(0);
	if (rough("twins") || rough("hang-twins"))
		start_twin();
	if (rough("hang"))
		note(getpid());
	if (rough("hang") || rough("hang-twins"))
		stay();
	if (rough("deaf"))
		deafen();
	if (rough("noise")) {
		printf("this is no JSON\n");
		fflush(stdout);
	}
	return CKR_OK;
}

static CK_RV finalize(CK_VOID_PTR reserved)
{
	(void)reserved;
	if (rough("late"))
		abort();
	return CKR_OK;
}

static CK_RV get_info(CK_INFO_PTR info)
{
	memset(info, 0, sizeof(*info));
	pad(info->manufacturerID, sizeof(info->manufacturerID), "nobody");
	pad(info->libraryDescription, sizeof(info->libraryDescription), "rough");
	return CKR_OK;
}

static CK_RV get_slot_list(CK_BBOOL present, CK_SLOT_ID_PTR list, CK_ULONG_PTR n)
{
	(void)present;
	*n = rough("empty") ? 0 : 2;
	for (CK_ULONG i = 0; list != NULL && i < *n; i++)
		list[i] = i + 1;
	return CKR_OK;
}

static CK_RV get_slot_info(CK_SLOT_ID id, CK_SLOT_INFO_PTR info)
{
	(void)id;
	memset(info, 0, sizeof(*info));
	pad(info->slotDescription, sizeof(info->slotDescription),
	    rough("steer") ? "\xc2\x9b"
			     "31m\xe2\x80\xae"
			     "tols"
			   : "a slot");
	pad(info->manufacturerID, sizeof(info->manufacturerID), "nobody");
	info->flags = CKF_TOKEN_PRESENT;
	return CKR_OK;
}

static CK_RV get_token_info(CK_SLOT_ID id, CK_TOKEN_INFO_PTR info)
{
	memset(info, 0, sizeof(*info));
	pad(info->label, sizeof(info->label),
	    rough("steer") ? "\xe2\x81\xa6\xd8\x9c\xc3\xa9"
	    : id == 1      ? "one"
			   : "two");
	pad(info->manufacturerID, sizeof(info->manufacturerID), "nobody");
	pad(info->model, sizeof(info->model), "rough");
	pad(info->serialNumber, sizeof(info->serialNumber), "0");
	info->flags = CKF_TOKEN_INITIALIZED;
	return CKR_OK;
}

static CK_RV get_mechanism_list(CK_SLOT_ID id, CK_MECHANISM_TYPE_PTR list, CK_ULONG_PTR n)
{
	if (rough("refuse") && id == 2)
		return CKR_DEVICE_ERROR;
	*n = rough("none") ? 0 : slots[id - 1].n;
	for (CK_ULONG i = 0; list != NULL && i < *n; i++)
		list[i] = slots[id - 1].rows[i].type;
	return CKR_OK;
}

static CK_RV get_mechanism_info(CK_SLOT_ID id, CK_MECHANISM_TYPE type, CK_MECHANISM_INFO_PTR info)
{
	for (CK_ULONG i = 0; i < slots[id - 1].n; i++)
		if (slots[id - 1].rows[i].type == type) {
			*info = slots[id - 1].rows[i].info;
			return CKR_OK;
		}
	return CKR_MECHANISM_INVALID;
}

CK_RV C_GetFunctionList(CK_FUNCTION_LIST_PTR_PTR out)
{
	static CK_FUNCTION_LIST list = {
		.version = { 2, 40 },
		.C_Initialize = initialize,
		.C_Finalize = finalize,
		.C_GetInfo = get_info,
		.C_GetSlotList = get_slot_list,
		.C_GetSlotInfo = get_slot_info,
		.C_GetTokenInfo = get_token_info,
		.C_GetMechanismList = get_mechanism_list,
		.C_GetMechanismInfo = get_mechanism_info,
	};

	*out = &list;
	return CKR_OK;
}
