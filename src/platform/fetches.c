/* SPDX-License-Identifier: MIT */
#include "platform/fetches.h"

#include "base/buf.h"
#include "base/list.h"
#include "codec/http_value.h"
#include "codec/ip.h"
#include "fetch/fetch.h"
#include "platform/workers.h"
#include <stdatomic.h>
#include <stdio.h>

enum {
  /* Requests that run at once, and those that wait for them. */
  FETCH_THREADS = 8,
  FETCH_QUEUE = 1024,
  /* All header lines of an answer, in bytes. */
  HEADERS_MAX = 16 * 1024,
  HEADER_LINES_MAX = 100
};

struct mcpi_fetches {
  const mcp_allocator *allocator;
  uv_async_t *on_end;
  mcpi_workers *workers;
  mcpi_list all;     /* those that have not been delivered; the loop's thread */
  uv_mutex_t lock;   /* protects the members below */
  mcpi_list waiting; /* for a thread, in the order of their beginning */
  mcpi_list at_work; /* on a thread */
  mcpi_list ended;   /* their answers have come */
};

/* A request. The loop's list holds it until its answer is delivered, also when
 * it is cancelled. The thread that sends it uses it while it is at work. What
 * that thread writes has the default allocator: the loop's need not bear
 * threads. */
struct mcp_fetch {
  mcpi_fetches *fetches;
  const mcp_allocator *allocator;
  mcpi_list link;       /* in fetches->all */
  mcpi_list stage;      /* in fetches->waiting, at_work or ended */
  uint64_t deadline_ms; /* by now_ms */
  const mcpi_fetch_engine *engine;
  mcp_fetch_done_cb done; /* NULL: cancelled */
  void *argument;
  atomic_int is_stopped;
  mcp_fetch_request request; /* its strings are ours */
  char **header_lines;       /* NULL at the end */
  mcpi_buf head;             /* the answer's header lines, NUL after each */
  size_t line_count;
  mcpi_buf body;
  mcpi_fetch_outcome outcome;
};

/* --- a request's memory --------------------------------------------------- */

static void fetch_free_lines(mcp_fetch *fetch) {
  size_t count = fetch->request.header_count;
  for (size_t i = 0; fetch->header_lines != NULL && i < count; i++) {
    mcpi_strfree_wiped(fetch->allocator, fetch->header_lines[i]);
  }
  mcpi_free(fetch->allocator, fetch->header_lines,
            (count + 1) * sizeof(char *));
}

static void fetch_free_string(const mcp_fetch *fetch, const char *string) {
  mcpi_strfree_wiped(fetch->allocator, (char *)(uintptr_t)string);
}

static void fetch_free(mcp_fetch *fetch) {
  const mcp_fetch_request *request = &fetch->request;
  mcpi_list_remove(&fetch->link);
  fetch_free_lines(fetch);
  fetch_free_string(fetch, request->method);
  fetch_free_string(fetch, request->url);
  fetch_free_string(fetch, request->ca_file);
  fetch_free_string(fetch, request->proxy);
  mcpi_free_wiped(fetch->allocator, (char *)(uintptr_t)request->body,
                  request->body_len);
  mcpi_buf_deinit(&fetch->head);
  mcpi_buf_deinit(&fetch->body);
  mcpi_free(fetch->allocator, fetch, sizeof(*fetch));
}

/* Copies a string in place. Returns 0 or MCP_ERR_NOMEM. */
static int fetch_own(const mcp_fetch *fetch, const char **to,
                     const char *string) {
  *to = mcpi_strdup(fetch->allocator, string);
  return string != NULL && *to == NULL ? MCP_ERR_NOMEM : 0;
}

static int fetch_copy_strings(mcp_fetch *fetch, const mcp_fetch_request *from) {
  mcp_fetch_request *to = &fetch->request;
  int rc = fetch_own(fetch, &to->method, from->method);
  if (rc == 0) {
    rc = fetch_own(fetch, &to->url, from->url);
  }
  if (rc == 0) {
    rc = fetch_own(fetch, &to->ca_file, from->ca_file);
  }
  return rc == 0 ? fetch_own(fetch, &to->proxy, from->proxy) : rc;
}

/* libcurl sends a header with an empty value only if a semicolon ends it. */
static char *make_line(const mcp_fetch *fetch, const mcp_http_header *header) {
  mcpi_buf line;
  mcpi_buf_init_secret(&line, fetch->allocator, SIZE_MAX);
  mcpi_buf_puts(&line, mcpi_str_z(header->name));
  if (header->value[0] == '\0') {
    mcpi_buf_putc(&line, ';');
  } else {
    mcpi_buf_lit(&line, ": ");
    mcpi_buf_puts(&line, mcpi_str_z(header->value));
  }
  return mcpi_buf_take_string(&line);
}

static int fetch_copy_headers(mcp_fetch *fetch, const mcp_fetch_request *from) {
  fetch->header_lines =
      mcpi_calloc(fetch->allocator, from->header_count + 1, sizeof(char *));
  if (fetch->header_lines == NULL) {
    return MCP_ERR_NOMEM;
  }
  fetch->request.header_count = from->header_count;
  for (size_t i = 0; i < from->header_count; i++) {
    fetch->header_lines[i] = make_line(fetch, &from->headers[i]);
    if (fetch->header_lines[i] == NULL) {
      return MCP_ERR_NOMEM;
    }
  }
  return 0;
}

static int fetch_copy_body(mcp_fetch *fetch, const mcp_fetch_request *from) {
  if (from->body_len == 0) {
    return 0;
  }
  char *body = mcpi_alloc(fetch->allocator, from->body_len);
  if (body == NULL) {
    return MCP_ERR_NOMEM;
  }
  memcpy(body, from->body, from->body_len);
  fetch->request.body = body;
  fetch->request.body_len = from->body_len;
  return 0;
}

static int fetch_copy(mcp_fetch *fetch, const mcp_fetch_request *from) {
  fetch->request = (mcp_fetch_request){.size = sizeof(mcp_fetch_request),
                                       .is_public_only = from->is_public_only,
                                       .group = from->group,
                                       .max_answer = from->max_answer};
  int rc = fetch_copy_strings(fetch, from);
  if (rc == 0) {
    rc = fetch_copy_headers(fetch, from);
  }
  return rc == 0 ? fetch_copy_body(fetch, from) : rc;
}

/* --- on the request's thread ---------------------------------------------- */

static int fetch_is_stopped(void *owner) {
  mcp_fetch *fetch = owner;
  return atomic_load(&fetch->is_stopped);
}

static int fetch_admits(void *owner, const uint8_t address[16]) {
  (void)owner;
  return mcpi_ip_is_public(address);
}

static void fetch_on_begin(void *owner) {
  mcp_fetch *fetch = owner;
  mcpi_buf_clear(&fetch->head);
  mcpi_buf_clear(&fetch->body);
  fetch->line_count = 0;
}

static int fetch_on_header(void *owner, const char *line, size_t len) {
  mcp_fetch *fetch = owner;
  if (memchr(line, '\0', len) != NULL ||
      fetch->line_count == HEADER_LINES_MAX) {
    return MCP_ERR_LIMIT;
  }
  mcpi_buf_put(&fetch->head, line, len);
  mcpi_buf_putc(&fetch->head, '\0');
  fetch->line_count++;
  return fetch->head.error;
}

static int fetch_on_body(void *owner, const char *bytes, size_t len) {
  mcp_fetch *fetch = owner;
  mcpi_buf_put(&fetch->body, bytes, len);
  return fetch->body.error;
}

static uint64_t now_ms(void) {
  return uv_hrtime() / 1000000;
}

static void fetch_perform(mcp_fetch *fetch) {
  const mcpi_fetch_job job = {.request = &fetch->request,
                              .header_lines =
                                  (const char *const *)fetch->header_lines,
                              .owner = fetch,
                              .is_stopped = fetch_is_stopped,
                              .admits = fetch_admits,
                              .on_begin = fetch_on_begin,
                              .on_header = fetch_on_header,
                              .on_body = fetch_on_body};
  uint64_t now = now_ms();
  mcpi_fetch_outcome *outcome = &fetch->outcome;
  if (fetch_is_stopped(fetch)) {
    outcome->error = MCP_ERR_CANCELLED;
  } else if (now >= fetch->deadline_ms) {
    outcome->error = MCP_ERR_TIMEOUT;
    snprintf(outcome->why, sizeof(outcome->why), "%s",
             "no answer in time: too many requests wait");
  } else {
    fetch->request.timeout_ms = (uint32_t)(fetch->deadline_ms - now);
    fetch->engine->perform(&job, outcome);
  }
}

/* --- turns ---------------------------------------------------------------- */

/* The functions whose names end in _locked are called under the lock. */

static uint32_t count_at_work_locked(const mcpi_fetches *fetches,
                                     uint32_t group) {
  uint32_t count = 0;
  for (const mcpi_list *at = fetches->at_work.next; at != &fetches->at_work;
       at = at->next) {
    count += MCPI_CONTAINER(at, mcp_fetch, stage)->request.group == group;
  }
  return count;
}

/* Returns the first request of the group that has the fewest at work. */
static mcp_fetch *choose_locked(const mcpi_fetches *fetches) {
  mcp_fetch *chosen = NULL;
  uint32_t fewest = UINT32_MAX;
  for (mcpi_list *at = fetches->waiting.next;
       at != &fetches->waiting && fewest > 0; at = at->next) {
    mcp_fetch *fetch = MCPI_CONTAINER(at, mcp_fetch, stage);
    uint32_t group = fetch->request.group;
    uint32_t count = group == 0 ? 0 : count_at_work_locked(fetches, group);
    if (count < fewest) {
      chosen = fetch;
      fewest = count;
    }
  }
  return chosen;
}

static void fetch_move(mcp_fetch *fetch, mcpi_list *to) {
  mcpi_list_remove(&fetch->stage);
  mcpi_list_append(to, &fetch->stage);
}

/* There is one such job for each request, but it may send another request than
 * that which began it. Any thread that looks at `ended` afterwards finds the
 * request complete. */
static void fetches_work(void *argument) {
  mcpi_fetches *fetches = argument;
  uv_mutex_lock(&fetches->lock);
  mcp_fetch *fetch = choose_locked(fetches);
  fetch_move(fetch, &fetches->at_work);
  uv_mutex_unlock(&fetches->lock);
  fetch_perform(fetch);
  uv_mutex_lock(&fetches->lock);
  fetch_move(fetch, &fetches->ended);
  uv_mutex_unlock(&fetches->lock);
  uv_async_send(fetches->on_end);
}

/* --- answers -------------------------------------------------------------- */

/* Splits "Name: value" in place. */
static mcp_http_header split_line(char *line) {
  char *colon = strchr(line, ':');
  if (colon == NULL) {
    return (mcp_http_header){line, ""};
  }
  *colon = '\0';
  mcpi_str value = mcpi_header_trim(mcpi_str_z(colon + 1));
  ((char *)(uintptr_t)value.ptr)[value.len] = '\0';
  return (mcp_http_header){line, value.ptr};
}

static size_t read_lines(mcp_fetch *fetch,
                         mcp_http_header headers[HEADER_LINES_MAX]) {
  char *at = fetch->head.data;
  for (size_t i = 0; i < fetch->line_count; i++) {
    size_t len = strlen(at);
    headers[i] = split_line(at);
    at += len + 1;
  }
  return fetch->line_count;
}

static void fetch_deliver(mcp_fetch *fetch) {
  mcp_http_header headers[HEADER_LINES_MAX];
  const mcpi_fetch_outcome *outcome = &fetch->outcome;
  mcp_fetch_answer answer = {.size = sizeof(answer),
                             .error = outcome->error,
                             .status = outcome->status,
                             .why = outcome->why};
  if (fetch->done != NULL) {
    if (outcome->error == 0) {
      answer.headers = headers;
      answer.header_count = read_lines(fetch, headers);
      answer.body = fetch->body.len > 0 ? fetch->body.data : "";
      answer.body_len = fetch->body.len;
    }
    mcp_fetch_done_cb done = fetch->done;
    fetch->done = NULL;
    done(&answer, fetch->argument);
  }
  fetch_free(fetch);
}

static mcp_fetch *take_ended(mcpi_fetches *fetches) {
  mcp_fetch *fetch = NULL;
  uv_mutex_lock(&fetches->lock);
  if (!mcpi_list_is_empty(&fetches->ended)) {
    fetch = MCPI_CONTAINER(fetches->ended.next, mcp_fetch, stage);
    mcpi_list_remove(&fetch->stage);
  }
  uv_mutex_unlock(&fetches->lock);
  return fetch;
}

void mcpi_fetches_deliver(mcpi_fetches *fetches) {
  for (mcp_fetch *fetch = take_ended(fetches); fetch != NULL;
       fetch = take_ended(fetches)) {
    fetch_deliver(fetch);
  }
}

int mcpi_fetches_are_busy(mcpi_fetches *fetches) {
  return !mcpi_list_is_empty(&fetches->all);
}

/* --- starting ------------------------------------------------------------- */

static int is_sendable(const mcpi_fetch_engine *engine,
                       const mcp_fetch_request *request) {
  return request->method != NULL && request->url != NULL &&
         (strcmp(request->method, "GET") == 0 ||
          strcmp(request->method, "POST") == 0) &&
         engine->is_url(request->url) && request->timeout_ms > 0 &&
         request->max_answer > 0;
}

static mcp_fetch *fetch_new(mcpi_fetches *fetches,
                            const mcp_fetch_request *request) {
  mcp_fetch *fetch = mcpi_calloc(fetches->allocator, 1, sizeof(*fetch));
  if (fetch == NULL) {
    return NULL;
  }
  fetch->fetches = fetches;
  fetch->allocator = fetches->allocator;
  mcpi_list_init(&fetch->link);
  mcpi_list_init(&fetch->stage);
  fetch->deadline_ms = now_ms() + request->timeout_ms;
  mcpi_buf_init(&fetch->head, mcp_allocator_default(), HEADERS_MAX);
  mcpi_buf_init_secret(&fetch->body, mcp_allocator_default(),
                       request->max_answer);
  if (fetch_copy(fetch, request) != 0) {
    fetch_free(fetch);
    return NULL;
  }
  return fetch;
}

/* The lock keeps the thread that gets the job from looking for a request before
 * this one waits. Returns 0 or MCP_ERR_BUSY. */
static int fetch_queue(mcp_fetch *fetch) {
  mcpi_fetches *fetches = fetch->fetches;
  uv_mutex_lock(&fetches->lock);
  int rc = mcpi_workers_run(fetches->workers, fetches_work, fetches);
  if (rc == 0) {
    mcpi_list_append(&fetches->waiting, &fetch->stage);
  }
  uv_mutex_unlock(&fetches->lock);
  return rc;
}

int mcpi_fetch_start(mcpi_fetches *fetches, const mcp_fetch_request *request,
                     mcp_fetch_done_cb done, void *argument, mcp_fetch **out) {
  const mcpi_fetch_engine *engine = mcpi_fetch_engine_get(NULL);
  if (engine == NULL) {
    return MCP_ERR_PLATFORM;
  }
  if (!is_sendable(engine, request)) {
    return MCP_ERR_INVALID;
  }
  mcp_fetch *fetch = fetch_new(fetches, request);
  if (fetch == NULL) {
    return MCP_ERR_NOMEM;
  }
  fetch->engine = engine;
  fetch->done = done;
  fetch->argument = argument;
  mcpi_list_append(&fetches->all, &fetch->link);
  if (fetch_queue(fetch) != 0) {
    fetch_free(fetch);
    return MCP_ERR_NOMEM;
  }
  *out = fetch;
  return 0;
}

void mcpi_fetch_cancel(mcp_fetch *fetch) {
  fetch->done = NULL;
  atomic_store(&fetch->is_stopped, 1);
}

/* --- life ----------------------------------------------------------------- */

mcpi_fetches *mcpi_fetches_new(const mcp_allocator *allocator,
                               uv_async_t *on_end) {
  mcpi_fetches *fetches = mcpi_calloc(allocator, 1, sizeof(*fetches));
  if (fetches == NULL) {
    return NULL;
  }
  fetches->allocator = allocator;
  fetches->on_end = on_end;
  mcpi_list_init(&fetches->all);
  mcpi_list_init(&fetches->waiting);
  mcpi_list_init(&fetches->at_work);
  mcpi_list_init(&fetches->ended);
  fetches->workers =
      mcpi_workers_new(allocator, FETCH_THREADS, FETCH_QUEUE, on_end);
  if (fetches->workers == NULL || uv_mutex_init(&fetches->lock) != 0) {
    mcpi_workers_free(fetches->workers);
    mcpi_free(allocator, fetches, sizeof(*fetches));
    return NULL;
  }
  return fetches;
}

void mcpi_fetches_free(mcpi_fetches *fetches) {
  if (fetches == NULL) {
    return;
  }
  for (mcpi_list *at = fetches->all.next; at != &fetches->all; at = at->next) {
    mcpi_fetch_cancel(MCPI_CONTAINER(at, mcp_fetch, link));
  }
  mcpi_workers_free(fetches->workers);
  mcpi_fetches_deliver(fetches);
  uv_mutex_destroy(&fetches->lock);
  mcpi_free(fetches->allocator, fetches, sizeof(*fetches));
}
