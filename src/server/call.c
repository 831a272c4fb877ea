/* SPDX-License-Identifier: MIT */
/* The life of a call's structure.
 *
 * Each of these holds the structure as long as it needs it: the dispatcher
 * while it looks for a handler, the handler while it runs, the program from
 * mcp_call_defer to its reply, questions in flight, an open listen. The last
 * hold returns it to the shard's free list. Only the loop's thread counts
 * holds; other threads post what they do to a call to the loop first
 * (call_run.c). */
#include "server/call.h"

#include "base/error.h"
#include "base/profile.h"
#include "schema/structs/struct_type.h"
#include "server/ask.h"
#include "server/listen.h"
#include "server/reply.h"
#include "json/builder.h"

#include <stddef.h>

/* --- the free list ------------------------------------------------------ */

static void init_buffers(mcp_call *call) {
  const mcp_allocator *allocator = &call->shard->server->allocator;
  mcpi_buf *const bufs[] = {&call->id, &call->out, &call->tail, &call->meta,
                            &call->error_data};
  for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++) {
    mcpi_buf_init(bufs[i], allocator, SIZE_MAX);
  }
}

static void free_call(mcp_call *call, const mcp_allocator *allocator) {
  mcpi_buf *const bufs[] = {&call->id, &call->out, &call->tail, &call->meta,
                            &call->error_data};
  for (size_t i = 0; i < sizeof(bufs) / sizeof(bufs[0]); i++) {
    mcpi_buf_deinit(bufs[i]);
  }
  mcp_builder_free(call->builder);
  mcpi_free(allocator, call, sizeof(*call));
}

static mcp_call *call_make(mcpi_shard *shard) {
  const mcp_allocator *allocator = &shard->server->allocator;
  mcp_call *call = mcpi_calloc(allocator, 1, sizeof(*call));
  if (call == NULL) {
    return NULL;
  }
  call->shard = shard;
  init_buffers(call);
  if (mcpi_buf_reserve(&call->out, MCPI_PROFILE_REPLY) == NULL) {
    free_call(call, allocator);
    return NULL;
  }
  return call;
}

static mcp_call *call_take_idle(mcpi_shard *shard) {
  mcp_call *call = shard->idle_calls;
  if (call != NULL) {
    shard->idle_calls = call->next;
    shard->idle_call_count--;
    call->next = NULL;
  }
  return call;
}

mcp_call *mcpi_call_new(mcpi_shard *shard) {
  mcp_call *call = call_take_idle(shard);
  if (call == NULL) {
    call = call_make(shard);
  }
  if (call != NULL) {
    shard->call_count++;
    call->holds = 1;
    call->role = MCP_ROLE_USER;
    call->reply_kind = MCPI_REPLY_KIND_OTHER;
    mcpi_list_init(&call->link);
    mcpi_list_init(&call->cancelled_link);
    atomic_init(&call->reply, MCPI_REPLY_OWED);
    atomic_init(&call->asked_late, 0);
    atomic_init(&call->cancelled, 0);
  }
  return call;
}

void mcpi_calls_free_idle(mcpi_shard *shard) {
  mcp_call *call;
  while ((call = call_take_idle(shard)) != NULL) {
    free_call(call, &shard->server->allocator);
  }
}

static void wipe(mcp_call *call) {
  const size_t kept = offsetof(mcp_call, link);
  memset((char *)call + kept, 0, sizeof(*call) - kept);
  call->error.code = 0;
  call->error.status = 0;
  call->error.offset = 0;
  call->error.message[0] = '\0';
  mcpi_buf_recycle(&call->id, MCPI_CALL_KEPT_BYTES);
  mcpi_buf_recycle(&call->out, MCPI_CALL_KEPT_BYTES);
  mcpi_buf_recycle(&call->tail, MCPI_CALL_KEPT_BYTES);
  mcpi_buf_recycle(&call->meta, MCPI_CALL_KEPT_BYTES);
  mcpi_buf_recycle(&call->error_data, MCPI_CALL_KEPT_BYTES);
  mcpi_builder_recycle(call->builder, MCPI_CALL_KEPT_BYTES);
}

void mcpi_call_attach(mcp_call *call, mcpi_caller *caller) {
  call->caller = caller;
  call->identity = caller->identity;
  call->identity->refs++;
  call->principal = call->identity->principal;
  call->peer = call->identity->peer;
  call->grant = caller->grant != NULL ? mcpi_grant_ref(caller->grant) : NULL;
  mcpi_list_append(&caller->calls, &call->link);
  caller->call_count++;
  mcpi_holder_add(call->identity->holder, MCPI_HELD_CALLS, 1);
  call->is_counted = 1;
}

void mcpi_call_uncount(mcp_call *call) {
  if (call->is_counted) {
    call->is_counted = 0;
    mcpi_holder_remove(call->identity->holder, MCPI_HELD_CALLS, 1);
  }
}

/* From the caller's list, or from the shard's. */
static void unlink_call(mcp_call *call) {
  mcpi_list_remove(&call->link);
  if (call->caller != NULL) {
    call->caller->call_count--;
    call->caller = NULL;
    call->session = NULL;
  }
}

static void free_structs(mcp_call *call) {
  while (call->structs != NULL) {
    mcpi_struct_head *head = call->structs;
    call->structs = head->next;
    mcpi_struct_release(head);
  }
}

static void drop_references(mcp_call *call) {
  mcpi_ask_free(call);
  free_structs(call);
  mcpi_message_unref(call->variables);
  if (call->client != NULL) {
    mcpi_unkeep(call->identity, call->client);
  }
  if (call->message != NULL) {
    mcpi_unkeep(call->identity, call->message);
  }
  if (call->own_bytes > 0) {
    mcpi_unkeep_bytes(call->identity, call->own_bytes);
  }
  if (call->grant != NULL) {
    mcpi_grant_unref(call->grant);
    mcpi_strfree(&call->shard->server->allocator, call->needed_scopes);
  }
  mcpi_call_uncount(call);
  mcpi_identity_unref(call->shard, call->identity);
}

void mcpi_call_forget_message(mcp_call *call) {
  call->method_name = mcpi_str_z(call->method->name);
  call->params = NULL;
  call->arguments = NULL;
  call->context.client_info = NULL;
  call->context.client_capabilities = NULL;
  call->context.progress_token = (mcpi_id){MCPI_ID_NONE, NULL};
  mcpi_unkeep(call->identity, call->message);
  call->message = NULL;
}

static void make_idle(mcp_call *call) {
  mcpi_shard *shard = call->shard;
  if (shard->idle_call_count + 1 > MCPI_PROFILE_IDLE_CALLS) {
    free_call(call, &shard->server->allocator);
    return;
  }
  wipe(call);
  call->next = shard->idle_calls;
  shard->idle_calls = call;
  shard->idle_call_count++;
}

/* The entry comes last, because its `release` is a callback of the program. */
static void call_release(mcp_call *call) {
  mcpi_entry *entry = call->entry;
  mcpi_call_mute(call);
  drop_references(call);
  unlink_call(call);
  call->shard->call_count--;
  make_idle(call);
  mcpi_entry_unref(entry);
}

void mcpi_call_unhold(mcp_call *call) {
  call->holds--;
  if (call->holds == 0) {
    call_release(call);
  }
}

/* --- nobody waits any more ---------------------------------------------- */

/* The id is free for another request. */
static void untrack(mcp_call *call) {
  mcpi_caller *caller = call->caller;
  if (caller != NULL && caller->rules.tracks_ids) {
    mcpi_peer_untrack(&caller->peer, &call->inflight);
  }
}

/* caller NULL: the call has left it. */
static void call_has_ended(mcpi_caller *caller) {
  if (caller != NULL) {
    mcpi_caller_call_ended(caller);
  }
}

void mcpi_call_mute(mcp_call *call) {
  if (call->sink == NULL) {
    return;
  }
  mcpi_sink *sink = call->sink;
  call->sink = NULL;
  untrack(call);
  if (sink->ops->ended != NULL) {
    sink->ops->ended(sink, call);
  }
  call_has_ended(call->caller);
}

static void tell_cancelled(mcp_call *call) {
  void (*told)(mcp_call * call, void *userdata) = call->on_cancel;
  call->on_cancel = NULL;
  if (told != NULL && !mcpi_call_is_finished(call)) {
    told(call, call->on_cancel_userdata);
  }
}

/* The last part of a cancellation, which may free what the program and the
 * extensions have made of the call. */
static void call_finish_cancel(mcp_call *call) {
  mcpi_list_remove(&call->cancelled_link);
  mcpi_ask_cancel(call);
  tell_cancelled(call);
  mcpi_call_unhold(call);
}

void mcpi_calls_tell_cancelled(mcpi_shard *shard) {
  mcpi_list *calls = &shard->cancelled_calls;
  while (!mcpi_list_is_empty(calls)) {
    call_finish_cancel(MCPI_CONTAINER(calls->next, mcp_call, cancelled_link));
  }
}

void mcpi_call_cancel(mcp_call *call) {
  mcpi_shard *shard = call->shard;
  if (call->sink == NULL) {
    return;
  }
  mcpi_call_hold(call);
  atomic_store(&call->cancelled, 1);
  mcpi_call_mute(call);
  if (call->listen != NULL) {
    mcpi_listen_end(call->listen, 0);
  }
  if (shard->sends > 0) {
    mcpi_list_append(&shard->cancelled_calls, &call->cancelled_link);
    shard->wants_sweep = 1;
  } else {
    call_finish_cancel(call);
  }
}

static void call_leave_caller(mcp_call *call) {
  unlink_call(call);
  mcpi_list_append(&call->shard->left_calls, &call->link);
}

/* No send is running: only a sweep detaches calls. */
void mcpi_call_detach(mcp_call *call) {
  mcpi_call_hold(call);
  mcpi_call_cancel(call);
  if (!mcpi_list_is_empty(&call->cancelled_link)) {
    call_finish_cancel(call);
  }
  call_leave_caller(call);
  mcpi_call_unhold(call);
}

/* --- errors ------------------------------------------------------------- */

int mcpi_call_fail(mcp_call *call, int code, int rpc, const char *format, ...) {
  va_list args;
  va_start(args, format);
  mcpi_error_set_v(&call->error, code, format, args);
  va_end(args);
  call->error_rpc = rpc;
  call->error_answer = MCPI_ANSWER_ERROR;
  mcpi_buf_clear(&call->error_data);
  return code;
}

int mcpi_call_fail_limit(mcp_call *call, int limit, const mcp_error *why) {
  mcpi_call_fail(call, MCP_ERR_LIMIT, MCP_RPC_INTERNAL_ERROR, "%s",
                 why->message);
  call->error_answer = MCPI_ANSWER_REFUSED;
  call->error_limit = limit;
  return MCP_ERR_LIMIT;
}

mcpi_str mcpi_call_client_message(const mcp_call *call) {
  const char *message = call->error.message;
  return call->error_rpc == MCP_RPC_INTERNAL_ERROR
             ? mcpi_str_n(message, mcpi_json_unquoted_len(message))
             : mcpi_str_z(message);
}

static void reply_refused(mcp_call *call) {
  int limit = call->error_limit;
  const mcp_error why = call->error;
  mcpi_reply_error(call, call->error_rpc, mcpi_str_z(why.message),
                   mcpi_str_z(NULL));
  mcpi_shard_refused(call->shard, limit, call->peer, why.message);
}

void mcpi_call_reply_recorded(mcp_call *call) {
  switch (call->error_answer) {
  case MCPI_ANSWER_REFUSED:
    reply_refused(call);
    break;
  case MCPI_ANSWER_BAD_ARGUMENT:
    mcpi_reply_bad_argument(call);
    break;
  default:
    mcpi_reply_error(call, call->error_rpc, mcpi_call_client_message(call),
                     mcpi_str_n(call->error_data.data, call->error_data.len));
  }
}

/* --- sending ------------------------------------------------------------ */

/* The first bytes of call->out are always allocated. */
static void put_failure(mcp_call *call) {
  const char *text = mcp_error_text(call->out.error);
  mcpi_buf_clear(&call->out);
  mcpi_put_error(&call->out, mcpi_str_n(call->id.data, call->id.len),
                 MCP_RPC_INTERNAL_ERROR, mcpi_str_z(text), mcpi_str_z(NULL));
  call->rpc_code = MCP_RPC_INTERNAL_ERROR;
}

static void tell_program(mcp_call *call, mcpi_str reply) {
  const mcp_server *server = call->shard->server;
  if (server->options.on_reply != NULL && !server->is_freed) {
    server->options.on_reply(call, reply.ptr, reply.len,
                             server->options.userdata);
  }
}

/* The id is free for another request before the answer is sent: the receiver
 * may use it at once. `send` may end the caller. Its memory stays until the
 * shard's outermost stack frame returns (caller.h). */
static int send_out(mcp_call *call) {
  mcpi_caller *caller = call->caller;
  mcpi_sink *sink = call->sink;
  int what = call->rpc_code != 0 ? MCPI_SEND_ERROR : MCPI_SEND_RESULT;
  call->sink = NULL;
  untrack(call);
  int rc = sink->ops->send(sink, call, what, call->rpc_code, call->out.data,
                           call->out.len);
  call_has_ended(caller);
  return rc;
}

/* The program's hook may cancel the call: then nothing is left to answer. */
int mcpi_call_answer_early(mcp_call *call, mcpi_sink *sink, mcpi_str result,
                           mcpi_sink *later) {
  tell_program(call, result);
  mcpi_caller *caller = call->caller;
  if (call->sink == NULL) {
    return MCP_ERR_GONE;
  }
  untrack(call);
  call_leave_caller(call);
  call->sink = later;
  int rc =
      sink->ops->send(sink, call, MCPI_SEND_RESULT, 0, result.ptr, result.len);
  mcpi_caller_call_ended(caller);
  return rc;
}

int mcpi_call_send(mcp_call *call) {
  if (!mcpi_call_has_reply(call)) {
    atomic_store(&call->reply, mcpi_call_is_deferred(call)
                                   ? MCPI_REPLY_GIVEN_LATER
                                   : MCPI_REPLY_GIVEN);
  }
  mcpi_call_set_finished(call);
  if (call->out.error != 0) {
    put_failure(call);
  }
  if (call->sink != NULL && call->out.error == 0) {
    tell_program(call, mcpi_buf_str(&call->out));
  }
  if (call->sink == NULL) { /* the hook may have cancelled the call */
    return MCP_ERR_GONE;
  }
  if (call->out.error != 0) { /* there was no memory even for the error */
    if (call->caller != NULL) {
      mcpi_caller_close(call->caller, 0);
    }
    return MCP_ERR_GONE;
  }
  return send_out(call);
}
