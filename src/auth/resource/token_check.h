/* SPDX-License-Identifier: MIT */
/* Asks the program about a token (mcp_protect_options.check_token).
 *
 *              answer                callback returns
 *     CALLED ---------> ANSWERED --------------------> freed (1)
 *      |  |                ^
 *      |  | callback       | answer (1)
 *      |  | returns        |
 *      |  +----------> WAITING
 *      |                   | no wait is left
 *      | no wait is left   v           answer
 *      +-------------> ABANDONED ---------------------> freed
 *
 *     (1) the waits that are left get the answer
 *
 * While the state is CALLED, a frame of the callback holds the structure. In
 * WAITING and ABANDONED the program holds it: it is an orphan of the loop,
 * which frees it at last. */
#ifndef MCPI_AUTH_RESOURCE_TOKEN_CHECK_H
#define MCPI_AUTH_RESOURCE_TOKEN_CHECK_H

#include "auth/resource/asks.h"
#include "core/quota.h"
#include <mcp/protect.h>

/* Puts the question on the table, and calls check_token. The answer comes
 * inside this call, or later. `share` is that of the request: the question
 * counts for the same client while the program has not answered and no request
 * waits. Returns 0; or MCP_ERR_NOMEM: the program is not called, and `wait`
 * does not wait. After 0 the table, the options and `wait` may be gone. */
int mcpi_token_check_begin(mcpi_asks *asks, mcp_loop *loop,
                           const mcp_protect_options *options, mcpi_str token,
                           const mcpi_token_key *key, const mcpi_share *share,
                           mcpi_ask_wait *wait);

#endif
