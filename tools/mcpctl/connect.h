/* SPDX-License-Identifier: MIT */
/* Reaching the server of the command line: a command, or a URL. */
#ifndef CTL_CONNECT_H
#define CTL_CONNECT_H

#include "options.h"

#include <mcp/client.h>

/* Who wants to know of a connection what is not in its messages. */
typedef struct ctl_watch {
  /* Of a command: as in mcp_process_options. */
  void (*on_stderr)(const char *bytes, size_t len, void *userdata);
  void (*on_exit)(int64_t status, int signal, void *userdata);
  void *userdata;
  int no_stream; /* of a URL: none for what the server says unasked */
} ctl_watch;

/* Begins to connect, as mcp_client_connect does. */
int ctl_connect(mcp_client *client, const ctl_options *options,
                const ctl_watch *watch, mcp_done_cb on_done, void *userdata,
                mcp_error *err);

#endif
