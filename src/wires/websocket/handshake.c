/* SPDX-License-Identifier: MIT */
/* What both sides of a WebSocket's opening have in common (RFC 6455, 4). */
#include "wires/websocket/handshake.h"

#include <mcp/error.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#define GUID "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

enum { SHA1_BYTES = 20 };

int mcpi_ws_is_key(const char *text) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t len = strspn(text, alphabet);
  return len == MCPI_WS_KEY_SIZE - 3 && strcmp(text + len, "==") == 0;
}

void mcpi_ws_make_key(const unsigned char bytes[MCPI_WS_KEY_BYTES],
                      char key[MCPI_WS_KEY_SIZE]) {
  EVP_EncodeBlock((unsigned char *)key, bytes, MCPI_WS_KEY_BYTES);
}

int mcpi_ws_accept(const char *key, char accept[MCPI_WS_ACCEPT_SIZE]) {
  char text[MCPI_WS_KEY_SIZE + sizeof(GUID)];
  unsigned char digest[EVP_MAX_MD_SIZE];
  snprintf(text, sizeof(text), "%s" GUID, key);
  if (EVP_Digest(text, strlen(text), digest, NULL, EVP_sha1(), NULL) != 1) {
    return MCP_ERR_PLATFORM;
  }
  EVP_EncodeBlock((unsigned char *)accept, digest, SHA1_BYTES);
  return 0;
}
