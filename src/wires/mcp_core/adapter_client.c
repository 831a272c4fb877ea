/* SPDX-License-Identifier: MIT */
/* A client's side of the mcp-core dialect on an ordered transport. Requests
 * have our ids 1, 2, 3 and so on, and an answer is known by its id. An answer
 * to a bare request is known by its place: each line answers the oldest
 * request.
 *
 * MCP requests other than tools/call are answered here, in a later turn of the
 * loop. */
#include "wires/mcp_core/adapter.h"

#include "base/list.h"
#include "core/outgoing.h"
#include "core/redact.h"
#include "wires/mcp_core/answer.h"

enum {
  /* Limits the requests that wait for an answer. Cancelled requests count too,
   * as long as their lines have not come. */
  MAX_WAITING = 64 * 1024
};

typedef struct waiting {
  mcpi_list link;
  uint64_t number;
  uint64_t request; /* the owner's number for it, and our number */
  uint64_t hash;    /* a hash of the text that was sent */
  int is_given_up;  /* cancelled: its answer is dropped */
  mcpi_buf id;      /* the owner's id */
} waiting;

/* An answer of our own that will be delivered. */
typedef struct told {
  mcpi_list link;
  mcpi_buf message;
} told;

typedef struct side {
  mcpi_adapter adapter;
  int form;
  mcpi_list waiting; /* the oldest first */
  size_t count;
  mcpi_list told;
  mcpi_timer turn;
} side;

static side *adapter_client_of(mcpi_adapter *adapter) {
  return MCPI_CONTAINER(adapter, side, adapter);
}

/* --- who waits ---------------------------------------------------------- */

static void adapter_client_forget(side *s, waiting *w) {
  mcpi_adapter_remove(&s->adapter, &w->number);
  mcpi_list_remove(&w->link);
  s->count--;
  mcpi_buf_deinit(&w->id);
  mcpi_free(&s->adapter.loop->allocator, w, sizeof(*w));
}

/* A trace that sees the message may cancel the request meanwhile. */
static void forget_number(side *s, uint64_t number) {
  waiting *w = mcpi_adapter_find_number(&s->adapter, number);
  if (w != NULL) {
    adapter_client_forget(s, w);
  }
}

static waiting *note(side *s, mcpi_str id) {
  const mcp_allocator *allocator = &s->adapter.loop->allocator;
  waiting *w = mcpi_calloc(allocator, 1, sizeof(*w));
  if (w == NULL) {
    return NULL;
  }
  mcpi_buf_init(&w->id, allocator, SIZE_MAX);
  mcpi_buf_puts(&w->id, id);
  mcpi_list_append(&s->waiting, &w->link);
  s->count++;
  if (mcpi_adapter_add(&s->adapter, &w->number, w) != 0 || w->id.error != 0) {
    adapter_client_forget(s, w);
    return NULL;
  }
  return w;
}

static waiting *adapter_client_oldest(const side *s) {
  return mcpi_list_is_empty(&s->waiting)
             ? NULL
             : MCPI_CONTAINER(s->waiting.next, waiting, link);
}

/* Finds the request that a message answers, by its id. */
static waiting *adapter_client_find(const side *s, const mcp_json *message) {
  return s->form == MCPI_TOOL_BARE
             ? adapter_client_oldest(s)
             : mcpi_adapter_find(&s->adapter, mcp_json_get(message, "id"));
}

/* --- answers ------------------------------------------------------------ */

/* The adapter may be gone afterwards. */
static void adapter_client_deliver(side *s, const mcpi_buf *text) {
  if (text->error == 0) {
    mcpi_adapter_deliver(&s->adapter, text);
  } else {
    mcpi_adapter_report(&s->adapter, text->error, "an answer is lost");
  }
}

/* Takes the text, which answers this request. */
static void adapter_client_tell(side *s, waiting *w, mcpi_buf *text) {
  int is_given_up = w->is_given_up;
  adapter_client_forget(s, w);
  if (!is_given_up) {
    adapter_client_deliver(s, text);
  }
  mcpi_buf_deinit(text);
}

static void adapter_client_answer(side *s, waiting *w, const mcp_json *reply) {
  mcpi_buf text;
  mcpi_buf_init(&text, &s->adapter.loop->allocator, SIZE_MAX);
  mcpi_tool_answer_put_mcp(&text, mcpi_buf_str(&w->id), reply);
  adapter_client_tell(s, w, &text);
}

static void adapter_client_refuse(side *s, waiting *w, const char *fault) {
  mcpi_buf text;
  mcpi_buf_init(&text, &s->adapter.loop->allocator, SIZE_MAX);
  mcpi_tool_fault_put_mcp(&text, mcpi_buf_str(&w->id), fault);
  adapter_client_tell(s, w, &text);
}

/* A program that sends back what it reads, such as cat, is not a server. */
static int adapter_client_is_echo(const side *s, const waiting *w,
                                  mcpi_str text) {
  return w->hash == mcpi_str_hash(text, s->adapter.loop->hash_seed);
}

/* Late answers to cancelled requests are usual. */
static int is_late(const side *s, const mcp_json *reply) {
  int64_t id;
  return mcp_json_try_int(mcp_json_get(reply, "id"), &id) == 0 && id > 0 &&
         (uint64_t)id <= s->adapter.last_number;
}

/* Messages that servers send without a request are ignored; a bare answer has
 * no such mark. */
static int is_unasked(const mcp_json *message) {
  return mcpi_tool_answer_kind(message) == MCPI_TOOL_NO_ANSWER &&
         (mcpi_json_get(message, "type") != NULL ||
          mcpi_json_get(message, "event") != NULL ||
          mcpi_json_get(message, "method") != NULL);
}

/* Whether this is a bare answer, where answers have ids. */
static int is_bare(const side *s, const mcp_json *reply) {
  return s->form != MCPI_TOOL_BARE && mcpi_json_get(reply, "id") == NULL &&
         mcpi_json_get(reply, "jsonrpc") == NULL;
}

static int is_bare_result(const side *s, const mcp_json *reply) {
  return is_bare(s, reply) &&
         mcp_json_type(mcpi_json_get(reply, "content")) == MCP_JSON_ARRAY;
}

static void report_stray(side *s, const mcp_json *reply, mcpi_str text) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_NOT_FOUND, "an answer to an unknown request%s",
                is_bare(s, reply) ? ", without an id: its server may want "
                                    "bare requests (mcp-core-bare)"
                                  : "");
  mcpi_redact_quote(&s->adapter.loop->allocator, text, &err);
  mcpi_adapter_report(&s->adapter, err.code, err.message);
}

/* Handles an answer without an id, or with an id that was never used. It
 * belongs to one of the waiting requests, which otherwise gets no answer. If
 * exactly one request waits, it ends with the error, or with an error in place
 * of the result, since a result may be a late one of another request. If
 * several wait, the request ends by its own time limit. */
static void on_stray(side *s, const mcp_json *reply, mcpi_str text) {
  int kind = mcpi_tool_answer_kind(reply);
  waiting *w = s->count == 1 ? adapter_client_oldest(s) : NULL;
  if (w != NULL && kind == MCPI_TOOL_ERROR) {
    adapter_client_answer(s, w, reply);
  } else if (w != NULL && kind == MCPI_TOOL_RESPONSE) {
    adapter_client_refuse(s, w, "its id is not the request's");
  } else if (w != NULL && is_bare_result(s, reply)) {
    adapter_client_refuse(
        s, w,
        "it has no id; a server that answers so wants bare requests "
        "(mcp-core-bare)");
  } else {
    report_stray(s, reply, text);
  }
}

/* Handles a line that is not JSON; its text is not known if the line was too
 * long. With bare requests the line takes the place of an answer. */
static void on_unreadable(side *s, const mcp_error *err, mcpi_str line) {
  waiting *w = s->form == MCPI_TOOL_BARE ? adapter_client_oldest(s) : NULL;
  int is_oom = err->code == MCP_ERR_NOMEM;
  mcp_error shown = *err;
  mcpi_buf text;
  if (w == NULL) {
    mcpi_redact_quote(&s->adapter.loop->allocator, line, &shown);
    mcpi_adapter_report(&s->adapter, shown.code, shown.message);
    return;
  }
  mcpi_buf_init(&text, &s->adapter.loop->allocator, SIZE_MAX);
  mcpi_tool_refusal_put(&text, mcpi_buf_str(&w->id),
                        is_oom ? MCP_RPC_INTERNAL_ERROR : MCP_RPC_PARSE_ERROR,
                        mcpi_str_z(err->message));
  adapter_client_tell(s, w, &text);
}

static void adapter_client_on_lost(mcpi_adapter *adapter,
                                   const mcp_error *err) {
  on_unreadable(adapter_client_of(adapter), err, mcpi_str_n(NULL, 0));
}

static void adapter_client_on_message(mcpi_adapter *adapter, const char *text,
                                      size_t len) {
  side *s = adapter_client_of(adapter);
  mcpi_message *message;
  mcp_error err;
  if (mcpi_adapter_parse(adapter, &message, text, len, &err) != 0) {
    on_unreadable(s, &err, mcpi_str_n(text, len));
    return;
  }
  waiting *w = adapter_client_find(s, message->root);
  if (w != NULL && adapter_client_is_echo(s, w, mcpi_str_n(text, len))) {
    adapter_client_refuse(s, w,
                          "it repeats the request; is the far side a server?");
  } else if (w != NULL) {
    adapter_client_answer(s, w, message->root);
  } else if (!is_unasked(message->root) && !is_late(s, message->root)) {
    on_stray(s, message->root, mcpi_str_n(text, len));
  }
  mcpi_message_unref(message);
}

/* --- what is answered here ---------------------------------------------- */

static void free_told(side *s, told *t) {
  mcpi_list_remove(&t->link);
  mcpi_buf_deinit(&t->message);
  mcpi_free(&s->adapter.loop->allocator, t, sizeof(*t));
}

/* Delivers one answer in a turn: a caller that asks again at each answer does
 * not keep others from running. */
static void adapter_client_on_turn(mcpi_timer *timer) {
  side *s = MCPI_CONTAINER(timer, side, turn);
  mcp_loop *loop = s->adapter.loop;
  told *t = MCPI_CONTAINER(s->told.next, told, link);
  mcpi_list_remove(&t->link);
  if (!mcpi_list_is_empty(&s->told)) {
    mcpi_loop_start_timer(loop, timer, 0); /* there is room for the timer */
  }
  mcpi_adapter_deliver(&s->adapter, &t->message);
  mcpi_buf_deinit(&t->message);
  mcpi_free(&loop->allocator, t, sizeof(*t));
}

static int adapter_client_answer_here(side *s, mcpi_outgoing *message) {
  const mcp_send_info *info = &message->info;
  const mcp_allocator *allocator = &s->adapter.loop->allocator;
  const mcp_json *params = NULL;
  int rc = mcpi_outgoing_params(message, &params);
  if (rc != 0) {
    return rc;
  }
  told *t = mcpi_calloc(allocator, 1, sizeof(*t));
  if (t == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcpi_buf_init(&t->message, allocator, SIZE_MAX);
  mcpi_list_init(&t->link);
  mcpi_tool_local_put(&t->message, mcpi_str_n(info->id, info->id_len),
                      mcpi_str_z(info->method), params);
  rc = t->message.error;
  if (rc == 0) {
    rc = mcpi_loop_start_timer(s->adapter.loop, &s->turn, 0);
  }
  if (rc != 0) {
    free_told(s, t);
    return rc;
  }
  mcpi_list_append(&s->told, &t->link);
  return 0;
}

/* --- requests ----------------------------------------------------------- */

static int send_call(side *s, const mcp_send_info *info) {
  mcp_transport *inner = s->adapter.inner;
  const mcpi_tool_request request = {.form = s->form,
                                     .name =
                                         mcpi_str_n(info->name, info->name_len),
                                     .arguments = info->arguments};
  if (s->count >= MAX_WAITING) {
    return MCP_ERR_LIMIT;
  }
  waiting *w = note(s, mcpi_str_n(info->id, info->id_len));
  if (w == NULL) {
    return MCP_ERR_NOMEM;
  }
  w->request = info->request;
  char number[MCPI_ADAPTER_NUMBER_SIZE];
  uint64_t sent = w->number;
  mcpi_buf text;
  mcpi_guard guard;
  mcpi_buf_init(&text, &s->adapter.loop->allocator, SIZE_MAX);
  mcpi_tool_request_put(&request, mcpi_adapter_number_put(number, sent), &text);
  w->hash = mcpi_str_hash(mcpi_buf_str(&text), s->adapter.loop->hash_seed);
  /* The information about the message does not hold for its translation. */
  const mcp_send_info known = {.size = sizeof(known),
                               .request = info->request,
                               .is_idempotent = info->is_idempotent,
                               .is_final = info->is_final};
  mcpi_guard_enter(&s->adapter.guard, &guard);
  int rc = text.error != 0 ? text.error
                           : inner->send(inner, text.data, text.len, &known);
  mcpi_buf_deinit(&text);
  if (mcpi_guard_leave(&s->adapter.guard, &guard) && rc != 0) {
    forget_number(s, sent);
  }
  return rc;
}

/* The peer cannot cancel. A bare request keeps its place, since its line will
 * come; otherwise its late answer is dropped. */
static void adapter_client_on_cancelled(side *s, mcpi_str id) {
  mcpi_list *link = s->waiting.next;
  while (link != &s->waiting) {
    waiting *w = MCPI_CONTAINER(link, waiting, link);
    link = link->next;
    if (!mcpi_str_eq(mcpi_buf_str(&w->id), id)) {
      continue;
    }
    w->is_given_up = 1;
    if (s->form != MCPI_TOOL_BARE) {
      adapter_client_forget(s, w);
    }
  }
}

static int read_cancelled(side *s, mcpi_outgoing *message) {
  char number[MCPI_ADAPTER_NUMBER_SIZE];
  const mcp_json *params = NULL;
  mcpi_buf id;
  if (message->info.cancels != 0) {
    adapter_client_on_cancelled(
        s, mcpi_adapter_number_put(number, message->info.cancels));
    return 0;
  }
  int rc = mcpi_outgoing_params(message, &params);
  mcpi_buf_init(&id, &s->adapter.loop->allocator, SIZE_MAX);
  mcpi_id_put(&id, mcpi_id_read(mcp_json_get(params, "requestId")));
  adapter_client_on_cancelled(s, mcpi_buf_str(&id));
  mcpi_buf_deinit(&id);
  return rc;
}

static int adapter_client_method_is(const mcp_send_info *info,
                                    const char *method) {
  return info->method != NULL && strcmp(info->method, method) == 0;
}

/* The peer does not understand other messages of the owner. */
static int adapter_client_on_send(mcpi_adapter *adapter, const char *text,
                                  size_t len, const mcp_send_info *known) {
  side *s = adapter_client_of(adapter);
  mcpi_outgoing message;
  const mcp_send_info *info = &message.info;
  int rc =
      mcpi_outgoing_init(&message, &adapter->loop->allocator, text, len, known);
  if (rc == 0 && adapter_client_method_is(info, "notifications/cancelled")) {
    rc = read_cancelled(s, &message);
  } else if (rc == 0 && info->kind == MCP_MESSAGE_REQUEST) {
    rc = adapter_client_method_is(info, "tools/call")
             ? send_call(s, info)
             : adapter_client_answer_here(s, &message);
  }
  mcpi_outgoing_deinit(&message);
  return rc;
}

/* --- the end ------------------------------------------------------------ */

/* The owner ends the requests when it learns that the channel has ended. */
static void forget_all(side *s) {
  while (!mcpi_list_is_empty(&s->waiting)) {
    adapter_client_forget(s, adapter_client_oldest(s));
  }
}

static void adapter_client_on_restart(mcpi_adapter *adapter) {
  forget_all(adapter_client_of(adapter));
}

/* No answer will come for the request. */
static void adapter_client_on_request_failed(mcpi_adapter *adapter,
                                             uint64_t request) {
  side *s = adapter_client_of(adapter);
  mcpi_list *link = s->waiting.next;
  for (; link != &s->waiting; link = link->next) {
    waiting *w = MCPI_CONTAINER(link, waiting, link);
    if (w->request == request) {
      adapter_client_forget(s, w);
      return;
    }
  }
}

static void adapter_client_on_close(mcpi_adapter *adapter) {
  side *s = adapter_client_of(adapter);
  mcpi_loop_stop_timer(adapter->loop, &s->turn);
}

static size_t adapter_client_held(const mcpi_adapter *adapter) {
  (void)adapter;
  return 0;
}

static void adapter_client_free_side(mcpi_adapter *adapter) {
  side *s = adapter_client_of(adapter);
  mcp_loop *loop = adapter->loop;
  mcpi_loop_stop_timer(loop, &s->turn);
  forget_all(s);
  while (!mcpi_list_is_empty(&s->told)) {
    free_told(s, MCPI_CONTAINER(s->told.next, told, link));
  }
  mcpi_adapter_deinit(adapter);
  mcpi_free(&loop->allocator, s, sizeof(*s));
}

mcpi_adapter *mcpi_adapter_client_new(mcp_loop *loop, mcp_transport *inner,
                                      int form) {
  static const mcpi_adapter_ops ops = {adapter_client_on_message,
                                       adapter_client_on_lost,
                                       adapter_client_on_send,
                                       adapter_client_on_restart,
                                       adapter_client_on_request_failed,
                                       adapter_client_on_close,
                                       adapter_client_held,
                                       adapter_client_free_side};
  side *s = mcpi_calloc(&loop->allocator, 1, sizeof(*s));
  if (s == NULL) {
    return NULL;
  }
  mcpi_adapter_init(&s->adapter, &ops, loop, inner);
  s->form = form;
  s->turn.on_due = adapter_client_on_turn;
  mcpi_list_init(&s->waiting);
  mcpi_list_init(&s->told);
  return &s->adapter;
}
