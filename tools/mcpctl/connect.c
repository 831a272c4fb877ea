/* SPDX-License-Identifier: MIT */
/* Reaching the server of the command line. */
#include "connect.h"
#include "url.h"

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

int ctl_connect(mcp_client *client, const ctl_options *options,
                const ctl_watch *watch, mcp_done_cb on_done, void *userdata,
                mcp_error *err) {
  return options->url != NULL
             ? ctl_url_connect(client, options, watch, on_done, userdata, err)
             : connect_command(client, options, watch, on_done, userdata, err);
}
