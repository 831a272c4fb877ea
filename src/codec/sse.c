/* SPDX-License-Identifier: MIT */
/* Server-sent events (WHATWG HTML, 9.2).
 *
 *     input -> [partial: the beginning of a cut line] -> a line -> its field
 *     data: first (borrowed) -> [data: copied when more comes, or input ends]
 *
 * Most events are one data line in one piece of input, and are handed out in
 * place. Each byte is looked at once and copied at most twice. */
#include "codec/sse.h"

#include "json/json.h"

#include <mcp/error.h>

/* Bytes of memory kept for the next event. */
enum { KEEP_BYTES = 64 * 1024 };

/* Where the only data line is. */
enum { NOWHERE = 0, IN_INPUT, IN_PARTIAL };

void mcpi_sse_reader_init(mcpi_sse_reader *reader,
                          const mcp_allocator *allocator, size_t max_event) {
  *reader = (mcpi_sse_reader){.retry_ms = -1, .max_event = max_event};
  mcpi_buf_init(&reader->partial, allocator, SIZE_MAX);
  mcpi_buf_init(&reader->data, allocator, SIZE_MAX);
  mcpi_buf_init(&reader->name, allocator, SIZE_MAX);
  mcpi_buf_init(&reader->id, allocator, SIZE_MAX);
  mcpi_buf_init(&reader->next_id, allocator, SIZE_MAX);
}

void mcpi_sse_reader_deinit(mcpi_sse_reader *reader) {
  mcpi_buf_deinit(&reader->partial);
  mcpi_buf_deinit(&reader->data);
  mcpi_buf_deinit(&reader->name);
  mcpi_buf_deinit(&reader->id);
  mcpi_buf_deinit(&reader->next_id);
}

/* --- the event so far --------------------------------------------------- */

static void sse_clear_event(mcpi_sse_reader *reader) {
  mcpi_buf_recycle(&reader->partial, KEEP_BYTES);
  mcpi_buf_recycle(&reader->data, KEEP_BYTES);
  mcpi_buf_recycle(&reader->name, KEEP_BYTES);
  mcpi_buf_recycle(&reader->next_id, KEEP_BYTES);
  reader->first = mcpi_str_n(NULL, 0);
  reader->first_in = NOWHERE;
  reader->used = 0;
  reader->has_id = 0;
  reader->has_data = 0;
  reader->has_field = 0;
}

/* Makes the event's id the last one of the stream. */
static void sse_adopt_id(mcpi_sse_reader *reader) {
  if (reader->has_id) {
    mcpi_buf old = reader->id;
    reader->id = reader->next_id;
    reader->next_id = old;
  }
}

/* Skips the rest of the event, up to its blank line. The id of an event that is
 * too long counts: otherwise the server would send the event again whenever the
 * client reconnects. */
static int sse_lose(mcpi_sse_reader *reader, int why) {
  if (why == MCPI_SSE_TOO_LONG) {
    sse_adopt_id(reader);
  }
  sse_clear_event(reader);
  reader->state = MCPI_SSE_STATE_LOST;
  return why;
}

/* Copies the data line that is still borrowed. */
static int sse_copy_first(mcpi_sse_reader *reader) {
  if (reader->first_in == NOWHERE) {
    return 0;
  }
  mcpi_buf_puts(&reader->data, reader->first);
  if (reader->first_in == IN_PARTIAL) {
    mcpi_buf_clear(&reader->partial);
  }
  reader->first_in = NOWHERE;
  return reader->data.error;
}

/* Returns the bytes of the current line that are in `partial`. */
static size_t sse_begun_len(const mcpi_sse_reader *reader) {
  return reader->first_in == IN_PARTIAL ? 0 : reader->partial.len;
}

static size_t sse_room(const mcpi_sse_reader *reader) {
  return reader->max_event - reader->used - sse_begun_len(reader);
}

/* --- fields ------------------------------------------------------------- */

static int sse_take_data(mcpi_sse_reader *reader, mcpi_str value, int is_kept) {
  if (!reader->has_data) {
    reader->has_data = 1;
    reader->first = value;
    reader->first_in = is_kept ? IN_PARTIAL : IN_INPUT;
    return 0;
  }
  int rc = sse_copy_first(reader);
  mcpi_buf_putc(&reader->data, '\n');
  mcpi_buf_puts(&reader->data, value);
  return rc != 0 ? rc : reader->data.error;
}

static int sse_take_name(mcpi_sse_reader *reader, mcpi_str value) {
  mcpi_buf_clear(&reader->name);
  mcpi_buf_puts(&reader->name, value);
  return reader->name.error;
}

static int sse_take_id(mcpi_sse_reader *reader, mcpi_str value) {
  if (value.len > 0 && memchr(value.ptr, '\0', value.len) != NULL) {
    return 0;
  }
  reader->has_id = 1;
  mcpi_buf_clear(&reader->next_id);
  mcpi_buf_puts(&reader->next_id, value);
  return reader->next_id.error;
}

/* Takes a time of digits only. A time past 32 bits counts as the largest. */
static void sse_take_retry(mcpi_sse_reader *reader, mcpi_str value) {
  int64_t retry_ms = 0;
  for (size_t i = 0; i < value.len; i++) {
    if (value.ptr[i] < '0' || value.ptr[i] > '9') {
      return;
    }
    retry_ms = retry_ms * 10 + (value.ptr[i] - '0');
    retry_ms = retry_ms < UINT32_MAX ? retry_ms : UINT32_MAX;
  }
  if (value.len > 0) {
    reader->retry_ms = retry_ms;
  }
}

static int sse_take_field(mcpi_sse_reader *reader, mcpi_str name,
                          mcpi_str value, int is_kept) {
  int is_known = 1;
  int rc = 0;
  if (mcpi_str_eq(name, MCPI_STR("data"))) {
    rc = sse_take_data(reader, value, is_kept);
  } else if (mcpi_str_eq(name, MCPI_STR("event"))) {
    rc = sse_take_name(reader, value);
  } else if (mcpi_str_eq(name, MCPI_STR("id"))) {
    rc = sse_take_id(reader, value);
  } else if (mcpi_str_eq(name, MCPI_STR("retry"))) {
    sse_take_retry(reader, value);
  } else {
    is_known = 0;
  }
  reader->has_field |= is_known;
  return rc;
}

/* Takes "name: value", "name:value", or "name" with an empty value. */
static int sse_take_line(mcpi_sse_reader *reader, mcpi_str line, int is_kept) {
  const char *colon = memchr(line.ptr, ':', line.len);
  size_t name_len = colon != NULL ? (size_t)(colon - line.ptr) : line.len;
  size_t from = name_len + (colon != NULL);
  from += from < line.len && line.ptr[from] == ' ';
  return sse_take_field(reader, mcpi_str_n(line.ptr, name_len),
                        mcpi_str_n(line.ptr + from, line.len - from), is_kept);
}

/* --- lines -------------------------------------------------------------- */

static int sse_end_event(mcpi_sse_reader *reader, mcpi_sse_event *event) {
  if (!reader->has_field) {
    if (reader->used > 0 || reader->state == MCPI_SSE_STATE_LOST) {
      sse_clear_event(reader);
      reader->state = MCPI_SSE_STATE_OPEN;
    }
    return MCPI_SSE_MORE;
  }
  sse_adopt_id(reader);
  reader->state = MCPI_SSE_STATE_OUT;
  event->name =
      reader->name.len > 0 ? mcpi_buf_str(&reader->name) : MCPI_STR("message");
  event->data =
      reader->first_in != NOWHERE ? reader->first : mcpi_buf_str(&reader->data);
  event->id = mcpi_buf_str(&reader->id);
  event->has_id = reader->has_id;
  event->has_data = reader->has_data;
  return event->data.len > 0 ? MCPI_SSE_EVENT : MCPI_SSE_EMPTY;
}

/* Begins a line, unless that is done, at its first byte. */
static void sse_begin_line(mcpi_sse_reader *reader, const char *bytes,
                           size_t len) {
  if (reader->line == MCPI_SSE_LINE_NONE && len > 0) {
    reader->line =
        bytes[0] == ':' ? MCPI_SSE_LINE_SKIPPED : MCPI_SSE_LINE_TAKEN;
  }
}

/* Adds to the partial line. */
static int sse_keep(mcpi_sse_reader *reader, const char *bytes, size_t len) {
  if (len > sse_room(reader)) {
    return sse_lose(reader, MCPI_SSE_TOO_LONG);
  }
  int rc = reader->first_in == IN_PARTIAL ? sse_copy_first(reader) : 0;
  mcpi_buf_put(&reader->partial, bytes, len);
  if (rc != 0 || reader->partial.error != 0) {
    return sse_lose(reader, MCPI_SSE_NOMEM);
  }
  return MCPI_SSE_MORE;
}

/* Takes a line that is not skipped. `bytes` are all of it, or the end of the
 * partial line. */
static int sse_finish_line(mcpi_sse_reader *reader, const char *bytes,
                           size_t len) {
  mcpi_str line = mcpi_str_n(bytes, len);
  int is_kept = sse_begun_len(reader) > 0;
  if (is_kept) {
    int rc = sse_keep(reader, bytes, len);
    if (rc != MCPI_SSE_MORE) {
      return rc;
    }
    line = mcpi_buf_str(&reader->partial);
  } else if (len > sse_room(reader)) {
    return sse_lose(reader, MCPI_SSE_TOO_LONG);
  }
  reader->used += line.len;
  if (sse_take_line(reader, line, is_kept) != 0) {
    return sse_lose(reader, MCPI_SSE_NOMEM);
  }
  if (is_kept && reader->first_in != IN_PARTIAL) {
    mcpi_buf_clear(&reader->partial);
  }
  return MCPI_SSE_MORE;
}

static int sse_end_line(mcpi_sse_reader *reader, const char *bytes, size_t len,
                        mcpi_sse_event *event) {
  sse_begin_line(reader, bytes, len);
  int line = reader->line;
  reader->line = MCPI_SSE_LINE_NONE;
  if (line == MCPI_SSE_LINE_NONE) {
    return sse_end_event(reader, event);
  }
  if (line == MCPI_SSE_LINE_SKIPPED || reader->state == MCPI_SSE_STATE_LOST) {
    return MCPI_SSE_MORE;
  }
  return sse_finish_line(reader, bytes, len);
}

static int sse_cut_line(mcpi_sse_reader *reader, const char *bytes,
                        size_t len) {
  sse_begin_line(reader, bytes, len);
  if (reader->line == MCPI_SSE_LINE_SKIPPED ||
      reader->state == MCPI_SSE_STATE_LOST) {
    return MCPI_SSE_MORE;
  }
  return sse_keep(reader, bytes, len);
}

/* --- input -------------------------------------------------------------- */

/* Returns the bytes before the first CR or LF, or all. Searches for both in one
 * pass: two passes would take quadratic time where only one of them occurs. */
static size_t sse_line_len(const char *bytes, size_t len) {
  size_t i = 0;
  for (; len - i >= 8; i += 8) {
    uint64_t word = mcpi_load_word(bytes + i);
    if ((mcpi_word_has(word, '\n') | mcpi_word_has(word, '\r')) != 0) {
      break;
    }
  }
  while (i < len && bytes[i] != '\n' && bytes[i] != '\r') {
    i++;
  }
  return i;
}

/* Skips a byte order mark at the stream's beginning. Bytes that only begin like
 * one begin a line that is skipped, since no field's name begins so. */
static void sse_skip_bom(mcpi_sse_reader *reader, const char **bytes,
                         size_t *len) {
  static const char bom[] = "\xEF\xBB\xBF";
  while (reader->bom_len < 3 && *len > 0) {
    if (**bytes != bom[reader->bom_len]) {
      if (reader->bom_len > 0) {
        reader->line = MCPI_SSE_LINE_SKIPPED;
      }
      reader->bom_len = 3;
      return;
    }
    reader->bom_len++;
    ++*bytes;
    --*len;
  }
}

/* Takes input up to the end of one line. */
static int sse_next_line(mcpi_sse_reader *reader, const char **bytes,
                         size_t *len, mcpi_sse_event *event) {
  const char *from = *bytes;
  if (reader->is_after_cr && *from == '\n') {
    reader->is_after_cr = 0;
    ++*bytes;
    --*len;
    return MCPI_SSE_MORE;
  }
  size_t used = sse_line_len(from, *len);
  int is_whole = used < *len;
  reader->is_after_cr = is_whole && from[used] == '\r';
  *bytes += used + (size_t)is_whole;
  *len -= used + (size_t)is_whole;
  return is_whole ? sse_end_line(reader, from, used, event)
                  : sse_cut_line(reader, from, used);
}

int mcpi_sse_next(mcpi_sse_reader *reader, const char **bytes, size_t *len,
                  mcpi_sse_event *event) {
  if (reader->state == MCPI_SSE_STATE_OUT) {
    reader->state = MCPI_SSE_STATE_OPEN;
    sse_clear_event(reader);
  }
  sse_skip_bom(reader, bytes, len);
  while (*len > 0) {
    int rc = sse_next_line(reader, bytes, len, event);
    if (rc != MCPI_SSE_MORE) {
      return rc;
    }
  }
  /* The input is the caller's again: copy what is borrowed from it. */
  if (reader->first_in == IN_INPUT && sse_copy_first(reader) != 0) {
    return sse_lose(reader, MCPI_SSE_NOMEM);
  }
  return MCPI_SSE_MORE;
}

void mcpi_sse_restart(mcpi_sse_reader *reader) {
  sse_clear_event(reader);
  reader->bom_len = 0;
  reader->is_after_cr = 0;
  reader->line = MCPI_SSE_LINE_NONE;
  reader->state = MCPI_SSE_STATE_OPEN;
}

mcpi_str mcpi_sse_last_id(const mcpi_sse_reader *reader) {
  return mcpi_buf_str(&reader->id);
}

/* --- writing ------------------------------------------------------------ */

static int sse_has_break(mcpi_str text) {
  return sse_line_len(text.ptr, text.len) < text.len;
}

static int sse_is_field_value(mcpi_str text) {
  return text.len == 0 ||
         (!sse_has_break(text) && memchr(text.ptr, '\0', text.len) == NULL);
}

/* Writes a blank after the colon, because readers drop one: so a blank that
 * begins the value is kept. */
static void sse_put_line(mcpi_buf *buf, mcpi_str name, mcpi_str value) {
  mcpi_buf_puts(buf, name);
  mcpi_buf_putc(buf, ':');
  if (value.len > 0) {
    mcpi_buf_putc(buf, ' ');
    mcpi_buf_puts(buf, value);
  }
  mcpi_buf_putc(buf, '\n');
}

/* Returns the bytes of the line break that the text begins with. */
static size_t sse_break_len(mcpi_str text) {
  return text.len >= 2 && text.ptr[0] == '\r' && text.ptr[1] == '\n' ? 2 : 1;
}

static void sse_put_data(mcpi_buf *buf, mcpi_str data) {
  size_t len = sse_line_len(data.ptr, data.len);
  sse_put_line(buf, MCPI_STR("data"), mcpi_str_n(data.ptr, len));
  while (len < data.len) {
    data = mcpi_str_n(data.ptr + len, data.len - len);
    size_t skip = sse_break_len(data);
    data = mcpi_str_n(data.ptr + skip, data.len - skip);
    len = sse_line_len(data.ptr, data.len);
    sse_put_line(buf, MCPI_STR("data"), mcpi_str_n(data.ptr, len));
  }
}

int mcpi_sse_put_event(mcpi_buf *buf, mcpi_str id, mcpi_str name,
                       mcpi_str data) {
  if (!sse_is_field_value(id) || !sse_is_field_value(name)) {
    return MCP_ERR_INVALID;
  }
  if (name.len > 0) {
    sse_put_line(buf, MCPI_STR("event"), name);
  }
  if (id.ptr != NULL) {
    sse_put_line(buf, MCPI_STR("id"), id);
  }
  sse_put_data(buf, data);
  mcpi_buf_putc(buf, '\n');
  return 0;
}

void mcpi_sse_put_retry(mcpi_buf *buf, uint32_t retry_ms) {
  mcpi_buf_lit(buf, "retry: ");
  mcpi_json_put_uint(buf, retry_ms);
  mcpi_buf_putc(buf, '\n');
}

int mcpi_sse_put_comment(mcpi_buf *buf, mcpi_str text) {
  if (sse_has_break(text)) {
    return MCP_ERR_INVALID;
  }
  sse_put_line(buf, MCPI_STR(""), text);
  return 0;
}
