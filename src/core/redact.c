/* SPDX-License-Identifier: MIT */
/* Messages without their secrets.
 *
 * A message is parsed and written again, so that members are hidden by their
 * names. Inside strings, secrets are found by the form of the text. */
#include "core/redact.h"

#include "base/printable.h"
#include "codec/message.h"

/* The memory that a shown text may leave for the next one. */
enum { TEXT_KEPT = 64 * 1024 };

/* --- which members are secret ------------------------------------------- */

static const char *const secret_words[] = {
    "password",      "passwd",       "secret",     "token",
    "authorization", "apikey",       "cookie",     "credential",
    "privatekey",    "requeststate", "passphrase",
};

/* Members of the protocol whose names only look secret. */
static const char *const harmless_names[] = {
    "progresstoken", "maxtokens",    "inputtokens", "outputtokens",
    "totaltokens",   "prompttokens", "tokencount",
};

static char lower(char c) {
  return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* The characters between the words of a name: api_key, X-Api-Key, "api key". */
static int is_joint(char c) {
  return c == '_' || c == '-' || c == '.' || c == ' ';
}

/* If the word begins the name, ignoring joints and case, returns where it ends;
 * else NULL. */
static const char *redact_match(const char *name, const char *end,
                                const char *word) {
  while (*word != '\0') {
    if (name == end) {
      return NULL;
    }
    if (!is_joint(*name)) {
      if (lower(*name) != *word) {
        return NULL;
      }
      word++;
    }
    name++;
  }
  return name;
}

static int is_harmless(mcpi_str name) {
  const char *end = name.ptr + name.len;
  for (size_t i = 0; i < sizeof(harmless_names) / sizeof(char *); i++) {
    if (redact_match(name.ptr, end, harmless_names[i]) == end) {
      return 1;
    }
  }
  return 0;
}

/* Starts no search at a joint: the search after the joint finds the same words.
 * A peer may send a name of a million joints, and a search from each of them
 * would skip all that follow it. */
static int has_word(mcpi_str name, const char *word) {
  const char *end = name.ptr + name.len;
  for (const char *at = name.ptr; at < end; at++) {
    if (!is_joint(*at) && redact_match(at, end, word) != NULL) {
      return 1;
    }
  }
  return 0;
}

static int is_secret(mcpi_str name) {
  for (size_t i = 0; i < sizeof(secret_words) / sizeof(char *); i++) {
    if (has_word(name, secret_words[i])) {
      return !is_harmless(name);
    }
  }
  return 0;
}

/* --- secrets within a text ---------------------------------------------- */

/* Secrets in texts of all kinds: token=T in URLs, settings and arguments;
 * "Authorization: Bearer T" among headers; {"token":"T"} in a result's text;
 * https://user:T@host. Hiding too much does no harm. */

static int is_one_of(char c, mcpi_str set) {
  return memchr(set.ptr, c, set.len) != NULL;
}

static const char *skip(const char *at, const char *end, mcpi_str set) {
  while (at < end && is_one_of(*at, set)) {
    at++;
  }
  return at;
}

static const char *seek(const char *at, const char *end, mcpi_str set) {
  while (at < end && !is_one_of(*at, set)) {
    at++;
  }
  return at;
}

static int is_in_word(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
         c == '_' || c == '-' || c == '.';
}

/* An escaped quote does not end the quoted text. */
static const char *seek_quote(const char *at, const char *end, char quote) {
  while (at < end && *at != quote) {
    at += *at == '\\' && end - at > 1 ? 2 : 1;
  }
  return at;
}

/* Returns what follows a secret name: its value, or nothing at `at`. */
static mcpi_str value_after(const char *at, const char *end) {
  const char *sign = skip(at, end, MCPI_STR("\\\"' "));
  if (sign == end || (*sign != '=' && *sign != ':')) {
    return mcpi_str_n(at, 0);
  }
  const char *from = skip(sign + 1, end, MCPI_STR(" \\"));
  const char *to;
  if (from < end && (*from == '"' || *from == '\'')) {
    int is_escaped = from[-1] == '\\'; /* JSON in JSON */
    char quote = *from++;
    to = is_escaped ? seek(from, end, MCPI_STR("\\\"'"))
                    : seek_quote(from, end, quote);
  } else if (from < end && (*from == '[' || *from == '{')) {
    to = end;
  } else if (*sign == '=') {
    to = seek(from, end, MCPI_STR("&;#,\"'<> \t\r\n"));
  } else {
    to = seek(from, end, MCPI_STR("\"'\r\n"));
  }
  return mcpi_str_n(from, (size_t)(to - from));
}

/* Returns the user in an address whose "://" is at `at`. */
static mcpi_str user_after(const char *at, const char *end) {
  const char *from = at + 3;
  const char *to = seek(from, end, MCPI_STR("/?#\"'<> \t\r\n"));
  while (to > from && to[-1] != '@') {
    to--;
  }
  return mcpi_str_n(from, to > from ? (size_t)(to - 1 - from) : 0);
}

/* Returns the secret that a word announces, or nothing. DPoP is a scheme, as
 * Bearer is, and the name of a header. */
static mcpi_str secret_after(mcpi_str word, const char *end) {
  const char *at = word.ptr + word.len;
  if (end - at > 3 && memcmp(at, "://", 3) == 0) {
    return user_after(at, end);
  }
  int is_dpop = redact_match(word.ptr, at, "dpop") == at;
  mcpi_str value = {at, 0};
  if (is_secret(word) || is_dpop) {
    value = value_after(at, end);
  }
  int is_scheme = is_dpop || redact_match(word.ptr, at, "bearer") == at ||
                  redact_match(word.ptr, at, "basic") == at;
  if (value.len == 0 && is_scheme && at < end && *at == ' ') {
    const char *to = seek(at + 1, end, MCPI_STR("\"',<> \t\r\n"));
    value = mcpi_str_n(at + 1, (size_t)(to - at - 1));
  }
  return value;
}

static void put_hiding(mcpi_buf *out, mcpi_str text) {
  if (text.len == 0) {
    return; /* an empty text may be NULL, which has no end */
  }
  const char *end = text.ptr + text.len;
  const char *shown = text.ptr; /* everything before it is in `out` */
  const char *at = text.ptr;
  while (at < end) {
    const char *from = at;
    while (at < end && is_in_word(*at)) {
      at++;
    }
    if (at == from) {
      at++;
      continue;
    }
    mcpi_str secret = secret_after(mcpi_str_n(from, (size_t)(at - from)), end);
    if (secret.len > 0) {
      mcpi_buf_put(out, shown, (size_t)(secret.ptr - shown));
      mcpi_buf_lit(out, "[redacted]");
      shown = at = secret.ptr + secret.len;
    }
  }
  mcpi_buf_put(out, shown, (size_t)(end - shown));
}

/* --- writing without them ----------------------------------------------- */

static void put_value(mcpi_redactor *redactor, const mcp_json *value);

static void redact_put_text(mcpi_redactor *redactor, mcpi_str text) {
  mcpi_buf *plain = &redactor->plain;
  mcpi_buf_clear(plain);
  put_hiding(plain, text);
  if (plain->error != 0) {
    redactor->text.error = plain->error;
    return;
  }
  mcpi_json_put_string(&redactor->text, mcpi_str_n(plain->data, plain->len));
}

static void put_array(mcpi_redactor *redactor, const mcp_json *array) {
  mcp_json_iter iter;
  const mcp_json *value;
  char before = '[';
  mcp_json_iter_init(&iter, array);
  while ((value = mcp_json_iter_next(&iter, NULL)) != NULL) {
    mcpi_buf_putc(&redactor->text, before);
    put_value(redactor, value);
    before = ',';
  }
  if (before == '[') {
    mcpi_buf_putc(&redactor->text, before);
  }
  mcpi_buf_putc(&redactor->text, ']');
}

/* null and booleans reveal nothing, and help to find a fault. */
static void redact_put_member(mcpi_redactor *redactor, mcpi_str name,
                              const mcp_json *value) {
  mcpi_json_put_string(&redactor->text, name);
  mcpi_buf_putc(&redactor->text, ':');
  if (mcp_json_type(value) > MCP_JSON_BOOL && is_secret(name)) {
    mcpi_buf_lit(&redactor->text, "\"[redacted]\"");
  } else {
    put_value(redactor, value);
  }
}

static void put_object(mcpi_redactor *redactor, const mcp_json *object) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  char before = '{';
  mcp_json_iter_init(&iter, object);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    mcpi_buf_putc(&redactor->text, before);
    redact_put_member(redactor, mcpi_json_str(name), value);
    before = ',';
  }
  if (before == '{') {
    mcpi_buf_putc(&redactor->text, before);
  }
  mcpi_buf_putc(&redactor->text, '}');
}

/* Recursive: the parser has bounded the depth. */
static void put_value(mcpi_redactor *redactor, const mcp_json *value) {
  switch (mcp_json_type(value)) {
  case MCP_JSON_ARRAY:
    put_array(redactor, value);
    break;
  case MCP_JSON_OBJECT:
    put_object(redactor, value);
    break;
  case MCP_JSON_STRING:
    redact_put_text(redactor, mcpi_json_str(value));
    break;
  default:
    mcpi_json_put_value(&redactor->text, value);
    break;
  }
}

static void put_unshown(mcpi_buf *buf, size_t len, int rc) {
  mcpi_buf_putc(buf, '[');
  mcpi_json_put_uint(buf, len);
  if (rc == MCP_ERR_PARSE) {
    mcpi_buf_lit(buf, " bytes that are not JSON]");
  } else {
    mcpi_buf_lit(buf, " bytes that are too much to show]");
  }
}

static void put_parsed(mcpi_redactor *redactor, const mcpi_message *message) {
  put_value(redactor, message->root);
  int rc = redactor->text.error;
  if (rc != 0) {
    mcpi_buf_clear(&redactor->text);
    put_unshown(&redactor->text, message->len, rc);
  }
}

static void put_redacted(mcpi_redactor *redactor, const char *bytes,
                         size_t len) {
  static const mcpi_message_limits limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                             MCPI_JSON_MAX_VALUES};
  mcpi_message *message = NULL;
  int rc = mcpi_message_parse(&message, &redactor->loop->pool, bytes, len,
                              &limits, NULL);
  if (rc == 0) {
    put_parsed(redactor, message);
    mcpi_message_unref(message);
  } else {
    put_unshown(&redactor->text, len, rc);
  }
}

/* --- all of it ----------------------------------------------------------- */

/* Returns what was written, without bytes that a terminal would obey. */
static mcpi_str shown_text(mcpi_redactor *redactor) {
  mcpi_buf *text = &redactor->text;
  if (text->error == 0 && !mcpi_is_printable(mcpi_buf_str(text))) {
    mcpi_buf_clear(&redactor->plain);
    mcpi_put_printable(&redactor->plain, mcpi_buf_str(text));
    text = &redactor->plain;
  }
  return text->error == 0 ? mcpi_buf_str(text) : mcpi_str_n(NULL, 0);
}

mcpi_str mcpi_redact(mcpi_redactor *redactor, const char *bytes, size_t len) {
  mcpi_buf_clear(&redactor->text);
  put_redacted(redactor, bytes, len);
  return shown_text(redactor);
}

mcpi_str mcpi_redact_parsed(mcpi_redactor *redactor,
                            const mcpi_message *message) {
  mcpi_buf_clear(&redactor->text);
  put_parsed(redactor, message);
  return shown_text(redactor);
}

void mcpi_redactor_init(mcpi_redactor *redactor, mcp_loop *loop) {
  redactor->loop = loop;
  mcpi_buf_init(&redactor->text, &loop->allocator, SIZE_MAX);
  mcpi_buf_init(&redactor->plain, &loop->allocator, SIZE_MAX);
}

void mcpi_redactor_deinit(mcpi_redactor *redactor) {
  mcpi_buf_deinit(&redactor->text);
  mcpi_buf_deinit(&redactor->plain);
}

void mcpi_redactor_trim(mcpi_redactor *redactor) {
  mcpi_buf_recycle(&redactor->text, TEXT_KEPT);
  mcpi_buf_recycle(&redactor->plain, TEXT_KEPT);
}

/* --- texts that are not messages ----------------------------------------- */

void mcpi_redact_put(mcpi_buf *out, mcpi_str text) {
  mcpi_buf hiding;
  mcpi_buf_init(&hiding, out->allocator, SIZE_MAX);
  put_hiding(&hiding, text);
  if (hiding.error == 0) {
    mcpi_put_printable(out, mcpi_buf_str(&hiding));
  }
  mcpi_buf_deinit(&hiding);
}

/* The search for secrets covers more text than the excerpt shows, so that it
 * also recognises the beginning of a secret. */
enum { LOOKED_AT = 4 * MCPI_EXCERPT_SIZE };

void mcpi_redact_excerpt(const mcp_allocator *allocator, mcpi_str text,
                         char excerpt[MCPI_EXCERPT_SIZE]) {
  static const char more[] = "...";
  size_t room = MCPI_EXCERPT_SIZE - sizeof(more);
  mcpi_buf hiding;
  mcpi_buf shown;
  mcpi_buf_init(&hiding, allocator, SIZE_MAX);
  mcpi_buf_init(&shown, allocator, SIZE_MAX);
  put_hiding(&hiding,
             mcpi_str_n(text.ptr, text.len < LOOKED_AT ? text.len : LOOKED_AT));
  mcpi_put_printable(&shown, mcpi_buf_str(&hiding));
  excerpt[0] = '\0';
  if (hiding.error == 0 && shown.error == 0 && shown.len > 0) {
    size_t len = shown.len < room ? shown.len : room;
    while (len > 0 && len < shown.len &&
           ((unsigned char)shown.data[len] & 0xC0) == 0x80) {
      len--; /* a character is complete, or left out */
    }
    memcpy(excerpt, shown.data, len);
    memcpy(excerpt + len, more, sizeof(more));
    excerpt[len < shown.len ? len + sizeof(more) - 1 : len] = '\0';
  }
  mcpi_buf_deinit(&hiding);
  mcpi_buf_deinit(&shown);
}

void mcpi_redact_quote(const mcp_allocator *allocator, mcpi_str text,
                       mcp_error *err) {
  char excerpt[MCPI_EXCERPT_SIZE];
  const mcp_error why = *err;
  mcpi_redact_excerpt(allocator, text, excerpt);
  if (excerpt[0] != '\0') {
    mcp_error_set(err, why.code, "%s: \"%s\"", why.message, excerpt);
    err->status = why.status;
    err->offset = why.offset;
  }
}
