/* SPDX-License-Identifier: MIT */
/* A transport around another that shows each message to a callback, without
 * its secrets.
 *
 * A message is parsed and written anew, so that what is hidden is found by the
 * names of members. Within strings the look of the text must do. */
#include "codec/message.h"
#include "core/guard.h"
#include "core/loop.h"
#include "core/transport.h"

/* What a shown text may leave behind for the next one. */
enum { TEXT_KEPT = 64 * 1024 };

typedef struct trace {
  mcp_transport transport;
  mcp_transport *inner;
  mcp_loop *loop;
  mcp_trace_cb on_trace;
  void *userdata;
  mcpi_buf text;
  mcpi_buf plain; /* one string of it, before it is escaped */
  mcpi_guard *guard;
  int is_closing;
} trace;

/* --- which members are secret ------------------------------------------- */

static const char *const secret_words[] = {
    "password",      "passwd",       "secret",     "token",
    "authorization", "apikey",       "cookie",     "credential",
    "privatekey",    "requeststate", "passphrase",
};

/* Members of the protocol that only sound like one. */
static const char *const harmless_names[] = {
    "progresstoken", "maxtokens",    "inputtokens", "outputtokens",
    "totaltokens",   "prompttokens", "tokencount",
};

static char lower(char c) {
  return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* What stands between the words of a name: api_key, X-Api-Key, "api key". */
static int is_joint(char c) {
  return c == '_' || c == '-' || c == '.' || c == ' ';
}

/* Where the word ends when it begins the name, joints and case aside; else
 * NULL. */
static const char *match(const char *name, const char *end, const char *word) {
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
    if (match(name.ptr, end, harmless_names[i]) == end) {
      return 1;
    }
  }
  return 0;
}

/* No word is sought from a joint on: it is found behind it as well, and a peer
 * may send a name of a million joints, each looked at from each before it. */
static int has_word(mcpi_str name, const char *word) {
  const char *end = name.ptr + name.len;
  for (const char *at = name.ptr; at < end; at++) {
    if (!is_joint(*at) && match(at, end, word) != NULL) {
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

/* As texts of all kinds have them: token=T in URLs, settings and arguments;
 * "Authorization: Bearer T" among headers; {"token":"T"} in a result's text;
 * https://user:T@host. To hide too much does no harm. */

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

/* A quote that is escaped does not end what is quoted. */
static const char *seek_quote(const char *at, const char *end, char quote) {
  while (at < end && *at != quote) {
    at += *at == '\\' && end - at > 1 ? 2 : 1;
  }
  return at;
}

/* What follows a secret name: its value, or nothing at `at`. */
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

/* Who calls, in an address whose "://" is at `at`. */
static mcpi_str user_after(const char *at, const char *end) {
  const char *from = at + 3;
  const char *to = seek(from, end, MCPI_STR("/?#\"'<> \t\r\n"));
  while (to > from && to[-1] != '@') {
    to--;
  }
  return mcpi_str_n(from, to > from ? (size_t)(to - 1 - from) : 0);
}

/* The secret that a word announces, or nothing. */
static mcpi_str secret_after(mcpi_str word, const char *end) {
  const char *at = word.ptr + word.len;
  if (end - at > 3 && memcmp(at, "://", 3) == 0) {
    return user_after(at, end);
  }
  if (is_secret(word)) {
    return value_after(at, end);
  }
  if (at < end && *at == ' ' &&
      (match(word.ptr, at, "bearer") == at ||
       match(word.ptr, at, "basic") == at)) {
    const char *to = seek(at + 1, end, MCPI_STR("\"',<> \t\r\n"));
    return mcpi_str_n(at + 1, (size_t)(to - at - 1));
  }
  return mcpi_str_n(at, 0);
}

static void put_hiding(mcpi_buf *out, mcpi_str text) {
  const char *end = text.ptr + text.len;
  const char *shown = text.ptr; /* all before it is in `out` */
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

static void put_value(trace *t, const mcp_json *value);

static void put_text(trace *t, mcpi_str text) {
  mcpi_buf *plain = &t->plain;
  mcpi_buf_clear(plain);
  put_hiding(plain, text);
  if (plain->error != 0) {
    t->text.error = plain->error;
    return;
  }
  mcpi_json_put_string(&t->text, mcpi_str_n(plain->data, plain->len));
}

static void put_array(trace *t, const mcp_json *array) {
  mcp_json_iter iter;
  const mcp_json *value;
  char before = '[';
  mcp_json_iter_init(&iter, array);
  while ((value = mcp_json_iter_next(&iter, NULL)) != NULL) {
    mcpi_buf_putc(&t->text, before);
    put_value(t, value);
    before = ',';
  }
  if (before == '[') {
    mcpi_buf_putc(&t->text, before);
  }
  mcpi_buf_putc(&t->text, ']');
}

/* Nothing is learnt from null or a boolean, and much when one looks for a
 * fault. */
static void put_member(trace *t, mcpi_str name, const mcp_json *value) {
  mcpi_json_put_string(&t->text, name);
  mcpi_buf_putc(&t->text, ':');
  if (mcp_json_type(value) > MCP_JSON_BOOL && is_secret(name)) {
    mcpi_buf_lit(&t->text, "\"[redacted]\"");
  } else {
    put_value(t, value);
  }
}

static void put_object(trace *t, const mcp_json *object) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  char before = '{';
  mcp_json_iter_init(&iter, object);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    mcpi_buf_putc(&t->text, before);
    put_member(t, mcpi_json_str(name), value);
    before = ',';
  }
  if (before == '{') {
    mcpi_buf_putc(&t->text, before);
  }
  mcpi_buf_putc(&t->text, '}');
}

/* Recursive: the parser has bounded the depth. */
static void put_value(trace *t, const mcp_json *value) {
  switch (mcp_json_type(value)) {
  case MCP_JSON_ARRAY:
    put_array(t, value);
    break;
  case MCP_JSON_OBJECT:
    put_object(t, value);
    break;
  case MCP_JSON_STRING:
    put_text(t, mcpi_json_str(value));
    break;
  default:
    mcpi_json_put_value(&t->text, value);
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

static void put_redacted(trace *t, const char *bytes, size_t len) {
  static const mcpi_message_limits limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                             MCPI_JSON_MAX_VALUES};
  mcpi_message *message = NULL;
  int rc =
      mcpi_message_parse(&message, &t->loop->pool, bytes, len, &limits, NULL);
  if (rc == 0) {
    put_value(t, message->root);
    rc = t->text.error;
    mcpi_message_unref(message);
  }
  if (rc != 0) {
    mcpi_buf_clear(&t->text);
    put_unshown(&t->text, len, rc);
  }
}

/* Returns 0 when the callback freed the transport. What the callback itself
 * sends is not shown, or there would be no end; nor is a text for which there
 * is no memory at all, or what comes after closing: the callback's data may be
 * gone with the owner. */
static int show(trace *t, int is_sent, const char *bytes, size_t len) {
  mcpi_guard guard;
  if (t->guard != NULL || t->is_closing) {
    return 1;
  }
  mcpi_buf_clear(&t->text);
  put_redacted(t, bytes, len);
  if (t->text.error != 0) {
    return 1;
  }
  mcpi_guard_enter(&t->guard, &guard);
  t->on_trace(is_sent, t->text.data, t->text.len, t->userdata);
  if (!mcpi_guard_leave(&t->guard, &guard)) {
    return 0;
  }
  mcpi_buf_trim(&t->text, TEXT_KEPT);
  mcpi_buf_trim(&t->plain, TEXT_KEPT);
  return 1;
}

/* --- from the inner transport ------------------------------------------- */

static void on_message(mcp_transport *inner, const char *message, size_t len) {
  trace *t = inner->owner;
  if (show(t, 0, message, len)) {
    t->transport.on_message(&t->transport, message, len);
  }
}

static void on_error(mcp_transport *inner, const mcp_error *err) {
  trace *t = inner->owner;
  t->transport.on_error(&t->transport, err);
}

static void on_close(mcp_transport *inner, const mcp_error *err) {
  trace *t = inner->owner;
  t->transport.on_close(&t->transport, err);
}

static void on_restart(mcp_transport *inner) {
  trace *t = inner->owner;
  t->transport.on_restart(&t->transport);
}

/* Looked at each time, as the owner may give its interest up. */
static void on_end(mcp_transport *inner) {
  trace *t = inner->owner;
  if (t->transport.on_end != NULL) {
    t->transport.on_end(&t->transport);
  } else {
    inner->close(inner);
  }
}

static void on_request_failed(mcp_transport *inner, uint64_t request,
                              const mcp_error *err) {
  trace *t = inner->owner;
  t->transport.on_request_failed(&t->transport, request, err);
}

static int is_waiting(mcp_transport *inner, uint64_t request) {
  trace *t = inner->owner;
  return t->transport.is_waiting(&t->transport, request);
}

/* --- to the inner transport --------------------------------------------- */

static mcp_transport *inner_of(mcp_transport *transport) {
  const trace *t = transport->userdata;
  return t->inner;
}

static int start(mcp_transport *transport, mcp_error *err) {
  trace *t = transport->userdata;
  mcp_transport *inner = t->inner;
  int rc = mcpi_transport_check(inner, err);
  if (rc != 0) {
    return rc;
  }
  inner->owner = t;
  inner->on_message = on_message;
  inner->on_error = on_error;
  inner->on_close = on_close;
  inner->on_restart = on_restart;
  inner->on_end = on_end;
  inner->on_request_failed = on_request_failed;
  inner->is_waiting = is_waiting;
  return inner->start(inner, err);
}

/* The callback may send too, and with that reuse the buffer in which the
 * message lies: so a copy goes out. */
static int send(mcp_transport *transport, const char *message, size_t len,
                const mcp_send_info *info) {
  trace *t = transport->userdata;
  mcpi_block *copy = mcpi_block_take(&t->loop->pool, len);
  if (copy == NULL) {
    return MCP_ERR_NOMEM;
  }
  const char *bytes = memcpy(mcpi_block_data(copy), message, len);
  int rc = MCP_ERR_CLOSED;
  if (show(t, 1, bytes, len)) {
    rc = t->inner->send(t->inner, bytes, len, info);
  }
  mcpi_block_unref(copy);
  return rc;
}

static void close(mcp_transport *transport) {
  trace *t = transport->userdata;
  t->is_closing = 1;
  t->inner->close(t->inner);
}

static void release(mcp_transport *transport) {
  trace *t = transport->userdata;
  mcp_loop *loop = t->loop;
  mcpi_guard_trip(t->guard);
  mcp_transport_free(t->inner);
  mcpi_buf_deinit(&t->text);
  mcpi_buf_deinit(&t->plain);
  mcpi_free(&loop->allocator, t, sizeof(*t));
}

static void set_protocol_version(mcp_transport *transport,
                                 const char *version) {
  mcp_transport *inner = inner_of(transport);
  inner->set_protocol_version(inner, version);
}

static void set_supported_versions(mcp_transport *transport,
                                   const char *const *versions, size_t count) {
  mcp_transport *inner = inner_of(transport);
  inner->set_supported_versions(inner, versions, count);
}

static const char *session_id(mcp_transport *transport) {
  mcp_transport *inner = inner_of(transport);
  return inner->session_id(inner);
}

static const char *origin(mcp_transport *transport) {
  mcp_transport *inner = inner_of(transport);
  return inner->origin(inner);
}

static void abort_request(mcp_transport *transport, uint64_t request) {
  mcp_transport *inner = inner_of(transport);
  inner->abort(inner, request);
}

static size_t queued(mcp_transport *transport) {
  mcp_transport *inner = inner_of(transport);
  return inner->queued(inner);
}

/* --- making one --------------------------------------------------------- */

/* What the inner transport cannot do, this one cannot either. */
static mcp_transport make_table(trace *t) {
  const mcp_transport *inner = t->inner;
  return (mcp_transport){
      .size = MCP_TRANSPORT_INIT,
      .flags = inner->flags,
      .userdata = t,
      .start = start,
      .send = send,
      .close = close,
      .release = release,
      .set_protocol_version =
          inner->set_protocol_version != NULL ? set_protocol_version : NULL,
      .set_supported_versions =
          inner->set_supported_versions != NULL ? set_supported_versions : NULL,
      .session_id = inner->session_id != NULL ? session_id : NULL,
      .origin = inner->origin != NULL ? origin : NULL,
      .abort = inner->abort != NULL ? abort_request : NULL,
      .queued = inner->queued != NULL ? queued : NULL,
  };
}

mcp_transport *mcp_transport_trace(mcp_loop *loop, mcp_transport *inner,
                                   mcp_trace_cb on_trace, void *userdata) {
  trace *t = NULL;
  if (loop != NULL && inner != NULL && on_trace != NULL) {
    t = mcpi_calloc(&loop->allocator, 1, sizeof(*t));
  }
  if (t == NULL) {
    mcp_transport_free(inner);
    return NULL;
  }
  t->inner = inner;
  t->loop = loop;
  t->on_trace = on_trace;
  t->userdata = userdata;
  mcpi_buf_init(&t->text, &loop->allocator, SIZE_MAX);
  mcpi_buf_init(&t->plain, &loop->allocator, SIZE_MAX);
  t->transport = make_table(t);
  return &t->transport;
}
