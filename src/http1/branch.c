/* SPDX-License-Identifier: MIT */
/* One of the loops to which an HTTP server distributes its connections. */
#include "http1/branch.h"

#include "base/error.h"
#include "endpoint/endpoint.h"
#include "endpoint/life.h"
#include "net/address.h"
#include "platform/sockets.h"
#include "platform/uv_loop.h"
#include "server/server.h"
#include "server/shard.h"

#include <string.h>

struct mcpi_http1_branch {
  mcp_allocator allocator;
  uv_thread_t thread;
  mcp_loop *loop;
  mcp_http *http;
  mcpi_http1_relay *relay; /* keeps the loop running */
  mcpi_http1 *http1;
  mcp_server *server; /* a reference */
  mcpi_http1_homes *homes;
  int loop_is_unused; /* nothing uses the loop any longer: it can be freed */

  /* For the start of the thread; `ready` is posted when the branch serves. */
  const mcpi_http1_branch_setup *setup;
  uv_sem_t ready;
  mcp_error err; /* code 0: the branch serves */

  /* Letters that must arrive, so their memory is here. */
  mcpi_letter drain;
  mcpi_letter end;

  void (*on_drained)(void *userdata);
  void *on_drained_userdata;
};

/* --- the thread: its beginning ------------------------------------------- */

static uint32_t branch_share(uint32_t whole, uint32_t count) {
  return whole / count + (whole % count != 0);
}

/* Reduces limits that hold for the whole address. */
static void take_share(mcp_http *http, uint32_t count) {
  mcp_http_options *options = &http->options;
  options->max_rate = branch_share(options->max_rate, count);
  options->max_sessions = branch_share(options->max_sessions, count);
  options->max_calls = branch_share(options->max_calls, count);
  size_t bytes = http->memory.max_bytes;
  http->memory.max_bytes = bytes / count + (bytes % count != 0);
}

static int fail_memory(mcpi_http1_branch *branch) {
  return mcpi_no_memory(&branch->err);
}

static mcp_loop *new_loop(const mcp_loop *like, mcp_error *err) {
  const mcpi_uv *uv = mcpi_uv_of(like);
  const mcp_loop_options options = {.size = sizeof(mcp_loop_options),
                                    .allocator = &uv->allocator,
                                    .pool_threads = uv->pool_threads,
                                    .pool_queue = uv->pool_queue};
  return mcp_loop_new(&options, err);
}

static int open_http1(mcpi_http1_branch *branch) {
  const mcpi_http1_branch_setup *setup = branch->setup;
  mcpi_http1_limits limits = setup->limits;
  limits.max_connections = branch_share(limits.max_connections, setup->count);
  const mcpi_http1_app app = mcpi_http1_relay_app(branch->relay);
  branch->http1 = mcpi_http1_new(branch->loop, &limits, &app, &branch->err);
  if (branch->http1 == NULL) {
    return branch->err.code;
  }
  mcpi_endpoint_count(branch->http, mcpi_http1_waiting(branch->http1));
  return 0;
}

static int open_branch(mcpi_http1_branch *branch) {
  const mcpi_http1_branch_setup *setup = branch->setup;
  branch->loop = new_loop(setup->loop, &branch->err);
  if (branch->loop == NULL) {
    return branch->err.code;
  }
  branch->http = setup->has_address
                     ? mcpi_endpoint_new(setup->server, branch->loop,
                                         setup->options, &branch->err)
                     : mcp_http_new(setup->server, branch->loop, setup->options,
                                    &branch->err);
  if (branch->http == NULL) {
    return branch->err.code;
  }
  take_share(branch->http, setup->count);
  if (setup->is_secure) {
    mcpi_endpoint_set_secure(branch->http);
  }
  if (branch->homes->first != NULL) {
    mcpi_endpoint_share_proofs(branch->http, branch->homes->first);
  }
  branch->relay = mcpi_http1_relay_new(
      branch->loop, branch->http, setup->limits.max_waiting, branch->homes);
  return branch->relay != NULL ? open_http1(branch) : fail_memory(branch);
}

/* --- the thread: its end ------------------------------------------------- */

/* Returns 1 when nothing uses the server on this loop any longer. */
static int await_calls(const mcpi_http1_branch *branch) {
  int64_t limit_ms = mcpi_loop_now(branch->loop) + MCPI_HTTP1_BRANCH_GRACE_MS;
  mcpi_server_leave_loop(branch->server, branch->loop);
  while (mcpi_server_is_on(branch->server, branch->loop)) {
    int64_t left_ms = limit_ms - mcpi_loop_now(branch->loop);
    if (left_ms <= 0) {
      return 0;
    }
    mcp_loop_wait(branch->loop, (int)left_ms);
  }
  return 1;
}

static void close_branch(mcpi_http1_branch *branch) {
  mcpi_http1_free(branch->http1);
  mcpi_http1_relay_close(branch->relay);
  mcp_http_free(branch->http);
  branch->loop_is_unused = await_calls(branch);
}

static void branch_run(void *argument) {
  mcpi_http1_branch *branch = argument;
  int rc = open_branch(branch);
  uv_sem_post(&branch->ready);
  if (rc == 0) {
    mcp_loop_run(branch->loop);
  }
  if (branch->loop != NULL) {
    close_branch(branch);
  }
}

/* --- its life, in the other thread --------------------------------------- */

static void join(mcpi_http1_branch *branch) {
  uv_thread_join(&branch->thread);
  uv_sem_destroy(&branch->ready);
}

/* Call it when the branch's thread has ended, or if it did not begin: before
 * its end the accepting thread may still wake the loop for the last letter. If
 * a handler still uses its call, the relay and the loop are never freed: the
 * handler may post to the loop, though it no longer runs. */
static void dispose(mcpi_http1_branch *branch) {
  if (branch->loop_is_unused) {
    mcpi_http1_relay_free(branch->relay);
    mcp_loop_free(branch->loop);
  }
  mcpi_server_unref(branch->server);
  mcp_allocator allocator = branch->allocator;
  mcpi_free(&allocator, branch, sizeof(*branch));
}

static int branch_start(mcpi_http1_branch *branch) {
  if (uv_sem_init(&branch->ready, 0) != 0) {
    return fail_memory(branch);
  }
  if (uv_thread_create(&branch->thread, branch_run, branch) != 0) {
    uv_sem_destroy(&branch->ready);
    return mcp_error_set(&branch->err, MCP_ERR_IO, "cannot start a thread");
  }
  uv_sem_wait(&branch->ready);
  if (branch->err.code != 0) {
    join(branch);
  }
  return branch->err.code;
}

mcpi_http1_branch *mcpi_http1_branch_new(const mcpi_http1_branch_setup *setup,
                                         mcp_error *err) {
  const mcp_loop *loop = setup->loop;
  if (mcpi_uv_of(loop) == NULL) {
    mcp_error_set(err, MCP_ERR_INVALID, "not a loop of mcp_loop_new");
    return NULL;
  }
  mcpi_http1_branch *branch = mcpi_calloc(&loop->allocator, 1, sizeof(*branch));
  if (branch == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  branch->allocator = loop->allocator;
  branch->server = setup->server;
  mcpi_server_ref(branch->server);
  branch->homes = setup->homes;
  branch->setup = setup;
  if (branch_start(branch) != 0) {
    mcp_error_set(err, branch->err.code, "%s", branch->err.message);
    dispose(branch);
    return NULL;
  }
  return branch;
}

static void branch_on_end(mcpi_letter *letter) {
  mcp_loop_stop(MCPI_CONTAINER(letter, mcpi_http1_branch, end)->loop);
}

void mcpi_http1_branches_free(mcpi_http1_branch **branches, size_t count) {
  for (size_t i = 0; i < count; i++) {
    mcpi_http1_relay_put(branches[i]->relay, &branches[i]->end, branch_on_end);
  }
  for (size_t i = 0; i < count; i++) {
    join(branches[i]);
  }
  if (count > 0) {
    mcpi_http1_homes_settle(branches[0]->homes);
  }
  for (size_t i = 0; i < count; i++) {
    dispose(branches[i]);
  }
}

/* --- letters to the thread ----------------------------------------------- */

/* The letter that ends the branch is the last one, so the thread opens all of
 * these before it. */
typedef struct delivery {
  mcpi_letter letter;
  mcpi_http1_branch *branch;
  int fd;
  char peer[MCPI_ADDRESS_TEXT];
} delivery;

static void on_delivery(mcpi_letter *letter) {
  delivery *d = MCPI_CONTAINER(letter, delivery, letter);
  mcpi_http1_serve(d->branch->http1, d->fd, d->peer);
  mcpi_free(&d->branch->allocator, d, sizeof(*d));
}

void mcpi_http1_branch_set_address(mcpi_http1_branch *branch,
                                   const char *address) {
  mcpi_endpoint_set_address(branch->http, address);
}

void mcpi_http1_branch_serve(mcpi_http1_branch *branch, int fd,
                             const char *peer) {
  delivery *d = mcpi_calloc(&branch->allocator, 1, sizeof(*d));
  if (d == NULL) {
    mcpi_sock_close(fd);
    return;
  }
  d->branch = branch;
  d->fd = fd;
  strncpy(d->peer, peer, sizeof(d->peer) - 1);
  mcpi_http1_relay_put(branch->relay, &d->letter, on_delivery);
}

typedef struct renewal {
  mcpi_letter letter;
  mcpi_http1_branch *branch;
  mcpi_tls *tls; /* a reference */
} renewal;

static void on_renewal(mcpi_letter *letter) {
  renewal *r = MCPI_CONTAINER(letter, renewal, letter);
  mcpi_http1_set_tls(r->branch->http1, r->tls);
  mcpi_tls_unref(r->tls);
  mcpi_free(&r->branch->allocator, r, sizeof(*r));
}

int mcpi_http1_branch_set_tls(mcpi_http1_branch *branch, mcpi_tls *tls) {
  renewal *r = mcpi_calloc(&branch->allocator, 1, sizeof(*r));
  if (r == NULL) {
    return MCP_ERR_NOMEM;
  }
  r->branch = branch;
  r->tls = tls;
  mcpi_tls_ref(tls);
  mcpi_http1_relay_put(branch->relay, &r->letter, on_renewal);
  return 0;
}

static void on_drain(mcpi_letter *letter) {
  mcpi_http1_branch *branch = MCPI_CONTAINER(letter, mcpi_http1_branch, drain);
  mcpi_endpoint_drain(branch->http);
  mcpi_http1_drain(branch->http1, branch->on_drained,
                   branch->on_drained_userdata);
}

void mcpi_http1_branch_drain(mcpi_http1_branch *branch,
                             void (*on_drained)(void *userdata),
                             void *userdata) {
  branch->on_drained = on_drained;
  branch->on_drained_userdata = userdata;
  mcpi_http1_relay_put(branch->relay, &branch->drain, on_drain);
}

size_t mcpi_http1_branch_connection_count(const mcpi_http1_branch *branch) {
  return mcpi_http1_connection_count(branch->http1);
}
