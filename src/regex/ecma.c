/* SPDX-License-Identifier: MIT */
/* Writes a pattern again, token by token: every character that might mean
 * something to PCRE2 as its number, and every set in PCRE2's form. PCRE2 finds
 * out whether the tokens fit together (parentheses, references to groups). */
#include "regex/ecma.h"

#include "regex/property.h"

#include <mcp/error.h>
#include <stdio.h>

typedef struct translator {
  mcpi_buf *out;
  mcpi_str pattern;
  size_t at;      /* the place of an error */
  int can_repeat; /* a quantifier may follow */
} translator;

enum {
  LAST_CHAR = 0x10FFFF,
  BEFORE_SURROGATES = 0xD7FF,
  AFTER_SURROGATES = 0xE000
};

/* --- reading ------------------------------------------------------------- */

/* Returns the byte that many further on; NUL at the end, with which no token
 * begins. */
static char peek(const translator *t, size_t further) {
  size_t at = t->at + further;
  return at < t->pattern.len ? t->pattern.ptr[at] : '\0';
}

static int is_at_end(const translator *t) {
  return t->at >= t->pattern.len;
}

static int is_digit(char c) {
  return c >= '0' && c <= '9';
}

static int ecma_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int ecma_take(translator *t, char wanted) {
  int is_next = !is_at_end(t) && peek(t, 0) == wanted;
  t->at += (size_t)is_next;
  return is_next;
}

static uint32_t take_char(translator *t) {
  mcpi_str rest = mcpi_str_n(t->pattern.ptr + t->at, t->pattern.len - t->at);
  uint32_t c = mcpi_utf8_take(&rest);
  t->at = t->pattern.len - rest.len;
  return c;
}

static int fail_at(translator *t, size_t at) {
  t->at = at;
  return MCP_ERR_PARSE;
}

/* --- writing ------------------------------------------------------------- */

static int is_surrogate(uint32_t c) {
  return c > BEFORE_SURROGATES && c < AFTER_SURROGATES;
}

/* Writes the character itself if it has no special meaning anywhere. */
static void put_char(translator *t, uint32_t c) {
  char text[16];
  if (c < 0x80 && (ecma_is_letter((char)c) || is_digit((char)c))) {
    mcpi_buf_putc(t->out, (char)c);
    return;
  }
  int len = snprintf(text, sizeof(text), "\\x{%X}", (unsigned)c);
  mcpi_buf_put(t->out, text, (size_t)len);
}

/* Copies text that means the same in both languages. */
static void ecma_copy(translator *t, size_t len) {
  mcpi_buf_put(t->out, t->pattern.ptr + t->at, len);
  t->at += len;
}

static void put_range(translator *t, uint32_t first, uint32_t last) {
  first = is_surrogate(first) ? AFTER_SURROGATES : first;
  last = is_surrogate(last) ? BEFORE_SURROGATES : last;
  if (first <= last) {
    put_char(t, first);
    mcpi_buf_lit(t->out, "-");
    put_char(t, last);
  }
}

/* --- escaped characters -------------------------------------------------- */

/* Reads that many hexadecimal digits. */
static int take_hex(translator *t, size_t digits, uint32_t *value) {
  *value = 0;
  for (size_t i = 0; i < digits; i++) {
    char c = peek(t, 0);
    char letter = (char)(c | 0x20);
    int is_hex_letter = letter >= 'a' && letter <= 'f';
    if (!is_digit(c) && !is_hex_letter) {
      return 0;
    }
    *value =
        *value * 16 + (uint32_t)(is_digit(c) ? c - '0' : letter - 'a' + 10);
    t->at++;
  }
  return 1;
}

/* After "\u{": digits, with any number of zeros in front, and the brace. */
static int take_braced(translator *t, uint32_t *c) {
  uint32_t digit = 0;
  *c = 0;
  if (peek(t, 0) == '}') {
    return 0;
  }
  while (!ecma_take(t, '}')) {
    if (!take_hex(t, 1, &digit) || *c > LAST_CHAR / 16) {
      return 0;
    }
    *c = *c * 16 + digit;
  }
  return *c <= LAST_CHAR;
}

/* After "\u": {1F600}, D83D\uDE00, 0041. */
static int take_unicode(translator *t, uint32_t *c) {
  uint32_t low = 0;
  if (ecma_take(t, '{')) {
    return take_braced(t, c);
  }
  if (!take_hex(t, 4, c)) {
    return 0;
  }
  size_t behind = t->at;
  if (*c >= 0xD800 && *c <= 0xDBFF && ecma_take(t, '\\') && ecma_take(t, 'u') &&
      take_hex(t, 4, &low) && low >= 0xDC00 && low <= 0xDFFF) {
    *c = 0x10000 + ((*c - 0xD800) << 10) + (low - 0xDC00);
  } else {
    t->at = behind;
  }
  return 1;
}

/* After "\c": a letter, whose last five bits count. */
static int ecma_take_control(translator *t, uint32_t *c) {
  char letter = peek(t, 0);
  if (!ecma_is_letter(letter)) {
    return 0;
  }
  *c = (unsigned char)letter & 0x1F;
  t->at++;
  return 1;
}

/* Reads an escape that stands for one character. */
static int take_escaped(translator *t, uint32_t *c) {
  static const char names[] = "fnrtv";
  static const char meanings[] = "\f\n\r\t\v";
  size_t from = t->at;
  int is_fine = 1;
  t->at++;
  if (is_at_end(t)) {
    return fail_at(t, from);
  }
  char name = peek(t, 0);
  const char *found = name != '\0' ? strchr(names, name) : NULL;
  *c = take_char(t);
  if (found != NULL) {
    *c = (unsigned char)meanings[found - names];
  } else if (name == 'c') {
    is_fine = ecma_take_control(t, c);
  } else if (name == 'x') {
    is_fine = take_hex(t, 2, c);
  } else if (name == 'u') {
    is_fine = take_unicode(t, c);
  } else if (name == '0') {
    *c = 0;
    is_fine = !is_digit(peek(t, 0));
  } else {
    is_fine = !ecma_is_letter(name) && !is_digit(name);
  }
  return is_fine ? 0 : fail_at(t, from);
}

/* --- escaped sets -------------------------------------------------------- */

/* WhiteSpace and LineTerminator. */
#define SPACES                                                                 \
  "\\x{9}-\\x{D}\\x{20}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}"                    \
  "\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}\\x{FEFF}"
/* All other characters, for a class that has more members. */
#define NO_SPACES                                                              \
  "\\x{0}-\\x{8}\\x{E}-\\x{1F}\\x{21}-\\x{9F}\\x{A1}-\\x{167F}"                \
  "\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}\\x{202A}-\\x{202E}"                  \
  "\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{FEFE}"                  \
  "\\x{FF00}-\\x{10FFFF}"

/* The length of \p{...}, or 0. */
static size_t property_len(const translator *t) {
  size_t len = 3;
  if (peek(t, 2) != '{') {
    return 0;
  }
  while (t->at + len < t->pattern.len && peek(t, len) != '}') {
    len++;
  }
  return t->at + len < t->pattern.len ? len + 1 : 0;
}

static int ecma_put_property(translator *t) {
  size_t len = property_len(t);
  if (len == 0) {
    return MCP_ERR_PARSE;
  }
  mcpi_str name = mcpi_str_n(t->pattern.ptr + t->at + 3, len - 4);
  if (!mcpi_regex_put_property(t->out, name, peek(t, 1) == 'P')) {
    return MCP_ERR_PARSE;
  }
  t->at += len;
  return 0;
}

static int is_set_escape(const translator *t) {
  char name = peek(t, 1);
  return peek(t, 0) == '\\' && name != '\0' && strchr("dDwWsSpP", name) != NULL;
}

static int put_set(translator *t, int is_in_class) {
  char name = peek(t, 1);
  if (name == 'p' || name == 'P') {
    return ecma_put_property(t);
  }
  if (name != 's' && name != 'S') {
    ecma_copy(t, 2);
    return 0;
  }
  t->at += 2;
  if (is_in_class) {
    mcpi_buf_puts(t->out, name == 's' ? MCPI_STR(SPACES) : MCPI_STR(NO_SPACES));
  } else {
    mcpi_buf_puts(t->out, name == 's' ? MCPI_STR("[" SPACES "]")
                                      : MCPI_STR("[^" SPACES "]"));
  }
  return 0;
}

/* Matches nothing, and may be repeated: PCRE2's own [] may not. */
#define NOTHING "[^\\x{0}-\\x{10FFFF}]"
#define ANYTHING "[\\x{0}-\\x{10FFFF}]"

/* --- classes ------------------------------------------------------------- */

static int take_class_char(translator *t, uint32_t *c) {
  if (peek(t, 0) != '\\') {
    *c = take_char(t);
    return 0;
  }
  if (peek(t, 1) == 'b') {
    t->at += 2;
    *c = '\b';
    return 0;
  }
  return take_escaped(t, c);
}

/* Whether a hyphen follows that makes a range with the next character. */
static int take_hyphen(translator *t) {
  if (peek(t, 0) != '-' || peek(t, 1) == ']') {
    return 0;
  }
  t->at++;
  if (is_set_escape(t)) {
    t->at--; /* the next character, as it is */
    return 0;
  }
  return 1;
}

static int class_item(translator *t) {
  size_t from = t->at;
  uint32_t first = 0;
  if (is_set_escape(t)) {
    return put_set(t, 1);
  }
  int rc = take_class_char(t, &first);
  uint32_t last = first;
  if (rc == 0 && take_hyphen(t)) {
    rc = is_at_end(t) ? 0 : take_class_char(t, &last);
  }
  if (rc == 0 && first > last) {
    return fail_at(t, from);
  }
  if (rc == 0) {
    put_range(t, first, last);
  }
  return rc;
}

static int class(translator *t) {
  size_t from = t->at;
  size_t start = t->out->len;
  t->at++;
  int is_negated = ecma_take(t, '^');
  mcpi_buf_puts(t->out, is_negated ? MCPI_STR("[^") : MCPI_STR("["));
  size_t empty = t->out->len;
  while (!ecma_take(t, ']')) {
    int rc = is_at_end(t) ? fail_at(t, from) : class_item(t);
    if (rc != 0) {
      return rc;
    }
  }
  mcpi_buf_lit(t->out, "]");
  if (t->out->error == 0 && t->out->len == empty + 1) {
    mcpi_buf_rewind(t->out, start);
    mcpi_buf_puts(t->out, is_negated ? MCPI_STR(ANYTHING) : MCPI_STR(NOTHING));
  }
  t->can_repeat = 1;
  return 0;
}

/* --- groups and references ----------------------------------------------- */

static int is_name_char(char c) {
  return ecma_is_letter(c) || is_digit(c) || c == '_' ||
         (unsigned char)c >= 0x80;
}

/* Copies that many bytes, a name after them and what ends it. PCRE2 has other
 * meanings for some texts that are not names, such as (?<*. */
static int copy_named(translator *t, size_t len) {
  size_t end = len;
  while (is_name_char(peek(t, end))) {
    end++;
  }
  if (end == len || peek(t, end) != '>') {
    return MCP_ERR_PARSE;
  }
  ecma_copy(t, end + 1);
  return 0;
}

static int open_group(translator *t) {
  t->can_repeat = 0;
  if (peek(t, 1) != '?') {
    ecma_copy(t, 1);
    return 0;
  }
  char kind = peek(t, 2);
  if (kind == ':' || kind == '=' || kind == '!') {
    ecma_copy(t, 3);
    return 0;
  }
  if (kind != '<') {
    return MCP_ERR_PARSE;
  }
  if (peek(t, 3) == '=' || peek(t, 3) == '!') {
    ecma_copy(t, 4);
    return 0;
  }
  return copy_named(t, 3);
}

/* Writes \1 so that a digit may follow, and 10 never means something else. */
static void put_reference(translator *t) {
  size_t len = 0;
  t->at++;
  while (is_digit(peek(t, len))) {
    len++;
  }
  mcpi_buf_lit(t->out, "\\g{");
  ecma_copy(t, len);
  mcpi_buf_lit(t->out, "}");
}

/* --- tokens -------------------------------------------------------------- */

/* One character, or nothing if no text can contain it. */
static void put_literal(translator *t, uint32_t c) {
  if (is_surrogate(c)) {
    mcpi_buf_lit(t->out, NOTHING);
  } else {
    put_char(t, c);
  }
  t->can_repeat = 1;
}

static int escape(translator *t) {
  char name = peek(t, 1);
  uint32_t c = 0;
  t->can_repeat = name != 'b' && name != 'B';
  if (!t->can_repeat) {
    ecma_copy(t, 2);
    return 0;
  }
  if (is_set_escape(t)) {
    return put_set(t, 0);
  }
  if (name == 'k') {
    return peek(t, 2) == '<' ? copy_named(t, 3) : MCP_ERR_PARSE;
  }
  if (name >= '1' && name <= '9') {
    put_reference(t);
    return 0;
  }
  int rc = take_escaped(t, &c);
  if (rc == 0) {
    put_literal(t, c);
  }
  return rc;
}

static size_t digits_len(const translator *t, size_t from) {
  size_t len = 0;
  while (is_digit(peek(t, from + len))) {
    len++;
  }
  return len;
}

/* Returns the length of {1}, {1,} or {1,2}; 0: the brace does not begin a
 * quantifier. */
static size_t braces_len(const translator *t) {
  size_t digits = digits_len(t, 1);
  size_t len = 1 + digits;
  if (digits > 0 && peek(t, len) == ',') {
    len += 1 + digits_len(t, len + 1);
  }
  return digits > 0 && peek(t, len) == '}' ? len + 1 : 0;
}

static int quantifier(translator *t) {
  size_t len = peek(t, 0) == '{' ? braces_len(t) : 1;
  if (len == 0) {
    put_literal(t, take_char(t));
    return 0;
  }
  if (!t->can_repeat) {
    return MCP_ERR_PARSE;
  }
  ecma_copy(t, len);
  if (peek(t, 0) == '?') {
    ecma_copy(t, 1);
  }
  t->can_repeat = 0;
  return 0;
}

static int token(translator *t) {
  switch (peek(t, 0)) {
  case '\\':
    return escape(t);
  case '[':
    return class(t);
  case '(':
    return open_group(t);
  case '*':
  case '+':
  case '?':
  case '{':
    return quantifier(t);
  case '|':
  case '^':
  case '$':
    ecma_copy(t, 1);
    t->can_repeat = 0;
    return 0;
  case ')':
    ecma_copy(t, 1);
    t->can_repeat = 1;
    return 0;
  case '.':
    t->at++;
    mcpi_buf_lit(t->out, "[^\\n\\r\\x{2028}\\x{2029}]");
    t->can_repeat = 1;
    return 0;
  default:
    put_literal(t, take_char(t));
    return 0;
  }
}

int mcpi_regex_ecma(mcpi_buf *out, mcpi_str pattern, size_t *error_offset) {
  translator t = {.out = out, .pattern = pattern};
  t.pattern.len = mcpi_utf8_valid_prefix(pattern.ptr, pattern.len);
  int rc = 0;
  while (rc == 0 && !is_at_end(&t) && out->error == 0) {
    rc = token(&t);
  }
  if (out->error != 0) {
    return out->error;
  }
  if (rc == 0 && t.at == pattern.len) {
    return 0;
  }
  *error_offset = t.at;
  return MCP_ERR_PARSE;
}

size_t mcpi_regex_ecma_place(mcpi_str pattern, size_t translated) {
  mcpi_buf out;
  translator t = {.out = &out, .pattern = pattern};
  size_t from = 0;
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  do {
    from = t.at;
  } while (!is_at_end(&t) && token(&t) == 0 && out.len <= translated &&
           out.error == 0);
  mcpi_buf_deinit(&out);
  return from;
}
