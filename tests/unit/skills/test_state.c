/* SPDX-License-Identifier: MIT */
#include "support/cm.h"

#include "skills/skills.h"
#include "support/failing_alloc.h"

#include <mcp/mcp.h>

TEST(skills_begin_with_an_empty_list) {
  static const mcp_skills_options options = MCP_SKILLS_OPTIONS_INIT;
  mcp_server *server = mcp_server_new("test", "1", NULL, NULL);
  mcpi_skills *skills = mcpi_skills_new(server, "dir", &options);
  mcpi_skill_list *list = mcpi_skills_list(skills);
  assert_int_equal(list->count, 0);
  assert_string_equal(skills->dir, "dir");
  assert_ptr_equal(skills->server, server);
  mcpi_skills_ref(skills);
  mcpi_skills_unref(skills);
  mcpi_skills_unref(skills);
  mcpi_skill_list_unref(list); /* it outlives the skills */
  mcp_server_free(server);
}

static int make_with(const mcp_allocator *allocator, void *userdata) {
  static const mcp_skills_options options = MCP_SKILLS_OPTIONS_INIT;
  const mcp_server_options with = {.size = sizeof(with),
                                   .allocator = allocator};
  mcp_server *server = mcp_server_new("test", "1", &with, NULL);
  if (server == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcpi_skills *skills = mcpi_skills_new(server, "dir", &options);
  if (skills != NULL) {
    mcpi_skills_unref(skills);
  }
  mcp_server_free(server);
  return skills != NULL ? 0 : MCP_ERR_NOMEM;
}

TEST(a_lack_of_memory_makes_no_skills) {
  failing_alloc_rerun_least(4, make_with, NULL);
}
