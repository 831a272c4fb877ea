/* SPDX-License-Identifier: MIT */
/* The mcp_auth itself, and its life. Each line stands on those above it:
 *
 *   wiping.c record.c record_key.c
 *                             a server's record, as text, and its key
 *   taking.c answer.c options.c
 *   life.c                    the structure, and who holds it
 *   credentials.c             what a server's requests are sent with
 *   waiting.c                 requests that wait
 *   login.c                   one run of the flow, and what the program answers
 *   server.c                  one server: its state, and how it changes
 *   auth_request.c            what requests are sent with, and what their
 *                             answers demand
 *   servers.c                 all servers
 *   task.c log_in.c logout.c list.c
 *                             the public functions that report later
 *   auth.c                    the other public functions */
#ifndef MCPI_AUTH_CLIENT_LIFE_H
#define MCPI_AUTH_CLIENT_LIFE_H

#include "auth/client/auth.h"
#include "auth/client/issuers.h"

/* An object that nobody holds any more. A frame on the stack may still use
 * it. */
typedef struct mcpi_auth_grave mcpi_auth_grave;
struct mcpi_auth_grave {
  mcpi_list link; /* in auth->graves */
  void (*destroy)(mcpi_auth_grave *grave);
};

/* Its holders are the program until mcp_auth_free, each of its servers, and
 * each frame on the stack that works with it (mcpi_auth_enter). mcp_auth_free
 * marks it and ends what is in flight. The store and the host are released when
 * the outermost frame returns. The last holder frees the memory; it is always
 * on the loop's thread. */
struct mcp_auth {
  mcp_loop *loop;
  mcp_auth_options options;         /* with defaults; the strings are owned */
  mcp_auth_store store;             /* take NULL: released */
  const mcpi_auth_host *host_table; /* NULL: released */
  void *host;
  mcpi_issuers issuers;
  mcpi_map servers; /* mcpi_auth_server, by URL */
  mcpi_list logins; /* mcpi_login that run */
  mcpi_list tasks;  /* mcpi_auth_task: task.h */
  mcpi_list graves;
  uint64_t last_login; /* the number of the newest login */
  size_t holders;
  size_t frames;
  int is_freed;
};

static inline const mcp_allocator *mcpi_auth_allocator(const mcp_auth *auth) {
  return &auth->loop->allocator;
}
/* 1: the program manages tokens itself. */
static inline int mcpi_auth_is_by_program(const mcp_auth *auth) {
  return auth->options.get_token != NULL;
}

/* Sets err to MCP_ERR_CLOSED, and returns that. */
int mcpi_auth_closed(mcp_error *err);
/* Adds and drops a holder. */
void mcpi_auth_hold(mcp_auth *auth);
void mcpi_auth_drop(mcp_auth *auth);
/* Begin and end a frame. Until it ends, the loop and each object of the
 * mcp_auth exist, too. */
void mcpi_auth_enter(mcp_auth *auth);
void mcpi_auth_leave(mcp_auth *auth);
/* Destroys an object when no frame can use it any more. */
void mcpi_auth_bury(mcp_auth *auth, mcpi_auth_grave *grave);

#endif
