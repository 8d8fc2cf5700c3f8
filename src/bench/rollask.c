/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/rollask.h"
#include "auditor/review.h"
#include "base/file.h"
#include <glob.h>
#include <limits.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the floor ---- */

typedef void take_fn(void *arg, const char *data, size_t n);

static bool each_block(const char *path, take_fn *take, void *arg)
{
	char data[1 << 16];
	FILE *f = fopen(path, "rb");
	bool good;
	size_t n;

	if (f == NULL)
		return false;
	(void)setvbuf(f, NULL, _IONBF, 0);
	while ((n = fread(data, 1, sizeof(data), f)) != 0)
		take(arg, data, n);
	good = ferror(f) == 0;
	fclose(f);
	return good;
}

static void count(void *arg, const char *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*(double *)arg += data[i] == '\n';
}

static void hash(void *arg, const char *data, size_t n)
{
	(void)EVP_DigestUpdate(arg, data, n);
}

static bool each_file(const char *dir, take_fn *take, void *arg)
{
	char pattern[PATH_MAX];
	bool good = true;
	glob_t g;

	snprintf(pattern, sizeof(pattern), "%s/roll.*", dir);
	if (glob(pattern, 0, NULL, &g) != 0)
		return false;
	for (size_t i = 0; i < g.gl_pathc; i++)
		good = good && each_block(g.gl_pathv[i], take, arg);
	globfree(&g);
	return good;
}

double rollask_digest(const char *path, CK_SLOT_ID slot, const char *arg)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	double lines = 0, begin = 0;
	bool good = arg != NULL && each_file(arg, count, &lines) &&
		    EVP_DigestInit_ex2(ctx, EVP_sha256(), NULL) == 1;

	(void)path, (void)slot;
	begin = cpu_seconds();
	good = good && each_file(arg, hash, ctx);
	EVP_MD_CTX_free(ctx);
	return good ? lines / (cpu_seconds() - begin) : -1;
}

/* ---- the auditor ---- */

static struct keys_private *read_keys(const char *dir)
{
	struct buf text = { .secret = true };
	struct keys_private *k = NULL;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s.key", dir);
	if (file_read(path, 0, KEYS_TEXT_MAX, &text, NULL) == OK)
		(void)keys_private_read(buf_span(&text), &k, NULL);
	buf_free(&text);
	return k;
}

/* Records for each second; below zero when less was established than was asked for. */
static double review(const char *dir, const struct keys_private *keys)
{
	const struct review_ask ask = { .dir = dir, .keys = keys, .jobs = 1 };
	struct review r = { .n = 0 };
	const double begin = cpu_seconds();
	double v = -1;

	if (review_run(&ask, &r, NULL) == OK &&
	    (keys != NULL ? review_authentic(&r) : review_sound(&r)))
		v = (double)r.records / (cpu_seconds() - begin);
	review_free(&r);
	return v;
}

double rollask_consistent(const char *path, CK_SLOT_ID slot, const char *arg)
{
	(void)path, (void)slot;
	return arg != NULL ? review(arg, NULL) : -1;
}

double rollask_authentic(const char *path, CK_SLOT_ID slot, const char *arg)
{
	struct keys_private *keys = arg != NULL ? read_keys(arg) : NULL;
	const double v = keys != NULL ? review(arg, keys) : -1;

	(void)path, (void)slot;
	keys_private_free(keys);
	return v;
}

/* Of this program image alone: what getrusage tells begins with the parent's. */
static double most_memory(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	double kib = -1;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "VmHWM: %lf", &kib) == 1)
			break;
	if (f != NULL)
		fclose(f);
	return kib < 0 ? -1 : kib / 1024;
}

double rollask_memory(const char *path, CK_SLOT_ID slot, const char *arg)
{
	return rollask_authentic(path, slot, arg) < 0 ? -1 : most_memory();
}
