/* SPDX-License-Identifier: MIT */
/* Connects to the server that the command line names: a command or a URL. */
#ifndef CTL_CONNECT_H
#define CTL_CONNECT_H

#include "line/options.h"

#include <mcp/client.h>

struct mcp_http_answer;

/* Callbacks and settings of a connection, apart from its messages. */
typedef struct ctl_watch {
  /* For a command: as in mcp_process_options. */
  void (*on_stderr)(mcp_transport *transport, const char *bytes, size_t len,
                    void *userdata);
  void (*on_exit)(mcp_transport *transport, int64_t status, int signal,
                  void *userdata);
  void *userdata;
  const mcp_stream_options *stream; /* for a command, too; NULL: defaults */
  int skip_stream; /* for a URL: do not open the server's own stream (GET) */
  /* For a URL: as in mcp_http_client_options. */
  void (*on_answer)(const struct mcp_http_answer *answer, void *userdata);
  struct mcp_auth *auth; /* for a URL: logs in; NULL: nothing does */
} ctl_watch;

/* Makes the transport to the server, for a program that uses it without a
 * client. Owned: end it with mcp_transport_free; NULL: err says why. */
mcp_transport *ctl_connect_transport(mcp_loop *loop, const ctl_options *options,
                                     const ctl_watch *watch, mcp_error *err);

/* Begins to connect. Calls `on_done` as mcp_client_connect does. */
int ctl_connect(mcp_client *client, const ctl_options *options,
                const ctl_watch *watch, mcp_done_cb on_done, void *userdata,
                mcp_error *err);

#endif
