/* SPDX-License-Identifier: MIT */
/* Where a server is, as the command line says it: a URL of HTTP or WebSocket,
 * "tcp://HOST:PORT" or "unix:PATH". */
#ifndef CTL_TARGET_H
#define CTL_TARGET_H

/* What each begins with, and nothing else does: what is known is read off
 * these. */
#define CTL_TARGETS_WEB                                                        \
  "http://, https://, ws://, wss://, sse+http://, sse+https://"
#define CTL_TARGETS_SOCKET "tcp://HOST:PORT or unix:PATH"
#define CTL_TARGETS CTL_TARGETS_WEB ", " CTL_TARGETS_SOCKET

/* Whether the word means to be one, of whatever scheme. Schemes may be written
 * in any case (RFC 3986 3.1): afterwards it is in lower case. */
int ctl_target_read(char *word);
/* Whether its scheme is one that we speak. */
int ctl_target_is_known(const char *word);
/* The address for mcp_transport_socket, within the target; NULL: it is no
 * socket's. */
const char *ctl_target_socket(const char *target);
/* Without who logs in and the query; owned; NULL without memory. */
char *ctl_target_shown(const char *target);

#endif
