/* SPDX-License-Identifier: MIT */
#include "store/sqlite/writer.h"

#include "base/error.h"
#include "core/loop.h"
#include "store/sqlite/batch.h"

#include <uv.h>

enum {
  /* How often a post is tried again for which the loop had no memory, and for
   * how long when the store ends. */
  RETRY_MS = 10,
  LAST_RETRIES = 100,
  /* The thread waits for others to join a request, for this part of the time
   * that the last requests took, and not for longer than 2 ms. */
  PATIENCE_PART = 8,
  PATIENCE_MAX_NS = 2000000
};

struct mcpi_sqlite_writer {
  mcp_allocator allocator;
  char *path;
  uint32_t max_waiting;
  size_t max_waiting_bytes;
  void (*on_error)(const mcp_error *err, void *userdata);
  void *userdata;
  uv_thread_t thread;

  uv_mutex_t lock; /* protects the members below */
  uv_cond_t has_work;
  mcpi_list waiting; /* the requests, the first that came first */
  size_t waiting_count;
  size_t waiting_bytes;
  size_t expected; /* the requests that the thread waits for, for a while */
  int is_ending;

  /* The thread's own: */
  mcpi_sqlite_tasks tasks;
  uint64_t patience_ns;
  mcpi_list unposted; /* the first of those that are to be posted together */
};

/* --- completions ---------------------------------------------------------- */

/* On the loop's thread. The store may have gone. */
static void complete_all(void *argument) {
  mcpi_sqlite_job *job = argument;
  while (job != NULL) {
    mcpi_sqlite_job *next = job->next;
    mcpi_sqlite_job_complete(job);
    job = next;
  }
}

static void drop_all(mcpi_sqlite_job *job) {
  while (job != NULL) {
    mcpi_sqlite_job *next = job->next;
    mcpi_sqlite_job_free(job);
    job = next;
  }
}

/* Takes the first of them, and those of the same loop, out of the array and
 * chains them in their order. */
static mcpi_sqlite_job *chain_of_loop(mcpi_sqlite_job **jobs, size_t count) {
  mcpi_sqlite_job *first = jobs[0];
  mcpi_sqlite_job *last = first;
  for (size_t i = 1; i < count; i++) {
    if (jobs[i] != NULL && jobs[i]->loop == first->loop) {
      last->next = jobs[i];
      last = jobs[i];
      jobs[i] = NULL;
    }
  }
  last->next = NULL;
  jobs[0] = NULL;
  return first;
}

/* One post for each loop: a post costs more than a completion. */
static void gather_posts(mcpi_sqlite_writer *writer, mcpi_sqlite_job **jobs,
                         size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (jobs[i] != NULL) {
      mcpi_sqlite_job *first = chain_of_loop(jobs + i, count - i);
      mcpi_list_append(&writer->unposted, &first->link);
    }
  }
}

/* Posts what is to be posted. A loop without memory gets it later; one that is
 * being freed takes nothing any more. */
static void post_all(mcpi_sqlite_writer *writer) {
  mcpi_list *at = writer->unposted.next;
  while (at != &writer->unposted) {
    mcpi_sqlite_job *first = MCPI_CONTAINER(at, mcpi_sqlite_job, link);
    at = at->next;
    mcpi_list_remove(&first->link); /* before: the loop may free it at once */
    int rc = mcp_loop_post(first->loop, complete_all, first);
    if (rc == MCP_ERR_NOMEM) {
      mcpi_list_append(at, &first->link); /* where it was */
    } else if (rc != 0) {
      drop_all(first);
    }
  }
}

/* --- the thread ----------------------------------------------------------- */

/* Under the lock. Returns how many were taken; 0: it is time to end, or to post
 * again. */
static size_t take_jobs(mcpi_sqlite_writer *writer,
                        mcpi_sqlite_job *jobs[MCPI_SQLITE_BATCH_MAX]) {
  size_t count = 0;
  while (!mcpi_list_is_empty(&writer->waiting) &&
         count < MCPI_SQLITE_BATCH_MAX) {
    mcpi_sqlite_job *job =
        MCPI_CONTAINER(writer->waiting.next, mcpi_sqlite_job, link);
    mcpi_list_remove(&job->link);
    writer->waiting_count--;
    writer->waiting_bytes -= job->size;
    jobs[count++] = job;
  }
  return count;
}

/* Under the lock. */
static void wait_for_work(mcpi_sqlite_writer *writer) {
  while (mcpi_list_is_empty(&writer->waiting) && !writer->is_ending) {
    if (mcpi_list_is_empty(&writer->unposted)) {
      uv_cond_wait(&writer->has_work, &writer->lock);
    } else {
      uv_cond_timedwait(&writer->has_work, &writer->lock,
                        (uint64_t)RETRY_MS * 1000000);
      return;
    }
  }
}

/* When many wait for a completion, the first of them asks again before the
 * others have had a chance to: it would be written alone, and they would wait
 * for the disk twice. So the thread waits until as many requests are there as
 * were done together before, but only for a while. Under the lock. */
static void wait_for_company(mcpi_sqlite_writer *writer) {
  uint64_t now = uv_hrtime();
  uint64_t end = now + writer->patience_ns;
  while (writer->waiting_count > 0 &&
         writer->waiting_count < writer->expected && !writer->is_ending &&
         now < end) {
    uv_cond_timedwait(&writer->has_work, &writer->lock, end - now);
    now = uv_hrtime();
  }
}

static void do_jobs(mcpi_sqlite_writer *writer, mcpi_sqlite_job **jobs,
                    size_t count) {
  uint64_t begin = uv_hrtime();
  int has_failed = mcpi_sqlite_batch_run(&writer->tasks, jobs, count);
  uint64_t patience_ns = (uv_hrtime() - begin) / PATIENCE_PART;
  writer->patience_ns =
      patience_ns < PATIENCE_MAX_NS ? patience_ns : PATIENCE_MAX_NS;
  if (has_failed && writer->on_error != NULL) {
    writer->on_error(&writer->tasks.failure, writer->userdata);
  }
  gather_posts(writer, jobs, count);
}

static void post_the_last(mcpi_sqlite_writer *writer) {
  for (int i = 0; i < LAST_RETRIES && !mcpi_list_is_empty(&writer->unposted);
       i++) {
    uv_sleep(RETRY_MS);
    post_all(writer);
  }
  while (!mcpi_list_is_empty(&writer->unposted)) {
    drop_all(MCPI_CONTAINER(writer->unposted.next, mcpi_sqlite_job, link));
  }
}

static void writer_run(void *argument) {
  mcpi_sqlite_writer *writer = argument;
  mcpi_sqlite_job *jobs[MCPI_SQLITE_BATCH_MAX];
  int is_ending = 0;
  while (!is_ending) {
    uv_mutex_lock(&writer->lock);
    wait_for_work(writer);
    wait_for_company(writer);
    size_t count = take_jobs(writer, jobs);
    writer->expected = count;
    is_ending = writer->is_ending && count == 0;
    uv_mutex_unlock(&writer->lock);
    if (count > 0) {
      do_jobs(writer, jobs, count);
    }
    post_all(writer);
  }
  post_the_last(writer);
}

/* --- requests ------------------------------------------------------------- */

const mcp_allocator *
mcpi_sqlite_writer_allocator(const mcpi_sqlite_writer *writer) {
  return &writer->allocator;
}

/* Under the lock. Returns 0, or MCP_ERR_BUSY: too many wait. */
static int queue_job(mcpi_sqlite_writer *writer, mcpi_sqlite_job *job) {
  if (writer->waiting_count == writer->max_waiting ||
      job->size > writer->max_waiting_bytes - writer->waiting_bytes) {
    return MCP_ERR_BUSY;
  }
  mcpi_list_append(&writer->waiting, &job->link);
  writer->waiting_count++;
  writer->waiting_bytes += job->size;
  if (writer->waiting_count == 1 || writer->waiting_count >= writer->expected) {
    uv_cond_signal(&writer->has_work);
  }
  return 0;
}

void mcpi_sqlite_writer_add(mcpi_sqlite_writer *writer, mcpi_sqlite_job *job) {
  int rc = MCP_ERR_PLATFORM;
  if (job->loop->platform.post != NULL) {
    uv_mutex_lock(&writer->lock);
    rc = queue_job(writer, job);
    uv_mutex_unlock(&writer->lock);
  }
  if (rc != 0) {
    job->status = rc;
    mcpi_sqlite_job_complete(job);
  }
}

/* --- life ----------------------------------------------------------------- */

static void free_memory(mcpi_sqlite_writer *writer) {
  mcp_allocator allocator = writer->allocator;
  mcpi_strfree(&allocator, writer->path);
  mcpi_free(&allocator, writer, sizeof(*writer));
}

static int make_sync(mcpi_sqlite_writer *writer, mcp_error *err) {
  if (uv_mutex_init(&writer->lock) != 0) {
    return mcpi_no_memory(err);
  }
  if (uv_cond_init(&writer->has_work) != 0) {
    uv_mutex_destroy(&writer->lock);
    return mcpi_no_memory(err);
  }
  return 0;
}

static void free_sync(mcpi_sqlite_writer *writer) {
  uv_cond_destroy(&writer->has_work);
  uv_mutex_destroy(&writer->lock);
}

static int start_thread(mcpi_sqlite_writer *writer, mcp_error *err) {
  int rc = make_sync(writer, err);
  if (rc == 0 && uv_thread_create(&writer->thread, writer_run, writer) != 0) {
    free_sync(writer);
    rc = mcp_error_set(err, MCP_ERR_NOMEM,
                       "the system gives no thread for %s: close others",
                       writer->path);
  }
  return rc;
}

static mcpi_sqlite_writer *writer_alloc(const char *path,
                                        const mcp_sqlite_options *options) {
  const mcp_allocator *allocator = options->allocator;
  mcpi_sqlite_writer *writer = mcpi_calloc(allocator, 1, sizeof(*writer));
  if (writer == NULL) {
    return NULL;
  }
  writer->allocator = *allocator;
  writer->max_waiting = options->max_waiting;
  writer->max_waiting_bytes = options->max_waiting_bytes;
  writer->on_error = options->on_error;
  writer->userdata = options->userdata;
  mcpi_list_init(&writer->waiting);
  mcpi_list_init(&writer->unposted);
  writer->path = mcpi_strdup(allocator, path);
  if (writer->path == NULL) {
    free_memory(writer);
    return NULL;
  }
  return writer;
}

int mcpi_sqlite_writer_new(mcpi_sqlite_writer **out, const char *path,
                           const mcp_sqlite_options *options, mcp_error *err) {
  mcpi_sqlite_writer *writer = writer_alloc(path, options);
  if (writer == NULL) {
    return mcpi_no_memory(err);
  }
  int rc = mcpi_sqlite_tasks_init(&writer->tasks, writer->path,
                                  options->max_bytes, err);
  if (rc == 0) {
    rc = start_thread(writer, err);
    if (rc != 0) {
      mcpi_sqlite_tasks_deinit(&writer->tasks);
    }
  }
  if (rc != 0) {
    free_memory(writer);
    return rc;
  }
  *out = writer;
  return 0;
}

void mcpi_sqlite_writer_free(mcpi_sqlite_writer *writer) {
  uv_mutex_lock(&writer->lock);
  writer->is_ending = 1;
  uv_cond_signal(&writer->has_work);
  uv_mutex_unlock(&writer->lock);
  uv_thread_join(&writer->thread);
  free_sync(writer);
  mcpi_sqlite_tasks_deinit(&writer->tasks);
  free_memory(writer);
}
