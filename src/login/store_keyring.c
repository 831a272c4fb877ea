/* SPDX-License-Identifier: MIT */
/* The store in the user's keyring. The Secret Service has no locks, so a record
 * is taken by the lock of an empty file, as in the store of files.
 *
 * Reading may wait for the user, who must unlock the keyring. So it is done on
 * one of libuv's threads, for one record at a time: the user is asked once, and
 * libuv's other threads stay free. Writing follows soon after reading, when the
 * keyring is unlocked, so it is done on the loop's thread, and asks nobody. */
#include "login/store_keyring.h"

#include "base/error.h"
#include "base/widen.h"
#include "login/record_file.h"
#include "login/record_lock.h"
#include "login/record_name.h"
#include "platform/uv_loop.h"

#include <stdatomic.h>

enum {
  READ_MS = 10000,
  UNLOCK_MS = 60000,
  /* The loop stands still meanwhile. A keyring takes some milliseconds. */
  WRITE_MS = 3000,
  KEYS_MAX = 1024 * 1024
};

typedef struct keyring_take keyring_take;

/* Held by the program until `release`, and by the take that is being read. */
typedef struct keyring_store {
  mcp_loop *loop;
  mcpi_uv *uv;
  const mcpi_keyring_engine *engine;
  char *folder; /* of the locks */
  mcpi_list takes;
  keyring_take *reading; /* NULL: none */
  int is_released;
} keyring_store;

/* LOCKING --> READY --> READING --> HELD
 *    |          |          |          '--give--> freed
 *    '----------'----------'--an error, or cancel--> freed */
typedef enum keyring_take_state {
  KEYRING_LOCKING,
  KEYRING_READY, /* waits until no other take is read */
  KEYRING_READING,
  KEYRING_HELD
} keyring_take_state;

/* Held by the store's list. A take that is cancelled while it is read leaves
 * the list, and is held by libuv until its thread has ended. */
struct keyring_take {
  mcpi_list link;
  keyring_store *store;
  mcpi_record_lock lock;
  keyring_take_state state;
  mcp_auth_record_cb done;
  void *argument;
  char *key;
  uv_work_t work;
  atomic_int is_stopped;
  /* What the thread writes. It has the default allocator: the loop's need not
   * bear threads. */
  mcpi_buf text;
  mcpi_keyring_outcome outcome;
};

/* --- life ----------------------------------------------------------------- */

static void keyring_store_free(keyring_store *store) {
  const mcp_allocator *allocator = &store->uv->allocator;
  mcpi_strfree(allocator, store->folder);
  mcpi_free(allocator, store, sizeof(*store));
}

static void keyring_take_free(keyring_take *take) {
  const mcp_allocator *allocator = &take->store->uv->allocator;
  mcpi_list_remove(&take->link);
  mcpi_record_lock_drop(&take->lock);
  mcpi_buf_deinit(&take->text);
  mcpi_strfree(allocator, take->key);
  mcpi_free(allocator, take, sizeof(*take));
}

/* Ends a take of any state; its `done` is not called. */
static void keyring_take_end(keyring_take *take) {
  if (take->state != KEYRING_READING) {
    keyring_take_free(take);
    return;
  }
  atomic_store(&take->is_stopped, 1);
  take->done = NULL;
  mcpi_list_remove(&take->link);
  mcpi_record_lock_drop(&take->lock);
}

static void keyring_store_release(void *userdata) {
  keyring_store *store = userdata;
  while (!mcpi_list_is_empty(&store->takes)) {
    keyring_take_end(MCPI_CONTAINER(store->takes.next, keyring_take, link));
  }
  store->is_released = 1;
  if (store->reading == NULL) {
    keyring_store_free(store);
  }
}

static void fail_with_outcome(mcp_error *err,
                              const mcpi_keyring_outcome *outcome) {
  mcp_error_set(err, outcome->error, "%s", outcome->why);
}

/* --- reading -------------------------------------------------------------- */

static int keyring_is_stopped(void *owner) {
  keyring_take *take = owner;
  return atomic_load(&take->is_stopped);
}

static int keyring_on_text(void *owner, const char *text, size_t len) {
  keyring_take *take = owner;
  mcpi_buf_put(&take->text, text, len);
  return take->text.error;
}

static void keyring_read(uv_work_t *work) {
  keyring_take *take = MCPI_CONTAINER(work, keyring_take, work);
  const mcpi_keyring_job job = {.verb = MCPI_KEYRING_READ,
                                .key = take->key,
                                .limit_ms = READ_MS,
                                .unlock_ms = UNLOCK_MS,
                                .owner = take,
                                .is_stopped = keyring_is_stopped,
                                .on_text = keyring_on_text};
  take->store->engine->run(&job, &take->outcome);
}

/* The record was not taken. */
static void keyring_take_fail(keyring_take *take, const mcp_error *err) {
  mcp_auth_record_cb done = take->done;
  void *argument = take->argument;
  keyring_take_free(take);
  done(argument, err, NULL, 0);
}

/* `done` may give the record back and so free the take, but not its text. */
static void keyring_take_deliver(keyring_take *take) {
  mcp_error err;
  mcpi_buf text = take->text;
  mcpi_buf_init_secret(&take->text, mcp_allocator_default(), MCPI_RECORD_MAX);
  take->state = KEYRING_HELD;
  if (take->outcome.error == 0) {
    take->done(take->argument, NULL, text.len > 0 ? text.data : "", text.len);
  } else if (take->outcome.error == MCP_ERR_NOT_FOUND) {
    take->done(take->argument, NULL, NULL, 0);
  } else {
    fail_with_outcome(&err, &take->outcome);
    keyring_take_fail(take, &err);
  }
  mcpi_buf_deinit(&text);
}

static void keyring_read_next(keyring_store *store);

/* `done` may release the store, so it comes last. */
static void keyring_read_ended(keyring_take *take) {
  keyring_store *store = take->store;
  store->reading = NULL;
  if (store->is_released) {
    keyring_take_free(take);
    keyring_store_free(store);
    return;
  }
  keyring_read_next(store);
  if (take->done != NULL) {
    keyring_take_deliver(take);
  } else {
    keyring_take_free(take);
  }
}

static void keyring_on_read(uv_work_t *work, int status) {
  keyring_take *take = MCPI_CONTAINER(work, keyring_take, work);
  mcpi_uv *uv = take->store->uv;
  (void)status;
  mcpi_uv_enter(uv);
  keyring_read_ended(take);
  mcpi_uv_leave(uv);
  mcpi_uv_drop(uv);
}

static keyring_take *keyring_find_ready(const keyring_store *store) {
  for (mcpi_list *at = store->takes.next; at != &store->takes; at = at->next) {
    keyring_take *take = MCPI_CONTAINER(at, keyring_take, link);
    if (take->state == KEYRING_READY) {
      return take;
    }
  }
  return NULL;
}

static void keyring_read_next(keyring_store *store) {
  keyring_take *take =
      store->reading == NULL ? keyring_find_ready(store) : NULL;
  if (take != NULL) {
    take->state = KEYRING_READING;
    store->reading = take;
    mcpi_uv_hold(store->uv);
    uv_queue_work(store->uv->uv, &take->work, keyring_read, keyring_on_read);
  }
}

/* --- taking --------------------------------------------------------------- */

static void keyring_take_locked(keyring_take *take) {
  take->state = KEYRING_READY;
  keyring_read_next(take->store);
}

static void keyring_take_on_lock(mcpi_record_lock *lock, const mcp_error *err) {
  keyring_take *take = MCPI_CONTAINER(lock, keyring_take, lock);
  if (err == NULL) {
    keyring_take_locked(take);
  } else {
    keyring_take_fail(take, err);
  }
}

/* Owned; NULL when out of memory. */
static char *keyring_lock_path(const keyring_store *store, const char *name) {
  return mcpi_record_path(&store->loop->allocator, store->folder, name,
                          ".lock");
}

static keyring_take *keyring_take_new(keyring_store *store, const char *key,
                                      mcp_error *err) {
  char name[MCPI_RECORD_NAME_SIZE];
  int rc = mcpi_record_name(store->loop, key, name, err);
  if (rc != 0) {
    return NULL;
  }
  keyring_take *take = mcpi_calloc(&store->uv->allocator, 1, sizeof(*take));
  if (take == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  take->store = store;
  mcpi_list_init(&take->link);
  mcpi_buf_init_secret(&take->text, mcp_allocator_default(), MCPI_RECORD_MAX);
  mcpi_record_lock_init(&take->lock, store->loop,
                        keyring_lock_path(store, name));
  take->lock.on_end = keyring_take_on_lock;
  take->key = mcpi_strdup(&store->uv->allocator, key);
  if (take->key == NULL) {
    mcpi_no_memory(err);
    keyring_take_free(take);
    return NULL;
  }
  mcpi_list_append(&store->takes, &take->link);
  return take;
}

/* Returns 0: it has the lock, or waits; or an error with err. */
static int keyring_take_begin(keyring_take *take, mcp_error *err) {
  int rc = mcpi_record_lock_take(&take->lock, err);
  if (rc == 0) {
    keyring_take_locked(take);
  }
  return rc < 0 ? rc : 0;
}

static int keyring_store_take(void *userdata, const char *key,
                              mcp_auth_record_cb done, void *argument,
                              mcp_error *err) {
  mcp_error why;
  keyring_take *take = keyring_take_new(userdata, key, &why);
  int rc = take != NULL ? 0 : why.code;
  if (take != NULL) {
    take->done = done;
    take->argument = argument;
    rc = keyring_take_begin(take, &why);
    if (rc != 0) {
      keyring_take_free(take);
    }
  }
  if (rc != 0 && err != NULL) {
    *err = why;
  }
  return rc;
}

/* Only a take that waits can be cancelled, and only one that is held can be
 * given back; the caller has one of each at most for a key. `argument` is NULL
 * for the one that is held. */
static keyring_take *keyring_find(keyring_store *store, const char *key,
                                  const void *argument) {
  for (mcpi_list *at = store->takes.next; at != &store->takes; at = at->next) {
    keyring_take *take = MCPI_CONTAINER(at, keyring_take, link);
    int is_held = take->state == KEYRING_HELD;
    int is_meant =
        argument != NULL ? !is_held && take->argument == argument : is_held;
    if (is_meant && strcmp(take->key, key) == 0) {
      return take;
    }
  }
  return NULL;
}

static void keyring_store_cancel(void *userdata, const char *key,
                                 void *argument) {
  keyring_take *take = keyring_find(userdata, key, argument);
  if (take != NULL) {
    keyring_take_end(take);
  }
}

/* --- giving back ---------------------------------------------------------- */

/* The keyring is unlocked, so the user is not asked. */
static int keyring_replace(const keyring_store *store, const char *key,
                           const char *text, size_t len, mcp_error *err) {
  const mcpi_keyring_job job = {.verb = len > 0 ? MCPI_KEYRING_WRITE
                                                : MCPI_KEYRING_REMOVE,
                                .key = key,
                                .text = text,
                                .len = len,
                                .limit_ms = WRITE_MS};
  mcpi_keyring_outcome outcome;
  store->engine->run(&job, &outcome);
  if (outcome.error != 0) {
    fail_with_outcome(err, &outcome);
  }
  return outcome.error;
}

static int keyring_store_give(void *userdata, const char *key, const char *text,
                              size_t len, mcp_error *err) {
  keyring_store *store = userdata;
  keyring_take *take = keyring_find(store, key, NULL);
  int rc = 0;
  if (take == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "the record of %s has not been taken", key);
  }
  if (text != NULL) {
    rc = keyring_replace(store, key, text, len, err);
  }
  keyring_take_free(take);
  return rc;
}

/* --- listing -------------------------------------------------------------- */

static int keyring_on_key(void *owner, const char *key) {
  mcpi_buf *keys = owner;
  mcpi_buf_put(keys, key, strlen(key) + 1);
  return keys->error;
}

static int keyring_store_list(void *userdata,
                              void (*each)(void *argument, const char *key),
                              void *argument, mcp_error *err) {
  const keyring_store *store = userdata;
  mcpi_buf keys; /* a NUL after each */
  mcpi_buf_init(&keys, &store->loop->allocator, KEYS_MAX);
  const mcpi_keyring_job job = {.verb = MCPI_KEYRING_LIST,
                                .limit_ms = WRITE_MS,
                                .owner = &keys,
                                .on_key = keyring_on_key};
  mcpi_keyring_outcome outcome;
  store->engine->run(&job, &outcome);
  if (outcome.error != 0) {
    fail_with_outcome(err, &outcome);
  }
  for (size_t at = 0; outcome.error == 0 && at < keys.len;
       at += strlen(keys.data + at) + 1) {
    each(argument, keys.data + at);
  }
  mcpi_buf_deinit(&keys);
  return outcome.error;
}

/* --- making one ----------------------------------------------------------- */

static keyring_store *keyring_store_new(mcp_loop *loop, mcp_error *err) {
  keyring_store *store = mcpi_calloc(&loop->allocator, 1, sizeof(*store));
  if (store == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  store->loop = loop;
  store->uv = mcpi_uv_of(loop);
  mcpi_list_init(&store->takes);
  store->folder = mcpi_record_default_folder(&loop->allocator, err);
  if (store->folder == NULL || mcpi_record_folder(store->folder, err) != 0) {
    keyring_store_free(store);
    return NULL;
  }
  return store;
}

int mcpi_store_keyring_fill(mcp_auth_store *out, mcp_loop *loop,
                            const mcpi_keyring_engine *engine, mcp_error *err) {
  mcp_auth_store functions = {.take = keyring_store_take,
                              .cancel = keyring_store_cancel,
                              .give = keyring_store_give,
                              .list = keyring_store_list,
                              .release = keyring_store_release};
  mcp_error why;
  keyring_store *store = keyring_store_new(loop, &why);
  if (store == NULL) {
    return mcp_error_set(err, why.code, "%s", why.message);
  }
  store->engine = engine;
  functions.userdata = store;
  int rc =
      mcpi_narrow(out, &functions, sizeof(functions), "mcp_auth_store", err);
  if (rc != 0) {
    keyring_store_release(store);
  }
  return rc;
}

int mcp_auth_store_keyring(mcp_auth_store *store, mcp_loop *loop,
                           mcp_error *err) {
  if (mcpi_uv_of(loop) == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "the loop is not one of mcp_loop_new");
  }
  const mcpi_keyring_engine *engine = mcpi_keyring_engine_get(err);
  return engine != NULL ? mcpi_store_keyring_fill(store, loop, engine, err)
                        : MCP_ERR_UNSUPPORTED;
}
