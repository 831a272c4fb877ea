/* SPDX-License-Identifier: MIT */
#include "auth/client/record.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <mcp/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define URL "https://example.com/mcp"

/* Reads a text and writes it again. Returns what reading returns. */
static int convert(const char *text, char *out, size_t size) {
  const mcp_allocator *allocator = mcp_allocator_default();
  mcpi_auth_record record;
  mcpi_buf buf;
  mcpi_auth_record_init(&record);
  int rc = mcpi_auth_record_read(&record, mcpi_str_z(text), URL, allocator);
  mcpi_buf_init_secret(&buf, allocator, SIZE_MAX);
  mcpi_auth_record_put(&buf, &record, URL);
  assert_int_equal(buf.error, 0);
  snprintf(out, size, "%.*s", (int)buf.len, buf.data);
  mcpi_buf_deinit(&buf);
  mcpi_auth_record_deinit(&record, allocator);
  return rc;
}

static void assert_becomes(const char *text, const char *expected) {
  char out[1024];
  assert_int_equal(convert(text, out, sizeof(out)), 0);
  assert_string_equal(out, expected);
}

#define NOTHING "{\"server\":\"" URL "\"}"
#define WHOLE                                                                  \
  "{\"server\":\"" URL "\",\"token\":{\"access_token\":\"a\","                 \
  "\"refresh_token\":\"r\",\"issuer\":\"https://as\",\"resource\":\"" URL      \
  "\",\"client_id\":\"c\",\"scope\":\"x y\",\"key\":\"PEM\","                  \
  "\"expires_at_ms\":1234},\"token_life_ms\":99,\"client\":{\"issuer\":"       \
  "\"https://as\",\"client_id\":\"c\",\"client_secret\":\"s\","                \
  "\"redirect_uri\":\"http://127.0.0.1:1/\","                                  \
  "\"token_endpoint_auth_method\":\"client_secret_post\"},"                    \
  "\"scopes\":\"x "                                                            \
  "y\",\"bound\":{\"client_id\":\"c\",\"issuer\":\"https://as\"}}"

TEST(a_record_is_read_as_it_was_written) {
  assert_becomes(WHOLE, WHOLE);
  assert_becomes(NOTHING, NOTHING);
}

TEST(no_text_is_an_empty_record) {
  assert_becomes(NULL, NOTHING);
}

TEST(parts_that_are_not_valid_count_as_absent) {
  static const char *const parts[] = {
      "\"token\":1",
      "\"token\":{}",
      "\"token\":{\"access_token\":\"\",\"issuer\":\"i\"}",
      "\"token\":{\"access_token\":\"a\"}",
      "\"token\":{\"access_token\":1,\"issuer\":\"i\"}",
      "\"token\":{\"access_token\":\"a b\",\"issuer\":\"i\"}",
      "\"token\":{\"access_token\":\"a\\r\\nX: y\",\"issuer\":\"i\"}",
      "\"token\":{\"access_token\":\"\xc3\xa4\",\"issuer\":\"i\"}",
      "\"client\":[]",
      "\"client\":{\"client_id\":\"c\"}",
      "\"scopes\":[\"x\"]",
      "\"token_life_ms\":\"x\"",
      "\"bound\":{\"client_id\":\"c\"}",
      "\"bound\":{\"issuer\":\"i\"}",
      "\"more\":{\"a\":[1]}"};
  for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
    char text[256];
    snprintf(text, sizeof(text), "{\"server\":\"" URL "\",%s}", parts[i]);
    assert_becomes(text, NOTHING);
  }
}

TEST(texts_that_are_not_records_of_the_server_are_refused) {
  static const char *const texts[] = {"",
                                      "x",
                                      "[]",
                                      "{}",
                                      "{\"server\":1}",
                                      "{\"server\":\"" URL "/\"}",
                                      "{\"server\":\"" URL "\"",
                                      "{\"server\":\"" URL
                                      "\",\"a\":[[[[[1]]]]]}"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    char out[256];
    assert_int_equal(convert(texts[i], out, sizeof(out)), MCP_ERR_PARSE);
    assert_string_equal(out, NOTHING);
  }
}

TEST(the_size_of_a_record_has_a_limit) {
  const size_t max = MCPI_AUTH_RECORD_MAX;
  char *text = malloc(max + 2);
  char out[64];
  assert_non_null(text);
  memset(text, ' ', max + 1);
  memcpy(text, NOTHING, sizeof(NOTHING) - 1);
  text[max] = '\0';
  assert_int_equal(convert(text, out, sizeof(out)), 0);
  text[max] = ' ';
  text[max + 1] = '\0';
  assert_int_equal(convert(text, out, sizeof(out)), MCP_ERR_PARSE);
  free(text);
}

TEST(each_cut_of_a_record_is_refused) {
  char text[sizeof(WHOLE)];
  char out[1024];
  for (size_t len = 0; len < sizeof(WHOLE) - 1; len++) {
    memcpy(text, WHOLE, len);
    text[len] = '\0';
    assert_int_equal(convert(text, out, sizeof(out)), MCP_ERR_PARSE);
  }
}

TEST(a_record_without_token_and_client_is_empty) {
  mcpi_auth_record record;
  mcpi_auth_record_init(&record);
  assert_true(mcpi_auth_record_is_empty(&record));
  record.client.client_id = (char *)"c";
  assert_false(mcpi_auth_record_is_empty(&record));
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  mcpi_auth_record record;
  mcpi_buf buf;
  mcpi_auth_record_init(&record);
  int rc = mcpi_auth_record_read(&record, mcpi_str_z(WHOLE), URL, allocator);
  if (rc != 0) {
    assert_null(record.token);
    return rc;
  }
  mcpi_buf_init_secret(&buf, allocator, SIZE_MAX);
  mcpi_auth_record_put(&buf, &record, URL);
  rc = buf.error;
  mcpi_buf_deinit(&buf);
  mcpi_auth_record_deinit(&record, allocator);
  return rc;
}

TEST(running_out_of_memory_is_an_error) {
  failing_alloc_rerun_least(10, scenario, NULL);
}
