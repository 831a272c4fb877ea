/* SPDX-License-Identifier: MIT */
/* An endpoint that speaks the mcp-core dialect, a JSON protocol for calling
 * tools that is not MCP (docs/TRANSPORTS.md). Each call of a tool is one POST.
 * Its answer is JSON, or events for a client whose Accept names them:
 *
 *     event: result       {"content":[...]}, each time that the tool shows more
 *     : heartbeat         when it is silent
 *     event: complete     the toolResponse; or
 *     event: error        the toolError
 *
 * A request without an id has a plain answer: only the result object, or a
 * status and {"error":TEXT}. So has a request that is refused before its id is
 * known. */
#include "endpoint/mcp_core/tool_post.h"

#include "codec/sse.h"
#include "endpoint/answer.h"
#include "endpoint/body.h"
#include "endpoint/endpoint.h"
#include "endpoint/protect.h"
#include "endpoint/stream.h"
#include "endpoint/trace.h"
#include "server/call.h"
#include "server/dispatch.h"
#include "server/session.h"
#include "wires/mcp_core/answer.h"

#include <mcp/sys/yyjson.h>

static mcpi_endpoint_stream *tool_post_of_sink(mcpi_sink *sink) {
  return MCPI_CONTAINER(sink, mcpi_endpoint_stream, sink);
}

static mcpi_str tool_post_text_of(const mcpi_buf *buf) {
  return mcpi_str_n(buf->data, buf->len);
}

/* --- plain answers ------------------------------------------------------ */

static void tool_post_respond(mcp_http_exchange *exchange, int status,
                              mcpi_buf *body) {
  if (body->error != 0) {
    mcpi_endpoint_respond(exchange, 500, NULL, mcpi_str_z(NULL), NULL, 0);
  } else {
    mcpi_endpoint_respond_json(exchange, status, tool_post_text_of(body), NULL,
                               0);
  }
}

/* A request, as far as it has been read. */
typedef struct post {
  mcp_http_exchange *exchange;
  mcpi_message *message;
  mcpi_tool_request request;
} post;

static void tool_post_refuse(const post *p, int status, int rpc_code,
                             const char *text) {
  mcp_http *http = p->exchange->http;
  if (p->request.id.kind == MCPI_ID_NONE) {
    mcpi_endpoint_refuse_plainly(p->exchange, status, mcpi_str_z(text), NULL,
                                 0);
    return;
  }
  mcpi_buf id;
  mcpi_buf body;
  mcpi_buf_init(&id, &http->server->allocator, SIZE_MAX);
  mcpi_buf_init(&body, &http->server->allocator, SIZE_MAX);
  mcpi_id_put(&id, p->request.id);
  mcpi_tool_refusal_put(&body, tool_post_text_of(&id), rpc_code,
                        mcpi_str_z(text));
  body.error = body.error != 0 ? body.error : id.error;
  tool_post_respond(p->exchange, status, &body);
  mcpi_buf_deinit(&body);
  mcpi_buf_deinit(&id);
}

/* --- events ------------------------------------------------------------- */

/* A client gets an event stream only if it names that type: most clients read
 * only JSON, whatever they accept. */
static int wants_events(const mcpi_endpoint_stream *stream) {
  return stream->form != MCPI_TOOL_BARE && stream->exchange != NULL &&
         stream->exchange->head.accepts.names_events;
}

/* Writing to the client may show that it has gone. */
static int tool_post_begin_events(mcpi_endpoint_stream *stream) {
  if (stream->exchange->stage != MCPI_EXCHANGE_BEGUN) {
    mcpi_endpoint_begin_events(stream->exchange, NULL, 0);
  }
  return stream->exchange != NULL;
}

static void tool_post_write_event(mcpi_endpoint_stream *stream,
                                  const char *name, mcpi_str data) {
  mcp_http *http = stream->http;
  if (!tool_post_begin_events(stream)) {
    return;
  }
  mcpi_buf event = mcpi_endpoint_take_scratch(http);
  mcpi_sse_put_event(&event, mcpi_str_z(NULL), mcpi_str_z(name), data);
  if (event.error != 0) {
    mcpi_endpoint_stream_break(stream);
  } else if (mcpi_endpoint_trace(stream->exchange, 1, data)) {
    mcpi_endpoint_write(stream->exchange, tool_post_text_of(&event));
  }
  mcpi_endpoint_give_scratch(http, &event);
}

/* The end of the stream repeats what was left out. */
static int tool_post_show_fragment(mcpi_endpoint_stream *stream,
                                   mcpi_str fragment) {
  if (wants_events(stream) && !mcpi_endpoint_is_congested(stream->exchange) &&
      stream->exchange != NULL) {
    tool_post_write_event(stream, "result", fragment);
    mcpi_endpoint_stream_restart_keepalive(stream);
  }
  return 0;
}

static void tool_post_on_silent(mcpi_timer *timer) {
  mcpi_endpoint_stream *stream =
      MCPI_CONTAINER(timer, mcpi_endpoint_stream, keepalive);
  mcpi_shard *shard = stream->http->shard;
  if (!wants_events(stream)) {
    return;
  }
  mcpi_shard_enter(shard);
  stream->refs++;
  if (tool_post_begin_events(stream)) {
    mcpi_endpoint_write(stream->exchange, MCPI_STR(": heartbeat\n\n"));
    mcpi_endpoint_stream_restart_keepalive(stream);
  }
  mcpi_endpoint_stream_unref(stream);
  mcpi_shard_leave(shard);
}

/* --- the answer --------------------------------------------------------- */

/* The tool may have chosen an HTTP status as its code. */
static int tool_post_status_of(const mcp_call *call, int rpc_code) {
  int is_unknown = call != NULL && call->method != NULL && call->entry == NULL;
  if (rpc_code >= 400 && rpc_code <= 599) {
    return rpc_code;
  }
  switch (rpc_code) {
  case 0:
    return 200;
  case MCP_RPC_METHOD_NOT_FOUND:
    return 404; /* there are no tools */
  case MCP_RPC_INVALID_PARAMS:
    return is_unknown ? 404 : 400;
  case MCP_RPC_PARSE_ERROR:
  case MCP_RPC_INVALID_REQUEST:
    return 400;
  default:
    return 500;
  }
}

/* Sends JSON if events have not begun, and the client accepts it or must see
 * the status 403. */
static void tool_post_deliver(mcpi_endpoint_stream *stream,
                              const mcp_call *call, int status, int is_error,
                              mcpi_buf *body) {
  mcp_http_exchange *exchange = stream->exchange;
  int has_begun = exchange->stage == MCPI_EXCHANGE_BEGUN;
  int is_forbidden = call != NULL && call->needed_scopes != NULL;
  if (has_begun && body->error != 0) {
    mcpi_endpoint_stream_break(stream);
  } else if (body->error != 0) {
    tool_post_respond(exchange, status, body);
  } else if (is_forbidden && !has_begun) {
    mcpi_endpoint_respond_forbidden(exchange, call->needed_scopes,
                                    tool_post_text_of(body), NULL);
  } else if (has_begun ||
             (wants_events(stream) && !exchange->head.accepts.json)) {
    tool_post_write_event(stream, is_error ? "error" : "complete",
                          tool_post_text_of(body));
  } else {
    tool_post_respond(exchange, status, body);
  }
}

static mcpi_str tool_post_id_of(const mcp_call *call) {
  return call != NULL ? tool_post_text_of(&call->id)
                      : MCPI_STR(MCPI_TOOL_NO_ID);
}

static void tool_post_put_error(const mcpi_endpoint_stream *stream,
                                const mcp_call *call, const mcp_json *error,
                                mcpi_buf *out) {
  if (stream->form != MCPI_TOOL_BARE) {
    mcpi_tool_error_put(out, tool_post_id_of(call), error);
    return;
  }
  mcpi_buf_lit(out, "{\"error\":");
  mcpi_json_put_value(out, mcpi_json_get(error, "message"));
  mcpi_buf_putc(out, '}');
}

static void refuse_answer(mcpi_endpoint_stream *stream, const mcp_call *call,
                          int status, const char *text) {
  mcp_http *http = stream->http;
  if (stream->form == MCPI_TOOL_BARE || call == NULL) {
    mcpi_endpoint_refuse_plainly(stream->exchange, status, mcpi_str_z(text),
                                 NULL, 0);
    return;
  }
  mcpi_buf body = mcpi_endpoint_take_scratch(http);
  mcpi_tool_refusal_put(&body, tool_post_id_of(call), MCP_RPC_INTERNAL_ERROR,
                        mcpi_str_z(text));
  tool_post_deliver(stream, call, status, 1, &body);
  mcpi_endpoint_give_scratch(http, &body);
}

static void tool_post_translate(mcpi_endpoint_stream *stream,
                                const mcp_call *call, int rpc_code,
                                const mcp_json *answer) {
  mcp_http *http = stream->http;
  const mcp_json *result = mcpi_json_get(answer, "result");
  if (mcpi_tool_asks(result)) {
    refuse_answer(stream, call, 500, mcpi_tool_cannot_ask);
    return;
  }
  mcpi_buf body = mcpi_endpoint_take_scratch(http);
  if (rpc_code == 0) {
    mcpi_tool_response_put(&body, stream->form, tool_post_id_of(call), result);
  } else {
    tool_post_put_error(stream, call, mcpi_json_get(answer, "error"), &body);
  }
  tool_post_deliver(stream, call, tool_post_status_of(call, rpc_code),
                    rpc_code != 0, &body);
  mcpi_endpoint_give_scratch(http, &body);
}

/* Whether MCP's result is also the dialect's, except for the protocol's own
 * members at its end. */
static int tool_post_is_plain(const mcp_call *call) {
  return call != NULL && call->rpc_code == 0 && call->piece_count > 0 &&
         call->structured == MCPI_STRUCTURED_NONE && !call->is_input_required &&
         call->meta.len == 0;
}

/* Cuts the answer after the content. The answer to a bare request is only the
 * result. */
static void cut(mcpi_endpoint_stream *stream, const mcp_call *call,
                mcpi_str text) {
  mcp_http *http = stream->http;
  int is_bare = stream->form == MCPI_TOOL_BARE;
  size_t from = is_bare ? call->result_at : 0;
  mcpi_buf body = mcpi_endpoint_take_scratch(http);
  mcpi_buf_put(&body, text.ptr + from, call->own_end - from);
  mcpi_buf_puts(&body, is_bare ? MCPI_STR("}") : MCPI_STR("}}"));
  tool_post_deliver(stream, call, 200, 0, &body);
  mcpi_endpoint_give_scratch(http, &body);
}

/* If there was no memory for a call, the answer is only an error. */
static int tool_post_answer(mcpi_endpoint_stream *stream, const mcp_call *call,
                            int rpc_code, mcpi_str text) {
  static const mcpi_message_limits limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                             MCPI_JSON_MAX_VALUES};
  mcpi_message *message;
  if (stream->exchange == NULL) {
    return MCP_ERR_GONE;
  }
  if (tool_post_is_plain(call)) {
    cut(stream, call, text);
    return 0;
  }
  if (call == NULL ||
      mcpi_message_parse(&message, &stream->http->shard->loop->pool, text.ptr,
                         text.len, &limits, NULL) != 0) {
    refuse_answer(stream, call, 500, "out of memory");
    return 0;
  }
  tool_post_translate(stream, call, rpc_code, message->root);
  mcpi_message_unref(message);
  return 0;
}

static void tool_post_count_answered(mcpi_endpoint_stream *stream) {
  stream->waiting--;
  mcpi_endpoint_stream_finish(stream);
}

/* The dialect has no progress and no log messages. */
static int tool_post_on_send(mcpi_sink *sink, mcp_call *call, int what,
                             int rpc_code, const char *message, size_t len) {
  mcpi_endpoint_stream *stream = tool_post_of_sink(sink);
  mcpi_str text = mcpi_str_n(message, len);
  int rc = 0;
  stream->refs++;
  if (what == MCPI_SEND_FRAGMENT) {
    rc = tool_post_show_fragment(stream, text);
  } else if (what == MCPI_SEND_RESULT || what == MCPI_SEND_ERROR) {
    rc = tool_post_answer(stream, call, what == MCPI_SEND_ERROR ? rpc_code : 0,
                          text);
    tool_post_count_answered(stream);
  }
  mcpi_endpoint_stream_unref(stream);
  return rc;
}

static int tool_post_on_ask(mcpi_sink *sink, mcp_call *call,
                            mcpi_pending *pending, mcpi_str method,
                            mcpi_str params) {
  (void)sink;
  (void)call;
  (void)pending;
  (void)method;
  (void)params;
  return MCP_ERR_UNSUPPORTED;
}

/* If a call is dropped because the server ends, its client can still learn
 * that. There is no call if there was no memory for it. */
static void tool_post_on_ended(mcpi_sink *sink, mcp_call *call) {
  mcpi_endpoint_stream *stream = tool_post_of_sink(sink);
  stream->refs++;
  if (stream->exchange != NULL && call == NULL) {
    refuse_answer(stream, call, 500, "out of memory");
  } else if (stream->exchange != NULL) {
    refuse_answer(stream, call, 503, "the server is shutting down");
  }
  tool_post_count_answered(stream);
  mcpi_endpoint_stream_unref(stream);
}

static const mcpi_sink_ops sink_ops = {
    .send = tool_post_on_send,
    .ask = tool_post_on_ask,
    .ended = tool_post_on_ended,
};

/* --- the request -------------------------------------------------------- */

/* Returns 0 after it has refused the request. */
static int read_request(post *p, const char *body, size_t len) {
  const mcp_loop *loop = p->exchange->http->shard->loop;
  mcp_error err;
  int status =
      mcpi_endpoint_body_parse(p->exchange, body, len, &p->message, &err);
  if (status != 0) {
    tool_post_refuse(p, status, mcpi_endpoint_body_parse_code(status),
                     err.message);
    return 0;
  }
  int rc = mcpi_tool_request_read(&p->request, p->message->root,
                                  &loop->allocator, loop->hash_seed, &err);
  if (rc != 0) {
    int rpc_code = err.status;
    tool_post_refuse(p, tool_post_status_of(NULL, rpc_code), rpc_code,
                     err.message);
  }
  return rc == 0;
}

/* In a server of the legacy era only, the request gets its own session. */
static int tool_post_open_stream(const post *p, mcpi_endpoint_stream **out) {
  mcp_http *http = p->exchange->http;
  uint32_t eras = http->server->options.eras;
  int rc = mcpi_endpoint_stream_open(p->exchange, MCPI_STREAM_MODERN, out);
  if (rc != 0) {
    return rc;
  }
  mcpi_endpoint_stream *stream = *out;
  stream->sink.ops = &sink_ops;
  stream->keepalive.on_due = tool_post_on_silent;
  stream->form = p->request.form;
  if ((eras & MCP_ERA_MODERN) == 0) {
    stream->single.rules.is_stateless = 1;
    rc = mcpi_session_assume(stream->caller,
                             mcpi_revision_newest(MCP_ERA_LEGACY));
  }
  if (rc != 0) {
    mcpi_endpoint_stream_end(stream);
  }
  return rc;
}

/* Writes the request as MCP has it, with the client's id: it is the only
 * request on its connection. */
static int put_translated(const post *p, mcpi_buf *text) {
  uint32_t eras = p->exchange->http->server->options.eras;
  mcpi_buf *id = &p->exchange->http->shard->loop->scratch;
  mcpi_buf_clear(id);
  mcpi_tool_id_put(id, p->request.id);
  mcpi_tool_request_put_mcp(&p->request, tool_post_text_of(id),
                            mcpi_revision_newest(eras & MCP_ERA_MODERN), text);
  return id->error != 0 ? id->error : text->error;
}

static int parse_translated(const post *p, mcpi_message **out) {
  static const mcpi_message_limits limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                             SIZE_MAX};
  mcp_http *http = p->exchange->http;
  mcpi_buf text = mcpi_endpoint_take_scratch(http);
  int rc = put_translated(p, &text);
  rc = rc != 0 ? rc
               : mcpi_message_parse(out, &http->shard->loop->pool, text.data,
                                    text.len, &limits, NULL);
  mcpi_endpoint_give_scratch(http, &text);
  return rc;
}

static void tool_post_hand_over(const post *p, mcpi_endpoint_stream *stream,
                                mcpi_incoming *in) {
  mcp_error err;
  stream->refs++;
  mcpi_caller *caller = stream->caller;
  int limit = mcpi_caller_check_calls(caller, 1, &err);
  if (limit != 0) {
    tool_post_refuse(p, 503, MCP_RPC_INTERNAL_ERROR, err.message);
    mcpi_shard_refused(caller->shard, limit, caller->identity->peer,
                       err.message);
    mcpi_endpoint_stream_end(stream);
    mcpi_endpoint_stream_unref(stream);
    return;
  }
  stream->waiting = 1;
  mcpi_endpoint_stream_attach(stream, p->exchange);
  mcpi_grant *before = mcpi_endpoint_lend_grant(p->exchange, caller);
  mcpi_dispatch(caller, &stream->sink, in);
  caller->grant = before;
  if (stream->waiting > 0) {
    mcpi_endpoint_stream_restart_keepalive(stream);
  }
  mcpi_endpoint_stream_unref(stream);
}

static void tool_post_run(const post *p, mcpi_incoming *in) {
  mcpi_endpoint_stream *stream = NULL;
  int rc = tool_post_open_stream(p, &stream);
  if (rc == MCP_ERR_CLOSED) {
    tool_post_refuse(p, 503, MCP_RPC_INTERNAL_ERROR,
                     "the server is shutting down");
  } else if (rc != 0) {
    tool_post_refuse(p, 500, MCP_RPC_INTERNAL_ERROR, mcp_error_text(rc));
  } else {
    tool_post_hand_over(p, stream, in);
  }
}

static void run_translated(const post *p, mcpi_message *message) {
  const mcp_http *http = p->exchange->http;
  const mcp_loop *loop = http->shard->loop;
  mcpi_envelope envelope;
  mcpi_incoming in;
  int rc = mcpi_envelope_read(&envelope, message->root, &loop->allocator,
                              loop->hash_seed);
  if (rc != 0) {
    tool_post_refuse(p, 500, MCP_RPC_INTERNAL_ERROR, mcp_error_text(rc));
  } else if (envelope.kind != MCPI_REQUEST) {
    tool_post_refuse(p, 400, MCP_RPC_INVALID_REQUEST, envelope.reason);
  } else {
    mcpi_incoming_classify(&in, http->server->options.eras, message, &envelope);
    tool_post_run(p, &in);
  }
}

static void translate_request(const post *p) {
  mcpi_message *message = NULL;
  int rc = parse_translated(p, &message);
  if (rc == MCP_ERR_NOMEM) {
    tool_post_refuse(p, 500, MCP_RPC_INTERNAL_ERROR, mcp_error_text(rc));
  } else if (rc != 0) {
    tool_post_refuse(p, 400, MCP_RPC_INVALID_REQUEST,
                     "it is nested too deeply");
  } else {
    run_translated(p, message);
  }
  mcpi_message_unref(message);
}

/* The id of a request without an id. */
static mcpi_id no_id(void) {
  static const char text[] = "unknown";
  static const yyjson_val value = {.tag = YYJSON_TYPE_STR |
                                          (sizeof(text) - 1) << YYJSON_TAG_BIT,
                                   .uni = {.str = text}};
  return (mcpi_id){MCPI_ID_STRING, mcp_json_from_yyjson(&value)};
}

/* Uses the request as it was read: its object serves as MCP's parameters. */
static void take_request(const post *p) {
  const mcp_server *server = p->exchange->http->server;
  uint32_t modern = server->options.eras & MCP_ERA_MODERN;
  const mcpi_envelope envelope = {
      .kind = MCPI_REQUEST,
      .id = p->request.id.kind != MCPI_ID_NONE ? p->request.id : no_id(),
      .method = MCPI_STR("tools/call"),
      .params = p->request.object,
  };
  mcpi_incoming in;
  in.message = p->message;
  in.envelope = &envelope;
  in.method = &mcpi_methods[MCPI_M_TOOLS_CALL];
  in.class = modern != 0 ? MCPI_CLASS_MODERN : MCPI_CLASS_LEGACY;
  in.context = (mcpi_context){.revision = mcpi_revision_newest(modern)};
  tool_post_run(p, &in);
}

/* Whether MCP reads the object in the same way. */
static int is_mcp(const post *p) {
  const mcp_loop *loop = p->exchange->http->shard->loop;
  int oom = 0;
  return mcpi_tool_request_is_plain(&p->request) &&
         mcpi_json_duplicate_within(p->request.arguments, &loop->allocator,
                                    loop->hash_seed, &oom) == NULL &&
         !oom;
}

static void call_tool(const post *p) {
  if (is_mcp(p)) {
    take_request(p);
  } else {
    translate_request(p);
  }
}

void mcpi_endpoint_on_tool(mcp_http_exchange *exchange, const char *body,
                           size_t len) {
  post p = {.exchange = exchange};
  if (mcpi_endpoint_trace(exchange, 0, mcpi_str_n(body, len)) &&
      read_request(&p, body, len)) {
    if (p.request.is_ping) {
      mcpi_endpoint_respond_json(exchange, 200, MCPI_STR("{\"ok\":true}"), NULL,
                                 0);
    } else {
      call_tool(&p);
    }
  }
  mcpi_message_unref(p.message);
}
