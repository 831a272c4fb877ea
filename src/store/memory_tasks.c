/* SPDX-License-Identifier: MIT */
/* Each task is in up to three lists: that of all tasks and that of its owner,
 * the oldest first, and that of the tasks that have ended, in the order of
 * their ends. */
#include "store/memory_tasks.h"

#include "base/list.h"
#include "base/map.h"
#include "core/lock.h"
#include "core/loop.h"
#include <stdatomic.h>

typedef struct memory_tasks {
  mcp_allocator allocator;
  uint64_t seed[2];
  size_t max_bytes;
  _Atomic(const mcpi_lock *) lock; /* NULL: nobody has used the store yet */
  /* Under the lock: */
  mcpi_map tasks;  /* id -> stored_task */
  mcpi_map owners; /* name -> task_owner */
  mcpi_list all;
  mcpi_list ended;
  size_t bytes;
  size_t ended_bytes; /* of those, the bytes of the tasks in `ended` */
} memory_tasks;

typedef struct task_owner {
  mcpi_list tasks;
  size_t name_size;
  char name[];
} task_owner;

typedef struct stored_task {
  mcpi_list link;  /* in memory_tasks.all */
  mcpi_list own;   /* in task_owner.tasks */
  mcpi_list ended; /* in memory_tasks.ended, or in no list */
  task_owner *owner;
  mcp_task_record record; /* its strings are those of this structure */
  char *data;             /* owned */
  size_t id_size;
  char id[];
} stored_task;

/* The functions whose names end in _locked are called under the lock. */

/* --- the lock ------------------------------------------------------------- */

/* Of two threads that make the first lock, one wins. Returns 0 or
 * MCP_ERR_NOMEM: then nothing is locked. */
static int lock_store(memory_tasks *store, const mcp_loop *loop) {
  const mcpi_lock *lock = atomic_load(&store->lock);
  if (lock == NULL) {
    const mcpi_lock *made = mcpi_lock_new(&loop->platform);
    if (made == NULL) {
      return MCP_ERR_NOMEM;
    }
    if (atomic_compare_exchange_strong(&store->lock, &lock, made)) {
      lock = made;
    } else {
      mcpi_lock_free(made);
    }
  }
  mcpi_lock_acquire(lock);
  return 0;
}

static void unlock_store(memory_tasks *store) {
  mcpi_lock_release(atomic_load(&store->lock));
}

/* --- owners --------------------------------------------------------------- */

/* Finds or makes an owner. NULL without memory. */
static task_owner *get_owner_locked(memory_tasks *store, const char *name) {
  task_owner *owner = mcpi_map_get(&store->owners, mcpi_str_z(name));
  if (owner != NULL) {
    return owner;
  }
  size_t size = strlen(name) + 1;
  owner = mcpi_alloc(&store->allocator, sizeof(*owner) + size);
  if (owner == NULL) {
    return NULL;
  }
  owner->name_size = size;
  memcpy(owner->name, name, size);
  mcpi_list_init(&owner->tasks);
  if (mcpi_map_add(&store->owners, mcpi_str_z(owner->name), owner) != 0) {
    mcpi_free(&store->allocator, owner, sizeof(*owner) + size);
    return NULL;
  }
  return owner;
}

static void drop_unused_owner_locked(memory_tasks *store, task_owner *owner) {
  if (mcpi_list_is_empty(&owner->tasks)) {
    mcpi_map_remove(&store->owners, mcpi_str_z(owner->name));
    mcpi_free(&store->allocator, owner, sizeof(*owner) + owner->name_size);
  }
}

/* --- tasks ---------------------------------------------------------------- */

static size_t size_of(const mcp_task_record *record) {
  return sizeof(stored_task) + strlen(record->id) + 1 + record->data_len;
}

/* It has one byte more, so that no data at all are memory too. */
static void free_data(memory_tasks *store, stored_task *task) {
  if (task->data != NULL) {
    mcpi_free_wiped(&store->allocator, task->data, task->record.data_len + 1);
  }
}

/* The task is in no list. */
static void task_free(memory_tasks *store, stored_task *task) {
  free_data(store, task);
  mcpi_free(&store->allocator, task, sizeof(*task) + task->id_size);
}

/* Copies what the record says of the task, but neither id nor owner. Returns 0
 * or MCP_ERR_NOMEM: then nothing has changed. */
static int task_take(memory_tasks *store, stored_task *task,
                     const mcp_task_record *from) {
  char *data = mcpi_alloc(&store->allocator, from->data_len + 1);
  if (data == NULL) {
    return MCP_ERR_NOMEM;
  }
  memcpy(data, from->data, from->data_len);
  free_data(store, task);
  task->data = data;
  task->record = *from;
  task->record.id = task->id;
  task->record.owner = task->owner->name;
  task->record.data = data;
  return 0;
}

/* NULL without memory. */
static stored_task *task_new(memory_tasks *store, task_owner *owner,
                             const mcp_task_record *record) {
  size_t id_size = strlen(record->id) + 1;
  stored_task *task =
      mcpi_calloc(&store->allocator, 1, sizeof(*task) + id_size);
  if (task == NULL) {
    return NULL;
  }
  task->owner = owner;
  task->id_size = id_size;
  memcpy(task->id, record->id, id_size);
  mcpi_list_init(&task->link);
  mcpi_list_init(&task->own);
  mcpi_list_init(&task->ended);
  if (task_take(store, task, record) != 0) {
    task_free(store, task);
    return NULL;
  }
  return task;
}

static int is_in_ended(stored_task *task) {
  return !mcpi_list_is_empty(&task->ended);
}

static void count_locked(memory_tasks *store, stored_task *task) {
  store->bytes += size_of(&task->record);
  store->ended_bytes += is_in_ended(task) ? size_of(&task->record) : 0;
}

static void uncount_locked(memory_tasks *store, stored_task *task) {
  store->bytes -= size_of(&task->record);
  store->ended_bytes -= is_in_ended(task) ? size_of(&task->record) : 0;
}

static void remove_locked(memory_tasks *store, stored_task *task) {
  task_owner *owner = task->owner;
  uncount_locked(store, task);
  mcpi_map_remove(&store->tasks, mcpi_str_z(task->id));
  mcpi_list_remove(&task->link);
  mcpi_list_remove(&task->own);
  mcpi_list_remove(&task->ended);
  task_free(store, task);
  drop_unused_owner_locked(store, owner);
}

/* --- order ---------------------------------------------------------------- */

static int is_before(const mcp_task_record *a, const mcp_task_record *b) {
  return a->created_ms != b->created_ms ? a->created_ms < b->created_ms
                                        : strcmp(a->id, b->id) < 0;
}

static stored_task *task_of_link(mcpi_list *link) {
  return MCPI_CONTAINER(link, stored_task, link);
}

static stored_task *task_of_own(mcpi_list *link) {
  return MCPI_CONTAINER(link, stored_task, own);
}

/* Returns the place before which the task belongs. Nearly always it is the
 * youngest one, so this looks from the end. */
static mcpi_list *place_for(mcpi_list *list, const mcp_task_record *record,
                            stored_task *(*task_of)(mcpi_list *link)) {
  mcpi_list *place = list;
  while (place->prev != list &&
         is_before(record, &task_of(place->prev)->record)) {
    place = place->prev;
  }
  return place;
}

static void put_in_order_locked(memory_tasks *store, stored_task *task) {
  const mcp_task_record *record = &task->record;
  mcpi_list_append(place_for(&store->all, record, task_of_link), &task->link);
  mcpi_list_append(place_for(&task->owner->tasks, record, task_of_own),
                   &task->own);
}

/* --- room ----------------------------------------------------------------- */

static void note_end_locked(memory_tasks *store, stored_task *task) {
  if (task->record.has_ended && !is_in_ended(task)) {
    mcpi_list_append(&store->ended, &task->ended);
  }
}

/* Returns the bytes of the tasks that have ended, without those of `kept`. */
static size_t ended_bytes_locked(const memory_tasks *store, stored_task *kept) {
  return store->ended_bytes -
         (kept != NULL && is_in_ended(kept) ? size_of(&kept->record) : 0);
}

static int has_room_locked(const memory_tasks *store, size_t bytes,
                           size_t size) {
  return size <= store->max_bytes && bytes <= store->max_bytes - size;
}

/* Forgets tasks that have ended, but not `kept` (NULL: none is kept), until
 * there is room for `size` more bytes. Returns 0; or MCP_ERR_LIMIT: even that
 * would not be enough, and nothing was forgotten. */
static int make_room_locked(memory_tasks *store, size_t size,
                            stored_task *kept) {
  mcpi_list *at = store->ended.next;
  if (!has_room_locked(store, store->bytes, size) &&
      !has_room_locked(store, store->bytes - ended_bytes_locked(store, kept),
                       size)) {
    return MCP_ERR_LIMIT;
  }
  while (!has_room_locked(store, store->bytes, size)) {
    stored_task *task = MCPI_CONTAINER(at, stored_task, ended);
    at = at->next;
    if (task != kept) {
      remove_locked(store, task);
    }
  }
  return 0;
}

/* --- changing ------------------------------------------------------------- */

static int add_to_owner_locked(memory_tasks *store, task_owner *owner,
                               const mcp_task_record *record) {
  stored_task *task = task_new(store, owner, record);
  if (task == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = mcpi_map_add(&store->tasks, mcpi_str_z(task->id), task);
  if (rc != 0) {
    task_free(store, task);
    return rc;
  }
  put_in_order_locked(store, task);
  note_end_locked(store, task);
  count_locked(store, task);
  return 0;
}

/* Room comes before the owner: to make it may drop an owner. */
static int create_locked(memory_tasks *store, const mcp_task_record *record) {
  if (mcpi_map_get(&store->tasks, mcpi_str_z(record->id)) != NULL) {
    return MCP_ERR_EXISTS;
  }
  int rc = make_room_locked(store, size_of(record), NULL);
  if (rc != 0) {
    return rc;
  }
  task_owner *owner = get_owner_locked(store, record->owner);
  if (owner == NULL) {
    return MCP_ERR_NOMEM;
  }
  rc = add_to_owner_locked(store, owner, record);
  if (rc != 0) {
    drop_unused_owner_locked(store, owner);
  }
  return rc;
}

static int update_locked(memory_tasks *store, const mcp_task_record *record) {
  stored_task *task = mcpi_map_get(&store->tasks, mcpi_str_z(record->id));
  if (task == NULL) {
    return MCP_ERR_NOT_FOUND;
  }
  if (task->record.version + 1 != record->version) {
    return MCP_ERR_EXISTS;
  }
  if (record->data_len > task->record.data_len) {
    int rc =
        make_room_locked(store, record->data_len - task->record.data_len, task);
    if (rc != 0) {
      return rc;
    }
  }
  uncount_locked(store, task);
  int rc = task_take(store, task, record);
  if (rc == 0) {
    note_end_locked(store, task);
  }
  count_locked(store, task);
  return rc;
}

static int expire_locked(memory_tasks *store, int64_t now_ms) {
  mcpi_list *at = store->all.next;
  while (at != &store->all) {
    stored_task *task = task_of_link(at);
    at = at->next;
    if (task->record.expires_ms < now_ms) {
      remove_locked(store, task);
    }
  }
  return 0;
}

/* --- finding -------------------------------------------------------------- */

/* What was found, in memory of its own: it is shown without the lock. */
typedef struct findings {
  mcp_task_record *records; /* their strings follow in the same block */
  size_t count;
  size_t size;
} findings;

static size_t copy_size(const stored_task *task) {
  return sizeof(mcp_task_record) + task->id_size + task->owner->name_size +
         task->record.data_len;
}

static const char *copy_bytes(char **to, const char *bytes, size_t len) {
  char *copy = *to;
  memcpy(copy, bytes, len);
  *to += len;
  return copy;
}

static int copy_locked(memory_tasks *store, findings *out,
                       stored_task *const *tasks, size_t count) {
  if (count == 0) {
    return 0;
  }
  for (size_t i = 0; i < count; i++) {
    out->size += copy_size(tasks[i]);
  }
  out->records = mcpi_alloc(&store->allocator, out->size);
  if (out->records == NULL) {
    return MCP_ERR_NOMEM;
  }
  out->count = count;
  char *to = (char *)(out->records + count);
  for (size_t i = 0; i < count; i++) {
    const stored_task *task = tasks[i];
    mcp_task_record *record = &out->records[i];
    *record = task->record;
    record->id = copy_bytes(&to, task->id, task->id_size);
    record->owner = copy_bytes(&to, task->owner->name, task->owner->name_size);
    record->data = copy_bytes(&to, task->data, task->record.data_len);
  }
  return 0;
}

static int load_locked(memory_tasks *store, const char *id, findings *out) {
  stored_task *task = mcpi_map_get(&store->tasks, mcpi_str_z(id));
  return task != NULL ? copy_locked(store, out, &task, 1) : MCP_ERR_NOT_FOUND;
}

/* A list, as a request for a part of it sees it. */
typedef struct task_query {
  mcpi_list *list;
  stored_task *(*task_of)(mcpi_list *link);
  const mcp_task_record *after; /* NULL: from the first on */
  int wants_unfinished;
  int64_t now_ms; /* others have expired */
  size_t max;
} task_query;

static int query_admits(const task_query *query, const stored_task *task) {
  const mcp_task_record *record = &task->record;
  return (query->after == NULL || is_before(query->after, record)) &&
         (query->wants_unfinished ? !record->has_ended
                                  : record->expires_ms >= query->now_ms);
}

static int query_locked(memory_tasks *store, const task_query *query,
                        findings *out) {
  size_t size = query->max * sizeof(stored_task *);
  stored_task **tasks = mcpi_alloc(&store->allocator, size);
  size_t count = 0;
  if (tasks == NULL) {
    return MCP_ERR_NOMEM;
  }
  for (mcpi_list *at = query->list->next;
       at != query->list && count < query->max; at = at->next) {
    stored_task *task = query->task_of(at);
    if (query_admits(query, task)) {
      tasks[count++] = task;
    }
  }
  int rc = copy_locked(store, out, tasks, count);
  mcpi_free(&store->allocator, tasks, size);
  return rc;
}

static void show(memory_tasks *store, findings *found, int rc,
                 mcp_task_found_cb on_found, void *argument) {
  on_found(argument, rc, found->records, found->count);
  mcpi_free_wiped(&store->allocator, found->records, found->size);
}

/* --- the functions of the store ------------------------------------------- */

static void on_create(void *userdata, mcp_loop *loop,
                      const mcp_task_record *record, mcp_task_done_cb done,
                      void *argument) {
  memory_tasks *store = userdata;
  int rc = lock_store(store, loop);
  if (rc == 0) {
    rc = create_locked(store, record);
    unlock_store(store);
  }
  done(argument, rc);
}

static void on_update(void *userdata, mcp_loop *loop,
                      const mcp_task_record *record, mcp_task_done_cb done,
                      void *argument) {
  memory_tasks *store = userdata;
  int rc = lock_store(store, loop);
  if (rc == 0) {
    rc = update_locked(store, record);
    unlock_store(store);
  }
  done(argument, rc);
}

static void on_expire(void *userdata, mcp_loop *loop, int64_t now_ms,
                      mcp_task_done_cb done, void *argument) {
  memory_tasks *store = userdata;
  int rc = lock_store(store, loop);
  if (rc == 0) {
    rc = expire_locked(store, now_ms);
    unlock_store(store);
  }
  done(argument, rc);
}

static void on_load(void *userdata, mcp_loop *loop, const char *id,
                    mcp_task_found_cb on_found, void *argument) {
  memory_tasks *store = userdata;
  findings found = {NULL, 0, 0};
  int rc = lock_store(store, loop);
  if (rc == 0) {
    rc = load_locked(store, id, &found);
    unlock_store(store);
  }
  show(store, &found, rc, on_found, argument);
}

static void on_list(void *userdata, mcp_loop *loop, const char *owner,
                    const mcp_task_record *after, size_t max,
                    mcp_task_found_cb on_found, void *argument) {
  memory_tasks *store = userdata;
  findings found = {NULL, 0, 0};
  int rc = lock_store(store, loop);
  if (rc == 0) {
    task_owner *whose = mcpi_map_get(&store->owners, mcpi_str_z(owner));
    if (whose != NULL) {
      const task_query query = {.list = &whose->tasks,
                                .task_of = task_of_own,
                                .after = after,
                                .now_ms = mcpi_loop_wall(loop),
                                .max = max};
      rc = query_locked(store, &query, &found);
    }
    unlock_store(store);
  }
  show(store, &found, rc, on_found, argument);
}

static void on_list_unfinished(void *userdata, mcp_loop *loop,
                               const mcp_task_record *after, size_t max,
                               mcp_task_found_cb on_found, void *argument) {
  memory_tasks *store = userdata;
  findings found = {NULL, 0, 0};
  int rc = lock_store(store, loop);
  if (rc == 0) {
    const task_query query = {.list = &store->all,
                              .task_of = task_of_link,
                              .after = after,
                              .wants_unfinished = 1,
                              .max = max};
    rc = query_locked(store, &query, &found);
    unlock_store(store);
  }
  show(store, &found, rc, on_found, argument);
}

/* No thread uses the store any more. */
static void on_release(void *userdata) {
  memory_tasks *store = userdata;
  mcp_allocator allocator = store->allocator;
  while (!mcpi_list_is_empty(&store->all)) {
    remove_locked(store, task_of_link(store->all.next));
  }
  mcpi_map_deinit(&store->tasks);
  mcpi_map_deinit(&store->owners);
  mcpi_lock_free(atomic_load(&store->lock));
  mcpi_free(&allocator, store, sizeof(*store));
}

int mcpi_memory_tasks_make(mcp_task_store *out, const mcp_allocator *allocator,
                           const uint64_t seed[2], size_t max_bytes) {
  memory_tasks *store = mcpi_calloc(allocator, 1, sizeof(*store));
  if (store == NULL) {
    return MCP_ERR_NOMEM;
  }
  store->allocator = *allocator;
  memcpy(store->seed, seed, sizeof(store->seed));
  store->max_bytes = max_bytes;
  atomic_init(&store->lock, NULL);
  mcpi_map_init(&store->tasks, &store->allocator, store->seed);
  mcpi_map_init(&store->owners, &store->allocator, store->seed);
  mcpi_list_init(&store->all);
  mcpi_list_init(&store->ended);
  *out = (mcp_task_store){.size = sizeof(mcp_task_store),
                          .create = on_create,
                          .load = on_load,
                          .update = on_update,
                          .list = on_list,
                          .list_unfinished = on_list_unfinished,
                          .expire = on_expire,
                          .release = on_release,
                          .userdata = store};
  return 0;
}
