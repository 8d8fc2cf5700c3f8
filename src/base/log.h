/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages for operators, to stderr or the journal. Silent until log_open. Never give it a secret.
 *
 * The journal is written to by one datagram to its socket in its documented native protocol:
 * syslog(3) shares its connection, identity and options with the host program, and libsystemd would
 * be one more dependency of every process that loads the module. No descriptor is kept, so that a
 * fork, a closefrom or a restarted journal needs no care. All functions are safe in any thread, and
 * keep errno.
 */
#ifndef CHANCERY_BASE_LOG_H
#define CHANCERY_BASE_LOG_H

#include "base/err.h"
#include <stdbool.h>

/* In the order of the configuration's choices for log_level and log_target. */
enum log_level { LEVEL_NONE, LEVEL_ERROR, LEVEL_WARNING, LEVEL_INFO, LEVEL_DEBUG };
enum log_target { TARGET_NONE, TARGET_STDERR, TARGET_JOURNAL };

/* One bit each: only the first fault of a kind is logged until log_open is called again. */
enum log_fault {
	FAULT_CONFIG,     /* configuration wrong or unreadable */
	FAULT_STORE,      /* a store that cannot be opened, written or trusted */
	FAULT_ROLL,       /* an audit log that cannot be written */
	FAULT_MEMORY,     /* memory that could not be locked */
	FAULT_PIN,        /* a row of a PIN that is not the one last set */
	FAULT_PIN_SOURCE, /* a configured PIN source that failed */
	FAULT_SELFTEST,   /* a failed self-test or integrity check */
	FAULT_FORMAT,     /* state of a newer version */
	FAULT_INTERNAL,   /* an error that should not happen */
	FAULT_COUNT
};

/* program is the identifier in the journal and the prefix on stderr; static text. */
void log_open(enum log_target target, enum log_level level, const char *program);

/* Whether a message of this level would be written: to spare the making of one. */
bool log_wants(enum log_level level);

/* One line; control characters come out as '?', what is longer than 1 KiB is cut. */
void log_put(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* An error-level message, the first time that a fault of this kind is reported. */
void log_fault(enum log_fault kind, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
