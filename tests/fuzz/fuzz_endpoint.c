/* SPDX-License-Identifier: MIT */
/* An HTTP endpoint: both eras, sessions, resumption, HTTP+SSE, the mcp-core
 * dialect. The first byte chooses the options. The rest is steps, with a line
 * "%" between them. A step is a request (its method and target on a line, its
 * headers, an empty line, its body) or begins with "@":
 *
 *     @t1000  time passes (ms)      @g0  the client of the request 0 goes
 *     @w      calls that wait end   @n   the list of tools changes
 *     @q9     the HTTP server holds back 9 MB of each answer
 *
 * In requests $J is "jsonrpc":"2.0", $M the modern _meta, $S the session's id,
 * $E the last event's, $P where HTTP+SSE wants its POSTs. Each answer keeps to
 * the rules of mcp_http_responder, and all JSON and events in it can be
 * read. */
#include "codec/sse.h"
#include "steps.h"
#include "support/server_rig.h"
#include <mcp/http.h>
#include <stdio.h>

enum { MAX_HEADERS = 24, MAX_REQUESTS = 24, MAX_KEPT = 8 };

/* The bits of the first byte. */
enum { STATELESS = 1, PLAIN = 2, SSE = 4, DIALECT = 8, SMALL = 16 };

typedef struct request {
  mcp_http_exchange *exchange; /* NULL: there is none any more */
  int status;                  /* 0: nothing was answered yet */
  int is_over;
  mcpi_sse_reader events;
  int has_events;
} request;

typedef struct scene {
  server_rig rig;
  mcp_http *http;
  request requests[MAX_REQUESTS];
  size_t count;
  mcp_call *kept[MAX_KEPT];
  size_t kept_count;
  size_t queued;
  char session[80];
  char event[80];
  char post_to[120];
} scene;

static scene *now; /* for responders, which know their request alone */

/* --- what is answered ----------------------------------------------------- */

static void check_json(const char *text, size_t len) {
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, NULL);
  check(doc != NULL);
  mcp_doc_free(doc);
}

static void keep(char *into, size_t size, mcpi_str text) {
  if (text.len < size) {
    memcpy(into, text.ptr, text.len);
    into[text.len] = '\0';
  }
}

static void take_event(const mcpi_sse_event *event) {
  if (event->id.len > 0) {
    keep(now->event, sizeof(now->event), event->id);
  }
  if (mcpi_str_eq(event->name, MCPI_STR("endpoint"))) {
    keep(now->post_to, sizeof(now->post_to), event->data);
  } else if (event->data.len > 0) {
    check_json(event->data.ptr, event->data.len);
  }
}

static void take_head(request *r, int status, const mcp_http_header *headers,
                      size_t count) {
  check(r->status == 0 && !r->is_over && status >= 200 && status < 600);
  r->status = status;
  for (size_t i = 0; i < count; i++) {
    check(strpbrk(headers[i].value, "\r\n") == NULL);
    if (strcmp(headers[i].name, "Mcp-Session-Id") == 0) {
      keep(now->session, sizeof(now->session), mcpi_str_z(headers[i].value));
    }
    if (strcmp(headers[i].name, "Content-Type") == 0) {
      r->has_events = strcmp(headers[i].value, "text/event-stream") == 0;
    }
  }
}

static void over(request *r) {
  check(!r->is_over);
  r->is_over = 1;
  r->exchange = NULL;
}

static void respond(void *exchange, int status, const mcp_http_header *headers,
                    size_t count, const char *body, size_t len) {
  request *r = exchange;
  take_head(r, status, headers, count);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(headers[i].name, "Content-Type") == 0 &&
        strcmp(headers[i].value, "application/json") == 0) {
      check_json(body, len);
    }
  }
  over(r);
}

static void begin(void *exchange, int status, const mcp_http_header *headers,
                  size_t count) {
  take_head(exchange, status, headers, count);
}

static void write_piece(void *exchange, const char *bytes, size_t len) {
  request *r = exchange;
  mcpi_sse_event event;
  int found;
  check(r->status != 0 && !r->is_over);
  while (r->has_events && (found = mcpi_sse_next(&r->events, &bytes, &len,
                                                 &event)) != MCPI_SSE_MORE) {
    check(found == MCPI_SSE_EVENT || found == MCPI_SSE_EMPTY);
    take_event(&event);
  }
}

static void end(void *exchange) {
  request *r = exchange;
  check(r->status != 0);
  over(r);
}

static void break_off(void *exchange) {
  over(exchange);
}

static size_t queued(void *exchange) {
  const request *r = exchange;
  check(!r->is_over);
  return now->queued;
}

static const mcp_http_responder responder = {.size = sizeof(mcp_http_responder),
                                             .respond = respond,
                                             .begin = begin,
                                             .write = write_piece,
                                             .end = end,
                                             .queued = queued,
                                             .abort = break_off};

/* --- the server ----------------------------------------------------------- */

static int on_echo(mcp_call *call, void *userdata) {
  const char *text = mcp_call_string(call, "text");
  (void)userdata;
  mcp_call_progress(call, 1, 2, "half");
  mcp_call_log(call, MCP_LOG_ERROR, NULL, "\"careful\"");
  return mcp_call_reply_text(call, text != NULL ? text : "nothing");
}

static int on_flush(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_add_text(call, "one");
  mcp_call_flush(call);
  return mcp_call_reply_text(call, "two");
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  const mcp_elicitation question = {
      .size = sizeof(mcp_elicitation),
      .message = "Who?",
      .form = MCP_OBJECT(MCP_STRING("name", "Yours"))};
  (void)userdata;
  int rc = mcp_call_ask_elicit(call, "name", &question, &answer);
  return rc != 0 ? rc
                 : mcp_call_reply_textf(call, "%d", mcp_answer_action(answer));
}

static int on_keep(mcp_call *call, void *userdata) {
  scene *s = userdata;
  if (s->kept_count == MAX_KEPT) {
    return mcp_call_reply_failure(call, "no room");
  }
  int rc = mcp_call_defer(call);
  if (rc == 0) {
    s->kept[s->kept_count++] = call;
  }
  return rc;
}

static void end_calls(scene *s) {
  while (s->kept_count > 0) {
    mcp_call_reply_text(s->kept[--s->kept_count], "kept");
  }
}

static void add(scene *s, const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = name,
                         .handler = handler,
                         .userdata = s};
  check(mcp_server_add_tool(s->rig.server, &tool, NULL) == 0);
}

static void set_up(scene *s, int flags) {
  const mcp_http_options options = {
      .size = sizeof(mcp_http_options),
      .legacy = flags & PLAIN       ? MCP_HTTP_PLAIN
                : flags & STATELESS ? MCP_HTTP_STATELESS
                                    : MCP_HTTP_SESSIONS,
      .wires = MCP_HTTP_STREAMABLE |
               (flags & SSE && !(flags & DIALECT) ? MCP_HTTP_SSE : 0),
      .dialect = flags & DIALECT ? MCP_DIALECT_MCP_CORE : MCP_DIALECT_MCP,
      .max_sessions = flags & SMALL ? 2 : 0,
      .max_calls = flags & SMALL ? 2 : 0,
      .replay_bytes = flags & SMALL ? 300 : 0};
  check(rig_init(&s->rig, NULL, NULL) == 0);
  mcp_server_enable_logging(s->rig.server);
  add(s, "echo", on_echo);
  add(s, "flush", on_flush);
  add(s, "ask", on_ask);
  add(s, "keep", on_keep);
  s->http = mcp_http_new(s->rig.server, s->rig.loop, &options, NULL);
  check(s->http != NULL);
}

/* --- the steps ------------------------------------------------------------ */

static const char *meaning(const scene *s, char mark) {
  switch (mark) {
  case 'J':
    return "\"jsonrpc\":\"2.0\"";
  case 'M':
    return "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
           "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":"
           "{\"elicitation\":{}}}";
  case 'S':
    return s->session;
  case 'E':
    return s->event;
  case 'P':
    return s->post_to;
  default:
    return NULL;
  }
}

static int put_mark(const void *of, mcpi_buf *out, char mark, mcpi_str rest) {
  const char *whole = meaning(of, mark);
  (void)rest;
  if (whole == NULL) {
    return MARK_UNKNOWN;
  }
  put_text(out, whole);
  return MARK_DONE;
}

/* Cuts the text off at the mark; what follows, or NULL. */
static char *cut(char *text, char mark) {
  char *at = strchr(text, mark);
  if (at != NULL) {
    *at++ = '\0';
  }
  return at;
}

static char *read_head(mcp_http_request *head, mcp_http_header *headers,
                       char *text) {
  char *rest = cut(text, '\n');
  char *target = cut(text, ' ');
  head->method = text;
  head->target = target != NULL ? target : "/mcp";
  head->headers = headers;
  while (rest != NULL && *rest != '\n' && *rest != '\0') {
    char *line = rest;
    rest = cut(line, '\n');
    char *value = cut(line, ':');
    if (value != NULL && head->header_count < MAX_HEADERS) {
      headers[head->header_count++] =
          (mcp_http_header){line, value + strspn(value, " ")};
    }
  }
  return rest != NULL && *rest == '\n' ? rest + 1 : NULL;
}

static void send_request(scene *s, mcpi_str text) {
  mcp_http_header headers[MAX_HEADERS];
  mcp_http_request head = {.size = sizeof(mcp_http_request),
                           .peer = "127.0.0.1:4711"};
  mcpi_buf buf;
  if (s->count == MAX_REQUESTS) {
    return;
  }
  request *r = &s->requests[s->count++];
  mcpi_sse_reader_init(&r->events, mcp_allocator_default(), 1 << 20);
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  expand(&buf, text, put_mark, s);
  mcpi_buf_putc(&buf, '\0');
  const char *body = read_head(&head, headers, buf.data);
  s->rig.seed = (uint8_t)(s->rig.seed + 40); /* ids differ */
  mcp_http_exchange *exchange = mcp_http_begin(s->http, &head, &responder, r);
  check(r->is_over == (exchange == NULL));
  r->exchange = exchange;
  if (exchange != NULL) {
    mcp_http_body(exchange, body != NULL ? body : "",
                  body != NULL ? strlen(body) : 0);
  }
  mcpi_buf_deinit(&buf);
}

static void go(request *r) {
  mcp_http_exchange *exchange = r->exchange;
  r->exchange = NULL;
  r->is_over = 1;
  if (exchange != NULL) {
    mcp_http_gone(exchange);
  }
}

static void control(scene *s, mcpi_str text) {
  char word[8] = "";
  keep(word, sizeof(word), mcpi_str_n(text.ptr, text.len < 7 ? text.len : 7));
  long number = text.len > 2 ? strtol(word + 2, NULL, 10) : 0;
  number = number < 0 ? 0 : number;
  switch (word[1]) {
  case 't':
    rig_pass(&s->rig, number);
    break;
  case 'g':
    if ((size_t)number < s->count) {
      go(&s->requests[number]);
    }
    break;
  case 'w':
    end_calls(s);
    break;
  case 'n':
    if (mcp_server_remove_tool(s->rig.server, "new") != 0) {
      add(s, "new", on_echo);
    }
    break;
  case 'q':
    s->queued = (size_t)number * 1000000;
    break;
  default:
    break;
  }
}

static void step(scene *s, mcpi_str text) {
  if (text.len > 0 && text.ptr[0] == '@') {
    control(s, text);
  } else {
    send_request(s, text);
  }
  rig_turn(&s->rig);
}

static void tear_down(scene *s) {
  s->queued = 0;
  end_calls(s);
  rig_turn(&s->rig);
  for (size_t i = 0; i < s->count; i++) {
    go(&s->requests[i]);
    mcpi_sse_reader_deinit(&s->requests[i].events);
  }
  rig_turn(&s->rig);
  mcp_http_free(s->http);
  rig_deinit(&s->rig);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  scene s = {0};
  if (len < 1 || len > 16384) {
    return 0;
  }
  now = &s;
  set_up(&s, data[0]);
  mcpi_str rest = mcpi_str_n((const char *)data + 1, len - 1);
  mcpi_str text;
  while (next_step(&rest, &text)) {
    step(&s, text);
  }
  tear_down(&s);
  return 0;
}
