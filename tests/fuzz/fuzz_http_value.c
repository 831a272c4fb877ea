/* SPDX-License-Identifier: MIT */
/* Header values: the input is a value of each kind that there is, and its text
 * is sent in a header and read from it again. */
#include "codec/http_media.h"
#include "codec/http_origin.h"
#include "codec/http_value.h"

#include "support/failing_alloc.h"
#include <mcp/error.h>
#include <stdlib.h>

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

static mcpi_str str(const mcpi_buf *buf) {
  return mcpi_str_n(buf->data, buf->len);
}

static int is_inside(mcpi_str part, mcpi_str all) {
  return part.len == 0 ||
         (part.ptr >= all.ptr && part.ptr + part.len <= all.ptr + all.len);
}

/* --- text --------------------------------------------------------------- */

/* The reader can read each written value, and the value is safe in a header. */
static void round_trip(mcpi_str text, const mcp_allocator *allocator) {
  mcpi_buf value;
  mcpi_buf buf;
  mcpi_str again = {NULL, 0};
  mcpi_buf_init(&value, allocator, SIZE_MAX);
  mcpi_buf_init(&buf, allocator, SIZE_MAX);
  mcpi_header_put_text(&value, text);
  for (size_t i = 0; i < value.len; i++) {
    check(value.data[i] >= 0x20 && value.data[i] < 0x7F);
  }
  if (value.error == 0) {
    int rc = mcpi_header_decode(&buf, str(&value), &again);
    check(rc == MCP_ERR_NOMEM || (rc == 0 && mcpi_str_eq(again, text)));
  }
  mcpi_buf_deinit(&value);
  mcpi_buf_deinit(&buf);
}

static void round_trip_without_memory(mcpi_str text) {
  for (size_t i = 1; i <= 2; i++) {
    failing_alloc alloc;
    failing_alloc_init(&alloc);
    alloc.fail_at = i;
    round_trip(text, &alloc.allocator);
    check(alloc.live_blocks == 0);
  }
}

/* Decoded text is valid. Each text has one value, apart from blanks and
 * needless encoding. */
static void decode(mcpi_str value) {
  mcpi_buf buf;
  mcpi_str text = {NULL, 0};
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  int rc = mcpi_header_decode(&buf, value, &text);
  check(rc == 0 || (rc == MCP_ERR_PARSE && buf.len == 0));
  if (rc == 0) {
    check(mcpi_utf8_valid_prefix(text.ptr, text.len) == text.len);
    check(is_inside(text, value) || is_inside(text, str(&buf)));
    round_trip(text, mcp_allocator_default());
  }
  mcpi_buf_deinit(&buf);
}

/* --- JSON values -------------------------------------------------------- */

/* A value's own header compares equal. */
static void compare(mcpi_str json, mcpi_str value) {
  mcpi_buf own;
  mcpi_buf buf;
  mcp_doc *doc = mcp_doc_parse(json.ptr, json.len, NULL, NULL, NULL);
  if (doc == NULL) {
    return;
  }
  mcpi_buf_init(&own, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  int rc = mcpi_header_put_value(&own, mcp_doc_root(doc));
  check(rc == 0 || own.len == 0);
  check(rc != 0 ||
        mcpi_header_compare(&buf, str(&own), mcp_doc_root(doc)) == 0);
  rc = mcpi_header_compare(&buf, value, mcp_doc_root(doc));
  check(rc == 0 || rc == MCP_ERR_PROTOCOL || rc == MCP_ERR_PARSE);
  mcpi_buf_deinit(&own);
  mcpi_buf_deinit(&buf);
  mcp_doc_free(doc);
}

/* --- the others --------------------------------------------------------- */

static void look_at_media(mcpi_str text) {
  mcpi_header_accept accept;
  mcpi_header_accept_init(&accept, "application/json");
  mcpi_header_accept_add(&accept, 1, text);
  /* A type without parameters is also a range. */
  if (mcpi_header_media_is(text, "application/json") &&
      memchr(text.ptr, ',', text.len) == NULL &&
      memchr(text.ptr, '=', text.len) == NULL) {
    check(accept.is_accepted);
  }
}

static void look_at_hosts(mcpi_str text) {
  mcpi_header_host host;
  mcpi_header_origin origin;
  int is_origin = mcpi_header_origin_parse(&origin, text) == 0;
  if (mcpi_header_host_parse(&host, text) == 0) {
    check(!is_origin && is_inside(host.name, text));
    check(host.port >= -1 && host.port <= 65535);
  }
  if (mcpi_header_is_loopback(text)) {
    check(mcpi_header_host_parse(&host, text) == 0 && host.port == -1);
  }
  if (is_origin) {
    check(mcpi_header_origin_matches(text, text));
    check(mcpi_header_origin_is_loopback(text) <=
          mcpi_header_is_loopback(origin.host.name));
  }
}

/* The text up to the first LF and what follows it are the two sides of a
 * comparison. */
static void look_at_two(mcpi_str all) {
  const char *lf = all.len > 0 ? memchr(all.ptr, '\n', all.len) : NULL;
  if (lf != NULL) {
    size_t len = (size_t)(lf - all.ptr);
    mcpi_str first = mcpi_str_n(all.ptr, len);
    mcpi_str second = mcpi_str_n(lf + 1, all.len - len - 1);
    compare(first, second);
    check(mcpi_header_origin_matches(first, second) ==
          mcpi_header_origin_matches(second, first));
    check(mcpi_header_eq_nocase(first, second) ==
          mcpi_header_eq_nocase(second, first));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  mcpi_str text = mcpi_str_n((const char *)data, len);
  decode(text);
  if (mcpi_utf8_valid_prefix(text.ptr, len) == len) {
    round_trip(text, mcp_allocator_default());
    round_trip_without_memory(text);
  }
  check(!mcpi_header_is_token(text) || mcpi_header_trim(text).len == len);
  look_at_media(text);
  look_at_hosts(text);
  look_at_two(text);
  return 0;
}
