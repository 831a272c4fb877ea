/* SPDX-License-Identifier: MIT */
#include "support/cm.h"

#include "skills/path.h"
#include "support/failing_alloc.h"
#include <mcp/error.h>

#define FOLDER "skill://a"

typedef struct row {
  const char *uri;
  const char *path; /* NULL: refused */
} row;

static const row rows[] = {
    {"skill://a/f", "f"},
    {"skill://a/b/c.md", "b/c.md"},
    {"skill://a/with%20blank", "with blank"},
    {"skill://a/with blank", "with blank"},
    {"skill://a/%C3%A4", "\xc3\xa4"},
    {"skill://a/\xc3\xa4", "\xc3\xa4"},
    {"skill://a/...", "..."},
    {"skill://a/.env", ".env"},
    {"skill://a/a%3Fb", "a?b"},
    {"skill://a", NULL},
    {"skill://a/", NULL},
    {"skill://ab/f", NULL},
    {"skill://b/f", NULL},
    {"SKILL://a/f", NULL},
    {"skill://a//f", NULL},
    {"skill://a/b/", NULL},
    {"skill://a/./f", NULL},
    {"skill://a/../b/f", NULL},
    {"skill://a/b/..", NULL},
    {"skill://a/%2e%2E/f", NULL},
    {"skill://a/.%2e/f", NULL},
    {"skill://a/b%2Ff", NULL},
    {"skill://a/b%2f..%2f..%2ff", NULL},
    {"skill://a/b\\f", NULL},
    {"skill://a/b%5Cf", NULL},
    {"skill://a/b%00", NULL},
    {"skill://a/b%0A", NULL},
    {"skill://a/b%7f", NULL},
    {"skill://a/b\x1b", NULL},
    {"skill://a/%ff", NULL},
    {"skill://a/%C3", NULL},
    {"skill://a/%", NULL},
    {"skill://a/%4", NULL},
    {"skill://a/%xy", NULL},
    {"skill://a/f?q", NULL},
    {"skill://a/f#top", NULL},
    {"", NULL},
};

TEST(a_uri_has_a_path_only_inside_the_folder) {
  mcpi_buf path;
  mcpi_buf_init(&path, mcp_allocator_default(), SIZE_MAX);
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    mcpi_buf_clear(&path);
    mcpi_buf_lit(&path, "before ");
    int rc =
        mcpi_skill_path_read(&path, MCPI_STR(FOLDER), mcpi_str_z(rows[i].uri));
    mcpi_buf_putc(&path, '\0');
    if (rc != (rows[i].path != NULL ? 0 : MCP_ERR_INVALID)) {
      fail_msg("%s: %d", rows[i].uri, rc);
    }
    assert_string_equal(path.data + 7,
                        rows[i].path != NULL ? rows[i].path : "");
  }
  mcpi_buf_deinit(&path);
}

/* Otherwise a path that was not looked at would be taken for a safe one. */
TEST(without_memory_no_path_is_read) {
  failing_alloc memory;
  mcpi_buf path;
  failing_alloc_init(&memory);
  memory.fail_at = 1;
  mcpi_buf_init(&path, &memory.allocator, SIZE_MAX);
  assert_int_equal(
      mcpi_skill_path_read(&path, MCPI_STR(FOLDER), MCPI_STR("skill://a/../b")),
      MCP_ERR_NOMEM);
  mcpi_buf_deinit(&path);
}

TEST(a_path_becomes_a_uri_that_is_read_as_the_same_path) {
  static const char text[] = "b c/\xc3\xa4?#%.md";
  mcpi_buf uri;
  mcpi_buf path;
  mcpi_buf_init(&uri, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_init(&path, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_lit(&uri, FOLDER "/");
  mcpi_skill_path_encode(&uri, mcpi_str_z(text));
  assert_int_equal(
      mcpi_skill_path_read(&path, MCPI_STR(FOLDER), mcpi_buf_str(&uri)), 0);
  mcpi_buf_putc(&path, '\0');
  mcpi_buf_putc(&uri, '\0');
  assert_string_equal(uri.data, FOLDER "/b%20c/%C3%A4%3F%23%25.md");
  assert_string_equal(path.data, text);
  mcpi_buf_deinit(&path);
  mcpi_buf_deinit(&uri);
}
