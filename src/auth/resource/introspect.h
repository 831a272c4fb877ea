/* SPDX-License-Identifier: MIT */
/* Asks an introspection endpoint about a token (RFC 7662). */
#ifndef MCPI_AUTH_RESOURCE_INTROSPECT_H
#define MCPI_AUTH_RESOURCE_INTROSPECT_H

#include "auth/resource/asks.h"
#include "core/quota.h"
#include <mcp/protect.h>

enum {
  /* The longest answer, in bytes. */
  MCPI_INTROSPECT_MAX_ANSWER = 64 * 1024
};

/* Puts the question on the table, and sends it. options are borrowed while it
 * is there. `issuer` goes before principals; NULL: nothing does. `share` is
 * that of the request: the questions of several clients take turns. Returns 0;
 * or an MCP_ERR_* with err: nobody is asked, and `wait` does not wait. */
int mcpi_introspect(mcpi_asks *asks, mcp_loop *loop,
                    const mcp_protect_options *options, mcpi_str token,
                    mcpi_str resource, const char *issuer,
                    const mcpi_token_key *key, const mcpi_share *share,
                    mcpi_ask_wait *wait, mcp_error *err);

#endif
