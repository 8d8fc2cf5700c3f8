/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/scratch.h"
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_text(const char *path, const char *before, const char *arg, const char *after)
{
	FILE *f = fopen(path, "w");

	if (f == NULL)
		return false;
	fprintf(f, "%s%s%s", before, arg, after);
	return fclose(f) == 0;
}

/* A SoftHSM2 of its own, as quiet as it can be. */
static bool softhsm(const struct scratch *s)
{
	char conf[PATH_MAX + 32], tokens[PATH_MAX + 32];

	snprintf(conf, sizeof(conf), "%s/softhsm2.conf", s->path);
	snprintf(tokens, sizeof(tokens), "%s/softhsm2", s->path);
	return mkdir(tokens, 0700) == 0 &&
	       write_text(conf, "directories.tokendir = ", tokens,
			  "\nobjectstore.backend = file\nlog.level = ERROR\n") &&
	       setenv("SOFTHSM2_CONF", conf, 1) == 0;
}

bool scratch_chancery(const char *dir, const char *name, const char *audit)
{
	char home[PATH_MAX + 32], conf[PATH_MAX + 32];

	snprintf(home, sizeof(home), "%s/%s", dir, name);
	snprintf(conf, sizeof(conf), "%s/%s.conf", dir, name);
	return write_text(conf, "[module]\naudit = ", audit, "\n") && chmod(conf, 0600) == 0 &&
	       setenv("CHANCERY_HOME", home, 1) == 0 && setenv("CHANCERY_CONF", conf, 1) == 0;
}

/* Without the audit log: the other modules have none, and what it costs is a suite of its own. */
bool scratch_make(struct scratch *s, const char *base)
{
	if (base == NULL)
		base = getenv("TMPDIR");
	snprintf(s->path, sizeof(s->path), "%s/chancery-bench-XXXXXX",
		 base != NULL ? base : "/var/tmp");
	return mkdtemp(s->path) != NULL && softhsm(s) &&
	       scratch_chancery(s->path, "chancery", "off");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

void scratch_remove(struct scratch *s)
{
	nftw(s->path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
