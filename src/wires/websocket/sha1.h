/* SPDX-License-Identifier: MIT */
/* SHA-1 (RFC 3174), which the opening of a WebSocket requires. It protects
 * nothing there: it shows that a server has read the request. Do not use it for
 * anything else. */
#ifndef MCPI_WIRES_WEBSOCKET_SHA1_H
#define MCPI_WIRES_WEBSOCKET_SHA1_H

#include <stddef.h>
#include <stdint.h>

enum { MCPI_SHA1_BYTES = 20 };

void mcpi_sha1(const void *bytes, size_t len, uint8_t digest[MCPI_SHA1_BYTES]);

#endif
