/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"
#include <signal.h>

int main(int argc, char **argv)
{
	/* a limit of the file's size is to be an error of the call, not the end of the process */
	(void)signal(SIGXFSZ, SIG_IGN);
	return command_main(argc, argv);
}
