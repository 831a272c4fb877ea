/* SPDX-License-Identifier: MIT */
#include "auth/resource/tokens.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/libmcp/resource_rig.h"
#include <mcp/error.h>
#include <stdio.h>
#include <stdlib.h>

static int open_rig(void **state) {
  *state = resource_rig_new(NULL);
  return 0;
}

static int close_rig(void **state) {
  resource_rig_free(*state);
  return 0;
}

/* Whom a token stands for, and what it permits; "": nobody. */
static const char *find(resource_rig *rig, const char *text,
                        const char *token) {
  static char found[200];
  mcpi_fixed_tokens tokens;
  static mcp_error err;
  err = (mcp_error){0};
  found[0] = '\0';
  if (mcpi_fixed_tokens_read(&tokens, rig->loop, mcpi_str_z(text), &err) != 0) {
    return err.message;
  }
  mcpi_token_key key = {.len = MCP_SHA256_SIZE};
  rig->platform.crypto->sha256(NULL, token, strlen(token), key.bytes);
  const mcpi_grant *grant = mcpi_fixed_tokens_find(&tokens, &key);
  if (grant != NULL) {
    snprintf(found, sizeof(found), "%s: %s", grant->principal, grant->scopes);
  }
  mcpi_fixed_tokens_deinit(&tokens);
  mcpi_fixed_tokens_deinit(&tokens);
  return found;
}

#define A "aaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbb"

TEST_WITH(lines_have_tokens_principals_and_scopes, open_rig, close_rig) {
  const char *text = "# a comment\r\n\n  \t\n" A "\n  " B
                     "\tbob  read write\tread\r\ncccccccccccccccc carl";
  assert_string_equal(find(*state, text, A), "token:4: ");
  assert_string_equal(find(*state, text, B), "bob: read write");
  assert_string_equal(find(*state, text, "cccccccccccccccc"), "carl: ");
  assert_string_equal(find(*state, text, "aaaaaaaaaaaaaaab"), "");
  assert_string_equal(find(*state, text, "bob"), "");
  assert_string_equal(find(*state, text, ""), "");
}

TEST_WITH(wrong_lines_are_named_and_not_quoted, open_rig, close_rig) {
  assert_string_equal(find(*state, A "\naaaaaaaaaaaaaaa", A),
                      "tokens: line 2: the token has 15 characters; it needs "
                      "at least 16");
  assert_string_equal(find(*state, "aaaaaaaaaaaaaa\"a x", A),
                      "tokens: line 1: the token has a character that tokens "
                      "do not have; use letters, digits and \"-._~+/\"");
  assert_string_equal(find(*state, A " x\n\n" A " y", A),
                      "tokens: line 3: an earlier line has the same token");
  assert_string_equal(find(*state, "", A),
                      "tokens: the text has no token; write a token in each "
                      "line");
  assert_string_equal(find(*state, "# only this\n", A),
                      "tokens: the text has no token; write a token in each "
                      "line");
}

TEST_WITH(a_nul_is_refused, open_rig, close_rig) {
  resource_rig *rig = *state;
  mcpi_fixed_tokens tokens;
  mcp_error err;
  assert_int_equal(
      mcpi_fixed_tokens_read(&tokens, rig->loop, MCPI_STR(A " b\0b"), &err),
      MCP_ERR_INVALID);
  assert_string_equal(err.message, "tokens: line 1 has a NUL");
}

static char *many(size_t count) {
  char *text = malloc(count * 20 + 1);
  for (size_t i = 0; i < count; i++) {
    sprintf(text + i * 20, "token-%013zu\n", i);
  }
  return text;
}

TEST_WITH(there_is_room_for_so_many, open_rig, close_rig) {
  char *most = many(MCPI_FIXED_TOKENS_MAX);
  char *more = many(MCPI_FIXED_TOKENS_MAX + 1);
  assert_string_equal(find(*state, most, "token-0000000001023"),
                      "token:1024: ");
  assert_string_equal(find(*state, most, "token-0000000000000"), "token:1: ");
  assert_string_equal(find(*state, more, A),
                      "tokens: there are more than 1024 tokens");
  free(most);
  free(more);
}

static int read_some(const mcp_allocator *allocator, void *userdata) {
  resource_rig *rig = resource_rig_new(allocator);
  mcpi_fixed_tokens tokens;
  if (rig == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = mcpi_fixed_tokens_read(&tokens, rig->loop,
                                  MCPI_STR(A " ann read\n" B "\n"), NULL);
  if (rc == 0) {
    mcpi_fixed_tokens_deinit(&tokens);
  }
  resource_rig_free(rig);
  return rc;
}

TEST(a_lack_of_memory_is_reported) {
  failing_alloc_rerun_least(6, read_some, NULL);
}
