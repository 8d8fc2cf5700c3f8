/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions that only a fresh process can answer: this program starts itself with one of them and the
 * module's path, and the child prints one number.
 */
#ifndef CHANCERY_BENCH_PROC_H
#define CHANCERY_BENCH_PROC_H

#include "bench/target.h"

/* The answer, or below zero. arg: more for the question, or NULL. */
double proc_ask(const char *question, const struct target *t, const char *arg);
/* Seconds from starting a child with the question until it has ended; below zero when it failed. */
double proc_time(const char *question, const struct target *t);
/* In the child: the exit status. argv: PROGRAM --child QUESTION MODULE SLOT [ARG] */
int proc_child(int argc, char **argv);
/* Resident bytes of this process. */
double proc_rss(void);

#endif
