/* SPDX-License-Identifier: MIT */
/* The process of a session that stays: it holds the connection to a server, and
 * lets the user's other runs of mcpctl use it over a Unix socket.
 *
 *     mcpctl tools --.
 *     mcpctl shell --+-- socket -- the process -- wire -- the server
 *     mcpctl call  --'
 *
 * keep/start.h starts it, keep/client.h uses it, keep/status.h shows and stops
 * it; keep/route.h says who gets which message. */
#ifndef CTL_KEEP_H
#define CTL_KEEP_H

#include "keep/path.h"

/* Runs until the session ends: because of CTL_KEEP_STOP, SIGTERM or SIGINT, the
 * end of the server, or because no client has come for options->idle_s. The
 * first client is at the other end of `fd`, which is taken. It does the
 * handshake, and then sends CTL_KEEP_SERVE; if it goes before, the session
 * ends. No loop may exist in this process. Returns an exit code. */
int ctl_keep_run(const ctl_options *options, const ctl_keep_path *path, int fd);

#endif
