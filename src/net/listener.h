/* SPDX-License-Identifier: MIT */
/* An address where connections arrive: TCP, or a Unix socket. Everything
 * happens on the loop's thread. */
#ifndef MCPI_NET_LISTENER_H
#define MCPI_NET_LISTENER_H

#include <mcp/loop.h>

typedef struct mcpi_listener mcpi_listener;

/* A connection has arrived: its descriptor (taken, non-blocking, not inherited)
 * and its peer, as in "127.0.0.1:4711", "[::1]:4711" or "unix" (borrowed until
 * return). May free the listener. */
typedef void (*mcpi_listener_cb)(int fd, const char *peer, void *userdata);

/* Listens on "HOST:PORT" or "unix:PATH". HOST is an IPv4 address, an IPv6
 * address in brackets, or a name of the loopback interface; PORT 0 is any free
 * port. A socket file without a server is replaced. `socket_mode` are its
 * permissions; 0: 0600. NULL with err: MCP_ERR_INVALID, MCP_ERR_IO,
 * MCP_ERR_NOMEM. */
MCP_API mcpi_listener *mcpi_listener_new(mcp_loop *loop, const char *address,
                                         uint32_t socket_mode,
                                         mcpi_listener_cb on_connection,
                                         void *userdata, mcp_error *err);
/* Returns the address in the same form: numbers, with the actual port. */
MCP_API const char *mcpi_listener_address(const mcpi_listener *listener);
/* Closes it, and removes its socket file. NULL is accepted. */
MCP_API void mcpi_listener_free(mcpi_listener *listener);

#endif
