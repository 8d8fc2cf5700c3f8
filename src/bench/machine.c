/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/machine.h"
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
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

/* The file system under the temporary directory, by the number that statfs(2) tells. */
static const char *filesystem(void)
{
	static const struct {
		long magic;
		const char *name;
	} known[] = { { 0xef53, "ext4" },
		      { 0x58465342, "xfs" },
		      { 0x9123683e, "btrfs" },
		      { 0x01021994, "tmpfs" },
		      { 0x794c7630, "overlayfs" } };
	const char *dir = getenv("CHANCERY_HOME");
	char parent[4096];
	struct statfs s;

	snprintf(parent, sizeof(parent), "%s/..", dir != NULL ? dir : "/var/tmp");
	if (statfs(parent, &s) != 0 && statfs("/var/tmp", &s) != 0)
		return "unknown";
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if ((long)s.f_type == known[i].magic)
			return known[i].name;
	return "unknown";
}

json_t *machine_json(void)
{
	struct utsname u;
	char cpu[128];

	cpu_name(cpu, sizeof(cpu));
	uname(&u);
	return json_pack("{s:s, s:I, s:s, s:s, s:s}", "processor", cpu, "cores",
			 (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "kernel", u.release,
			 "filesystem", filesystem(), "libcrypto", OpenSSL_version(OPENSSL_VERSION));
}

void machine_print(FILE *f)
{
	json_t *m = machine_json();

	fprintf(f, "%s, %lld cores, Linux %s, %s, floor: %s\n",
		json_string_value(json_object_get(m, "processor")),
		(long long)json_integer_value(json_object_get(m, "cores")),
		json_string_value(json_object_get(m, "kernel")),
		json_string_value(json_object_get(m, "filesystem")),
		json_string_value(json_object_get(m, "libcrypto")));
	json_decref(m);
}
