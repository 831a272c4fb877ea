/* SPDX-License-Identifier: MIT */
/* What a call has asked and what it knows: answers by key, and the state that
 * travels from round to round. ask_elicit.c, ask_roots.c and ask_sample.c make
 * the questions; ask_round.c sends them. */
#include "server/ask.h"

#include "server/call_notify.h"
#include "server/content.h"
#include "server/members.h"
#include "json/inline.h"

static const mcpi_message_limits limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                           MCPI_JSON_MAX_VALUES};

static int fail_nomem(mcp_call *call) {
  return mcpi_call_fail(call, MCP_ERR_NOMEM, MCP_RPC_INTERNAL_ERROR,
                        "out of memory");
}

/* --- life --------------------------------------------------------------- */

mcpi_ask *mcpi_ask_get(mcp_call *call) {
  const mcp_allocator *allocator = &call->shard->server->allocator;
  if (call->ask != NULL) {
    return call->ask;
  }
  mcpi_ask *ask = mcpi_calloc(allocator, 1, sizeof(*ask));
  if (ask != NULL) {
    ask->call = call;
    mcpi_list_init(&ask->questions);
    mcpi_buf_init(&ask->sealed, allocator, SIZE_MAX);
    mcpi_buf_init(&ask->new_state, allocator, SIZE_MAX);
    call->ask = ask;
  }
  return ask;
}

static void question_free(mcpi_question *question,
                          const mcp_allocator *allocator) {
  mcpi_list_remove(&question->link);
  mcpi_strfree(allocator, question->key);
  mcpi_buf_deinit(&question->params);
  mcpi_buf_deinit(&question->result);
  mcpi_buf_deinit(&question->failure);
  mcpi_free(allocator, question, sizeof(*question));
}

void mcpi_ask_forget_run(mcpi_ask *ask) {
  const mcp_allocator *allocator = &ask->call->shard->server->allocator;
  while (!mcpi_list_is_empty(&ask->questions)) {
    question_free(MCPI_CONTAINER(ask->questions.next, mcpi_question, link),
                  allocator);
  }
  ask->unanswered_count = 0;
  mcpi_buf_clear(&ask->new_state);
}

void mcpi_ask_free(mcp_call *call) {
  mcpi_ask *ask = call->ask;
  if (ask == NULL) {
    return;
  }
  call->ask = NULL;
  mcpi_ask_forget_run(ask);
  mcpi_buf_deinit(&ask->sealed);
  mcpi_buf_deinit(&ask->new_state);
  mcpi_message_unref(ask->opened);
  mcpi_message_unref(ask->collected);
  mcpi_free(&call->shard->server->allocator, ask, sizeof(*ask));
}

/* --- the state's text --------------------------------------------------- */

/* Writes the answers that the handler has used, after those that it had before.
 * Answers to questions that nobody asked are dropped. */
static void put_answers(const mcpi_ask *ask, mcpi_buf *out) {
  mcpi_put_name(out, "answers");
  mcpi_buf_putc(out, '{');
  mcpi_put_members(out, ask->answers, NULL);
  for (mcpi_list *link = ask->questions.next; link != &ask->questions;
       link = link->next) {
    mcpi_question *question = MCPI_CONTAINER(link, mcpi_question, link);
    if (question->answer != NULL &&
        mcp_json_get(ask->answers, question->key) == NULL) {
      mcpi_put_comma(out);
      mcpi_json_put_string(out, mcpi_str_z(question->key));
      mcpi_buf_putc(out, ':');
      mcpi_json_put_value(out, question->answer);
    }
  }
  mcpi_buf_putc(out, '}');
}

static void put_failures(const mcpi_ask *ask, mcpi_buf *out) {
  if (mcp_json_size(ask->failures) + mcp_json_size(ask->new_failures) > 0) {
    mcpi_put_name(out, "failures");
    mcpi_buf_putc(out, '{');
    mcpi_put_members(out, ask->failures, NULL);
    mcpi_put_members(out, ask->new_failures, NULL);
    mcpi_buf_putc(out, '}');
  }
}

static void put_handlers_state(const mcpi_ask *ask, mcpi_buf *out) {
  if (ask->new_state.len > 0) {
    mcpi_put_name(out, "state");
    mcpi_buf_put(out, ask->new_state.data, ask->new_state.len);
  } else if (ask->state != NULL) {
    mcpi_put_name(out, "state");
    mcpi_json_put_value(out, ask->state);
  }
}

void mcpi_ask_put_state(const mcpi_ask *ask, int64_t expiry_ms, mcpi_buf *out) {
  mcpi_buf_putc(out, '{');
  mcpi_put_name(out, "exp");
  mcpi_json_put_int(out, expiry_ms);
  mcpi_put_uint_member(out, "round", ask->round + 1);
  put_answers(ask, out);
  put_failures(ask, out);
  put_handlers_state(ask, out);
  mcpi_buf_putc(out, '}');
}

static int refuse_state(mcp_call *call, const char *why) {
  return mcpi_call_fail(call, MCP_ERR_SEAL, MCP_RPC_INVALID_PARAMS,
                        "requestState was refused: %s", why);
}

/* Takes the message, which holds the state. */
static void ask_take_state(mcpi_ask *ask, mcpi_message *opened,
                           const mcp_json *state) {
  mcpi_message_unref(ask->opened);
  ask->opened = opened;
  ask->round = (uint32_t)mcp_json_int(mcp_json_get(state, "round"));
  ask->answers = mcp_json_get(state, "answers");
  ask->failures = mcp_json_get(state, "failures");
  ask->state = mcp_json_get(state, "state");
}

/* Reads a state. The server has sealed it, so its form is right. */
static int read_state(mcpi_ask *ask, mcpi_str text) {
  mcp_call *call = ask->call;
  mcpi_message *opened;
  int rc = mcpi_message_parse(&opened, &call->shard->loop->pool, text.ptr,
                              text.len, &limits, NULL);
  if (rc != 0) {
    return rc == MCP_ERR_NOMEM ? fail_nomem(call)
                               : refuse_state(call, "it cannot be read");
  }
  int64_t expiry_ms = mcp_json_int(mcp_json_get(opened->root, "exp"));
  if (expiry_ms <= mcpi_loop_wall(call->shard->loop)) {
    mcpi_message_unref(opened);
    return refuse_state(call, "it has expired");
  }
  ask_take_state(ask, opened, opened->root);
  return 0;
}

int mcpi_ask_open(mcpi_ask *ask, mcpi_str sealed) {
  mcp_call *call = ask->call;
  mcpi_buf text;
  mcpi_buf_init(&text, &call->shard->server->allocator, SIZE_MAX);
  int rc = mcpi_state_open(call, sealed, &text);
  if (rc == 0) {
    rc = read_state(ask, mcpi_str_n(text.data, text.len));
  } else if (rc == MCP_ERR_SEAL) {
    rc = refuse_state(call, "it was altered, or belongs to another request");
  } else {
    mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR, "%s", mcp_error_text(rc));
  }
  mcpi_buf_deinit(&text);
  return rc;
}

int mcpi_ask_restore(mcp_call *call, mcpi_message *kept) {
  mcpi_ask *ask = mcpi_ask_get(call);
  if (ask == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcpi_message_ref(kept);
  ask_take_state(ask, kept, mcp_json_get(kept->root, "state"));
  ask->responses = mcp_json_get(kept->root, "answers");
  ask->new_failures = mcp_json_get(kept->root, "failures");
  return 0;
}

int mcpi_ask_load(mcp_call *call) {
  const mcp_json *responses =
      mcpi_json_find(call->params, MCPI_STR("inputResponses"));
  const mcp_json *sealed =
      mcpi_json_find(call->params, MCPI_STR("requestState"));
  int has_state = mcpi_json_is_string(sealed);
  if (!mcpi_json_is_object(responses) && !has_state) {
    return 0;
  }
  mcpi_ask *ask = mcpi_ask_get(call);
  if (ask == NULL) {
    return fail_nomem(call);
  }
  ask->responses = responses;
  return has_state ? mcpi_ask_open(ask, mcpi_json_str(sealed)) : 0;
}

/* --- looking ------------------------------------------------------------ */

static int check_asking(mcp_call *call, const char *key) {
  if (mcpi_call_is_deferred(call)) {
    atomic_store(&call->asked_late, 1);
  }
  if (atomic_load(&call->reply) != MCPI_REPLY_OWED ||
      !mcpi_call_is_running(call)) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                          "ask inside the handler, before it defers or "
                          "replies");
  }
  if (call->method == NULL || !call->method->may_ask) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                          "only tools, prompts and resources can ask");
  }
  if (key == NULL || key[0] == '\0' || mcpi_text_check("key", key, NULL) != 0) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                          "a question needs a key, in UTF-8");
  }
  return 0;
}

static int fail_unanswered(mcp_call *call, const char *key,
                           const mcp_json *why) {
  mcpi_str text = mcpi_json_str(why);
  return mcpi_call_fail(call, MCP_ERR_UNANSWERED, MCP_RPC_INTERNAL_ERROR,
                        "question \"%s\" was not answered: %.*s", key,
                        (int)text.len, text.ptr != NULL ? text.ptr : "");
}

/* A sealed answer counts more than what the client says now. */
int mcpi_ask_look(mcp_call *call, const char *key, const mcp_json **answer) {
  int rc = check_asking(call, key);
  if (rc != 0) {
    return rc;
  }
  mcpi_ask *ask = mcpi_ask_get(call);
  if (ask == NULL) {
    return fail_nomem(call);
  }
  const mcp_json *failure = mcp_json_get(ask->failures, key);
  if (failure == NULL) {
    failure = mcp_json_get(ask->new_failures, key);
  }
  if (failure != NULL) {
    return fail_unanswered(call, key, failure);
  }
  *answer = mcp_json_get(ask->answers, key);
  if (*answer == NULL) {
    *answer = mcp_json_get(ask->responses, key);
  }
  return 0;
}

/* --- noting ------------------------------------------------------------- */

static mcpi_question *find_question(const mcpi_ask *ask, const char *key) {
  for (mcpi_list *link = ask->questions.next; link != &ask->questions;
       link = link->next) {
    mcpi_question *question = MCPI_CONTAINER(link, mcpi_question, link);
    if (strcmp(question->key, key) == 0) {
      return question;
    }
  }
  return NULL;
}

static mcpi_question *question_new(mcpi_ask *ask, const char *key) {
  const mcp_allocator *allocator = &ask->call->shard->server->allocator;
  mcpi_question *question = mcpi_calloc(allocator, 1, sizeof(*question));
  if (question == NULL) {
    return NULL;
  }
  question->ask = ask;
  question->mark = ask->mark;
  mcpi_buf_init(&question->params, allocator, SIZE_MAX);
  mcpi_buf_init(&question->result, allocator, SIZE_MAX);
  mcpi_buf_init(&question->failure, allocator, SIZE_MAX);
  mcpi_list_append(&ask->questions, &question->link);
  question->key = mcpi_strdup(allocator, key);
  if (question->key == NULL) {
    question_free(question, allocator);
    return NULL;
  }
  return question;
}

int mcpi_ask_claim(mcp_call *call, const char *key, mcpi_method_id method,
                   const mcpi_buf *what) {
  mcpi_ask *ask = call->ask;
  if (what->error != 0) {
    return fail_nomem(call);
  }
  ask->mark = mcpi_str_hash(mcpi_str_n(what->data, what->len),
                            call->shard->loop->hash_seed) +
              method;
  const mcpi_question *question = find_question(ask, key);
  if (question != NULL && question->mark != ask->mark) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                          "the key \"%s\" names two questions of this call: "
                          "give each its own",
                          key);
  }
  return 0;
}

int mcpi_ask_accept(mcp_call *call, const char *key, const mcp_json *answer) {
  mcpi_ask *ask = call->ask;
  if (find_question(ask, key) != NULL) {
    return 0;
  }
  mcpi_question *question = question_new(ask, key);
  if (question == NULL) {
    return fail_nomem(call);
  }
  question->answer = answer;
  return 0;
}

static int check_platform(mcp_call *call) {
  const mcp_platform *platform = &call->shard->loop->platform;
  /* This may run on a thread of the pool: if there are random bytes, the loop's
   * thread may be making the key now. */
  int has_key = platform->random != NULL || call->shard->server->key_count > 0;
  if (platform->seal == NULL || platform->unseal == NULL || !has_key) {
    return mcpi_call_fail(call, MCP_ERR_PLATFORM, MCP_RPC_INTERNAL_ERROR,
                          "the platform cannot seal: it has no %s",
                          platform->seal == NULL     ? "seal"
                          : platform->unseal == NULL ? "unseal"
                                                     : "random");
  }
  return 0;
}

static int check_size(mcp_call *call) {
  mcpi_buf text;
  mcpi_buf_init(&text, &call->shard->server->allocator, SIZE_MAX);
  mcpi_ask_put_state(call->ask, INT64_MAX, &text);
  size_t len = text.len;
  int rc = text.error;
  mcpi_buf_deinit(&text);
  if (rc != 0) {
    return fail_nomem(call);
  }
  if (len > MCPI_STATE_MAX) {
    return mcpi_call_fail(call, MCP_ERR_LIMIT, MCP_RPC_INTERNAL_ERROR,
                          "answers and state are %zu bytes, more than %d", len,
                          MCPI_STATE_MAX);
  }
  return 0;
}

static int ask_check_limits(mcp_call *call) {
  uint32_t max = call->shard->server->limits.max_rounds;
  if (call->ask->round >= max) {
    return mcpi_call_fail(call, MCP_ERR_LIMIT, MCP_RPC_INTERNAL_ERROR,
                          "the call has asked %u rounds of questions already",
                          (unsigned)max);
  }
  int rc = check_platform(call);
  return rc != 0 ? rc : check_size(call);
}

int mcpi_ask_note(mcp_call *call, const char *key, mcpi_method_id method,
                  const mcpi_buf *params) {
  if (params->error != 0) {
    return fail_nomem(call);
  }
  if (find_question(call->ask, key) != NULL) {
    return MCP_PENDING;
  }
  int rc = ask_check_limits(call);
  if (rc != 0) {
    return rc;
  }
  mcpi_question *question = question_new(call->ask, key);
  if (question == NULL) {
    return fail_nomem(call);
  }
  question->method = &mcpi_methods[method];
  mcpi_buf_put(&question->params, params->data, params->len);
  if (question->params.error != 0) {
    question_free(question, &call->shard->server->allocator);
    return fail_nomem(call);
  }
  call->ask->unanswered_count++;
  return MCP_PENDING;
}

int mcpi_ask_add(mcp_call *call, mcpi_str key, mcpi_str method,
                 mcpi_str params) {
  const mcpi_method *found = mcpi_method_find(method);
  mcpi_ask *ask = mcpi_ask_get(call);
  if (found == NULL || mcpi_str_has_nul(key)) {
    return MCP_ERR_INVALID;
  }
  mcpi_question *question = ask != NULL ? question_new(ask, key.ptr) : NULL;
  if (question == NULL) {
    return MCP_ERR_NOMEM;
  }
  question->method = found;
  mcpi_buf_puts(&question->params, params);
  return question->params.error;
}

int mcpi_ask_malformed(mcp_call *call, const char *key, const char *why) {
  return mcpi_call_fail(call, MCP_ERR_PROTOCOL, MCP_RPC_INVALID_PARAMS,
                        "the answer to \"%s\" is malformed: %s", key, why);
}

/* --- the handler's own state -------------------------------------------- */

/* A task keeps it at once, so that it survives the process. A client that has
 * gone needs none. */
static int note_state(const mcpi_ask *ask) {
  mcp_call *call = ask->call;
  mcpi_buf text;
  mcpi_buf_init(&text, &call->shard->server->allocator, SIZE_MAX);
  mcpi_ask_put_state(ask, INT64_MAX, &text);
  int rc = text.error;
  if (rc == 0) {
    rc = mcpi_call_note_state(call, mcpi_buf_str(&text));
  }
  mcpi_buf_deinit(&text);
  return rc == 0 || rc == MCP_ERR_GONE ? 0 : fail_nomem(call);
}

int mcp_call_set_state(mcp_call *call, const char *json) {
  mcp_error why;
  if (call == NULL || json == NULL) {
    return MCP_ERR_INVALID;
  }
  mcpi_ask *ask = mcpi_ask_get(call);
  if (ask == NULL) {
    return fail_nomem(call);
  }
  mcpi_buf_clear(&ask->new_state);
  int rc = mcpi_json_put_text(&ask->new_state, mcpi_str_z(json), &why);
  if (rc == 0 && ask->new_state.len > MCPI_STATE_MAX) {
    rc = mcp_error_set(&why, MCP_ERR_LIMIT, "%zu bytes are more than %d",
                       ask->new_state.len, MCPI_STATE_MAX);
  }
  if (rc != 0) {
    mcpi_buf_clear(&ask->new_state);
    return mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR, "state: %s",
                          why.message);
  }
  return call->shard->server->tasks != NULL ? note_state(ask) : 0;
}

const mcp_json *mcp_call_state(const mcp_call *call) {
  return call != NULL && call->ask != NULL ? call->ask->state : NULL;
}
