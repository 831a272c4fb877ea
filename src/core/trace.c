/* SPDX-License-Identifier: MIT */
/* A transport around another that shows each message to a callback, without
 * its secrets.
 *
 * A message is parsed and written anew, so that what is hidden is found by the
 * names of members and not by the look of the text. */
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
  mcpi_guard *guard;
} trace;

/* --- which members are secret ------------------------------------------- */

static const char *const secret_words[] = {
    "password", "passwd", "secret",     "token",      "authorization",
    "apikey",   "cookie", "credential", "privatekey", "requeststate",
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

/* --- writing without them ----------------------------------------------- */

static void put_value(mcpi_buf *buf, const mcp_json *value);

static void put_array(mcpi_buf *buf, const mcp_json *array) {
  mcp_json_iter iter;
  const mcp_json *value;
  char before = '[';
  mcp_json_iter_init(&iter, array);
  while ((value = mcp_json_iter_next(&iter, NULL)) != NULL) {
    mcpi_buf_putc(buf, before);
    put_value(buf, value);
    before = ',';
  }
  if (before == '[') {
    mcpi_buf_putc(buf, before);
  }
  mcpi_buf_putc(buf, ']');
}

/* Nothing is learnt from null or a boolean, and much when one looks for a
 * fault. */
static void put_member(mcpi_buf *buf, mcpi_str name, const mcp_json *value) {
  mcpi_json_put_string(buf, name);
  mcpi_buf_putc(buf, ':');
  if (mcp_json_type(value) > MCP_JSON_BOOL && is_secret(name)) {
    mcpi_buf_lit(buf, "\"[redacted]\"");
  } else {
    put_value(buf, value);
  }
}

static void put_object(mcpi_buf *buf, const mcp_json *object) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  char before = '{';
  mcp_json_iter_init(&iter, object);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    mcpi_buf_putc(buf, before);
    put_member(buf, mcpi_json_str(name), value);
    before = ',';
  }
  if (before == '{') {
    mcpi_buf_putc(buf, before);
  }
  mcpi_buf_putc(buf, '}');
}

/* Recursive: the parser has bounded the depth. */
static void put_value(mcpi_buf *buf, const mcp_json *value) {
  switch (mcp_json_type(value)) {
  case MCP_JSON_ARRAY:
    put_array(buf, value);
    break;
  case MCP_JSON_OBJECT:
    put_object(buf, value);
    break;
  default:
    mcpi_json_put_value(buf, value);
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
    put_value(&t->text, message->root);
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
 * is no memory at all. */
static int show(trace *t, int is_sent, const char *bytes, size_t len) {
  mcpi_guard guard;
  if (t->guard != NULL) {
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
  inner_of(transport)->close(inner_of(transport));
}

static void release(mcp_transport *transport) {
  trace *t = transport->userdata;
  mcp_loop *loop = t->loop;
  mcpi_guard_trip(t->guard);
  mcp_transport_free(t->inner);
  mcpi_buf_deinit(&t->text);
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
  t->transport = make_table(t);
  return &t->transport;
}
