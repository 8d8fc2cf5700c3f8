/* SPDX-License-Identifier: Apache-2.0 */
#include "base/why.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
	int errnum;
	enum err e;
} errnos[] = {
	{ ENOENT, E_ABSENT },        { ENOTDIR, E_ABSENT },       { EEXIST, E_EXISTS },
	{ EACCES, E_ACCESS },        { EPERM, E_ACCESS },         { ELOOP, E_ACCESS },
	{ ENOSPC, E_DEVICE_MEMORY }, { EDQUOT, E_DEVICE_MEMORY }, { EROFS, E_WRITE_PROTECTED },
	{ ENOMEM, E_MEMORY },        { EMFILE, E_MEMORY },        { ENFILE, E_MEMORY },
};

enum err why_err_of_errno(int errnum)
{
	for (size_t i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++) {
		if (errnos[i].errnum == errnum)
			return errnos[i].e;
	}
	return E_DEVICE;
}

void why_clean(char *text)
{
	char *end = text + strlen(text);

	while (text != end) {
		size_t n = utf8_shown(span(text, (size_t)(end - text)));

		if (n == 0)
			*text = '?';
		text += n != 0 ? n : 1;
	}
}

enum err why_fail(struct why *w, enum err e, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;

	if (w == NULL)
		return e;
	va_start(ap, fmt);
	(void)vsnprintf(w->text, sizeof(w->text), fmt, ap);
	va_end(ap);
	why_clean(w->text);
	errno = saved;
	return e;
}

enum err why_errno(struct why *w, const char *fmt, ...)
{
	int saved = errno;
	char text[WHY_MAX], reason[128];
	va_list ap;

	if (w == NULL)
		return why_err_of_errno(saved);
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	errno = saved;
	return why_fail(w, why_err_of_errno(saved), "%.*s: %s", (int)(WHY_MAX - sizeof(reason) - 3),
			text, strerror_r(saved, reason, sizeof(reason)));
}
