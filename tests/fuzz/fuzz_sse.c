/* SPDX-License-Identifier: MIT */
/* Server-sent events: the input, cut as its first byte says, gives the same
 * events as in one piece; without memory for some of it nothing breaks; and
 * what the writer makes of an event reads as the same event. */
#include "codec/sse.h"

#include "support/failing_alloc.h"
#include <mcp/error.h>
#include <stdlib.h>

enum { MAX_EVENT = 64 };

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

static mcpi_str str(const mcpi_buf *buf) {
  return mcpi_str_n(buf->data, buf->len);
}

/* --- the way back ------------------------------------------------------- */

static int has(mcpi_str text, char c) {
  return text.len > 0 && memchr(text.ptr, c, text.len) != NULL;
}

static void read_again(const mcpi_sse_event *event, mcpi_buf *written) {
  mcpi_sse_reader reader;
  mcpi_sse_event again;
  const char *at = written->data;
  size_t left = written->len;
  mcpi_sse_reader_init(&reader, mcp_allocator_default(), SIZE_MAX);
  int rc = mcpi_sse_next(&reader, &at, &left, &again);
  check(rc == (event->data.len > 0 ? MCPI_SSE_EVENT : MCPI_SSE_EMPTY));
  check(left == 0 && again.has_id && again.has_data);
  check(mcpi_str_eq(again.name, event->name));
  check(mcpi_str_eq(again.data, event->data));
  check(mcpi_str_eq(again.id, event->id));
  mcpi_sse_reader_deinit(&reader);
}

/* Data of a reader has no CR, so that it comes back as it was. */
static void write_again(const mcpi_sse_event *event) {
  mcpi_str id = event->id.len > 0 ? event->id : MCPI_STR("");
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  int rc = mcpi_sse_put_event(&buf, id, event->name, event->data);
  if (has(event->name, '\0')) {
    check(rc == MCP_ERR_INVALID && buf.len == 0);
  } else {
    check(rc == 0 && buf.error == 0);
    read_again(event, &buf);
  }
  mcpi_buf_deinit(&buf);
}

/* --- reading ------------------------------------------------------------ */

static void note_event(mcpi_buf *out, const mcpi_sse_event *event) {
  check(!has(event->data, '\r'));
  check(!has(event->name, '\n') && !has(event->name, '\r'));
  check(!has(event->id, '\n') && !has(event->id, '\0'));
  check(event->name.len > 0 && event->data.len <= MAX_EVENT);
  mcpi_buf_puts(out, event->name);
  mcpi_buf_putc(out, '\n');
  mcpi_buf_puts(out, event->data);
  mcpi_buf_putc(out, '\n');
  mcpi_buf_puts(out, event->id);
  mcpi_buf_putc(out, (char)('0' + event->has_id * 2 + event->has_data));
  write_again(event);
}

static void feed(mcpi_sse_reader *reader, const char *bytes, size_t len,
                 mcpi_buf *out) {
  mcpi_sse_event event;
  int rc;
  while ((rc = mcpi_sse_next(reader, &bytes, &len, &event)) != MCPI_SSE_MORE) {
    mcpi_buf_putc(out, (char)('0' + rc));
    if (rc == MCPI_SSE_EVENT || rc == MCPI_SSE_EMPTY) {
      check((rc == MCPI_SSE_EVENT) == (event.data.len > 0));
      note_event(out, &event);
    }
  }
  check(len == 0);
}

/* Pieces of `step` bytes. */
static void run(const char *bytes, size_t len, size_t step,
                const mcp_allocator *allocator, mcpi_buf *out) {
  mcpi_sse_reader reader;
  mcpi_sse_reader_init(&reader, allocator, MAX_EVENT);
  while (len > step) {
    feed(&reader, bytes, step, out);
    bytes += step;
    len -= step;
  }
  feed(&reader, bytes, len, out);
  mcpi_buf_puts(out, mcpi_sse_last_id(&reader));
  mcpi_buf_put(out, &reader.retry_ms, sizeof(reader.retry_ms));
  mcpi_sse_reader_deinit(&reader);
}

static void run_without_memory(const char *bytes, size_t len, size_t step) {
  failing_alloc alloc;
  mcpi_buf out;
  failing_alloc_init(&alloc);
  alloc.fail_at = step % 8 + 1;
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  run(bytes, len, step, &alloc.allocator, &out);
  check(alloc.live_blocks == 0);
  mcpi_buf_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  if (len == 0) {
    return 0;
  }
  const char *bytes = (const char *)data + 1;
  mcpi_buf whole;
  mcpi_buf pieces;
  mcpi_buf_init(&whole, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_init(&pieces, mcp_allocator_default(), SIZE_MAX);
  run(bytes, len - 1, len, mcp_allocator_default(), &whole);
  run(bytes, len - 1, (size_t)data[0] + 1, mcp_allocator_default(), &pieces);
  check(mcpi_str_eq(str(&whole), str(&pieces)));
  run_without_memory(bytes, len - 1, (size_t)data[0] + 1);
  mcpi_buf_deinit(&whole);
  mcpi_buf_deinit(&pieces);
  return 0;
}
