/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/p11kit.h"
#include "base/file.h"
#include "base/home.h"
#include "base/mem.h"
#include "cli/report.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ADMIN_DIR   "/etc/pkcs11/modules"
#define PACKAGE_DIR "/usr/share/p11-kit/modules"
#define USER_DIR    "/pkcs11/modules"
#define SUFFIX      ".module"
/* How enable-in and disable-in call us: the base name of the executable. */
#define PROGRAM "chancery"

enum { FILE_SIZE_MAX = 1 << 20, NAME_LENGTH_MAX = 64 };

/* ---- one file: "name: value" on each line, comments after '#'. No INI file, so no reader of those. ---- */

static struct span trim(struct span s)
{
	while (s.n > 0 && isspace(s.p[0]))
		s = span(s.p + 1, s.n - 1);
	while (s.n > 0 && isspace(s.p[s.n - 1]))
		s.n--;
	return s;
}

static bool name_take(struct span s, char name[NAME_LENGTH_MAX])
{
	if (s.n == 0 || s.n >= NAME_LENGTH_MAX)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!isalnum(s.p[i]) && memchr("._-", s.p[i], 3) == NULL)
			return false;
	memcpy(name, s.p, s.n);
	name[s.n] = '\0';
	return true;
}

/* What is wrong with the line, or NULL. A name that comes twice has its last value. */
static const char *line_take(struct span line, json_t *settings)
{
	char name[NAME_LENGTH_MAX];

	line = trim(line);
	if (line.n == 0 || line.p[0] == '#')
		return NULL;
	const uint8_t *colon = memchr(line.p, ':', line.n);
	if (colon == NULL)
		return "a line without a colon";
	size_t at = (size_t)(colon - line.p);
	if (!name_take(trim(span(line.p, at)), name))
		return "no name of a setting before the colon";
	struct span value = trim(span(colon + 1, line.n - at - 1));
	if (memchr(value.p, '\0', value.n) != NULL ||
	    json_object_set_new(settings, name, json_stringn((const char *)value.p, value.n)) != 0)
		return "a value that is not UTF-8 text";
	return NULL;
}

static enum err settings_read(const char *path, json_t *settings, struct why *why)
{
	struct buf text = { 0 };
	enum err e = file_read(path, FILE_FOLLOW, FILE_SIZE_MAX, &text, why);
	struct span rest = buf_span(&text);

	for (int line = 1; rest.n > 0 && e == OK; line++) {
		const uint8_t *end = memchr(rest.p, '\n', rest.n);
		size_t n = end != NULL ? (size_t)(end - rest.p) : rest.n;
		const char *wrong = line_take(span(rest.p, n), settings);
		if (wrong != NULL)
			e = why_fail(why, E_CONFIG, "%s:%d: %s", path, line, wrong);
		n += end != NULL;
		rest = span(rest.p + n, rest.n - n);
	}
	buf_free(&text);
	return e;
}

/* ---- directories: {name: {"provider", "source", "settings", "error"}} ---- */

static json_t *found_add(json_t *found, const char *name, const char *source)
{
	json_t *row = json_pack("{s:o, s:o, s:{}}", "provider", report_label(span_str(name)),
				"source", report_label(span_str(source)), "settings");

	return json_object_set_new(found, name, row) == 0 ? row : NULL;
}

static void error_set(json_t *row, const struct why *why)
{
	json_object_set_new(row, "error", report_label(span_str(why->text)));
}

/* A directory read earlier has its way: this file only adds what that one does not say. */
static enum err file_merge(json_t *found, const char *name, const char *path)
{
	struct why why = { "" };
	json_t *settings = json_object();
	json_t *row = json_object_get(found, name);
	enum err e = settings_read(path, settings, &why);

	if (row == NULL)
		row = found_add(found, name, path);
	if (e != OK)
		error_set(row, &why);
	if (json_object_update_missing(json_object_get(row, "settings"), settings) != 0)
		e = E_MEMORY;
	json_decref(settings);
	return e == E_MEMORY ? e : OK;
}

/* The name of a file without ".module": letters, digits and some signs; others are not p11-kit's. */
static bool module_name(const char *file, char name[NAME_MAX + 1])
{
	size_t n = strlen(file), suffix = sizeof(SUFFIX) - 1;

	if (n <= suffix || n > NAME_MAX || strcmp(file + n - suffix, SUFFIX) != 0 ||
	    !isalnum((unsigned char)file[0]))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)file[i]) && strchr("._-,", file[i]) == NULL)
			return false;
	memcpy(name, file, n - suffix);
	name[n - suffix] = '\0';
	return true;
}

static enum err entries_read(DIR *d, const char *dir, json_t *found)
{
	char name[NAME_MAX + 1], path[PATH_MAX];
	const struct dirent *entry;
	enum err e = OK;

	while (e == OK && (entry = readdir(d)) != NULL) {
		if (!module_name(entry->d_name, name))
			continue;
		int n = snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		if (n > 0 && (size_t)n < sizeof(path))
			e = file_merge(found, name, path);
	}
	return e;
}

/* A directory that cannot be read is a row with an error. Absent, it is one only when it was asked for. */
static enum err dir_read(const char *dir, bool asked, json_t *found)
{
	struct why why = { "" };
	DIR *d = opendir(dir);

	if (d == NULL && !asked && (errno == ENOENT || errno == ENOTDIR))
		return OK;
	if (d == NULL) {
		(void)why_errno(&why, "%s cannot be read", dir);
		error_set(found_add(found, dir, dir), &why);
		return OK;
	}
	enum err e = entries_read(d, dir, found);
	closedir(d);
	return e;
}

static enum err dirs_read(const char *dir, json_t *found)
{
	char user[PATH_MAX];
	enum err e = OK;

	if (dir != NULL)
		return dir_read(dir, true, found);
	if (geteuid() != 0 && home_config(USER_DIR, user, NULL) == OK)
		e = dir_read(user, false, found);
	if (e == OK)
		e = dir_read(ADMIN_DIR, false, found);
	return e == OK ? dir_read(PACKAGE_DIR, false, found) : e;
}

/* ---- what the settings come to ---- */

static const char *setting(const json_t *row, const char *name)
{
	return json_string_value(json_object_get(json_object_get(row, "settings"), name));
}

/* Words of a list are separated by commas and blanks. */
static bool listed(const char *list)
{
	size_t n;

	for (; *list != '\0'; list += n) {
		list += strspn(list, ", \t");
		n = strcspn(list, ", \t");
		if (n == sizeof(PROGRAM) - 1 && memcmp(list, PROGRAM, n) == 0)
			return true;
	}
	return false;
}

/* Why p11-kit would not load the module here, or NULL. enable-in counts before disable-in. */
static const char *left_out(const json_t *row)
{
	const char *enable = setting(row, "enable-in"), *disable = setting(row, "disable-in");
	const char *module = setting(row, "module");

	if (setting(row, "remote") != NULL)
		return "remote: p11-kit runs a command to reach it";
	if (module == NULL || module[0] == '\0')
		return "it names no module";
	if (enable != NULL && !listed(enable))
		return "enable-in does not have " PROGRAM;
	if (enable == NULL && disable != NULL && listed(disable))
		return "disable-in has " PROGRAM;
	return NULL;
}

static long priority(const json_t *row)
{
	const char *text = setting(row, "priority");

	return text != NULL ? strtol(text, NULL, 10) : 0;
}

static int by_priority(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	long px = priority(x), py = priority(y);

	if (px != py)
		return px > py ? -1 : 1;
	return strcmp(json_string_value(json_object_get(x, "provider")),
		      json_string_value(json_object_get(y, "provider")));
}

/* Replaces the settings by what they come to. */
static void row_judge(json_t *row)
{
	const char *module = setting(row, "module"), *out = left_out(row);

	if (json_object_get(row, "error") == NULL) {
		if (out != NULL)
			json_object_set_new(row, "left_out", json_string(out));
		else if (module[0] == '/')
			json_object_set_new(row, "module", json_string(module));
		else
			json_object_set_new(row, "module",
					    json_sprintf("%s/%s", P11_KIT_MODULE_DIR, module));
	}
	json_object_del(row, "settings");
}

static enum err rows_make(json_t *found, json_t *rows)
{
	size_t n = json_object_size(found), i = 0;
	json_t **list = mem_alloc(n * sizeof(json_t *)), *row;
	const char *name;
	bool added = list != NULL;

	if (list == NULL)
		return E_MEMORY;
	json_object_foreach(found, name, row) list[i++] = row;
	qsort(list, n, sizeof(json_t *), by_priority);
	for (i = 0; i < n && added; i++) {
		row_judge(list[i]);
		added = json_array_append(rows, list[i]) == 0;
	}
	mem_free(list);
	return added ? OK : E_MEMORY;
}

enum err p11kit_modules(const char *dir, json_t **rows, struct why *why)
{
	json_t *found = json_object();
	enum err e = E_MEMORY;

	*rows = json_array();
	if (found != NULL && *rows != NULL)
		e = dirs_read(dir, found);
	if (e == OK)
		e = rows_make(found, *rows);
	json_decref(found);
	return e == OK ? OK : why_fail(why, e, "%s", err_text(e));
}
