/* SPDX-License-Identifier: MIT */
/* A login as its steps see it. Each step is two functions: one begins it, the
 * other takes the answer to what the step has fetched. They return what comes
 * next, and call nothing of flow.c, which carries that out. */
#ifndef MCPI_AUTH_CLIENT_STEP_H
#define MCPI_AUTH_CLIENT_STEP_H

#include "auth/client/flow.h"
#include "auth/jwt.h"
#include "auth/metadata.h"
#include "base/buf.h"
#include "core/loop.h"
#include <mcp/sys/crypto.h>
#include <mcp/sys/fetch.h>

/* What comes next: a step, or one of the negative numbers. */
typedef enum mcpi_flow_next {
  MCPI_FLOW_FAILED = -6,     /* flow->result.why says why */
  MCPI_FLOW_DONE = -5,       /* flow->result has what was wanted */
  MCPI_FLOW_FETCH = -4,      /* flow->ask is sent; this step takes the
                                   answer */
  MCPI_FLOW_BROWSE = -3,     /* the user is asked to agree at flow->ask.url */
  MCPI_FLOW_ASK_CLIENT = -2, /* the program is asked for its client id */
  MCPI_FLOW_ASK_ASSERTION = -1, /* the program is asked for its assertion */
  MCPI_FLOW_FIND_RESOURCE = 0,
  MCPI_FLOW_FIND_ISSUER,
  MCPI_FLOW_GET_CLIENT,
  MCPI_FLOW_AGREE,
  MCPI_FLOW_ASSERT,
  MCPI_FLOW_EXCHANGE,
  MCPI_FLOW_GET_TOKEN,
  MCPI_FLOW_REVOKE,
  MCPI_FLOW_STEPS
} mcpi_flow_next;

/* What a login is for. */
typedef enum mcpi_flow_purpose {
  MCPI_FLOW_TO_LOG_IN,
  MCPI_FLOW_TO_REFRESH,
  MCPI_FLOW_TO_REVOKE
} mcpi_flow_purpose;

/* Where a login is:
 *
 *     NEW ----log_in, refresh, revoke----> RUNNING <-------------.
 *      |                                    |   |                | the answer,
 *      |                                    |   '-> FETCHING     | the browser,
 *      |                                    |       BROWSING  ---' or the
 *      | abandon                            |       ASKING_*       program
 *      |                                    |          |
 *      |               DONE, FAILED, abandon|          | abandon
 *      '--------------------> OVER <--------'----------'
 *
 * mcpi_flow_free leads to OVER from each state, without on_done. */
typedef enum mcpi_flow_state {
  MCPI_FLOW_NEW,
  MCPI_FLOW_RUNNING, /* a step or a function of the host runs */
  MCPI_FLOW_FETCHING,
  MCPI_FLOW_BROWSING,
  MCPI_FLOW_ASKING_CLIENT,
  MCPI_FLOW_ASKING_ASSERTION,
  MCPI_FLOW_OVER
} mcpi_flow_state;

enum {
  /* The longest answer that a login reads, in bytes. Metadata of large
   * authorization servers have 10 KB. */
  MCPI_FLOW_MAX_ANSWER = 256 * 1024,
  /* The longest token, in bytes. HTTP servers accept 16 KB of headers or
   * less. */
  MCPI_FLOW_MAX_TOKEN = 16 * 1024,
  /* The most bytes of scopes in one request: they are part of the URL of a
   * page. */
  MCPI_FLOW_MAX_SCOPES = 4 * 1024,
  /* The longest text with which a browser may return. */
  MCPI_FLOW_MAX_REDIRECT = 16 * 1024,
  /* The longest text of a peer in an error, with NUL. */
  MCPI_SHOWN_SIZE = 121
};

/* A request that a step wants to send. */
typedef struct mcpi_flow_ask {
  mcpi_buf url;           /* ends with NUL once it is sent */
  mcpi_buf body;          /* of a POST; secret */
  const char *type;       /* the media type of the body; NULL: it is a GET */
  mcpi_buf authorization; /* the value of that header; empty: none; secret */
  mcpi_buf proof;         /* the value of DPoP; empty: none */
  int is_for_program;     /* the program has named the URL, not a peer */
} mcpi_flow_ask;

/* Its host frees it with mcpi_flow_free, on the loop's thread. If that happens
 * in a function of the host, the outermost function of flow.c destroys it. */
struct mcpi_flow {
  mcp_loop *loop;
  const mcp_allocator *allocator; /* the loop's */
  mcpi_flow_start start;          /* its strings are ours */
  mcpi_registration known_client; /* a copy; client_id NULL: empty */
  mcpi_flow_purpose purpose;
  mcpi_flow_state state;
  mcpi_flow_next step; /* that has begun last */
  unsigned attempt;    /* of this step, from 0 */
  size_t frames;       /* functions of flow.c on the stack */
  int is_freed;
  mcp_fetch *fetch; /* FETCHING */
  mcpi_flow_ask ask;
  mcpi_flow_result result;

  /* FIND_RESOURCE */
  char *resource; /* as the server's metadata name it; NULL: it has none */
  char *issuer;
  mcpi_buf offered_scopes; /* scopes_supported of the server */
  int is_own_issuer;       /* the server has no metadata: its own origin is the
                              authorization server (2025-03-26) */

  /* FIND_ISSUER */
  mcpi_server_metadata server;
  mcpi_buf scopes; /* that are asked for; empty: none */

  /* GET_CLIENT */
  mcpi_registration client; /* client_id NULL: requests name no client */
  int uses_known_client;
  const char *redirect_uri; /* borrowed from the host; NULL: not known yet */

  /* AGREE */
  char state_text[MCPI_RANDOM_TEXT_SIZE]; /* the parameter `state` */
  char verifier[MCPI_RANDOM_TEXT_SIZE];
  char *code; /* secret */

  /* ASSERT, EXCHANGE */
  char *assertion; /* secret */

  /* GET_TOKEN, REVOKE */
  mcpi_token *token; /* that is renewed or revoked; NULL: none */
  mcp_key *key;      /* of DPoP; NULL: a bearer token */
  char *nonce;       /* for the next proof; NULL: none */
};

/* --- step.c: for all steps ------------------------------------------------ */

/* Says why the login fails, after the name of the step. All return
 * MCPI_FLOW_FAILED. */
mcpi_flow_next mcpi_step_fail(mcpi_flow *flow, int code, const char *format,
                              ...) MCP_PRINTF(3, 4);
mcpi_flow_next mcpi_step_no_memory(mcpi_flow *flow);
/* Something could not be done: `what` is a phrase such as "signing a proof". */
mcpi_flow_next mcpi_step_fail_code(mcpi_flow *flow, int code, const char *what);

/* The answer to the request is not what it must be: `what` is a phrase such as
 * "has no access_token", and the error names the URL. */
mcpi_flow_next mcpi_step_fail_answer(mcpi_flow *flow, int code,
                                     const char *what);
/* How many bytes of a URL an error shows, with "%.*s": not its query, and not
 * too many. */
int mcpi_step_shown_len(const char *url);

/* Begins flow->ask anew, as a GET. Returns the buffer of its URL. Errors of the
 * buffers are found when the request is sent. */
mcpi_buf *mcpi_step_ask(mcpi_flow *flow);
/* Begins flow->ask anew, as a POST of a form to this URL. */
void mcpi_step_ask_form(mcpi_flow *flow, const char *url);
/* Adds a member to the form; NULL: does nothing. */
void mcpi_step_put(mcpi_flow *flow, const char *name, const char *value);
/* Adds the scopes to the form, if there are scopes. */
void mcpi_step_put_scopes(mcpi_flow *flow);
/* Whether this URL may have a public address only, because a public server has
 * led to it. */
int mcpi_step_is_public_only(const mcpi_flow *flow, const char *url);

/* Whether the program may log in at this issuer: it is client_issuer of the
 * options, or that of client_id, unless the program has named neither. */
int mcpi_step_may_use_issuer(const mcpi_flow *flow, const char *issuer);
/* The server names this issuer, which may not be used. */
mcpi_flow_next mcpi_step_refuse_issuer(mcpi_flow *flow, const char *issuer);

/* What follows GET_CLIENT. */
mcpi_flow_next mcpi_step_after_client(const mcpi_flow *flow);
/* Finds flow->redirect_uri, if the login needs a browser. `wish`: where it
 * returned before; NULL: nowhere. Returns 0, or an MCP_ERR_* with
 * flow->result.why. */
int mcpi_step_find_redirect(mcpi_flow *flow, const char *wish);

/* Whether an answer has a status of success. */
int mcpi_step_is_fine(const mcp_fetch_answer *answer);
/* Returns the value of a header of the answer; NULL: it has none. */
const char *mcpi_step_header(const mcp_fetch_answer *answer, const char *name);
/* Parses the body of an answer. Owned, and overwritten when it is freed; NULL:
 * it is not a JSON object (*rc MCP_ERR_PARSE), or MCP_ERR_NOMEM. */
mcp_doc *mcpi_step_parse(const mcpi_flow *flow, const mcp_fetch_answer *answer,
                         int *rc);
/* Takes what an answer has: `root` is NULL if its body is not an object. */
typedef mcpi_flow_next mcpi_step_take(mcpi_flow *flow, const mcp_json *root);
/* Parses the body of an answer, and has it taken. Fails the flow if there is no
 * memory. */
mcpi_flow_next mcpi_step_take_object(mcpi_flow *flow,
                                     const mcp_fetch_answer *answer,
                                     mcpi_step_take *take);
/* Replaces an owned string with a copy; NULL gives NULL. Returns 0 or
 * MCP_ERR_NOMEM. */
int mcpi_step_copy(const mcpi_flow *flow, char **to, const char *text);
/* The same for a registration. After MCP_ERR_NOMEM, *to is cleared. */
int mcpi_step_copy_client(const mcpi_flow *flow, mcpi_registration *to,
                          const mcpi_registration *from);

/* --- refuse.c: what a peer says of its refusal ---------------------------- */

/* Writes a text of a peer as an error may show it: printable ASCII characters,
 * without the login's secrets, cut to the size. Returns out. */
const char *mcpi_step_show(const mcpi_flow *flow, mcpi_str text,
                           char out[MCPI_SHOWN_SIZE]);
/* The request was not answered as the step needs it: the error names its URL,
 * and the status and the error of the answer, or why there was no answer. The
 * code is that of the answer; MCP_ERR_IO, if the trouble may pass; or
 * MCP_ERR_REFUSED. */
mcpi_flow_next mcpi_step_refuse(mcpi_flow *flow,
                                const mcp_fetch_answer *answer);
/* Whether an answer is trouble that may pass, and does not say what is at the
 * URL: there was no answer, the server fails, or it wants fewer requests. */
int mcpi_step_is_trouble(const mcp_fetch_answer *answer);
/* Whether an error of OAuth (RFC 6749, 4.1.2.1 and 5.2) may pass by itself. */
int mcpi_step_may_pass(mcpi_str error);
/* The authorization server does not know the client, or does not let it do
 * this. If the client is a registration that was kept, it is dropped. Returns
 * whether the login can begin again with GET_CLIENT, which registers. */
int mcpi_step_drop_client(mcpi_flow *flow, mcpi_str error);

/* --- client_auth.c: how the program proves who it is ---------------------- */

/* Adds the program's id and its proof to flow->ask. Returns 0, or an MCP_ERR_*
 * with err. */
int mcpi_step_put_client(mcpi_flow *flow, mcp_error *err);

/* --- choose_scopes.c ------------------------------------------------------ */

/* Fills flow->scopes. Returns 0, MCP_ERR_NOMEM or MCP_ERR_LIMIT. */
int mcpi_step_choose_scopes(mcpi_flow *flow);

/* --- proof.c: DPoP at the token endpoint ---------------------------------- */

/* Whether a token that is bound to a key is asked for. */
int mcpi_step_uses_dpop(const mcpi_flow *flow);
/* Adds a proof to flow->ask, if the token is to be bound. Returns 0 or an
 * MCP_ERR_*. */
int mcpi_step_put_proof(mcpi_flow *flow);

/* --- register.c ----------------------------------------------------------- */

/* Asks the authorization server to register the program. */
mcpi_flow_next mcpi_step_register(mcpi_flow *flow);

/* --- the steps: one file each --------------------------------------------- */

mcpi_flow_next mcpi_step_find_resource(mcpi_flow *flow);
mcpi_flow_next mcpi_step_take_resource(mcpi_flow *flow,
                                       const mcp_fetch_answer *answer);
mcpi_flow_next mcpi_step_find_issuer(mcpi_flow *flow);
mcpi_flow_next mcpi_step_take_issuer(mcpi_flow *flow,
                                     const mcp_fetch_answer *answer);
mcpi_flow_next mcpi_step_get_client(mcpi_flow *flow);
/* The program has been asked for its client id; NULL: it has none. */
mcpi_flow_next mcpi_step_take_given_client(mcpi_flow *flow, const char *id,
                                           const char *secret);
mcpi_flow_next mcpi_step_take_registration(mcpi_flow *flow,
                                           const mcp_fetch_answer *answer);
mcpi_flow_next mcpi_step_agree(mcpi_flow *flow);
/* Reads the URL to which the browser has returned, or its query. Only one with
 * the login's `state` goes further: 0, with *next; otherwise MCP_ERR_INVALID
 * with err. */
int mcpi_step_take_redirect(mcpi_flow *flow, const char *url,
                            mcpi_flow_next *next, mcp_error *err);
mcpi_flow_next mcpi_step_assert(mcpi_flow *flow);
mcpi_flow_next mcpi_step_take_assertion(mcpi_flow *flow, const char *assertion);
mcpi_flow_next mcpi_step_exchange(mcpi_flow *flow);
mcpi_flow_next mcpi_step_take_exchange(mcpi_flow *flow,
                                       const mcp_fetch_answer *answer);
mcpi_flow_next mcpi_step_get_token(mcpi_flow *flow);
mcpi_flow_next mcpi_step_take_token(mcpi_flow *flow,
                                    const mcp_fetch_answer *answer);
mcpi_flow_next mcpi_step_revoke(mcpi_flow *flow);
mcpi_flow_next mcpi_step_take_revocation(mcpi_flow *flow,
                                         const mcp_fetch_answer *answer);

#endif
