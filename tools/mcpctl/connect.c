/* SPDX-License-Identifier: MIT */
/* Reaching the server of the command line. */
#include "connect.h"
#include "url.h"

#include <mcp/socket.h>

static int connect_command(mcp_client *client, const ctl_options *options,
                           const ctl_watch *watch, mcp_done_cb on_done,
                           void *userdata, mcp_error *err) {
  mcp_process_options process = {
      .size = MCP_PROCESS_OPTIONS_INIT,
      .argv = (const char *const *)options->command,
      .env = options->env,
      .inherit_env = options->inherit_env,
      .working_directory = options->cwd,
      .on_stderr = watch->on_stderr,
      .on_exit = watch->on_exit,
      .userdata = watch->userdata,
  };
  return mcp_client_connect_command(client, &process, on_done, userdata, err);
}

static int connect_socket(mcp_client *client, const ctl_options *options,
                          mcp_done_cb on_done, void *userdata, mcp_error *err) {
  mcp_transport *transport =
      mcp_transport_socket(mcp_client_loop(client), options->socket, NULL, err);
  return transport != NULL
             ? mcp_client_connect(client, transport, on_done, userdata, err)
             : err->code;
}

int ctl_connect(mcp_client *client, const ctl_options *options,
                const ctl_watch *watch, mcp_done_cb on_done, void *userdata,
                mcp_error *err) {
  if (options->url == NULL) {
    return connect_command(client, options, watch, on_done, userdata, err);
  }
  return options->socket != NULL
             ? connect_socket(client, options, on_done, userdata, err)
             : ctl_url_connect(client, options, watch, on_done, userdata, err);
}
