/* SPDX-License-Identifier: MIT */
/* Answers calls from the program's own thread. The loop takes a call and
 * continues at once. The worker handles one call after the other, reports
 * progress, and stops when the client has cancelled the call. Try it:
 *
 *     build/bin/mcpctl call count_primes below:=20000000 \
 *         -- build/bin/worker-thread
 *
 * A tool that only blocks now and then needs none of this: see `is_blocking` in
 * mcp_tool. A thread of your own is for work that must not run twice at once,
 * such as all work on one instrument or database connection. */
#include <mcp/mcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* A call that waits for the worker. */
typedef struct job {
  mcp_call *call;
  struct job *next;
} job;

typedef struct worker {
  pthread_t thread;
  pthread_mutex_t lock; /* protects the members below */
  pthread_cond_t changed;
  job *first;
  job **last; /* where the next job is linked */
  int is_stopping;
} worker;

/* --- the work, on the worker's thread ------------------------------------ */

static int is_prime(int64_t n) {
  for (int64_t i = 2; i * i <= n; i++) {
    if (n % i == 0) {
      return 0;
    }
  }
  return n >= 2;
}

/* Each call gets exactly one reply, even when the client has left. Then the
 * reply returns MCP_ERR_GONE, which needs no action. */
static void count_primes(mcp_call *call) {
  enum { STEP = 10000 };
  int64_t below = mcp_call_int(call, "below");
  int64_t count = 0;
  for (int64_t n = 0; n < below; n++) {
    if (n % STEP == 0) {
      mcp_call_progress(call, (double)n, (double)below, "counting");
    }
    if (n % STEP == 0 && mcp_call_is_cancelled(call)) {
      mcp_call_reply_failure(call, "cancelled at %lld", (long long)n);
      return;
    }
    count += is_prime(n);
  }
  mcp_call_reply_number(call, (double)count);
}

/* Waits for a job. Returns NULL when the worker must stop and has no job
 * left. */
static job *take_job(worker *self) {
  pthread_mutex_lock(&self->lock);
  while (self->first == NULL && !self->is_stopping) {
    pthread_cond_wait(&self->changed, &self->lock);
  }
  job *taken = self->first;
  if (taken != NULL) {
    self->first = taken->next;
    self->last = self->first == NULL ? &self->first : self->last;
  }
  pthread_mutex_unlock(&self->lock);
  return taken;
}

static void *run(void *userdata) {
  worker *self = userdata;
  job *taken;
  while ((taken = take_job(self)) != NULL) {
    count_primes(taken->call);
    free(taken);
  }
  return NULL;
}

/* --- handing over, on the loop's thread ---------------------------------- */

static void put_job(worker *self, job *given) {
  pthread_mutex_lock(&self->lock);
  *self->last = given;
  self->last = &given->next;
  pthread_cond_signal(&self->changed);
  pthread_mutex_unlock(&self->lock);
}

/* Once the call is queued, the worker owns it: the loop does not touch it
 * again. */
static int on_count_primes(mcp_call *call, void *userdata) {
  job *given = calloc(1, sizeof *given);
  if (given == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = mcp_call_defer(call);
  if (rc != 0) {
    free(given);
    return rc;
  }
  given->call = call;
  put_job(userdata, given);
  return 0;
}

static int worker_start(worker *self) {
  pthread_mutex_init(&self->lock, NULL);
  pthread_cond_init(&self->changed, NULL);
  self->last = &self->first;
  return pthread_create(&self->thread, NULL, run, self);
}

static void worker_stop(worker *self) {
  pthread_mutex_lock(&self->lock);
  self->is_stopping = 1;
  pthread_cond_signal(&self->changed);
  pthread_mutex_unlock(&self->lock);
  pthread_join(self->thread, NULL);
  pthread_cond_destroy(&self->changed);
  pthread_mutex_destroy(&self->lock);
}

/* --- the server ---------------------------------------------------------- */

static mcp_server *make_server(worker *self) {
  mcp_server *server = mcp_server_new("worker-thread", "1.0.0", NULL, NULL);
  mcp_server_add_tool(
      server,
      &(mcp_tool){
          .size = sizeof(mcp_tool),
          .name = "count_primes",
          .description = "Counts the primes below a number",
          .input = MCP_OBJECT(MCP_INTEGER("below", "The number", .minimum = "0",
                                          .maximum = "1000000000")),
          .handler = on_count_primes,
          .userdata = self},
      NULL);
  return server;
}

/* --- the life of the thread ---------------------------------------------- */

/* mcp_main calls this before it serves anything. */
static int on_start(mcp_server *server, mcp_loop *loop, void *userdata) {
  (void)server;
  (void)loop;
  if (worker_start(userdata) != 0) {
    fprintf(stderr, "worker-thread: cannot start the worker\n");
    return MCP_ERR_NOMEM;
  }
  return 0;
}

/* mcp_main calls this when it has stopped serving. The worker replies through
 * the loop, which mcp_main frees next: the worker must have ended by then. */
static void on_stop(mcp_server *server, mcp_loop *loop, void *userdata) {
  (void)server;
  (void)loop;
  worker_stop(userdata);
}

int main(int argc, char **argv) {
  worker self = {0};
  const mcp_main_options options = {.size = sizeof(mcp_main_options),
                                    .summary =
                                        "Counts primes on a thread of its own.",
                                    .on_start = on_start,
                                    .on_stop = on_stop,
                                    .userdata = &self};
  return mcp_main_with(make_server(&self), argc, argv, &options);
}
