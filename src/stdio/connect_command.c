/* SPDX-License-Identifier: MIT */
/* Connecting a client to a program that it starts. */
#include "base/error.h"
#include "client/client.h"
#include "stdio/process.h"

/* Only a probe can make a legacy server exit. */
static int will_probe(const mcp_client *client) {
  return client->options.policy == MCP_POLICY_AUTO && client->pinned == NULL &&
         client->guess == NULL;
}

int mcp_client_connect_command(mcp_client *client,
                               const mcp_process_options *options,
                               mcp_done_cb on_done, void *userdata,
                               mcp_error *err) {
  mcp_error local;
  if (client == NULL) {
    return mcpi_error_null(err, "client");
  }
  if (err == NULL) {
    err = &local;
  }
  mcp_transport *transport = mcp_transport_process(client->loop, options, err);
  if (transport == NULL) {
    return err->code;
  }
  if (will_probe(client)) {
    mcpi_process_forgive_silent_death(transport);
  }
  return mcp_client_connect(client, transport, on_done, userdata, err);
}
