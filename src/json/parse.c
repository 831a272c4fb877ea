/* SPDX-License-Identifier: MIT */
/* Reading JSON: counting what a text is made of, and parsing it in place in
 * memory of known size.
 *
 * yyjson has no limits of its own and guesses how much memory it needs. So both
 * are settled here, before it sees a text. */
#include "json/parse.h"

#include "base/error.h"
#include "base/profile.h"
#include "base/str.h"
#include "json/value.h"

#include <mcp/sys/yyjson.h>
#include <stdalign.h>

/* --- counting ----------------------------------------------------------- */

enum { PLAIN = 0, QUOTE, OPEN, CLOSE, NEXT };

static const unsigned char kind_of[256] = {
    ['"'] = QUOTE, ['['] = OPEN, ['{'] = OPEN, [']'] = CLOSE,
    ['}'] = CLOSE, [','] = NEXT, [':'] = NEXT,
};

/* Skips the bytes of a string that are neither quote nor backslash, eight at a
 * time: a message may be one picture of some megabytes. */
static inline const char *skip_plain(const char *p, const char *end) {
  while (end - p >= 8) {
    uint64_t word = mcpi_load_word(p);
    uint64_t found = mcpi_word_has(word, '"') | mcpi_word_has(word, '\\');
    if (found != 0) {
      return p + mcpi_word_first(found);
    }
    p += 8;
  }
  while (p < end && *p != '"' && *p != '\\') {
    p++;
  }
  return p;
}

/* Skips the rest of a string and its closing quote. */
static const char *skip_string(const char *p, const char *end) {
  for (;;) {
    p = skip_plain(p, end);
    if (p == end) {
      return end;
    }
    if (*p == '"') {
      return p + 1;
    }
    if (end - p < 2) {
      return end;
    }
    p += 2;
  }
}

/* Whether only blanks lie between a closing bracket and the opening bracket
 * before it. Each blank is looked at once at most. */
static int closes_empty(const char *text, const char *close) {
  while (close > text && mcpi_json_is_blank(close[-1])) {
    close--;
  }
  return close > text && kind_of[(unsigned char)close[-1]] == OPEN;
}

/* Each value follows the beginning, an opening bracket, a comma or a colon. So
 * these are counted, except opening brackets that no value follows. */
mcpi_json_scan mcpi_json_scan_text(const char *text, size_t len) {
  mcpi_json_scan found = {0, 1};
  size_t depth = 0;
  const char *end = len > 0 ? text + len : text; /* NULL stands for no text */
  for (const char *p = text; p < end; p++) {
    unsigned char kind = kind_of[(unsigned char)*p];
    if (kind == NEXT) {
      found.values++;
    } else if (kind == QUOTE) {
      p = skip_string(p + 1, end) - 1;
    } else if (kind == OPEN) {
      found.values++;
      depth++;
      found.depth = depth > found.depth ? depth : found.depth;
    } else if (kind == CLOSE) {
      found.values -= (size_t)closes_empty(text, p);
      depth -= depth > 0;
    }
  }
  return found;
}

/* --- parsing ------------------------------------------------------------ */

/* yyjson 0.10 puts its document and all values into one array. The array begins
 * with a sixth of the text's length in entries (a sixteenth when the text looks
 * indented) and four more, and grows by half whenever fewer than two entries
 * are left. So it is never larger than its first size, or one and a half times
 * the size at which it was last too small. If another yyjson grows it
 * differently, parsing fails with MCP_ERR_NOMEM, and the tests of this function
 * fail.
 *
 * Where memory is short, yyjson gets less than it asks for: it writes the
 * entries in order, one for each value, and touches no entry before. That holds
 * for yyjson 0.10, which such a build compiles itself; tests/devices/left_out.c
 * tests it. */
enum { BYTES_EACH = 6, IS_EXACT = MCPI_PROFILE_EXACT_VALUES };

_Static_assert(
    !IS_EXACT || (YYJSON_VERSION_MAJOR == 0 && YYJSON_VERSION_MINOR == 10),
    "MCP_PROFILE=small needs yyjson 0.10: only of that version is it "
    "known which memory it touches");

size_t mcpi_json_memory(size_t len, size_t values) {
  const size_t head =
      (sizeof(yyjson_doc) + sizeof(yyjson_val) - 1) / sizeof(yyjson_val);
  const size_t most = SIZE_MAX / sizeof(yyjson_val) / 2;
  if (values > most - head - 1 || len / BYTES_EACH > most - head - 4) {
    return SIZE_MAX;
  }
  size_t guess = head + len / BYTES_EACH + 4;
  size_t too_small = head + values + 1;
  size_t grown = too_small + too_small / 2;
  size_t count = guess > grown ? guess : grown;
  return (IS_EXACT ? too_small : count) * sizeof(yyjson_val);
}

/* The memory for that array, which stays where it is when it grows. */
typedef struct arena {
  void *memory;
  size_t len;
  int is_taken;
} arena;

static void *arena_alloc(void *ctx, size_t size) {
  arena *a = ctx;
  if (a->is_taken || (!IS_EXACT && size > a->len)) {
    return NULL;
  }
  a->is_taken = 1;
  return a->memory;
}

static void *arena_resize(void *ctx, void *ptr, size_t old_size, size_t size) {
  const arena *a = ctx;
  (void)old_size;
  return IS_EXACT || size <= a->len ? ptr : NULL;
}

static void arena_release(void *ctx, void *ptr) {
  (void)ctx;
  (void)ptr;
}

static int parse_fail(const yyjson_read_err *failure, mcp_error *err) {
  if (failure->code == YYJSON_READ_ERROR_MEMORY_ALLOCATION) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory for values");
  }
  int is_empty = failure->code == YYJSON_READ_ERROR_INVALID_PARAMETER;
  mcp_error_set(err, MCP_ERR_PARSE, "%s",
                is_empty ? "the text is empty" : failure->msg);
  if (err != NULL) {
    err->offset = failure->pos;
  }
  return MCP_ERR_PARSE;
}

int mcpi_json_parse(char *text, size_t len, void *memory, size_t memory_len,
                    const mcp_json **root, mcp_error *err) {
  arena a = {memory, memory_len, 0};
  const yyjson_alc alc = {arena_alloc, arena_resize, arena_release, &a};
  const yyjson_read_flag flags = YYJSON_READ_INSITU | YYJSON_READ_BIGNUM_AS_RAW;
  yyjson_read_err failure;
  memset(text + len, 0, MCPI_JSON_PADDING);
  yyjson_doc *doc = yyjson_read_opts(text, len, flags, &alc, &failure);
  if (doc == NULL) {
    return parse_fail(&failure, err);
  }
  *root = mcp_json_from_yyjson(yyjson_doc_get_root(doc));
  return 0;
}

/* --- the place of a fault ----------------------------------------------- */

static int is_inside_character(const char *text, size_t len, size_t at) {
  return at < len && ((unsigned char)text[at] & 0xC0) == 0x80;
}

void mcpi_json_quote_fault(const char *text, size_t len, mcp_error *err) {
  enum { BEFORE = 16, LONGEST = 40 };
  if (err == NULL || err->code != MCP_ERR_PARSE || len == 0) {
    return;
  }
  const mcp_error why = *err;
  size_t at = why.offset < len ? (size_t)why.offset : len;
  size_t from = at > BEFORE ? at - BEFORE : 0;
  while (from < at && is_inside_character(text, len, from)) {
    from++;
  }
  size_t to = len - from > LONGEST ? from + LONGEST : len;
  while (to > at && is_inside_character(text, len, to)) {
    to--;
  }
  char excerpt[LONGEST + 1] = "";
  for (size_t i = from; i < to; i++) {
    excerpt[i - from] = mcpi_json_is_blank(text[i]) ? ' ' : text[i];
  }
  mcp_error_set(err, why.code, "%s at byte %zu: \"%s\"", why.message, at,
                excerpt);
  err->offset = why.offset;
}

/* Looks for the first place, because the quoted text may contain the same
 * words. */
size_t mcpi_json_unquoted_len(const char *message) {
  static const char words[] = " at byte ";
  const char *found = message;
  while ((found = strstr(found, words)) != NULL) {
    found += strlen(words);
    const char *end = found + strspn(found, "0123456789");
    if (end > found && strncmp(end, ": \"", 3) == 0) {
      return (size_t)(end - message);
    }
  }
  return strlen(message);
}

/* --- limits and one piece of memory ------------------------------------- */

static uint32_t max_depth_of(const mcpi_json_limits *limits) {
  return limits->max_depth < MCPI_JSON_MAX_DEPTH ? limits->max_depth
                                                 : MCPI_JSON_MAX_DEPTH;
}

static int json_check_limits(size_t len, mcpi_json_scan found,
                             const mcpi_json_limits *limits, mcp_error *err) {
  uint32_t max_depth = max_depth_of(limits);
  if (len > limits->max_bytes) {
    return mcp_error_set(err, MCP_ERR_LIMIT, "JSON of %zu bytes, limit %zu",
                         len, limits->max_bytes);
  }
  if (found.depth > max_depth) {
    return mcp_error_set(err, MCP_ERR_LIMIT, "JSON of depth %zu, limit %lu",
                         found.depth, (unsigned long)max_depth);
  }
  if (found.values > limits->max_values) {
    return mcp_error_set(err, MCP_ERR_LIMIT, "JSON of %zu values, limit %llu",
                         found.values, (unsigned long long)limits->max_values);
  }
  return 0;
}

/* Returns where the values begin in memory that begins with the text. */
static size_t values_offset(size_t len) {
  const size_t align = alignof(max_align_t);
  return (len + MCPI_JSON_PADDING + align - 1) / align * align;
}

int mcpi_json_measure_values(const char *text, size_t len,
                             const mcpi_json_limits *limits, size_t *memory_len,
                             mcp_error *err) {
  mcpi_json_scan found = {0, 0};
  if (len <= limits->max_bytes) {
    found = mcpi_json_scan_text(text, len);
  }
  int rc = json_check_limits(len, found, limits, err);
  if (rc != 0) {
    return rc;
  }
  *memory_len = mcpi_json_memory(len, found.values);
  return *memory_len != SIZE_MAX ? 0 : mcpi_no_memory(err);
}

int mcpi_json_measure(const char *text, size_t len,
                      const mcpi_json_limits *limits, size_t *memory_len,
                      mcp_error *err) {
  size_t values_len;
  int rc = mcpi_json_measure_values(text, len, limits, &values_len, err);
  if (rc != 0) {
    return rc;
  }
  if (values_len > SIZE_MAX - values_offset(len)) {
    return mcpi_no_memory(err);
  }
  *memory_len = values_offset(len) + values_len;
  return 0;
}

/* Each level of a text is a value. So a text that has at most as many values as
 * it may have levels is not too deep. yyjson's first array is enough for most
 * messages; half as much again is for messages with many short values. Where
 * memory is exact, each text must be measured. */
size_t mcpi_json_short_memory(size_t len, const mcpi_json_limits *limits) {
  size_t most = max_depth_of(limits);
  if (limits->max_values < most) {
    most = (size_t)limits->max_values;
  }
  size_t first = mcpi_json_memory(len, 0) / sizeof(yyjson_val);
  if (IS_EXACT || len > limits->max_bytes || first > most) {
    return 0;
  }
  size_t wanted = first + first / 2;
  return values_offset(len) +
         (wanted < most ? wanted : most) * sizeof(yyjson_val);
}

int mcpi_json_load(void *memory, size_t memory_len, const char *text,
                   size_t len, const mcp_json **root, mcp_error *err) {
  char *copy = memory;
  size_t offset = values_offset(len);
  if (len > 0) {
    memcpy(copy, text, len);
  }
  return mcpi_json_parse(copy, len, copy + offset, memory_len - offset, root,
                         err);
}
