/* SPDX-License-Identifier: MIT */
/* The token store in memory. Those that wait for a record that is taken get it
 * in their order, in the next turn of the loop. */
#include "base/error.h"
#include "base/widen.h"
#include "core/loop.h"
#include <mcp/auth.h>

/* Its map holds the records until `release`. */
typedef struct memory_store {
  mcp_loop *loop;
  mcpi_map records; /* memory_record, by key */
} memory_store;

typedef struct memory_record {
  char *key;
  char *text; /* NULL: there is no record */
  size_t len;
  int is_taken;
  mcpi_list waiting; /* memory_take: the first is the next to get it */
} memory_record;

/* Someone waits for a record. The record's list holds it. */
typedef struct memory_take {
  mcpi_list link;
  memory_store *store;
  memory_record *record;
  mcp_auth_record_cb done;
  void *argument;
  /* Runs always, so that moving it needs no memory: due when the record has
   * been given to this one. */
  mcpi_timer timer;
} memory_take;

static const mcp_allocator *memory_allocator(const memory_store *store) {
  return &store->loop->allocator;
}

/* --- records -------------------------------------------------------------- */

static void record_drop_text(memory_store *store, memory_record *record) {
  mcpi_free_wiped(memory_allocator(store), record->text, record->len);
  record->text = NULL;
  record->len = 0;
}

static memory_record *record_new(memory_store *store, const char *key) {
  const mcp_allocator *allocator = memory_allocator(store);
  memory_record *record = mcpi_calloc(allocator, 1, sizeof(*record));
  char *copy = mcpi_strdup(allocator, key);
  if (record == NULL || copy == NULL ||
      mcpi_map_add(&store->records, mcpi_str_z(copy), record) != 0) {
    mcpi_strfree(allocator, copy);
    mcpi_free(allocator, record, sizeof(*record));
    return NULL;
  }
  record->key = copy;
  mcpi_list_init(&record->waiting);
  return record;
}

/* NULL when out of memory. */
static memory_record *record_get(memory_store *store, const char *key) {
  memory_record *record = mcpi_map_get(&store->records, mcpi_str_z(key));
  return record != NULL ? record : record_new(store, key);
}

/* --- taking --------------------------------------------------------------- */

static void memory_take_free(memory_take *take) {
  mcpi_loop_stop_timer(take->store->loop, &take->timer);
  mcpi_list_remove(&take->link);
  mcpi_free(memory_allocator(take->store), take, sizeof(*take));
}

/* Calls `done` with a copy: it may give the record back, or release the
 * store. Returns 0 or MCP_ERR_NOMEM. */
static int record_deliver(memory_store *store, memory_record *record,
                          mcp_auth_record_cb done, void *argument) {
  const mcp_allocator allocator = *memory_allocator(store);
  mcpi_buf copy;
  mcpi_buf_init_secret(&copy, &allocator, SIZE_MAX);
  mcpi_buf_put(&copy, record->text, record->len);
  if (copy.error != 0) {
    mcpi_buf_deinit(&copy);
    return MCP_ERR_NOMEM;
  }
  record->is_taken = 1;
  done(argument, NULL, copy.data, copy.len);
  mcpi_buf_deinit(&copy);
  return 0;
}

/* The next one may take the record. */
static void record_pass_on(memory_store *store, memory_record *record) {
  record->is_taken = !mcpi_list_is_empty(&record->waiting);
  if (record->is_taken) {
    memory_take *next = MCPI_CONTAINER(record->waiting.next, memory_take, link);
    mcpi_loop_start_timer(store->loop, &next->timer, 0);
  }
}

static void memory_take_on_due(mcpi_timer *timer) {
  memory_take *take = MCPI_CONTAINER(timer, memory_take, timer);
  memory_store *store = take->store;
  memory_record *record = take->record;
  mcp_auth_record_cb done = take->done;
  void *argument = take->argument;
  memory_take_free(take);
  if (record_deliver(store, record, done, argument) != 0) {
    mcp_error err;
    mcpi_no_memory(&err);
    record_pass_on(store, record);
    done(argument, &err, NULL, 0);
  }
}

static int memory_wait(memory_store *store, memory_record *record,
                       mcp_auth_record_cb done, void *argument) {
  memory_take *take = mcpi_calloc(memory_allocator(store), 1, sizeof(*take));
  if (take == NULL) {
    return MCP_ERR_NOMEM;
  }
  take->store = store;
  take->record = record;
  take->done = done;
  take->argument = argument;
  take->timer.on_due = memory_take_on_due;
  mcpi_list_init(&take->link);
  if (mcpi_loop_start_timer(store->loop, &take->timer, INT64_MAX) != 0) {
    memory_take_free(take);
    return MCP_ERR_NOMEM;
  }
  mcpi_list_append(&record->waiting, &take->link);
  return 0;
}

static int memory_store_take(void *userdata, const char *key,
                             mcp_auth_record_cb done, void *argument,
                             mcp_error *err) {
  memory_store *store = userdata;
  memory_record *record = record_get(store, key);
  int rc = MCP_ERR_NOMEM;
  if (record != NULL && record->is_taken) {
    rc = memory_wait(store, record, done, argument);
  } else if (record != NULL) {
    rc = record_deliver(store, record, done, argument);
  }
  return rc == 0 ? 0 : mcpi_no_memory(err);
}

/* If the record was on its way to this one, the next one gets it. */
static void memory_store_cancel(void *userdata, const char *key,
                                void *argument) {
  memory_store *store = userdata;
  memory_record *record = mcpi_map_get(&store->records, mcpi_str_z(key));
  if (record == NULL) {
    return;
  }
  for (mcpi_list *at = record->waiting.next; at != &record->waiting;
       at = at->next) {
    memory_take *take = MCPI_CONTAINER(at, memory_take, link);
    if (take->argument == argument) {
      int is_due = take->timer.due_ms != INT64_MAX;
      memory_take_free(take);
      if (is_due) {
        record_pass_on(store, record);
      }
      return;
    }
  }
}

static int record_replace(memory_store *store, memory_record *record,
                          const char *text, size_t len) {
  char *copy = NULL;
  if (len > 0) {
    copy = mcpi_alloc(memory_allocator(store), len);
    if (copy == NULL) {
      return MCP_ERR_NOMEM;
    }
    memcpy(copy, text, len);
  }
  record_drop_text(store, record);
  record->text = copy;
  record->len = len;
  return 0;
}

static int memory_store_give(void *userdata, const char *key, const char *text,
                             size_t len, mcp_error *err) {
  memory_store *store = userdata;
  memory_record *record = mcpi_map_get(&store->records, mcpi_str_z(key));
  int rc = 0;
  if (record == NULL || !record->is_taken) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "the record of %s has not been taken", key);
  }
  if (text != NULL) {
    rc = record_replace(store, record, text, len);
  }
  record_pass_on(store, record);
  return rc == 0 ? 0 : mcpi_no_memory(err);
}

static int memory_store_list(void *userdata,
                             void (*each)(void *argument, const char *key),
                             void *argument, mcp_error *err) {
  const memory_store *store = userdata;
  size_t index = 0;
  (void)err;
  for (const memory_record *record = mcpi_map_next(&store->records, &index);
       record != NULL; record = mcpi_map_next(&store->records, &index)) {
    if (record->text != NULL) {
      each(argument, record->key);
    }
  }
  return 0;
}

/* --- life ----------------------------------------------------------------- */

static void memory_record_free(memory_store *store, memory_record *record) {
  while (!mcpi_list_is_empty(&record->waiting)) {
    memory_take_free(MCPI_CONTAINER(record->waiting.next, memory_take, link));
  }
  record_drop_text(store, record);
  mcpi_strfree(memory_allocator(store), record->key);
  mcpi_free(memory_allocator(store), record, sizeof(*record));
}

static void memory_store_release(void *userdata) {
  memory_store *store = userdata;
  for (size_t index = 0; store->records.count > 0; index = 0) {
    memory_record *record = mcpi_map_next(&store->records, &index);
    mcpi_map_remove(&store->records, mcpi_str_z(record->key));
    memory_record_free(store, record);
  }
  mcpi_map_deinit(&store->records);
  mcpi_free(memory_allocator(store), store, sizeof(*store));
}

int mcp_auth_store_memory(mcp_auth_store *out, mcp_loop *loop) {
  mcp_auth_store functions = {.take = memory_store_take,
                              .cancel = memory_store_cancel,
                              .give = memory_store_give,
                              .list = memory_store_list,
                              .release = memory_store_release};
  if (loop == NULL) {
    return MCP_ERR_INVALID;
  }
  memory_store *store = mcpi_calloc(&loop->allocator, 1, sizeof(*store));
  if (store == NULL) {
    return MCP_ERR_NOMEM;
  }
  store->loop = loop;
  mcpi_map_init(&store->records, &loop->allocator, loop->hash_seed);
  functions.userdata = store;
  int rc =
      mcpi_narrow(out, &functions, sizeof(functions), "mcp_auth_store", NULL);
  if (rc != 0) {
    memory_store_release(store);
  }
  return rc;
}
