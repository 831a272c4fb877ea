/* SPDX-License-Identifier: MIT */
/* A server's side of the mcp-core dialect on an ordered transport.
 *
 * Each line takes a place in a queue, and gets one line as its answer, even if
 * it is not JSON: a client that sends no ids knows its answers by their order.
 * So an answer to a bare request waits until all before it are sent, and none
 * overtakes it; answers with ids may overtake one another.
 *
 *     head -> [3: has id] [4: bare, ready] [5: has id, ready] -> tail
 *              nothing is sent: 4 waits for 3, and 5 for 4
 *
 * The server sees a request under our number, since a client may use the same
 * id for two requests at once. */
#include "wires/mcp_core/adapter.h"

#include "base/list.h"
#include "wires/mcp_core/answer.h"
#include <stdio.h>

enum {
  /* Limits the requests that wait for their answers, and the bytes of answers
   * that wait for an earlier one. */
  MAX_WAITING = 16 * 1024,
  MAX_HELD = 64 * 1024 * 1024,
  /* Limits the idle places of a connection, and the bytes that each of their
   * buffers, and the buffer for requests, keeps: most of many connections are
   * silent. */
  MAX_IDLE = 16,
  KEPT_BYTES = 512,
  KEPT_TEXT = 4 * 1024
};

typedef struct place {
  mcpi_list link;
  uint64_t number; /* the id that the server sees */
  int form;
  int is_ready;
  mcpi_buf id;     /* the client's id; MCPI_TOOL_NO_ID if there is none */
  mcpi_buf answer; /* set when it is ready */
} place;

typedef struct side {
  mcpi_adapter adapter;
  mcpi_list places;
  size_t count;
  size_t bare_count; /* the number of places that are known by their order */
  size_t held;       /* bytes of answers held back, ... */
  mcpi_share share;  /* ... which count in this share, unless it is all zero */
  int is_sending;    /* inside write_out: other ready answers wait */
  int has_more;      /* ... and there are some */
  place *reading;    /* the place whose request is being passed on */
  mcpi_list idle;
  size_t idle_count;
  /* A translated request; while this is in use, another buffer is. */
  mcpi_buf text;
  int has_session; /* legacy: the handshake is done */
  int is_closing;
} side;

static side *adapter_server_of(mcpi_adapter *adapter) {
  return MCPI_CONTAINER(adapter, side, adapter);
}

/* --- places ------------------------------------------------------------- */

static place *adapter_server_make(side *s) {
  const mcp_allocator *allocator = &s->adapter.loop->allocator;
  place *p = mcpi_calloc(allocator, 1, sizeof(*p));
  if (p != NULL) {
    mcpi_list_init(&p->link);
    mcpi_buf_init(&p->id, allocator, SIZE_MAX);
    mcpi_buf_init(&p->answer, allocator, SIZE_MAX);
  }
  return p;
}

static void adapter_server_destroy(const mcp_allocator *allocator, place *p) {
  mcpi_list_remove(&p->link);
  mcpi_buf_deinit(&p->id);
  mcpi_buf_deinit(&p->answer);
  mcpi_free(allocator, p, sizeof(*p));
}

static place *adapter_server_take_idle(side *s) {
  if (mcpi_list_is_empty(&s->idle)) {
    return adapter_server_make(s);
  }
  place *p = MCPI_CONTAINER(s->idle.next, place, link);
  mcpi_list_remove(&p->link);
  s->idle_count--;
  return p;
}

/* Appends a new place; NULL when out of memory. */
static place *adapter_server_take(side *s) {
  place *p = adapter_server_take_idle(s);
  if (p == NULL) {
    return NULL;
  }
  p->is_ready = 0;
  p->form = MCPI_TOOL_BARE;
  if (mcpi_adapter_add(&s->adapter, &p->number, p) != 0) {
    adapter_server_destroy(&s->adapter.loop->allocator, p);
    return NULL;
  }
  mcpi_list_append(&s->places, &p->link);
  s->count++;
  s->bare_count++;
  return p;
}

static void set_form(side *s, place *p, int form) {
  p->form = form;
  s->bare_count -= form != MCPI_TOOL_BARE;
}

/* Removes a place from the queue. */
static void detach(side *s, place *p) {
  mcpi_adapter_remove(&s->adapter, &p->number);
  mcpi_list_remove(&p->link);
  s->reading = s->reading == p ? NULL : s->reading;
  s->count--;
  s->bare_count -= p->form == MCPI_TOOL_BARE;
  s->held -= p->answer.len;
}

static void keep_idle(side *s, place *p) {
  if (s->idle_count >= MAX_IDLE) {
    adapter_server_destroy(&s->adapter.loop->allocator, p);
    return;
  }
  mcpi_buf_recycle(&p->id, KEPT_BYTES);
  mcpi_buf_recycle(&p->answer, KEPT_BYTES);
  mcpi_list_append(&s->idle, &p->link);
  s->idle_count++;
}

/* --- what goes out ------------------------------------------------------ */

/* Returns 0, or why the inner transport did not take the answer. An answer that
 * cannot be sent at all ends the channel, since its client would wait
 * indefinitely. A trace that sees the answer may answer other calls, which wait
 * after it, or end everything: after MCP_ERR_CLOSED the adapter may be gone. */
static int adapter_server_write_out(side *s, place *p) {
  const mcp_allocator *allocator = &s->adapter.loop->allocator;
  mcp_transport *inner = s->adapter.inner;
  mcpi_guard guard;
  int rc = p->id.error != 0 ? p->id.error : p->answer.error;
  detach(s, p);
  s->is_sending = 1;
  mcpi_guard_enter(&s->adapter.guard, &guard);
  if (rc == 0) {
    rc = inner->send(inner, p->answer.data, p->answer.len, NULL);
  }
  if (!mcpi_guard_leave(&s->adapter.guard, &guard)) {
    adapter_server_destroy(allocator, p);
    return MCP_ERR_CLOSED;
  }
  s->is_sending = 0;
  keep_idle(s, p);
  return rc;
}

/* Sends all answers that may be sent. Without bare requests in the queue these
 * are all ready answers. Otherwise they are the ready ones before the first
 * that is not ready, and answers with ids before the first bare one. */
static int adapter_server_flush(side *s) {
  mcpi_list *link = s->places.next;
  int rc = 0;
  int is_first = 1;
  while (rc == 0 && link != &s->places) {
    place *p = MCPI_CONTAINER(link, place, link);
    link = link->next;
    if (p->is_ready && (is_first || p->form != MCPI_TOOL_BARE)) {
      rc = adapter_server_write_out(s, p);
      continue;
    }
    is_first = 0;
    if (p->form == MCPI_TOOL_BARE) {
      break;
    }
  }
  return rc;
}

/* Returns 0, or MCP_ERR_LIMIT: too much is held back, here or on all
 * connections. */
static int adapter_server_count_held(side *s) {
  if (s->held > MAX_HELD) {
    return MCP_ERR_LIMIT;
  }
  if (s->share.quota == NULL) {
    return 0;
  }
  return mcpi_share_change(&s->share, mcpi_share_used(&s->share), s->held)
             ? 0
             : MCP_ERR_LIMIT;
}

static int adapter_server_finish(side *s, place *p) {
  p->is_ready = 1;
  s->held += p->answer.len;
  int rc = 0;
  if (s->is_sending) {
    s->has_more = 1;
  } else {
    rc = s->bare_count == 0 ? adapter_server_write_out(s, p)
                            : adapter_server_flush(s);
    while (rc == 0 && s->has_more) {
      s->has_more = 0;
      rc = adapter_server_flush(s);
    }
  }
  return rc != 0 ? rc : adapter_server_count_held(s);
}

static int adapter_server_refuse(side *s, place *p, int rpc_code,
                                 const char *message) {
  mcpi_tool_refusal_put(&p->answer, mcpi_buf_str(&p->id), rpc_code,
                        mcpi_str_z(message));
  return adapter_server_finish(s, p);
}

/* --- the owner's answers ------------------------------------------------ */

/* Finds the place of an answer. One without an id is about the message that is
 * being passed on: the server could not read it. */
static place *adapter_server_find(const side *s, const mcp_json *answer) {
  const mcp_json *id = mcpi_json_get(answer, "id");
  return mcpi_id_read(id).kind <= MCPI_ID_NULL
             ? s->reading
             : mcpi_adapter_find(&s->adapter, id);
}

static void adapter_server_translate(place *p, const mcp_json *answer) {
  mcpi_str id = mcpi_buf_str(&p->id);
  const mcp_json *result = mcpi_json_get(answer, "result");
  if (result == NULL) {
    mcpi_tool_error_put(&p->answer, id, mcpi_json_get(answer, "error"));
  } else if (mcpi_tool_asks(result)) {
    mcpi_tool_refusal_put(&p->answer, id, MCP_RPC_INTERNAL_ERROR,
                          mcpi_str_z(mcpi_tool_cannot_ask));
  } else {
    mcpi_tool_response_put(&p->answer, p->form, id, result);
  }
}

/* The dialect has no progress, log messages and changes of lists. */
static int adapter_server_on_send(mcpi_adapter *adapter, const char *text,
                                  size_t len, const mcp_send_info *info) {
  side *s = adapter_server_of(adapter);
  mcpi_message *message;
  (void)info;
  int rc = mcpi_adapter_parse(adapter, &message, text, len, NULL);
  if (rc != 0) {
    return rc;
  }
  place *p = mcpi_tool_answer_kind(message->root) != MCPI_TOOL_NO_ANSWER
                 ? adapter_server_find(s, message->root)
                 : NULL;
  if (p != NULL && !p->is_ready) {
    adapter_server_translate(p, message->root);
    rc = adapter_server_finish(s, p);
  }
  mcpi_message_unref(message);
  return rc;
}

/* --- requests ----------------------------------------------------------- */

/* Opens a session with a server of the legacy era only, like a client without
 * capabilities. Its answers have ids that no place has. Returns 0 if the
 * adapter was freed. */
static int adapter_server_open_session(side *s) {
  char initialize[256];
  const char *messages[] = {
      initialize,
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"};
  mcp_transport *transport = &s->adapter.transport;
  mcpi_guard guard;
  snprintf(
      initialize, sizeof(initialize),
      "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
      "\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":"
      "{\"name\":\"mcp-core\",\"version\":\"\"}}}",
      mcpi_revision_newest(MCP_ERA_LEGACY)->name);
  s->has_session = 1;
  mcpi_guard_enter(&s->adapter.guard, &guard);
  for (size_t i = 0; i < 2 && !guard.is_gone; i++) {
    transport->on_message(transport, messages[i], strlen(messages[i]));
  }
  return mcpi_guard_leave(&s->adapter.guard, &guard);
}

/* The adapter may be gone afterwards. Returns 0, or why the answer cannot be
 * sent. */
static int adapter_server_hand_over(side *s, place *p,
                                    const mcpi_tool_request *request) {
  mcpi_adapter *adapter = &s->adapter;
  int rc = 0;
  int is_there = 1;
  char number[MCPI_ADAPTER_NUMBER_SIZE];
  mcpi_buf text = s->text;
  mcpi_buf_init(&s->text, &adapter->loop->allocator, SIZE_MAX);
  mcpi_tool_request_put_mcp(request, mcpi_adapter_number_put(number, p->number),
                            adapter->modern, &text);
  if (text.error != 0) {
    rc = adapter_server_refuse(s, p, MCP_RPC_INTERNAL_ERROR,
                               mcp_error_text(text.error));
    /* It may still exist, but holds nothing then. */
    is_there = rc != MCP_ERR_CLOSED;
  } else if (adapter->modern != NULL || s->has_session ||
             adapter_server_open_session(s)) {
    s->reading = p;
    is_there = mcpi_adapter_deliver(adapter, &text);
  } else {
    is_there = 0;
  }
  if (is_there) {
    s->reading = NULL;
    mcpi_buf_deinit(&s->text);
    mcpi_buf_recycle(&text, KEPT_TEXT);
    s->text = text;
  } else {
    mcpi_buf_deinit(&text);
  }
  return rc;
}

static int adapter_server_answer_ping(side *s, place *p) {
  mcpi_buf_lit(&p->answer, "{\"ok\":true}");
  return adapter_server_finish(s, p);
}

static int adapter_server_on_request(side *s, place *p,
                                     const mcpi_message *message) {
  mcp_loop *loop = s->adapter.loop;
  mcpi_tool_request request;
  mcp_error err;
  int rc = mcpi_tool_request_read(&request, message->root, &loop->allocator,
                                  loop->hash_seed, &err);
  set_form(s, p, request.form);
  mcpi_tool_id_put(&p->id, request.id);
  if (rc != 0) {
    return adapter_server_refuse(s, p, err.status, err.message);
  }
  return request.is_ping ? adapter_server_answer_ping(s, p)
                         : adapter_server_hand_over(s, p, &request);
}

static int refuse_unread(side *s, place *p, const mcp_error *err) {
  mcpi_tool_id_put(&p->id, (mcpi_id){MCPI_ID_NONE, NULL});
  return adapter_server_refuse(
      s, p,
      err->code == MCP_ERR_NOMEM ? MCP_RPC_INTERNAL_ERROR : MCP_RPC_PARSE_ERROR,
      err->message);
}

/* Without a place for the answer the order would be lost, so the channel
 * ends. */
static void adapter_server_give_up(side *s, int code, const char *why) {
  mcp_transport *inner = s->adapter.inner;
  if (mcpi_adapter_report(&s->adapter, code, why)) {
    inner->close(inner);
  }
}

/* Takes a place for a message. NULL: there is none, and the adapter may be
 * gone. */
static place *take_or_give_up(side *s) {
  place *p = NULL;
  if (s->count >= MAX_WAITING) {
    adapter_server_give_up(s, MCP_ERR_LIMIT,
                           "too many requests wait for their answers");
    return NULL;
  }
  p = adapter_server_take(s);
  if (p == NULL) {
    adapter_server_give_up(s, MCP_ERR_NOMEM, "out of memory");
  }
  return p;
}

static void give_up_if_failed(side *s, int rc) {
  if (rc != 0 && rc != MCP_ERR_CLOSED) {
    adapter_server_give_up(s, rc, "an answer could not be sent");
  }
}

/* The owner reports the lost message; its client also gets one line as an
 * answer. */
static void adapter_server_on_lost(mcpi_adapter *adapter,
                                   const mcp_error *err) {
  side *s = adapter_server_of(adapter);
  if (s->is_closing || !mcpi_adapter_report(adapter, err->code, err->message) ||
      s->is_closing) {
    return;
  }
  place *p = take_or_give_up(s);
  if (p != NULL) {
    give_up_if_failed(s, refuse_unread(s, p, err));
  }
}

static void adapter_server_on_message(mcpi_adapter *adapter, const char *text,
                                      size_t len) {
  side *s = adapter_server_of(adapter);
  mcpi_message *message = NULL;
  mcp_error err;
  place *p = s->is_closing ? NULL : take_or_give_up(s);
  if (p == NULL) {
    return;
  }
  int rc = mcpi_adapter_parse(adapter, &message, text, len, &err) == 0
               ? adapter_server_on_request(s, p, message)
               : refuse_unread(s, p, &err);
  mcpi_message_unref(message);
  give_up_if_failed(s, rc);
}

/* --- the end ------------------------------------------------------------ */

/* Each line gets an answer, even if the server gives none. */
static void adapter_server_on_close(mcpi_adapter *adapter) {
  side *s = adapter_server_of(adapter);
  if (s->is_closing) {
    return;
  }
  s->is_closing = 1;
  mcpi_list *link = s->places.next;
  for (; link != &s->places; link = link->next) {
    place *p = MCPI_CONTAINER(link, place, link);
    if (!p->is_ready) {
      mcpi_tool_refusal_put(&p->answer, mcpi_buf_str(&p->id),
                            MCP_RPC_INTERNAL_ERROR,
                            MCPI_STR("the server is shutting down"));
      p->is_ready = 1;
      s->held += p->answer.len;
    }
  }
  if (!s->is_sending) {
    adapter_server_flush(s);
  }
}

static void drop_places(side *s) {
  while (!mcpi_list_is_empty(&s->places)) {
    place *p = MCPI_CONTAINER(s->places.next, place, link);
    detach(s, p);
    keep_idle(s, p);
  }
}

static void adapter_server_on_restart(mcpi_adapter *adapter) {
  drop_places(adapter_server_of(adapter));
}

static size_t adapter_server_held(const mcpi_adapter *adapter) {
  const side *s = MCPI_CONTAINER(adapter, const side, adapter);
  return s->held;
}

static void adapter_server_free_side(mcpi_adapter *adapter) {
  side *s = adapter_server_of(adapter);
  mcp_loop *loop = adapter->loop;
  drop_places(s);
  while (!mcpi_list_is_empty(&s->idle)) {
    adapter_server_destroy(&loop->allocator,
                           MCPI_CONTAINER(s->idle.next, place, link));
  }
  mcpi_adapter_deinit(adapter);
  mcpi_buf_deinit(&s->text);
  mcpi_share_deinit(&s->share);
  mcpi_free(&loop->allocator, s, sizeof(*s));
}

void mcpi_adapter_server_count(mcpi_adapter *adapter, const mcpi_share *like) {
  mcpi_share_init_like(&adapter_server_of(adapter)->share, like);
}

mcpi_adapter *mcpi_adapter_server_new(mcp_loop *loop, mcp_transport *inner) {
  static const mcpi_adapter_ops ops = {adapter_server_on_message,
                                       adapter_server_on_lost,
                                       adapter_server_on_send,
                                       adapter_server_on_restart,
                                       NULL,
                                       adapter_server_on_close,
                                       adapter_server_held,
                                       adapter_server_free_side};
  side *s = mcpi_calloc(&loop->allocator, 1, sizeof(*s));
  if (s == NULL) {
    return NULL;
  }
  mcpi_adapter_init(&s->adapter, &ops, loop, inner);
  mcpi_list_init(&s->places);
  mcpi_list_init(&s->idle);
  mcpi_buf_init(&s->text, &loop->allocator, SIZE_MAX);
  return &s->adapter;
}
