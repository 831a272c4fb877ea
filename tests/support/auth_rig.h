/* SPDX-License-Identifier: MIT */
/* An mcp_auth with all that it needs, for tests: a loop whose time the test
 * sets, a flow and a host that do what the test says, a store that can be slow,
 * and an HTTP server. One rig exists at a time. The test program includes
 * support/auth_doubles.h, too. */
#ifndef MCP_TESTS_AUTH_RIG_H
#define MCP_TESTS_AUTH_RIG_H

#include "auth/client/auth.h"
#include "auth/client/flow.h"
#include <mcp/sys/crypto.h>
#include <mcp/sys/fetch.h>

#define RIG_URL "https://example.com/mcp"

/* What the flow was asked to do. */
typedef enum rig_flow_kind {
  RIG_FLOW_NEW,
  RIG_FLOW_LOG_IN,
  RIG_FLOW_REFRESH,
  RIG_FLOW_REVOKE
} rig_flow_kind;

struct mcpi_flow {
  mcpi_flow_start start;
  rig_flow_kind kind;
  char metadata_url[128]; /* "-": NULL; likewise below */
  char demanded[128];
  char earlier[128];
  char bound_issuer[64];
  char known_client[64];
  char revision[32];
  char refresh[64]; /* the refresh token */
  char redirected[128];
  char assertion[64];
  char client[64];
};

/* A take of the store that waits for the test. */
typedef struct rig_take {
  const char *key;
  mcp_auth_record_cb done;
  void *argument;
} rig_take;

enum { RIG_TAKES_MAX = 16 };

typedef struct auth_rig {
  mcp_loop *loop;
  int64_t now_ms;
  int64_t wall_ms;
  mcp_auth_options options; /* for auth_rig_open */
  mcp_auth *auth;

  mcpi_flow *flow; /* the newest that is not freed */
  int flow_count;  /* all that were made */
  int flows_alive;
  int flow_new_fails;

  int redirects_opened;
  int redirects_awaited;
  int redirects_closed;
  int close_code; /* the error of the last close_redirect; 0: none */
  int browsers;
  int browser_result;
  int host_releases;
  int keys_alive;

  mcp_auth_store memory;
  int is_slow; /* takes wait for auth_rig_store_go_on */
  int take_result;
  int take_error; /* `done` reports this */
  int give_result;
  rig_take takes[RIG_TAKES_MAX];
  size_t take_count;
  int taken; /* records that are taken now */
  int gives;
  int store_releases;

  mcp_fetch_done_cb fetch_done; /* NULL: nothing is requested */
  void *fetch_argument;
  int fetches;
  int fetch_result;
  int fetch_cancels;

  char nonce[64]; /* of the last DPoP proof; "-": it had none */
  char proof_url[128];
  int proofs;
} auth_rig;

/* The rig that exists. */
extern auth_rig *auth_rig_now;

/* Makes the rig's loop; allocator NULL: the default. Returns 0 or
 * MCP_ERR_NOMEM. */
int auth_rig_init(auth_rig *rig, const mcp_allocator *allocator);
/* Makes the mcp_auth with rig->options. Returns 0, or the code of the error. */
int auth_rig_open(auth_rig *rig);
/* Makes another one with the same store. */
mcp_auth *auth_rig_open_another(auth_rig *rig);
void auth_rig_deinit(auth_rig *rig);

/* Runs what is due. */
void auth_rig_turn(auth_rig *rig);
/* Lets time pass, and runs what is due then. */
void auth_rig_pass(auth_rig *rig, int64_t time_ms);

/* The store answers all that wait. */
void auth_rig_store_go_on(auth_rig *rig);
/* Replaces the record of a server; text NULL: removes it. */
void auth_rig_put(auth_rig *rig, const char *url, const char *text);
/* Copies the record of a server to `out`; "" if there is none. */
void auth_rig_get(auth_rig *rig, const char *url, char *out, size_t size);

/* The flow ends with a token, which expires in that time (INT64_MAX: not known)
 * and was asked for with these scopes. NULL: it has no refresh token, no key,
 * and the scopes that the server demands. */
void auth_rig_token(auth_rig *rig, const char *access, const char *refresh,
                    int64_t left_ms, const char *key, const char *scopes);
/* The flow fails. */
void auth_rig_fail(auth_rig *rig, int code, const char *why);
/* The flow fails because the refresh token is no longer good. */
void auth_rig_refuse_refresh(auth_rig *rig);
/* The flow fails because a server has answered with this HTTP status. */
void auth_rig_fail_with_status(auth_rig *rig, int status, const char *why);
/* The flow fails after the program has registered as this client; NULL: the
 * known registration is no longer good. */
void auth_rig_fail_with_client(auth_rig *rig, const char *client_id);

/* The flow asks the user to agree, the program for an assertion, or for a
 * client. */
int auth_rig_flow_browse(auth_rig *rig, mcp_error *err);
/* It asks the user once more. */
int auth_rig_flow_browse_again(auth_rig *rig, mcp_error *err);
int auth_rig_flow_ask(auth_rig *rig, mcp_error *err);
int auth_rig_flow_get_client(auth_rig *rig, mcp_error *err);

/* The HTTP server answers with one header (NULL: none), or the request fails
 * with error. */
void auth_rig_answer(auth_rig *rig, int status, const char *name,
                     const char *value);
void auth_rig_answer_error(auth_rig *rig, int error);

/* A request of a transport. It is prepared again when it is ready. */
typedef struct rig_request {
  mcpi_auth_request request;
  int readies;
  int order; /* when it was sent, from 1; 0: it waits, or has failed */
  mcp_error err;
  char authorization[64]; /* "": none */
  char dpop[64];
  void (*on_ready)(struct rig_request *self); /* runs first; may be NULL */
} rig_request;

void rig_request_init(rig_request *self, mcp_auth *auth, const char *url);
void rig_request_deinit(rig_request *self);
/* Prepares it. Returns what mcpi_auth_prepare returns. */
int rig_request_send(rig_request *self);
/* The server answers 401 or 403 with this challenge (NULL: none), and this
 * nonce. Returns what mcpi_auth_refused returns. */
int rig_request_refuse(rig_request *self, int status, const char *challenge,
                       const char *nonce);

#endif
