/* SPDX-License-Identifier: MIT */
/* A SKILL.md. */
#include "skills/head.h"

#include <mcp/error.h>
#include <mcp/json.h>
#include <stdlib.h>

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

static int is_text(const mcp_json *object, const char *member,
                   const char *expected) {
  const char *text = mcp_json_string(mcp_json_get(object, member));
  return text != NULL && strcmp(text, expected) == 0;
}

/* A head that is accepted has a name and a description, and is within the
 * limits. */
static void check_head(const mcpi_skill_head *head) {
  mcp_error err;
  const mcp_json_limits limits = {.size = sizeof(limits),
                                  .max_depth = MCPI_HEAD_MAX_DEPTH,
                                  .max_values = MCPI_HEAD_MAX_VALUES};
  mcp_doc *doc =
      mcp_doc_parse(head->json.data, head->json.len, &limits, NULL, &err);
  check(doc != NULL);
  check(mcpi_skill_name_is_valid(mcpi_str_z(head->name)));
  check(head->description[0] != '\0');
  check(is_text(mcp_doc_root(doc), "name", head->name));
  check(is_text(mcp_doc_root(doc), "description", head->description));
  /* Six bytes for each: "\u0001". And a few for null, quotes and commas. */
  check(head->json.len <= 8 * MCPI_HEAD_MAX_BYTES);
  mcp_doc_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  mcpi_skill_head head;
  mcp_error err = {0};
  int rc = mcpi_skill_head_read(&head, (const char *)data, len,
                                mcp_allocator_default(), &err);
  if (rc == 0) {
    check_head(&head);
    mcpi_skill_head_deinit(&head);
    return 0;
  }
  check(rc == MCP_ERR_INVALID || rc == MCP_ERR_PARSE || rc == MCP_ERR_LIMIT);
  check(err.code == rc && err.message[0] != '\0');
  return 0;
}
