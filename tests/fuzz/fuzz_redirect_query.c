/* SPDX-License-Identifier: MIT */
/* The query with which a browser has returned. Its values are written as a
 * form, and read again. */
#include "auth/form.h"

#include "support/failing_alloc.h"
#include <mcp/error.h>
#include <stdlib.h>

static const char *const names[] = {"state", "iss", "code", "error",
                                    "error_description"};

enum { NAMES = sizeof(names) / sizeof(names[0]) };

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

static void look_at_form(const mcpi_buf *form) {
  for (size_t i = 0; i < form->len; i++) {
    char c = form->data[i];
    check(c > 0x20 && c < 0x7f && strchr("\"#<>\\^`{|}", c) == NULL);
  }
}

/* Any bytes are a value that is read as it was written, unless a NUL is among
 * them. A member before it does not matter. */
static void write_and_read(mcpi_str value) {
  mcpi_buf form;
  mcpi_buf again;
  mcpi_buf_init(&form, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_init(&again, mcp_allocator_default(), SIZE_MAX);
  mcpi_form_put(&form, 0, "other", value);
  mcpi_form_put(&form, 0, "co de", value);
  look_at_form(&form);
  check(mcpi_form_get(&again, mcpi_buf_str(&form), "code") ==
        MCP_ERR_NOT_FOUND);
  int rc = mcpi_form_get(&again, mcpi_buf_str(&form), "co de");
  if (mcpi_str_has_nul(value)) {
    check(rc == MCP_ERR_INVALID && again.len == 0);
  } else {
    check(rc == 0 && mcpi_str_eq(mcpi_buf_str(&again), value));
  }
  mcpi_buf_deinit(&form);
  mcpi_buf_deinit(&again);
}

/* Twice the same query has each member twice. */
static void read_twice(mcpi_str query, const char *name) {
  mcpi_buf both;
  mcpi_buf out;
  mcpi_buf_init(&both, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_puts(&both, query);
  mcpi_buf_putc(&both, '&');
  mcpi_buf_puts(&both, query);
  check(mcpi_form_get(&out, mcpi_buf_str(&both), name) == MCP_ERR_INVALID);
  check(out.len == 0);
  mcpi_buf_deinit(&both);
  mcpi_buf_deinit(&out);
}

static void get(mcpi_str query, const char *name) {
  mcpi_buf out;
  mcpi_buf_init_secret(&out, mcp_allocator_default(), SIZE_MAX);
  int rc = mcpi_form_get(&out, query, name);
  check(rc == 0 || rc == MCP_ERR_NOT_FOUND || rc == MCP_ERR_INVALID);
  if (rc == 0) {
    check(out.data != NULL && out.len <= query.len);
    check(!mcpi_str_has_nul(mcpi_buf_str(&out)));
    read_twice(query, name);
  } else {
    check(out.len == 0);
  }
  mcpi_buf_deinit(&out);
}

static void get_without_memory(mcpi_str query, const char *name) {
  for (size_t i = 1; i <= 2; i++) {
    failing_alloc alloc;
    mcpi_buf out;
    failing_alloc_init(&alloc);
    alloc.fail_at = i;
    mcpi_buf_init(&out, &alloc.allocator, SIZE_MAX);
    int rc = mcpi_form_get(&out, query, name);
    check(rc == 0 || rc == MCP_ERR_NOT_FOUND || rc == MCP_ERR_INVALID ||
          rc == MCP_ERR_NOMEM);
    mcpi_buf_deinit(&out);
    check(alloc.live_blocks == 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  mcpi_str query = mcpi_str_n((const char *)data, len);
  for (size_t i = 0; i < NAMES; i++) {
    get(query, names[i]);
    get_without_memory(query, names[i]);
  }
  write_and_read(query);
  return 0;
}
