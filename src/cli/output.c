/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output.h"
#include "base/file.h"
#include "cli/report.h"
#include <sys/stat.h>
#include <unistd.h>

/* As /dev/stdout is: opened anew, a file would be written from its beginning, over what is there. */
static bool is_stdout(const char *path)
{
	struct stat a, b;

	return fstat(STDOUT_FILENO, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static json_t *value(const struct output *out)
{
	return out->text ? json_stringn((const char *)out->bytes.p, out->bytes.n)
			 : report_base64(out->bytes);
}

/* As it is, if JSON can have it. */
static json_t *file_name(const char *path)
{
	json_t *v = json_string(path);

	return v != NULL ? v : report_label(span_str(path));
}

enum err output_write(struct call *c, const struct output *out, json_t *about)
{
	const char *path = call_option(c, "out");
	enum err e = OK;

	if (path != NULL && is_stdout(path))
		path = NULL;
	if (path == NULL && !c->json) {
		json_decref(about);
		return file_write_fd(STDOUT_FILENO, "standard output", out->bytes, &c->why);
	}
	if (json_object_set_new(about, "bytes", json_integer((json_int_t)out->bytes.n)) != 0 ||
	    (path != NULL ? json_object_set_new(about, "file", file_name(path))
			  : json_object_set_new(about, out->key, value(out))) != 0)
		e = why_fail(&c->why, E_MEMORY, "%s", err_text(E_MEMORY));
	else if (path != NULL)
		e = file_put(path, 0644, out->bytes, &c->why);
	if (e != OK) {
		json_decref(about);
		return e;
	}
	return report_done(c, about, "%s is in %s.", out->said, path != NULL ? path : "");
}
