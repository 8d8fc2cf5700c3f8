/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/output.h"
#include "base/file.h"
#include <sys/stat.h>
#include <unistd.h>

/* As /dev/stdout is: opened anew, a file would be written from its beginning, over what is there. */
static bool is_stdout(const char *path)
{
	struct stat a, b;

	return fstat(STDOUT_FILENO, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

enum err output_write(struct call *c, struct span bytes, const char **path)
{
	*path = call_option(c, "out");
	if (*path != NULL && is_stdout(*path))
		*path = NULL;
	if (*path == NULL)
		return file_write_fd(STDOUT_FILENO, "standard output", bytes, &c->why);
	return file_put(*path, 0644, bytes, &c->why);
}
