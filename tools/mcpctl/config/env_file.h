/* SPDX-License-Identifier: MIT */
/* Files with variables for a server, one in a line: NAME=VALUE. */
#ifndef CTL_ENV_FILE_H
#define CTL_ENV_FILE_H

#include <mcp/error.h>

/* Reads the variables, each as "NAME=VALUE". Leaves out blank lines, lines that
 * begin with #, the word `export` before a name, and quotes around a value.
 *
 * @param out owned, as are its strings; NULL at the end
 * @return 0, or MCP_ERR_* as in err, with the number of a wrong line */
int ctl_env_file_read(char ***out, const char *path, mcp_error *err);

#endif
