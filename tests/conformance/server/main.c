/* SPDX-License-Identifier: MIT */
/* The server that the official conformance suite tests: it offers every tool,
 * resource and prompt that the suite's scenarios call for by name, and nothing
 * else.
 *
 *     build/bin/conformance-server --http 127.0.0.1:0
 *
 * One program and one set of handlers serve both eras. */
#include "conformance.h"

int main(int argc, char **argv) {
  mcp_server *server = mcp_server_new(
      "conformance-server", "1.0.0",
      &(mcp_server_options){
          .size = sizeof(mcp_server_options),
          .title = "Conformance server",
          .description = "What the official conformance suite calls for",
          .instructions = "Made for tests; nothing here is of use."},
      NULL);
  mcp_server_enable_logging(server);
  add_content_tools(server); /* first: the suite calls the list's first tool */
  add_schema_tools(server);
  add_meanwhile_tools(server);
  add_change_tools(server);
  add_asking_tools(server);
  add_form_tools(server);
  add_round_tools(server);
  add_task_tools(server);
  add_resources(server);
  add_prompts(server);
  add_skills(server);
  return mcp_main(server, argc, argv);
}
