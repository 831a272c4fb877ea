/* SPDX-License-Identifier: MIT */
/* What both sides share when a WebSocket opens (RFC 6455, 4). */
#ifndef MCPI_WIRES_WEBSOCKET_HANDSHAKE_H
#define MCPI_WIRES_WEBSOCKET_HANDSHAKE_H

#include <mcp/export.h>

/* The subprotocol: messages of MCP. */
#define MCPI_WS_PROTOCOL "mcp"
#define MCPI_WS_VERSION "13"

enum {
  MCPI_WS_KEY_BYTES = 16,
  /* In base64, each with its NUL. */
  MCPI_WS_KEY_SIZE = 25,
  MCPI_WS_ACCEPT_SIZE = 29
};

/* Whether it is 16 bytes in base64. */
int mcpi_ws_is_key(const char *text);
MCP_API void mcpi_ws_make_key(const unsigned char bytes[MCPI_WS_KEY_BYTES],
                              char key[MCPI_WS_KEY_SIZE]);
/* Writes the server's proof that it has understood the key (mcpi_ws_is_key). */
MCP_API void mcpi_ws_accept(const char *key, char accept[MCPI_WS_ACCEPT_SIZE]);

#endif
