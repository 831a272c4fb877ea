/* SPDX-License-Identifier: MIT */
/* Writes a model as a header of C. */
#ifndef CTL_WRITE_C_H
#define CTL_WRITE_C_H

#include "generate/model.h"

#include <stdio.h>

/* `server` names the server in the first comment. Returns 0 or
 * MCP_ERR_NOMEM. */
int ctl_write_c(FILE *out, const ctl_model *model, const char *server);

#endif
