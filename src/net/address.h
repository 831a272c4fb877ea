/* SPDX-License-Identifier: MIT */
/* Socket addresses as texts. */
#ifndef MCPI_NET_ADDRESS_H
#define MCPI_NET_ADDRESS_H

#include "platform/socket_types.h"
#include <mcp/error.h>

typedef struct mcpi_address {
  struct sockaddr_storage storage;
  socklen_t len;
} mcpi_address;

/* "unix:", a path, and its end. */
enum {
  MCPI_ADDRESS_TEXT = 5 + sizeof(((struct sockaddr_un *)0)->sun_path) + 1
};

/* Reads "HOST:PORT" or "unix:PATH", as mcpi_listener_new takes them. Returns 0,
 * or MCP_ERR_INVALID with err. Looks up names only on this machine. */
int mcpi_address_parse(mcpi_address *address, const char *text, mcp_error *err);
/* Copies the host of "HOST:PORT" without the brackets of an IPv6 address; it
 * may be empty. Returns the port, a number up to 65535; or NULL with err: the
 * text is not such an address. */
const char *mcpi_address_split(const char *text, char *host, size_t size,
                               mcp_error *err);
/* Writes the address as text: "127.0.0.1:80", "[::1]:80", "unix:PATH"; "unix"
 * if a socket has no name. */
void mcpi_address_format(const mcpi_address *address,
                         char text[MCPI_ADDRESS_TEXT]);
/* Returns the path of a Unix socket, or NULL. */
const char *mcpi_address_path(const mcpi_address *address);

#endif
