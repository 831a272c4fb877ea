/* SPDX-License-Identifier: MIT */
/* The lines of WWW-Authenticate that an answer has. The values that are read
 * are written as a challenge, and read again. */
#include "auth/challenge.h"

#include "support/failing_alloc.h"
#include <mcp/error.h>
#include <stdlib.h>

enum { VALUE_MAX = 8 * 1024 };

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

static void look_at_value(const char *value) {
  for (size_t i = 0; value != NULL && value[i] != '\0'; i++) {
    check(i < VALUE_MAX && value[i] >= 0x20 && value[i] <= 0x7e);
  }
}

static void look_at_demand(const mcpi_demand *demand) {
  int is_ours = demand->has_bearer || demand->has_dpop;
  check(is_ours ||
        (demand->resource_metadata == NULL && demand->scope == NULL &&
         demand->error == NULL && demand->error_description == NULL));
  look_at_value(demand->resource_metadata);
  look_at_value(demand->scope);
  look_at_value(demand->error);
  look_at_value(demand->error_description);
}

/* Reads line after line, as the client does. Returns 0 or MCP_ERR_NOMEM. */
static int read_lines(mcpi_demand *demand, mcpi_str rest,
                      const mcp_allocator *allocator) {
  int rc = 0;
  while (rc == 0 && rest.len > 0) {
    const char *end = memchr(rest.ptr, '\n', rest.len);
    size_t len = end != NULL ? (size_t)(end - rest.ptr) : rest.len;
    mcpi_str line = mcpi_str_take(&rest, len);
    mcpi_str_take_char(&rest, '\n');
    rc = mcpi_demand_read(demand, line, allocator);
  }
  return rc;
}

static void put_value(mcpi_buf *buf, const char *name, const char *value) {
  if (value != NULL) {
    mcpi_challenge_put(buf, 0, name, mcpi_str_z(value));
  }
}

static int is_same(const char *a, const char *b) {
  return a != NULL && b != NULL ? strcmp(a, b) == 0 : a == b;
}

static void write_and_read(const mcpi_demand *demand) {
  const mcp_allocator *allocator = mcp_allocator_default();
  mcpi_demand again = {0};
  mcpi_buf buf;
  mcpi_buf_init(&buf, allocator, SIZE_MAX);
  mcpi_buf_lit(&buf, "Bearer");
  put_value(&buf, "error_description", demand->error_description);
  put_value(&buf, "resource_metadata", demand->resource_metadata);
  put_value(&buf, "scope", demand->scope);
  put_value(&buf, "error", demand->error);
  check(mcpi_demand_read(&again, mcpi_buf_str(&buf), allocator) == 0);
  check(again.has_bearer && !again.has_dpop);
  check(is_same(again.error_description, demand->error_description) &&
        is_same(again.resource_metadata, demand->resource_metadata) &&
        is_same(again.scope, demand->scope) &&
        is_same(again.error, demand->error));
  mcpi_demand_deinit(&again, allocator);
  mcpi_buf_deinit(&buf);
}

/* Any bytes may be written: the line stays one challenge, and one line. */
static void write_bytes(mcpi_str bytes) {
  const mcp_allocator *allocator = mcp_allocator_default();
  mcpi_demand found = {0};
  mcpi_buf buf;
  mcpi_buf_init(&buf, allocator, SIZE_MAX);
  mcpi_buf_lit(&buf, "DPoP");
  mcpi_challenge_put(&buf, 0, "realm", bytes);
  mcpi_challenge_put(&buf, 0, "error", MCPI_STR("e"));
  for (size_t i = 0; i < buf.len; i++) {
    check(buf.data[i] >= 0x20 && buf.data[i] <= 0x7e);
  }
  check(mcpi_demand_read(&found, mcpi_buf_str(&buf), allocator) == 0);
  check(!found.has_bearer && found.has_dpop && found.scope == NULL);
  check(is_same(found.error, "e"));
  mcpi_demand_deinit(&found, allocator);
  mcpi_buf_deinit(&buf);
}

static void read_without_memory(mcpi_str lines) {
  for (size_t i = 1; i <= 3; i++) {
    failing_alloc alloc;
    mcpi_demand demand = {0};
    failing_alloc_init(&alloc);
    alloc.fail_at = i;
    int rc = read_lines(&demand, lines, &alloc.allocator);
    check(rc == 0 || rc == MCP_ERR_NOMEM);
    mcpi_demand_deinit(&demand, &alloc.allocator);
    check(alloc.live_blocks == 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  mcpi_str lines = mcpi_str_n((const char *)data, len);
  mcpi_demand demand = {0};
  check(read_lines(&demand, lines, mcp_allocator_default()) == 0);
  look_at_demand(&demand);
  write_and_read(&demand);
  mcpi_demand_deinit(&demand, mcp_allocator_default());
  write_bytes(lines);
  read_without_memory(lines);
  return 0;
}
