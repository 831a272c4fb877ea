/* SPDX-License-Identifier: MIT */
/* What both sides share when a WebSocket opens (RFC 6455, 4). */
#include "wires/websocket/handshake.h"

#include "base/base64.h"
#include "wires/websocket/sha1.h"

#include <string.h>

#define GUID "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

int mcpi_ws_is_key(const char *text) {
  size_t len = 0;
  while (mcpi_base64_value(text[len]) >= 0) {
    len++;
  }
  return len == MCPI_WS_KEY_SIZE - 3 && strcmp(text + len, "==") == 0;
}

void mcpi_ws_make_key(const unsigned char bytes[MCPI_WS_KEY_BYTES],
                      char key[MCPI_WS_KEY_SIZE]) {
  mcpi_base64_write(key, bytes, MCPI_WS_KEY_BYTES);
  key[MCPI_WS_KEY_SIZE - 1] = '\0';
}

void mcpi_ws_accept(const char *key, char accept[MCPI_WS_ACCEPT_SIZE]) {
  char text[MCPI_WS_KEY_SIZE - 1 + sizeof(GUID) - 1];
  uint8_t digest[MCPI_SHA1_BYTES];
  memcpy(text, key, MCPI_WS_KEY_SIZE - 1);
  memcpy(text + MCPI_WS_KEY_SIZE - 1, GUID, sizeof(GUID) - 1);
  mcpi_sha1(text, sizeof(text), digest);
  mcpi_base64_write(accept, digest, sizeof(digest));
  accept[MCPI_WS_ACCEPT_SIZE - 1] = '\0';
}
