/* SPDX-License-Identifier: MIT */
#include "endpoint/session_id.h"

#include "base/base64.h"
#include "endpoint/endpoint.h"
#include "support/http_bench.h"
#include <string.h>

enum { RANDOM_LEN = MCPI_ENDPOINT_SESSION_ID_LEN - 1 };

/* What the platform's random gives. */
static uint8_t source[RANDOM_LEN];
static int source_rc;
static int source_calls;

static int read_source(void *userdata, void *bytes, size_t len) {
  source_calls++;
  assert_int_equal(len, sizeof(source));
  memcpy(bytes, source, len);
  return source_rc;
}

static int set_up(void **state) {
  int rc = http_bench_set_up(state);
  http_bench *b = *state;
  for (size_t i = 0; i < sizeof(source); i++) {
    source[i] = (uint8_t)(37 * i + 11);
  }
  source_rc = 0;
  source_calls = 0;
  if (rc == 0) {
    b->http.http->shard->loop->platform.random = read_source;
  }
  return rc;
}

#define ID_TEST(name) TEST_WITH(name, set_up, http_bench_tear_down)

static void make(void **state, char id[MCPI_ENDPOINT_SESSION_ID_LEN + 1]) {
  http_bench *b = *state;
  assert_int_equal(mcpi_endpoint_make_id(b->http.http, id), 0);
  assert_int_equal(strlen(id), MCPI_ENDPOINT_SESSION_ID_LEN);
}

ID_TEST(an_id_is_made_of_random_bytes) {
  char id[MCPI_ENDPOINT_SESSION_ID_LEN + 1];
  make(state, id);
  assert_int_equal(source_calls, 1);
  assert_int_equal(mcpi_endpoint_session_home(id), 0);
  for (size_t i = 0; i < sizeof(source); i++) {
    assert_int_equal(mcpi_base64url_value(id[1 + i]), source[i] % 64);
  }
}

/* 186 bits: six of each byte. */
ID_TEST(each_random_bit_makes_another_id) {
  char first[MCPI_ENDPOINT_SESSION_ID_LEN + 1];
  char other[MCPI_ENDPOINT_SESSION_ID_LEN + 1];
  make(state, first);
  for (size_t i = 0; i < 6 * sizeof(source); i++) {
    source[i / 6] ^= (uint8_t)(1u << i % 6);
    make(state, other);
    assert_string_not_equal(other, first);
    source[i / 6] ^= (uint8_t)(1u << i % 6);
  }
}

ID_TEST(without_random_bytes_there_is_no_id) {
  char id[MCPI_ENDPOINT_SESSION_ID_LEN + 1];
  http_bench *b = *state;
  source_rc = MCP_ERR_IO;
  assert_int_equal(mcpi_endpoint_make_id(b->http.http, id), MCP_ERR_IO);
  b->http.http->shard->loop->platform.random = NULL;
  assert_int_equal(mcpi_endpoint_make_id(b->http.http, id), MCP_ERR_PLATFORM);
}
