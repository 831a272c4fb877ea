/* SPDX-License-Identifier: MIT */
/* Questions of a call to its client (MCP, Client Features; MCP 2026-07-28,
 * Multi Round-Trip Requests).
 *
 * A handler that asks runs several times, each time from its start. Between the
 * rounds one sealed text keeps the answers so far. The client (modern) or the
 * server (legacy) holds it:
 *
 *     {"exp":1790000000000,                when it is no longer accepted
 *      "round":1,                          rounds asked so far
 *      "answers":{"name":{...}, ...},      of all rounds before
 *      "failures":{"model":"timed out"},   questions that had no answer
 *      "state":...}                        the handler's own
 *
 * The answers to the latest round are not in this text: they come with it. */
#ifndef MCPI_SERVER_ASK_H
#define MCPI_SERVER_ASK_H

#include "server/call.h"

enum {
  /* Bytes of the text: clients hold it for us, and send it back. */
  MCPI_STATE_MAX = 64 * 1024
};

/* A question that the handler has asked in this run. */
struct mcpi_question {
  mcpi_list link; /* in the ask's list, in the order of asking */
  mcpi_ask *ask;
  char *key;
  uint64_t mark;          /* a hash of what the program asks */
  const mcp_json *answer; /* NULL: the question will be sent */
  const mcpi_method *method;
  mcpi_buf params; /* JSON text, or empty */
  /* Legacy, from here. */
  mcpi_pending pending;
  mcpi_buf result;  /* JSON text of the answer ... */
  mcpi_buf failure; /* ... or why there is none, as a JSON string */
  /* It asks as a task, which mcpi_task_maker.ask has begun; or NULL. */
  struct mcpi_asking *asking;
};

struct mcpi_ask {
  mcp_call *call;
  mcpi_list questions;
  size_t unanswered_count; /* of the questions */
  size_t waiting_count;    /* legacy: requests in flight */
  mcpi_buf sealed;         /* legacy: the sealed state during the round */
  uint32_t round;
  uint64_t mark;            /* the mark of the question that is being asked */
  mcpi_message *opened;     /* the state's text, or NULL; holds: */
  const mcp_json *answers;  /* answers of the rounds before */
  const mcp_json *failures; /* failures of the rounds before */
  const mcp_json *state;
  mcpi_message *collected;      /* legacy: holds the next two */
  const mcp_json *responses;    /* answers of the round just asked */
  const mcp_json *new_failures; /* failures of the round just asked */
  /* The state that mcp_call_set_state has set in this run. */
  mcpi_buf new_state;
  /* Called when a round of mcpi_ask_send_added ends; NULL: the handler runs
   * again. */
  void (*on_round)(mcp_call *call, int status);
};

/* Makes the structure at the first need. NULL when out of memory. */
mcpi_ask *mcpi_ask_get(mcp_call *call);

/* Begins every question: checks it, and looks for its answer. Returns 0, with
 * *answer NULL when there is none yet; else a failure that is recorded on the
 * call. */
int mcpi_ask_look(mcp_call *call, const char *key, const mcp_json **answer);
/* Claims the key for a question; `what` is everything that the program asks.
 * Returns 0, or a recorded failure: the key already names another question of
 * this run, and the two would share an answer. */
int mcpi_ask_claim(mcp_call *call, const char *key, mcpi_method_id method,
                   const mcpi_buf *what);
/* Ends a question whose answer was found and is right. Returns 0. */
int mcpi_ask_accept(mcp_call *call, const char *key, const mcp_json *answer);
/* Ends a question without an answer: notes it. `params` is copied. Returns
 * MCP_PENDING, or a recorded failure. */
int mcpi_ask_note(mcp_call *call, const char *key, mcpi_method_id method,
                  const mcpi_buf *params);
/* Records that the answer is malformed. */
int mcpi_ask_malformed(mcp_call *call, const char *key, const char *why);

/* Reads an opened state, and what answers the round just asked. */
int mcpi_ask_open(mcpi_ask *ask, mcpi_str sealed);
/* Appends the text that will be sealed. expiry_ms counts on the wall clock. */
void mcpi_ask_put_state(const mcpi_ask *ask, int64_t expiry_ms, mcpi_buf *out);
/* Appends the questions that have no answer, as members of an object:
 * "key":{"method":...,"params":...},... */
void mcpi_ask_put_requests(const mcpi_ask *ask, mcpi_buf *out);
/* Gives a new call what a task has kept: `kept` is an object with the members
 * "state" (the text of mcpi_ask_put_state), "answers" and "failures", each of
 * which may be absent. Takes a reference to the message. Returns 0, or
 * MCP_ERR_NOMEM. */
int mcpi_ask_restore(mcp_call *call, mcpi_message *kept);
/* Forgets what was asked in this run: the handler will run again. */
void mcpi_ask_forget_run(mcpi_ask *ask);

/* --- its place in a call --- */

/* Whether the handler has asked something in this run that has no answer. */
static inline int mcpi_call_has_questions(const mcp_call *call) {
  return call->ask != NULL && call->ask->unanswered_count > 0;
}

/* Reads and checks inputResponses and requestState of a retry. Returns 0; else
 * the call has recorded the error to answer. */
int mcpi_ask_load(mcp_call *call);
/* The handler returned MCP_PENDING: sends the questions. */
void mcpi_ask_send(mcp_call *call);
/* Sends the request that asks a question, with these params, on the stream of
 * its call. Returns what mcpi_sink_ops.ask returns; MCP_ERR_GONE: the call is
 * cancelled. */
int mcpi_ask_request(mcpi_question *question, mcpi_str params);
/* The call is cancelled: cancels the questions in flight. Does nothing if there
 * are none. */
void mcpi_ask_cancel(mcp_call *call);
void mcpi_ask_free(mcp_call *call);

/* --- questions that another call has asked (ext/tasks) --- */

/* Adds a question, as the other call has noted it. Returns 0, MCP_ERR_NOMEM, or
 * MCP_ERR_INVALID: there is no such method. */
int mcpi_ask_add(mcp_call *call, mcpi_str key, mcpi_str method,
                 mcpi_str params);
/* Sends them to the legacy client of this call. When all are answered, it calls
 * on_round, with 0, and the answers in call->ask->responses and new_failures;
 * or with MCP_ERR_NOMEM. It does not if the call is cancelled before. Returns
 * 0; otherwise nothing was sent. */
int mcpi_ask_send_added(mcp_call *call,
                        void (*on_round)(mcp_call *call, int status));

/* --- ask_state.c: the sealed state that travels with questions --- */

int mcpi_state_seal(mcp_call *call, mcpi_str text, mcpi_buf *out);
int mcpi_state_open(mcp_call *call, mcpi_str sealed, mcpi_buf *text);

#endif
