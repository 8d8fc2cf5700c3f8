/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/prometheus.h"

#include <stdbool.h>
#include <stdio.h>

/* One metric with one sample, or one for each result, of every row. */
struct metric {
	const char *name, *suffix; /* the suffix belongs to the sample, not to the metric */
	const char *type, *help;   /* NULL: another sample of the metric before */
	const char *member;        /* an integer of the row */
	const char *result;        /* value of the label result, or NULL */
	bool seconds;              /* the member is in nanoseconds */
};

static const struct metric of_rows[] = {
	{ "chancery_operations", "_total", "counter", "Operations that ended, by result.", "done",
	  "ok", false },
	{ "chancery_operations", "_total", NULL, NULL, "rejected", "rejected", false },
	{ "chancery_operations", "_total", NULL, NULL, "failed", "failed", false },
	{ "chancery_operation_bytes", "_total", "counter",
	  "Input of the operations that succeeded.", "bytes", NULL, false },
	{ "chancery_operation_duration_seconds", "_sum", "summary",
	  "Time in the module of one operation in 64.", "sampled_ns", NULL, true },
	{ "chancery_operation_duration_seconds", "_count", NULL, NULL, "samples", NULL, false },
};

static const struct metric of_tokens[] = {
	{ "chancery_counters_start_time_seconds", "", "gauge", "When the counters began.", "since",
	  NULL, false },
	{ "chancery_operations_uncounted", "_total", "counter",
	  "Operations that found no room in the counters.", "lost", NULL, false },
};

static void print_value(const json_t *v)
{
	for (const char *p = json_string_value(v); p != NULL && *p != '\0'; p++) {
		if (*p == '\n') {
			fputs("\\n", stdout);
			continue;
		}
		if (*p == '"' || *p == '\\')
			putchar('\\');
		putchar(*p);
	}
}

static void print_label(const json_t *row, const char *name)
{
	printf("%s=\"", name);
	print_value(json_object_get(row, name));
	putchar('"');
}

static void print_labels(const json_t *row, const char *result)
{
	printf("{slot=\"%" JSON_INTEGER_FORMAT "\",",
	       json_integer_value(json_object_get(row, "slot")));
	print_label(row, "token");
	putchar(',');
	print_label(row, "serial");
	if (json_object_get(row, "use") != NULL) {
		putchar(',');
		print_label(row, "mechanism");
		putchar(',');
		print_label(row, "use");
	}
	if (result != NULL)
		printf(",result=\"%s\"", result);
	putchar('}');
}

static void print_metric(const struct metric *m, const json_t *rows)
{
	const json_t *row;
	size_t i;

	/* The older text format has the suffix of a counter in the name, that of a summary's samples not. */
	if (m->type != NULL) {
		const char *suffix = m->type[0] == 'c' ? m->suffix : "";

		printf("# HELP %s%s %s\n# TYPE %s%s %s\n", m->name, suffix, m->help, m->name,
		       suffix, m->type);
	}
	json_array_foreach(rows, i, row)
	{
		const json_int_t v = json_integer_value(json_object_get(row, m->member));

		printf("%s%s", m->name, m->suffix);
		print_labels(row, m->result);
		if (m->seconds)
			printf(" %" JSON_INTEGER_FORMAT ".%09d\n", v / 1000000000,
			       (int)(v % 1000000000));
		else
			printf(" %" JSON_INTEGER_FORMAT "\n", v);
	}
}

void prometheus_print(const json_t *tokens, const json_t *rows)
{
	for (size_t i = 0; i < sizeof(of_rows) / sizeof(of_rows[0]); i++)
		print_metric(&of_rows[i], rows);
	for (size_t i = 0; i < sizeof(of_tokens) / sizeof(of_tokens[0]); i++)
		print_metric(&of_tokens[i], tokens);
}
