/* SPDX-License-Identifier: MIT */
/* Where a server is, as the command line says it: a URL of HTTP or WebSocket,
 * "tcp://HOST:PORT" or "unix:PATH". */
#ifndef CTL_TARGET_H
#define CTL_TARGET_H

/* What the targets that mcpctl speaks begin with. Messages and help quote these
 * lists; ctl_target_is_known reads them. */
#define CTL_TARGETS_WEB                                                        \
  "http://, https://, ws://, wss://, sse+http://, sse+https://"
#define CTL_TARGETS_SOCKET "tcp://HOST:PORT or unix:PATH"
#define CTL_TARGETS CTL_TARGETS_WEB ", " CTL_TARGETS_SOCKET

/* Whether the word has the form of a target, with any scheme. Changes the
 * scheme to lower case (RFC 3986 3.1: a scheme may be written in any case). */
int ctl_target_read(char *word);
/* Whether mcpctl speaks the word's scheme. */
int ctl_target_is_known(const char *word);
/* The address for mcp_transport_socket, a part of the target. NULL: the target
 * is not a socket's. */
const char *ctl_target_socket(const char *target);
/* Whether the target has a user name. */
int ctl_target_has_user(const char *target);
/* The target without its user name, password and query. Owned: end it with
 * free; NULL when out of memory. */
char *ctl_target_shown(const char *target);
/* The URL of HTTP or WebSocket without "sse+", a part of it. */
const char *ctl_target_web(const char *url);
/* Whether two URLs of HTTP or WebSocket name the same server for logins: they
 * may differ in the transport, the user, the query, the fragment, the port if
 * it is the scheme's own, and the host's case. */
int ctl_target_is_same(const char *a, const char *b);

#endif
