/* SPDX-License-Identifier: MIT */
/* Writing JSON: scalars, and values that were read.
 *
 * yyjson's own writer fills memory that it allocates; this one fills a buffer
 * that already holds the beginning of the reply. Only the digits of fractions
 * come from yyjson, which is exact and does not depend on the locale. */
#include "json/write.h"

#include "base/base64.h"
#include "base/error.h"
#include "json/duplicate.h"
#include "json/parse.h"
#include "json/value.h"

#include <math.h>
#include <mcp/sys/yyjson.h>

/* --- strings ------------------------------------------------------------ */

static inline int is_special(char c) {
  return (unsigned char)c < 0x20 || c == '"' || c == '\\';
}

static inline int has_special(uint64_t word) {
  return (mcpi_word_has_less(word, 0x20) | mcpi_word_has(word, '"') |
          mcpi_word_has(word, '\\')) != 0;
}

/* Copies up to the first byte that must be escaped, and returns how many bytes.
 * Most strings are short, so searching and copying in one loop is fastest. */
static inline size_t copy_clean(char *to, const char *p, size_t len) {
  size_t done = 0;
  for (; len - done >= 8; done += 8) {
    if (has_special(mcpi_load_word(p + done))) {
      break;
    }
    memcpy(to + done, p + done, 8);
  }
  for (; done < len && !is_special(p[done]); done++) {
    to[done] = p[done];
  }
  return done;
}

static void put_escaped(mcpi_buf *buf, char c) {
  static const char letters[0x20] = {
      ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
  static const char hex[] = "0123456789abcdef";
  unsigned char byte = (unsigned char)c;
  char escape[6] = {'\\', c, '0', '0', hex[byte >> 4], hex[byte & 15]};
  size_t len = 2;
  if (byte < 0x20) {
    escape[1] = letters[byte] != 0 ? letters[byte] : 'u';
    len = letters[byte] != 0 ? 2 : 6;
  }
  mcpi_buf_put(buf, escape, len);
}

void mcpi_json_put_string(mcpi_buf *buf, mcpi_str string) {
  mcpi_buf_reserve(buf,
                   string.len + 2); /* all of it, unless bytes are escaped */
  mcpi_buf_putc(buf, '"');
  for (;;) {
    char *to = mcpi_buf_reserve(buf, string.len + 1);
    if (to == NULL) {
      return;
    }
    size_t clean = copy_clean(to, string.ptr, string.len);
    mcpi_buf_commit(buf, clean);
    if (clean == string.len) {
      break;
    }
    put_escaped(buf, string.ptr[clean]);
    string.ptr += clean + 1;
    string.len -= clean + 1;
  }
  mcpi_buf_putc(buf, '"');
}

void mcpi_json_put_base64(mcpi_buf *buf, const void *bytes, size_t len) {
  mcpi_buf_putc(buf, '"');
  mcpi_base64_put(buf, bytes, len);
  mcpi_buf_putc(buf, '"');
}

/* --- numbers ------------------------------------------------------------ */

void mcpi_json_put_uint(mcpi_buf *buf, uint64_t number) {
  char digits[20];
  size_t at = sizeof(digits);
  do {
    digits[--at] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  mcpi_buf_put(buf, digits + at, sizeof(digits) - at);
}

void mcpi_json_put_int(mcpi_buf *buf, int64_t number) {
  if (number < 0) {
    mcpi_buf_putc(buf, '-');
    mcpi_json_put_uint(buf, 0 - (uint64_t)number);
    return;
  }
  mcpi_json_put_uint(buf, (uint64_t)number);
}

/* Writes a real as yyjson does, with a point or an exponent. */
static void put_real(mcpi_buf *buf, double number) {
  char space[512]; /* its 32 bytes, and the bookkeeping of its pool */
  yyjson_alc alc;
  yyjson_val val;
  size_t len = 0;
  val.tag = YYJSON_TYPE_NUM | YYJSON_SUBTYPE_REAL;
  val.uni.f64 = number;
  yyjson_alc_pool_init(&alc, space, sizeof(space));
  const char *text =
      yyjson_val_write_opts(&val, YYJSON_WRITE_NOFLAG, &alc, &len, NULL);
  if (text != NULL) {
    mcpi_buf_put(buf, text, len);
  } else if (buf->error == 0) {
    buf->error = MCP_ERR_NOMEM; /* another yyjson needs more space */
  }
}

void mcpi_json_put_number(mcpi_buf *buf, double number) {
  const double exact = 9007199254740992.0; /* 2^53 */
  if (!isfinite(number)) {
    mcpi_buf_lit(buf, "null");
  } else if (number > -exact && number < exact &&
             (double)(int64_t)number == number) {
    /* Larger numbers keep their point: the digits are the shortest that read
     * back as this double, and mean another number when read as an integer. */
    mcpi_json_put_int(buf, (int64_t)number);
  } else {
    put_real(buf, number);
  }
}

/* --- values ------------------------------------------------------------- */

static void put_yyjson_number(mcpi_buf *buf, yyjson_val *val) {
  switch (unsafe_yyjson_get_subtype(val)) {
  case YYJSON_SUBTYPE_UINT:
    mcpi_json_put_uint(buf, unsafe_yyjson_get_uint(val));
    break;
  case YYJSON_SUBTYPE_SINT:
    mcpi_json_put_int(buf, unsafe_yyjson_get_sint(val));
    break;
  default:
    put_real(buf, unsafe_yyjson_get_real(val));
    break;
  }
}

static mcpi_str yyjson_text(yyjson_val *val) {
  return mcpi_str_n(unsafe_yyjson_get_str(val), unsafe_yyjson_get_len(val));
}

static void put_scalar(mcpi_buf *buf, yyjson_val *val) {
  switch (unsafe_yyjson_get_type(val)) {
  case YYJSON_TYPE_RAW:
    mcpi_buf_puts(buf, yyjson_text(val));
    break;
  case YYJSON_TYPE_STR:
    mcpi_json_put_string(buf, yyjson_text(val));
    break;
  case YYJSON_TYPE_NUM:
    put_yyjson_number(buf, val);
    break;
  case YYJSON_TYPE_BOOL:
    mcpi_buf_puts(buf, unsafe_yyjson_get_bool(val) ? MCPI_STR("true")
                                                   : MCPI_STR("false"));
    break;
  default:
    mcpi_buf_lit(buf, "null");
    break;
  }
}

/* A container that is being written. */
typedef struct frame {
  size_t left; /* values still to write; names count as values */
  int is_object;
  int is_first;
} frame;

typedef struct writer {
  mcpi_buf *buf;
  size_t depth;
  frame frames[MCPI_JSON_MAX_DEPTH];
} writer;

static void writer_open(writer *w, yyjson_val *val) {
  if (w->depth == MCPI_JSON_MAX_DEPTH) {
    w->buf->error = w->buf->error != 0 ? w->buf->error : MCP_ERR_LIMIT;
    return;
  }
  frame *top = &w->frames[w->depth++];
  top->is_object = unsafe_yyjson_is_obj(val);
  top->is_first = 1;
  top->left = unsafe_yyjson_get_len(val) << top->is_object;
  mcpi_buf_putc(w->buf, top->is_object ? '{' : '[');
}

static void writer_close_finished(writer *w) {
  while (w->depth > 0 && w->frames[w->depth - 1].left == 0) {
    w->depth--;
    mcpi_buf_putc(w->buf, w->frames[w->depth].is_object ? '}' : ']');
  }
}

/* Writes what comes before the next value: a colon between name and value, a
 * comma before all others except the first. */
static void writer_put_separator(writer *w) {
  frame *top = &w->frames[w->depth - 1];
  if (top->is_object && top->left % 2 == 1) {
    mcpi_buf_putc(w->buf, ':');
  } else if (!top->is_first) {
    mcpi_buf_putc(w->buf, ',');
  }
  top->is_first = 0;
  top->left--;
}

/* yyjson keeps all values of a tree in one array, in the order of the text. So
 * the next entry is the next value to write, at any depth. */
static void put_tree(mcpi_buf *buf, yyjson_val *val) {
  writer w;
  w.buf = buf;
  w.depth = 0;
  writer_open(&w, val++);
  for (writer_close_finished(&w); w.depth > 0 && buf->error == 0; val++) {
    writer_put_separator(&w);
    if (unsafe_yyjson_is_ctn(val)) {
      writer_open(&w, val);
    } else {
      put_scalar(buf, val);
    }
    writer_close_finished(&w);
  }
}

void mcpi_json_put_value(mcpi_buf *buf, const mcp_json *value) {
  yyjson_val *val = mcp_json_to_yyjson(value);
  if (val == NULL) {
    mcpi_buf_lit(buf, "null");
  } else if (unsafe_yyjson_is_ctn(val)) {
    put_tree(buf, val);
  } else {
    put_scalar(buf, val);
  }
}

/* --- text from the program ---------------------------------------------- */

/* Parses the text, and refuses a member that occurs twice. The seed is for the
 * hash table that finds such members. A peer may have written a part of the
 * program's text. It cannot choose names with equal hashes, because it does not
 * know the addresses in the seed. */
static int load_json_text(void *memory, size_t memory_len,
                          const mcp_allocator *allocator, mcpi_str text,
                          mcp_error *err) {
  const uint64_t seed[2] = {(uintptr_t)text.ptr, (uintptr_t)memory};
  const mcp_json *root;
  int rc = mcpi_json_load(memory, memory_len, text.ptr, text.len, &root, err);
  if (rc == 0) {
    rc = mcpi_json_check_duplicates(root, memory, text, allocator, seed, err);
  }
  return rc;
}

static int measure_and_load(const mcp_allocator *allocator, mcpi_str text,
                            mcp_error *err) {
  static const mcpi_json_limits limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                          MCPI_JSON_MAX_VALUES};
  size_t memory_len;
  int rc = mcpi_json_measure(text.ptr, text.len, &limits, &memory_len, err);
  if (rc != 0) {
    return rc;
  }
  _Alignas(max_align_t) char space[MCPI_PROFILE_TEXT];
  if (memory_len <= sizeof(space)) {
    return load_json_text(space, memory_len, allocator, text, err);
  }
  void *memory = mcpi_alloc(allocator, memory_len);
  if (memory == NULL) {
    return mcpi_no_memory(err);
  }
  rc = load_json_text(memory, memory_len, allocator, text, err);
  mcpi_free(allocator, memory, memory_len);
  return rc;
}

int mcpi_json_check_text(const mcp_allocator *allocator, mcpi_str text,
                         mcp_error *err) {
  int rc = measure_and_load(allocator, text, err);
  if (rc != 0) {
    mcpi_json_quote_fault(text.ptr, text.len, err);
  }
  return rc;
}

static int is_line_end(char c) {
  return c == '\n' || c == '\r';
}

static mcpi_str trim_blanks(mcpi_str text) {
  while (text.len > 0 && mcpi_json_is_blank(text.ptr[0])) {
    text.ptr++;
    text.len--;
  }
  while (text.len > 0 && mcpi_json_is_blank(text.ptr[text.len - 1])) {
    text.len--;
  }
  return text;
}

int mcpi_json_put_text(mcpi_buf *buf, mcpi_str text, mcp_error *err) {
  int rc = mcpi_json_check_text(buf->allocator, text, err);
  if (rc != 0) {
    return rc;
  }
  /* Strings of valid JSON have no line breaks: so each is between tokens, where
   * it can be dropped. */
  text = trim_blanks(text);
  size_t from = 0;
  for (size_t i = 0; i <= text.len; i++) {
    if (i == text.len || is_line_end(text.ptr[i])) {
      mcpi_buf_put(buf, text.ptr + from, i - from);
      from = i + 1;
    }
  }
  return buf->error;
}
