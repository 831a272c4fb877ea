/* SPDX-License-Identifier: MIT */
/* The store in the user's keyring, with any engine: tests have their own. */
#ifndef MCPI_LOGIN_STORE_KEYRING_H
#define MCPI_LOGIN_STORE_KEYRING_H

#include "keyring/keyring.h"
#include <mcp/auth.h>

/* As mcp_auth_store_keyring. `loop` is one of mcp_loop_new; `engine` is
 * borrowed for as long as the process runs. */
int mcpi_store_keyring_fill(mcp_auth_store *out, mcp_loop *loop,
                            const mcpi_keyring_engine *engine, mcp_error *err);

#endif
