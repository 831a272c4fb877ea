/* SPDX-License-Identifier: MIT */
/* A message and its envelope: whatever is read can be written, and what was
 * written is read as the same value. */
#include "codec/message.h"
#include <stdlib.h>

static const uint64_t seed[2] = {1, 2};
static const mcpi_message_limits limits = {1 << 20, 32, 5000};

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

static void read_envelope(const mcp_json *value) {
  mcpi_envelope e;
  mcpi_buf text;
  check(mcpi_envelope_read(&e, value, mcp_allocator_default(), seed) == 0);
  check((e.kind == MCPI_INVALID) == (e.reason != NULL));
  check(e.kind != MCPI_REQUEST || e.id.kind == MCPI_ID_NUMBER ||
        e.id.kind == MCPI_ID_STRING);
  mcpi_buf_init(&text, mcp_allocator_default(), SIZE_MAX);
  mcpi_id_put(&text, e.id);
  check(text.error == 0 && text.len > 0);
  mcpi_buf_deinit(&text);
}

/* Integers past 2^53 written as reals and the like would show here. */
static void write_and_read(mcpi_pool *pool, const mcp_json *value) {
  mcpi_buf text;
  mcpi_message *again;
  mcpi_buf_init(&text, mcp_allocator_default(), SIZE_MAX);
  mcpi_json_put_value(&text, value);
  check(text.error == 0);
  check(mcpi_message_parse(&again, pool, text.data, text.len, &limits, NULL) ==
        0);
  mcpi_buf_clear(&text);
  mcpi_json_put_canonical(&text, again->root);
  check(text.error == 0);
  mcpi_message_unref(again);
  mcpi_buf_deinit(&text);
}

static void walk_batch(const mcp_json *array) {
  mcp_json_iter iter;
  const mcp_json *item;
  mcp_json_iter_init(&iter, array);
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    read_envelope(item);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  mcpi_pool pool;
  mcpi_message *message = NULL;
  mcp_error err;
  mcpi_pool_init(&pool, mcp_allocator_default(), 1 << 16);
  int rc = mcpi_message_parse(&message, &pool, (const char *)data, len, &limits,
                              &err);
  check(rc == 0 || rc == MCP_ERR_PARSE || rc == MCP_ERR_LIMIT);
  check(rc == 0 || (err.code == rc && err.offset <= len));
  if (rc == 0) {
    read_envelope(message->root);
    walk_batch(message->root);
    check(mcp_json_equal(message->root, message->root));
    write_and_read(&pool, message->root);
  }
  mcpi_message_unref(message);
  mcpi_pool_deinit(&pool);
  return 0;
}
