/* SPDX-License-Identifier: MIT */
/* Methods and extensions of the program. */
#ifndef MCPI_SERVER_OWN_METHODS_H
#define MCPI_SERVER_OWN_METHODS_H

#include "server/call.h"

/* The method of that name in a revision, or NULL. */
mcpi_own_method *mcpi_own_method_find(const mcp_server *server, mcpi_str name,
                                      const mcpi_revision *revision,
                                      int is_notification);
/* Whether the client has the extension that the call's method belongs to, and
 * whether its params are right. 1, or the call has been answered. */
int mcpi_own_method_admit(mcp_call *call);
int mcpi_own_method_admit_params(mcp_call *call);
void mcpi_own_method_run(mcp_call *call);
/* The member of params that Mcp-Name repeats, or NULL. */
const char *mcpi_own_method_name_member(const mcpi_own_method *method);

#endif
