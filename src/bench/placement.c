/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/placement.h"
#include "base/file.h"
#include "bench/scratch.h"
#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *name, *folder, *audit;
} places[] = {
	[PLACE_STORAGE] = { "the module, its log on storage", "storage", "on" },
	[PLACE_NULL] = { "the module, its log on /dev/null", "null", "/dev/null" },
	[PLACE_OFF] = { "the module, its log off", "off", "off" },
};

static bool copy(const char *from, const char *to, struct why *why)
{
	enum { MODULE_MAX = 256 << 20 };
	struct buf b = { 0 };
	bool good = file_read(from, FILE_FOLLOW, MODULE_MAX, &b, why) == OK &&
		    file_create(to, 0700, buf_span(&b), why) == OK;

	buf_free(&b);
	return good;
}

static bool open_one(struct placement *p, enum place i, const char *dir, const char *module,
		     struct why *why)
{
	char file[PATH_MAX], home[PATH_MAX];

	snprintf(file, sizeof(file), "%s/module-%s.so", dir, places[i].folder);
	snprintf(home, sizeof(home), "%s/%s", dir, places[i].folder);
	if (!scratch_chancery(dir, places[i].folder, places[i].audit)) {
		(void)why_errno(why, "cannot write the configuration of %s", home);
		return false;
	}
	return copy(module, file, why) && target_open(&p->at[i], places[i].name, file, why);
}

bool placement_open(struct placement *p, const char *dir, const char *module, struct why *why)
{
	bool good = true;

	*p = (struct placement){ .at[0].name = "" };
	for (int i = 0; good && i < PLACES; i++)
		good = open_one(p, (enum place)i, dir, module, why);
	return good;
}

void placement_close(struct placement *p)
{
	for (int i = 0; i < PLACES; i++)
		target_close(&p->at[i]);
}
