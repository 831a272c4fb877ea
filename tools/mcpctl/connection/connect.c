/* SPDX-License-Identifier: MIT */
/* Connects to the server that the command line names. */
#include "connection/connect.h"
#include "connection/url.h"

#include <mcp/socket.h>

/* Takes the transport. NULL: it could not be made, and err says why. */
static int connect_transport(mcp_client *client, mcp_transport *transport,
                             const ctl_options *options, mcp_done_cb on_done,
                             void *userdata, mcp_error *err) {
  if (transport == NULL) {
    return err->code;
  }
  transport = mcp_transport_dialect(mcp_client_loop(client), transport,
                                    options->dialect, 0, err);
  if (transport == NULL) {
    return err->code;
  }
  return mcp_client_connect(client, transport, on_done, userdata, err);
}

static mcp_process_options process_options(const ctl_options *options,
                                           const ctl_watch *watch) {
  return (mcp_process_options){
      .size = sizeof(mcp_process_options),
      .argv = (const char *const *)options->command,
      .env = options->env,
      .inherit_env = options->inherit_env,
      .working_directory = options->cwd,
      .on_stderr = watch->on_stderr,
      .on_exit = watch->on_exit,
      .userdata = watch->userdata,
      .stream = watch->stream,
  };
}

static int connect_command(mcp_client *client, const ctl_options *options,
                           const ctl_watch *watch, mcp_done_cb on_done,
                           void *userdata, mcp_error *err) {
  const mcp_process_options process = process_options(options, watch);
  if (options->dialect == MCP_DIALECT_MCP) {
    return mcp_client_connect_command(client, &process, on_done, userdata, err);
  }
  mcp_loop *loop = mcp_client_loop(client);
  return connect_transport(client, mcp_transport_process(loop, &process, err),
                           options, on_done, userdata, err);
}

static mcp_transport *
socket_transport(mcp_loop *loop, const ctl_options *options, mcp_error *err) {
  const mcp_socket_options limits = {
      .size = sizeof(mcp_socket_options),
      .connect_timeout_ms = options->connect_timeout_ms,
  };
  return mcp_transport_socket(loop, options->socket, &limits, err);
}

mcp_transport *ctl_connect_transport(mcp_loop *loop, const ctl_options *options,
                                     const ctl_watch *watch, mcp_error *err) {
  const mcp_process_options process = process_options(options, watch);
  if (options->url == NULL) {
    return mcp_transport_process(loop, &process, err);
  }
  return options->socket != NULL ? socket_transport(loop, options, err)
                                 : ctl_url_transport(loop, options, watch, err);
}

/* The command line names a command, or a URL. If the URL is that of a socket,
 * options->socket has its address. */
int ctl_connect(mcp_client *client, const ctl_options *options,
                const ctl_watch *watch, mcp_done_cb on_done, void *userdata,
                mcp_error *err) {
  if (options->url == NULL) {
    return connect_command(client, options, watch, on_done, userdata, err);
  }
  if (options->socket == NULL) {
    return ctl_url_connect(client, options, watch, on_done, userdata, err);
  }
  mcp_transport *transport =
      socket_transport(mcp_client_loop(client), options, err);
  return connect_transport(client, transport, options, on_done, userdata, err);
}
