/* SPDX-License-Identifier: MIT */
/* A double of auth/client/auth.c, for tests of transports: the test says when a
 * login ends, and how. A server demands a token when it answers 401, and one
 * with more rights when it answers 403 with a challenge.
 *
 *     NONE --- 401, 403 ---> LOGGING_IN --- fake_log_in ---> VALID
 *      ^ ^                        |                            |
 *      | `------ fake_fail -------'                            |
 *      `------------------- 401 (to LOGGING_IN) ---------------'
 */
#ifndef MCP_TESTS_FAKE_AUTH_H
#define MCP_TESTS_FAKE_AUTH_H

#include "auth/client/auth.h"
#include "support/cm.h"
#include <stdio.h>
#include <string.h>

typedef enum fake_auth_state {
  AUTH_NONE,
  AUTH_LOGGING_IN,
  AUTH_VALID
} fake_auth_state;

struct mcp_auth {
  mcp_loop *loop;
};

struct mcpi_auth_server {
  size_t references;
};

static struct {
  mcp_auth auth;
  mcpi_auth_server server;
  char server_url[128];
  fake_auth_state state;
  mcpi_list waiting;
  char token[32]; /* "Bearer ..." */
  int has_proofs; /* a proof for each request: "proof-1", "proof-2" ... */
  size_t proofs;
  int retries;       /* the next refusals ask for the request at once */
  mcp_error refusal; /* code not 0: what mcpi_auth_refused answers */
  mcp_error trouble; /* code not 0: what mcpi_auth_prepare answers */
  uint64_t generation;
  size_t logins;
  size_t refusals;
  char prepared[64][96]; /* "METHOD URL", in order */
  size_t prepared_count;
  char challenges[128]; /* of the last refusal */
  char revision[16];
  char nonces[256]; /* those that were noted, with a blank after each */
} auth;

static inline void fake_auth_begin(mcp_loop *loop) {
  memset(&auth, 0, sizeof(auth));
  auth.auth.loop = loop;
  auth.generation = 1;
  mcpi_list_init(&auth.waiting);
}

/* Nothing may be left of any request. */
static inline void fake_auth_end(void) {
  assert_true(mcpi_list_is_empty(&auth.waiting));
  assert_int_equal(auth.server.references, 0);
}

/* Requests that begin to wait inside on_ready keep waiting. */
static inline void fake_wake(const mcp_error *err) {
  mcpi_list woken;
  mcpi_list_init(&woken);
  mcpi_list_move(&woken, &auth.waiting);
  while (!mcpi_list_is_empty(&woken)) {
    mcpi_auth_request *request =
        MCPI_CONTAINER(woken.next, mcpi_auth_request, link);
    mcpi_list_remove(&request->link);
    request->on_ready(request, err);
  }
}

static inline void fake_log_in(const char *token) {
  snprintf(auth.token, sizeof(auth.token), "Bearer %s", token);
  auth.state = AUTH_VALID;
  auth.generation++;
  fake_wake(NULL);
}

static inline void fake_fail(int code, const char *message) {
  mcp_error err;
  mcp_error_set(&err, code, "%s", message);
  auth.state = AUTH_NONE;
  fake_wake(&err);
}

static inline size_t fake_waiting_count(void) {
  size_t count = 0;
  mcpi_list *link = auth.waiting.next;
  for (; link != &auth.waiting; link = link->next) {
    count++;
  }
  return count;
}

static inline int fake_wait(mcpi_auth_request *request) {
  assert_true(mcpi_list_is_empty(&request->link));
  mcpi_list_append(&auth.waiting, &request->link);
  return MCP_PENDING;
}

/* --- the functions of auth.h ---------------------------------------------- */

mcp_loop *mcpi_auth_loop(const mcp_auth *self) {
  return self->loop;
}

mcpi_auth_server *mcpi_auth_server_ref(mcp_auth *self, const char *url,
                                       mcp_error *err) {
  (void)self;
  (void)err;
  snprintf(auth.server_url, sizeof(auth.server_url), "%s", url);
  auth.server.references++;
  return &auth.server;
}

void mcpi_auth_server_unref(mcpi_auth_server *server) {
  if (server != NULL) {
    assert_true(server->references > 0);
    server->references--;
  }
}

uint64_t mcpi_auth_server_generation(const mcpi_auth_server *server) {
  assert_ptr_equal(server, &auth.server);
  return auth.generation;
}

void mcpi_auth_request_init(mcpi_auth_request *request,
                            mcpi_auth_server *server,
                            mcpi_auth_ready_cb on_ready, void *owner) {
  *request = (mcpi_auth_request){
      .server = server, .on_ready = on_ready, .owner = owner};
  mcpi_list_init(&request->link);
  server->references++;
}

void mcpi_auth_request_deinit(mcpi_auth_request *request) {
  if (request->server != NULL) {
    mcpi_list_remove(&request->link);
    mcpi_auth_server_unref(request->server);
    request->server = NULL;
  }
}

int mcpi_auth_prepare(mcpi_auth_request *request, const char *method,
                      const char *url, mcpi_auth_headers *out, mcp_error *err) {
  static char proof[32];
  assert_true(auth.prepared_count < 64);
  snprintf(auth.prepared[auth.prepared_count++], sizeof(auth.prepared[0]),
           "%s %s", method, url);
  if (auth.trouble.code != 0) {
    *err = auth.trouble;
    return err->code;
  }
  if (auth.state == AUTH_LOGGING_IN) {
    return fake_wait(request);
  }
  *out = (mcpi_auth_headers){{NULL, 0}, {NULL, 0}};
  if (auth.state == AUTH_VALID) {
    out->authorization = mcpi_str_z(auth.token);
  }
  if (auth.has_proofs) {
    snprintf(proof, sizeof(proof), "proof-%zu", ++auth.proofs);
    out->dpop = mcpi_str_z(proof);
  }
  request->sent_with = auth.generation;
  return 0;
}

void mcpi_auth_answer_init(mcpi_auth_answer *answer,
                           const mcp_allocator *allocator) {
  *answer = (mcpi_auth_answer){.allocator = allocator};
  mcpi_buf_init(&answer->challenges, allocator, 4096);
}

void mcpi_auth_answer_clear(mcpi_auth_answer *answer) {
  mcpi_buf_clear(&answer->challenges);
  mcpi_strfree(answer->allocator, answer->nonce);
  answer->nonce = NULL;
}

void mcpi_auth_answer_deinit(mcpi_auth_answer *answer) {
  mcpi_auth_answer_clear(answer);
  mcpi_buf_deinit(&answer->challenges);
}

int mcpi_auth_answer_take(mcpi_auth_answer *answer, mcpi_str line) {
  static const char nonce[] = "DPoP-Nonce: ";
  static const char challenge[] = "WWW-Authenticate: ";
  char text[256];
  snprintf(text, sizeof(text), "%.*s", (int)line.len, line.ptr);
  if (strncmp(text, nonce, strlen(nonce)) == 0) {
    mcpi_strfree(answer->allocator, answer->nonce);
    answer->nonce = mcpi_strdup(answer->allocator, text + strlen(nonce));
    return answer->nonce != NULL ? 0 : MCP_ERR_NOMEM;
  }
  if (strncmp(text, challenge, strlen(challenge)) == 0) {
    mcpi_buf_puts(&answer->challenges, mcpi_str_z(text + strlen(challenge)));
    mcpi_buf_putc(&answer->challenges, '\n');
  }
  return answer->challenges.error;
}

void mcpi_auth_note_answer(mcpi_auth_request *request,
                           const mcpi_auth_answer *answer) {
  size_t len = strlen(auth.nonces);
  (void)request;
  if (answer->nonce != NULL) {
    snprintf(auth.nonces + len, sizeof(auth.nonces) - len, "%s ",
             answer->nonce);
  }
}

int mcpi_auth_refused(mcpi_auth_request *request, int status,
                      const mcpi_auth_answer *answer, const char *revision,
                      mcp_error *err) {
  const mcpi_buf *challenges = &answer->challenges;
  if (status == 403 && challenges->len == 0) {
    return MCP_ERR_NOT_FOUND;
  }
  auth.refusals++;
  snprintf(auth.challenges, sizeof(auth.challenges), "%.*s",
           (int)challenges->len, challenges->data);
  snprintf(auth.revision, sizeof(auth.revision), "%s",
           revision != NULL ? revision : "");
  if (auth.refusal.code != 0) {
    *err = auth.refusal;
    return err->code;
  }
  if (auth.retries > 0) {
    auth.retries--;
    return 0;
  }
  if (auth.state == AUTH_VALID && request->sent_with < auth.generation) {
    return 0; /* there is a newer token */
  }
  if (auth.state != AUTH_LOGGING_IN) {
    auth.state = AUTH_LOGGING_IN;
    auth.logins++;
  }
  return fake_wait(request);
}

#endif
