/* SPDX-License-Identifier: MIT */
/* Threads for handlers that block, and the ring of waiting jobs. */
#include "platform/workers.h"

#include <mcp/error.h>

typedef struct job {
  void (*work)(void *argument);
  void *argument;
} job;

struct mcpi_workers {
  const mcp_allocator *allocator;
  uv_async_t *on_idle;
  uint32_t max_threads;
  uint32_t ring_cap;

  uv_mutex_t lock; /* protects the members below */
  uv_cond_t has_work;
  uint32_t thread_count;
  uint32_t first;      /* in the ring */
  uint32_t waiting;    /* jobs in the ring */
  uint32_t unfinished; /* jobs in the ring and on threads */
  int is_ending;
  uv_thread_t *threads;
  job *ring;
};

static int make_sync(mcpi_workers *workers) {
  if (uv_mutex_init(&workers->lock) != 0) {
    return MCP_ERR_NOMEM;
  }
  if (uv_cond_init(&workers->has_work) != 0) {
    uv_mutex_destroy(&workers->lock);
    return MCP_ERR_NOMEM;
  }
  return 0;
}

static void workers_free_memory(mcpi_workers *workers) {
  const mcp_allocator *allocator = workers->allocator;
  mcpi_free(allocator, workers->ring, workers->ring_cap * sizeof(job));
  mcpi_free(allocator, workers->threads,
            workers->max_threads * sizeof(uv_thread_t));
  mcpi_free(allocator, workers, sizeof(*workers));
}

mcpi_workers *mcpi_workers_new(const mcp_allocator *allocator,
                               uint32_t thread_count, uint32_t queue_count,
                               uv_async_t *on_idle) {
  mcpi_workers *workers = mcpi_calloc(allocator, 1, sizeof(*workers));
  if (workers == NULL) {
    return NULL;
  }
  workers->allocator = allocator;
  workers->on_idle = on_idle;
  workers->max_threads = thread_count;
  workers->ring_cap = queue_count;
  workers->threads = mcpi_calloc(allocator, thread_count, sizeof(uv_thread_t));
  workers->ring = mcpi_calloc(allocator, queue_count, sizeof(job));
  if (workers->threads == NULL || workers->ring == NULL ||
      make_sync(workers) != 0) {
    workers_free_memory(workers);
    return NULL;
  }
  return workers;
}

/* Waits for a job. Returns 0: there will be none any more. Under the lock. */
static int take_job(mcpi_workers *workers, job *out) {
  while (workers->waiting == 0) {
    if (workers->is_ending) {
      return 0;
    }
    uv_cond_wait(&workers->has_work, &workers->lock);
  }
  *out = workers->ring[workers->first];
  workers->first = (workers->first + 1) % workers->ring_cap;
  workers->waiting--;
  return 1;
}

static void run_thread(void *argument) {
  mcpi_workers *workers = argument;
  job taken;
  uv_mutex_lock(&workers->lock);
  while (take_job(workers, &taken)) {
    uv_mutex_unlock(&workers->lock);
    taken.work(taken.argument);
    uv_mutex_lock(&workers->lock);
    if (--workers->unfinished == 0) {
      uv_async_send(workers->on_idle);
    }
  }
  uv_mutex_unlock(&workers->lock);
}

/* Starts another thread, unless the running ones are enough. Under the lock. */
static void add_thread(mcpi_workers *workers) {
  uint32_t count = workers->thread_count;
  if (workers->unfinished >= count && count < workers->max_threads &&
      uv_thread_create(&workers->threads[count], run_thread, workers) == 0) {
    workers->thread_count++;
  }
}

/* Under the lock. */
static int queue_job(mcpi_workers *workers, job added) {
  if (workers->waiting == workers->ring_cap) {
    return MCP_ERR_BUSY;
  }
  add_thread(workers);
  if (workers->thread_count == 0) {
    return MCP_ERR_BUSY;
  }
  uint32_t last = (workers->first + workers->waiting) % workers->ring_cap;
  workers->ring[last] = added;
  workers->waiting++;
  workers->unfinished++;
  uv_cond_signal(&workers->has_work);
  return 0;
}

int mcpi_workers_run(mcpi_workers *workers, void (*work)(void *argument),
                     void *argument) {
  uv_mutex_lock(&workers->lock);
  int rc = queue_job(workers, (job){work, argument});
  uv_mutex_unlock(&workers->lock);
  return rc;
}

int mcpi_workers_are_busy(mcpi_workers *workers) {
  uv_mutex_lock(&workers->lock);
  int busy = workers->unfinished > 0;
  uv_mutex_unlock(&workers->lock);
  return busy;
}

void mcpi_workers_free(mcpi_workers *workers) {
  if (workers == NULL) {
    return;
  }
  uv_mutex_lock(&workers->lock);
  workers->is_ending = 1;
  uv_cond_broadcast(&workers->has_work);
  uv_mutex_unlock(&workers->lock);
  for (uint32_t i = 0; i < workers->thread_count; i++) {
    uv_thread_join(&workers->threads[i]);
  }
  uv_cond_destroy(&workers->has_work);
  uv_mutex_destroy(&workers->lock);
  workers_free_memory(workers);
}
