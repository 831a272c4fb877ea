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
typedef struct mcpi_question {
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
} mcpi_question;

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
/* Forgets what was asked in this run: the handler will run again. */
void mcpi_ask_forget_run(mcpi_ask *ask);

/* --- its place in a call --- */

/* Reads and checks inputResponses and requestState of a retry. Returns 0; else
 * the call has recorded the error to answer. */
int mcpi_ask_load(mcp_call *call);
/* The handler returned MCP_PENDING: sends the questions. */
void mcpi_ask_send(mcp_call *call);
/* The call is cancelled: cancels the questions in flight. Does nothing if there
 * are none. */
void mcpi_ask_cancel(mcp_call *call);
void mcpi_ask_free(mcp_call *call);

/* --- ask_state.c: the sealed state that travels with questions --- */

int mcpi_state_seal(mcp_call *call, mcpi_str text, mcpi_buf *out);
int mcpi_state_open(mcp_call *call, mcpi_str sealed, mcpi_buf *text);

#endif
