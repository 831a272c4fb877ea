/* SPDX-License-Identifier: MIT */
/* The mcp-core dialect. The first byte says what the rest is: 's' lines to a
 * server, each of which gets one line; 'c' and 'b' lines to a client with calls
 * in flight, by frames or bare, of which each ends once at most; 'e' an event
 * stream. All output is JSON, and as the dialect defines it. */
#include "codec/message.h"
#include "codec/sse.h"
#include "core/loop.h"
#include "wires/mcp_core/answer.h"
#include "wires/mcp_core/fragments.h"
#include <mcp/transport.h>
#include <stdlib.h>

enum { CALLS = 3 };

static const uint64_t seed[2] = {1, 2};

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

static mcp_doc *parse(const char *text, size_t len) {
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, NULL);
  check(doc != NULL);
  return doc;
}

/* --- two ends ------------------------------------------------------------- */

typedef struct scene {
  mcp_loop *loop;
  mcp_transport *far; /* which speaks the dialect */
  mcp_transport *filter;
  size_t heard; /* lines at the far end */
  int ended[CALLS + 1];
  int is_closed;
} scene;

static void ignore_error(mcp_transport *transport, const mcp_error *err) {
  (void)transport;
  check(err->code != 0);
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
  scene *s = transport->owner;
  (void)err;
  s->is_closed = 1;
}

static void turn(const scene *s) {
  for (int i = 0; i < 4; i++) {
    mcp_loop_advance(s->loop, 1, 1);
  }
}

static void begin(scene *s, uint32_t dialect, int is_server) {
  mcp_transport *inner;
  s->loop = mcp_loop_new_manual(NULL, NULL, NULL);
  check(mcp_memory_pair(s->loop, &inner, &s->far, NULL) == 0);
  s->filter = mcp_transport_dialect(s->loop, inner, dialect, is_server, NULL);
  s->filter->owner = s;
  s->filter->on_error = ignore_error;
  s->filter->on_close = on_close;
  s->far->owner = s;
  s->far->on_error = ignore_error;
  s->far->on_close = on_close;
}

static void start(scene *s) {
  check(s->filter->start(s->filter, NULL) == 0);
  check(s->far->start(s->far, NULL) == 0);
}

static void end(const scene *s) {
  mcp_transport_free(s->filter);
  mcp_transport_free(s->far);
  mcp_loop_free(s->loop);
}

/* Sends each line. Returns how many there were. */
static size_t send_lines(const scene *s, const char *text, size_t len) {
  size_t count = 0;
  while (len > 0) {
    const char *feed = memchr(text, '\n', len);
    size_t line = feed != NULL ? (size_t)(feed - text) : len;
    check(s->far->send(s->far, text, line, NULL) == 0);
    turn(s);
    count++;
    line += feed != NULL;
    text += line;
    len -= line;
  }
  return count;
}

/* --- a server ------------------------------------------------------------- */

static void serve(mcp_transport *filter, const char *text, size_t len) {
  mcp_doc *doc = parse(text, len);
  mcpi_envelope e;
  mcpi_buf id;
  mcpi_buf out;
  check(mcpi_envelope_read(&e, mcp_doc_root(doc), mcp_allocator_default(),
                           seed) == 0);
  mcpi_buf_init(&id, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  mcpi_id_put(&id, e.id);
  if (e.kind == MCPI_REQUEST) {
    mcpi_put_result_head(&out, mcpi_str_n(id.data, id.len));
    mcpi_buf_lit(&out, "{\"content\":[],\"ttlMs\":1}}");
  } else { /* a member that occurs twice */
    check(e.kind == MCPI_INVALID);
    mcpi_put_error(&out, mcpi_str_n(id.data, id.len), -32600,
                   mcpi_str_z(e.reason), mcpi_str_z(NULL));
  }
  check(filter->send(filter, out.data, out.len, NULL) == 0);
  mcpi_buf_deinit(&out);
  mcpi_buf_deinit(&id);
  mcp_doc_free(doc);
}

static int is_plain(const mcp_json *answer) {
  return mcp_json_get(answer, "jsonrpc") == NULL &&
         (mcp_json_get(answer, "content") != NULL ||
          mcp_json_bool(mcp_json_get(answer, "ok")));
}

/* As the dialect wants it of whoever sends one. */
static int is_strict(const mcp_json *error) {
  int64_t code;
  size_t len = 0;
  mcp_json_string_n(mcp_json_get(error, "message"), &len);
  return error == NULL ||
         (mcp_json_try_int(mcp_json_get(error, "code"), &code) == 0 && len > 0);
}

static void hear(mcp_transport *far, const char *text, size_t len) {
  scene *s = far->owner;
  mcp_doc *doc = parse(text, len);
  const mcp_json *root = mcp_doc_root(doc);
  mcpi_buf id;
  mcpi_buf_init(&id, mcp_allocator_default(), SIZE_MAX);
  mcpi_id_put(&id, mcpi_id_read(mcp_json_get(root, "id")));
  check(is_plain(root) ||
        mcpi_tool_answer_fault(root, mcpi_str_n(id.data, id.len),
                               mcp_allocator_default()) == NULL);
  check(is_strict(mcp_json_get(root, "error")));
  s->heard++;
  mcpi_buf_deinit(&id);
  mcp_doc_free(doc);
}

static void try_server(const char *text, size_t len) {
  scene s = {0};
  begin(&s, MCP_DIALECT_MCP_CORE, 1);
  s.filter->on_message = serve;
  s.far->on_message = hear;
  start(&s);
  size_t count = send_lines(&s, text, len);
  check(s.heard == count);
  end(&s);
}

/* --- a client ------------------------------------------------------------- */

static void be_told(mcp_transport *filter, const char *text, size_t len) {
  scene *s = filter->owner;
  mcp_doc *doc = parse(text, len);
  mcpi_envelope e;
  check(mcpi_envelope_read(&e, mcp_doc_root(doc), mcp_allocator_default(),
                           seed) == 0);
  check(e.kind == MCPI_RESULT || e.kind == MCPI_ERROR);
  int64_t id = mcp_json_int(e.id.value);
  check(id >= 1 && id <= CALLS && !s->ended[id]);
  s->ended[id] = 1;
  mcp_doc_free(doc);
}

static void ignore_message(mcp_transport *far, const char *text, size_t len) {
  (void)far;
  mcp_doc_free(parse(text, len));
}

static void try_client(uint32_t dialect, const char *text, size_t len) {
  char call[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                "\"params\":{\"name\":\"a\"}}";
  scene s = {0};
  begin(&s, dialect, 0);
  s.filter->on_message = be_told;
  s.far->on_message = ignore_message;
  start(&s);
  for (int i = 1; i <= CALLS; i++) {
    call[22] = (char)('0' + i);
    check(s.filter->send(s.filter, call, strlen(call), NULL) == 0);
  }
  turn(&s);
  send_lines(&s, text, len);
  end(&s);
}

/* --- an event stream ------------------------------------------------------ */

static void check_answer(const mcpi_buf *out) {
  mcpi_envelope e;
  check(out->error == 0);
  mcp_doc *doc = parse(out->data, out->len);
  check(mcpi_envelope_read(&e, mcp_doc_root(doc), mcp_allocator_default(),
                           seed) == 0);
  check(e.kind != MCPI_INVALID && e.kind != MCPI_REQUEST);
  mcp_doc_free(doc);
}

static void take_event(const mcpi_sse_event *event, mcpi_buf *fragments,
                       uint32_t count) {
  mcpi_buf out;
  mcp_doc *doc =
      mcp_doc_parse(event->data.ptr, event->data.len, NULL, NULL, NULL);
  const mcp_json *root = mcp_doc_root(doc);
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  if (mcpi_tool_answer_fault(root, MCPI_STR("1"), mcp_allocator_default()) ==
      NULL) {
    mcpi_tool_answer_put_mcp(&out, MCPI_STR("1"), root);
    check_answer(&out);
  } else if (mcp_json_type(root) == MCP_JSON_OBJECT) {
    mcpi_buf_puts(fragments, fragments->len > 0 ? MCPI_STR(",") : MCPI_STR(""));
    mcpi_buf_puts(fragments, event->data);
    mcpi_fragment_put_progress(&out, MCPI_STR("7"), count, root);
    check_answer(&out);
  }
  mcpi_buf_deinit(&out);
  mcp_doc_free(doc);
}

static void try_events(const char *text, size_t len) {
  mcpi_sse_reader reader;
  mcpi_sse_event event;
  mcpi_buf fragments;
  mcpi_buf out;
  uint32_t count = 0;
  int found;
  mcpi_buf_init(&fragments, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  mcpi_sse_reader_init(&reader, mcp_allocator_default(), 1 << 16);
  while ((found = mcpi_sse_next(&reader, &text, &len, &event)) !=
         MCPI_SSE_MORE) {
    if (found == MCPI_SSE_EVENT) {
      take_event(&event, &fragments, ++count);
    }
  }
  check(mcpi_fragments_put_broken(&out, MCPI_STR("1"),
                                  mcpi_str_n(fragments.data, fragments.len),
                                  seed) == 0);
  check_answer(&out);
  mcpi_sse_reader_deinit(&reader);
  mcpi_buf_deinit(&out);
  mcpi_buf_deinit(&fragments);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  const char *rest = (const char *)data + 1;
  switch (len > 0 ? data[0] : 0) {
  case 's':
    try_server(rest, len - 1);
    break;
  case 'c':
    try_client(MCP_DIALECT_MCP_CORE, rest, len - 1);
    break;
  case 'b':
    try_client(MCP_DIALECT_MCP_CORE_BARE, rest, len - 1);
    break;
  case 'e':
    try_events(rest, len - 1);
    break;
  default:
    break;
  }
  return 0;
}
