/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/machine.h"
#include "bench/ground.h"
#include <openssl/crypto.h>
#include <stdbool.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void cpu_name(char *name, size_t n)
{
	char line[256];
	FILE *f = fopen("/proc/cpuinfo", "r");

	snprintf(name, n, "unknown processor");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		char *colon = strchr(line, ':');
		if (strncmp(line, "model name", 10) != 0 || colon == NULL)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(name, n, "%s", colon + 2);
		break;
	}
	if (f != NULL)
		fclose(f);
}

/* Whether SHA-256 is an instruction: a name in the list of the processor's abilities, on x86 and on ARM. */
static bool sha_extensions(void)
{
	char line[8192], *word, *rest;
	FILE *f = fopen("/proc/cpuinfo", "r");
	bool found = false;

	while (f != NULL && !found && fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, "flags", 5) != 0 && strncmp(line, "Features", 8) != 0)
			continue;
		for (word = strtok_r(line, " \t\n", &rest); word != NULL && !found;
		     word = strtok_r(NULL, " \t\n", &rest))
			found = strcmp(word, "sha_ni") == 0 || strcmp(word, "sha2") == 0;
	}
	if (f != NULL)
		fclose(f);
	return found;
}

json_t *machine_json(const char *dir)
{
	struct ground g;
	struct utsname u;
	char cpu[128];

	cpu_name(cpu, sizeof(cpu));
	uname(&u);
	ground_of(dir, &g);
	return json_pack("{s:s, s:I, s:b, s:s, s:s, s:s, s:s, s:s}", "processor", cpu, "cores",
			 (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "sha_extensions",
			 sha_extensions(), "kernel", u.release, "directory", dir, "filesystem",
			 g.type, "device", g.device, "libcrypto", OpenSSL_version(OPENSSL_VERSION));
}

static const char *text(const json_t *m, const char *name)
{
	return json_string_value(json_object_get(m, name));
}

void machine_print(FILE *f, const char *dir)
{
	json_t *m = machine_json(dir);

	fprintf(f, "%s, %lld cores, %s SHA extensions, Linux %s, %s\n", text(m, "processor"),
		(long long)json_integer_value(json_object_get(m, "cores")),
		json_is_true(json_object_get(m, "sha_extensions")) ? "with" : "without",
		text(m, "kernel"), text(m, "libcrypto"));
	fprintf(f, "%s: %s on %s\n", dir, text(m, "filesystem"), text(m, "device"));
	json_decref(m);
}
