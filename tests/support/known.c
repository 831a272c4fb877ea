/* SPDX-License-Identifier: MIT */
#include "support/known.h"

#include "core/outgoing.h"
#include "support/cm.h"
#include "support/failing_alloc.h"

static void assert_text(const char *said, size_t said_len, const char *read,
                        size_t read_len) {
  assert_int_equal(said != NULL, read != NULL);
  assert_int_equal(said_len, read_len);
  if (read != NULL) {
    assert_memory_equal(said, read, read_len);
  }
}

static void assert_string(const char *said, const char *read) {
  assert_text(said, said != NULL ? strlen(said) : 0, read,
              read != NULL ? strlen(read) : 0);
}

static void assert_same(const mcp_send_info *said, const mcp_send_info *read,
                        const mcp_json *params) {
  const mcp_json *meta = mcp_json_get(params, "_meta");
  assert_int_equal(said->kind, read->kind);
  assert_string(said->method, read->method);
  assert_text(said->id, said->id_len, read->id, read->id_len);
  assert_string(said->revision, read->revision);
  assert_text(said->name, said->name_len, read->name, read->name_len);
  assert_int_equal(said->cancels, read->cancels);
  assert_int_equal(said->arguments != NULL, read->arguments != NULL);
  assert_true(mcp_json_equal(said->arguments, read->arguments));
  assert_int_equal(said->wants_progress,
                   mcp_json_get(meta, "progressToken") != NULL);
}

void assert_known(const char *message, size_t len, const mcp_send_info *info) {
  mcpi_outgoing read;
  failing_alloc alloc;
  const mcp_json *params = NULL;
  assert_int_equal(info->size, sizeof(*info));
  if (info->kind == MCP_MESSAGE_UNKNOWN) {
    return;
  }
  failing_alloc_init(&alloc);
  assert_int_equal(
      mcpi_outgoing_init(&read, &alloc.allocator, message, len, NULL), 0);
  assert_int_equal(mcpi_outgoing_params(&read, &params), 0);
  assert_same(info, &read.info, params);
  mcpi_outgoing_deinit(&read);
}
