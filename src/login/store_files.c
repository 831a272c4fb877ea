/* SPDX-License-Identifier: MIT */
/* The store of files. The record of a server is three files:
 *
 *     NAME.json   the record
 *     NAME.lock   empty; whoever holds its lock has taken the record
 *     NAME.new    the next record, while it is written */
#include "auth/client/wiping.h"
#include "base/error.h"
#include "base/widen.h"
#include "login/record_file.h"
#include "login/record_lock.h"
#include "login/record_name.h"

#include <mcp/auth.h>
#include <mcp/json.h>
#include <uv.h>

typedef struct files_store {
  mcp_loop *loop;
  char *folder;
  mcpi_list takes;
} files_store;

/* A record that is taken, or that someone waits for. Held by the store's list
 * from `take` to `give` or `cancel`. */
typedef struct files_take {
  mcpi_list link;
  files_store *store;
  mcpi_record_lock lock;
  mcp_auth_record_cb done;
  void *argument;
  char *key;
  char name[MCPI_RECORD_NAME_SIZE];
} files_take;

/* Owned; NULL when out of memory. */
static char *files_path(const files_store *store, const char *name,
                        const char *suffix) {
  return mcpi_record_path(&store->loop->allocator, store->folder, name, suffix);
}

/* --- taking --------------------------------------------------------------- */

static void take_free(files_take *take) {
  const mcp_allocator *allocator = &take->store->loop->allocator;
  mcpi_list_remove(&take->link);
  mcpi_record_lock_drop(&take->lock);
  mcpi_strfree(allocator, take->key);
  mcpi_free(allocator, take, sizeof(*take));
}

/* Appends the record. Returns 0 or MCP_ERR_NOT_FOUND; or an error with err. */
static int take_read(files_take *take, mcpi_buf *text, mcp_error *err) {
  char *path = files_path(take->store, take->name, ".json");
  if (path == NULL) {
    return mcpi_no_memory(err);
  }
  int rc = mcpi_record_read(path, text, err);
  mcpi_strfree(&take->store->loop->allocator, path);
  return rc;
}

/* The record was not taken. */
static void take_fail(files_take *take, const mcp_error *err) {
  mcp_auth_record_cb done = take->done;
  void *argument = take->argument;
  take_free(take);
  done(argument, err, NULL, 0);
}

static void take_deliver(files_take *take) {
  mcp_error err;
  mcpi_buf text;
  mcpi_buf_init_secret(&text, &take->store->loop->allocator, SIZE_MAX);
  int rc = take_read(take, &text, &err);
  if (rc == 0) {
    take->done(take->argument, NULL, text.len > 0 ? text.data : "", text.len);
  } else if (rc == MCP_ERR_NOT_FOUND) {
    take->done(take->argument, NULL, NULL, 0);
  } else {
    take_fail(take, &err);
  }
  mcpi_buf_deinit(&text);
}

static void take_on_lock(mcpi_record_lock *lock, const mcp_error *err) {
  files_take *take = MCPI_CONTAINER(lock, files_take, lock);
  if (err == NULL) {
    take_deliver(take);
  } else {
    take_fail(take, err);
  }
}

/* Takes the record, or waits. 0, or an error with err. */
static int take_begin(files_take *take, mcp_error *err) {
  int rc = mcpi_record_lock_take(&take->lock, err);
  if (rc == 0) {
    take_deliver(take);
  }
  return rc < 0 ? rc : 0;
}

static files_take *take_new(files_store *store, const char *key,
                            mcp_error *err) {
  const mcp_allocator *allocator = &store->loop->allocator;
  files_take *take = mcpi_calloc(allocator, 1, sizeof(*take));
  if (take == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  take->store = store;
  mcpi_list_init(&take->link);
  int rc = mcpi_record_name(store->loop, key, take->name, err);
  mcpi_record_lock_init(&take->lock, store->loop,
                        rc == 0 ? files_path(store, take->name, ".lock")
                                : NULL);
  take->lock.on_end = take_on_lock;
  take->key = mcpi_strdup(allocator, key);
  if (rc == 0 && take->key == NULL) {
    rc = mcpi_no_memory(err);
  }
  if (rc != 0) {
    take_free(take);
    return NULL;
  }
  mcpi_list_append(&store->takes, &take->link);
  return take;
}

/* Only a take that waits can be cancelled, and only one that has the lock can
 * be given back; the caller has one of each at most for a key. */
static files_take *files_find(files_store *store, const char *key,
                              const void *argument) {
  for (mcpi_list *at = store->takes.next; at != &store->takes; at = at->next) {
    files_take *take = MCPI_CONTAINER(at, files_take, link);
    int is_meant = argument != NULL ? take->argument == argument
                                    : mcpi_record_lock_is_held(&take->lock);
    if (is_meant && strcmp(take->key, key) == 0) {
      return take;
    }
  }
  return NULL;
}

static int files_store_take(void *userdata, const char *key,
                            mcp_auth_record_cb done, void *argument,
                            mcp_error *err) {
  mcp_error why;
  files_take *take = take_new(userdata, key, &why);
  int rc = take != NULL ? 0 : why.code;
  if (take != NULL) {
    take->done = done;
    take->argument = argument;
    rc = take_begin(take, &why);
    if (rc != 0) {
      take_free(take);
    }
  }
  if (rc != 0 && err != NULL) {
    *err = why;
  }
  return rc;
}

static void files_store_cancel(void *userdata, const char *key,
                               void *argument) {
  files_take *take = files_find(userdata, key, argument);
  if (take != NULL && !mcpi_record_lock_is_held(&take->lock)) {
    take_free(take);
  }
}

/* --- giving back ---------------------------------------------------------- */

static int take_replace(files_take *take, const char *text, size_t len,
                        mcp_error *err) {
  const mcp_allocator *allocator = &take->store->loop->allocator;
  char *path = files_path(take->store, take->name, ".json");
  char *scratch = files_path(take->store, take->name, ".new");
  int rc = 0;
  if (path == NULL || scratch == NULL) {
    rc = mcpi_no_memory(err);
  } else if (len > 0) {
    rc = mcpi_record_write(path, scratch, text, len, err);
  } else {
    rc = mcpi_record_remove(path, err);
  }
  mcpi_strfree(allocator, path);
  mcpi_strfree(allocator, scratch);
  return rc;
}

static int files_store_give(void *userdata, const char *key, const char *text,
                            size_t len, mcp_error *err) {
  files_take *take = files_find(userdata, key, NULL);
  int rc = 0;
  if (take == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "the record of %s has not been taken", key);
  }
  if (text != NULL) {
    rc = take_replace(take, text, len, err);
  }
  take_free(take);
  return rc;
}

/* --- listing -------------------------------------------------------------- */

static int is_record_name(const char *name) {
  size_t len = strlen(name);
  return len > 5 && name[0] != '.' && strcmp(name + len - 5, ".json") == 0;
}

/* The key is the member "server" of a record. A record holds secrets, so its
 * text and values are overwritten. Returns 0, MCP_ERR_PARSE or
 * MCP_ERR_NOMEM. */
static int record_show_key(const mcpi_buf *text, const mcp_allocator *allocator,
                           void (*each)(void *argument, const char *key),
                           void *argument) {
  const mcp_allocator wiping = mcpi_wiping_allocator(allocator);
  mcp_error why = {.code = 0};
  mcp_doc *doc = mcp_doc_parse(text->data, text->len, NULL, &wiping, &why);
  int rc = doc != NULL || why.code != MCP_ERR_NOMEM ? 0 : MCP_ERR_NOMEM;
  mcpi_wipe(&why, sizeof(why)); /* it may quote the record */
  const char *key = mcp_json_string(mcp_json_get(mcp_doc_root(doc), "server"));
  if (key != NULL) {
    each(argument, key);
  } else if (rc == 0) {
    rc = MCP_ERR_PARSE;
  }
  mcp_doc_free(doc);
  return rc;
}

/* Returns 0, also if the record is gone; or an error with err. */
static int files_list_one(const files_store *store, const char *name,
                          void (*each)(void *argument, const char *key),
                          void *argument, mcp_error *err) {
  const mcp_allocator *allocator = &store->loop->allocator;
  char *path = files_path(store, name, "");
  if (path == NULL) {
    return mcpi_no_memory(err);
  }
  mcpi_buf text;
  mcpi_buf_init_secret(&text, allocator, SIZE_MAX);
  int rc = mcpi_record_read(path, &text, err);
  if (rc == 0) {
    rc = record_show_key(&text, allocator, each, argument);
    if (rc == MCP_ERR_NOMEM) {
      mcpi_no_memory(err);
    } else if (rc != 0) {
      mcp_error_set(err, rc,
                    "%s is not the record of a login: remove it, or log in to "
                    "its server again",
                    path);
    }
  }
  mcpi_buf_deinit(&text);
  mcpi_strfree(allocator, path);
  return rc == MCP_ERR_NOT_FOUND ? 0 : rc;
}

/* A record that cannot be read hides no other one. The first error counts. */
static int files_list_all(const files_store *store, uv_fs_t *folder,
                          void (*each)(void *argument, const char *key),
                          void *argument, mcp_error *err) {
  uv_dirent_t entry;
  mcp_error why;
  int first = 0;
  while (uv_fs_scandir_next(folder, &entry) == 0) {
    int rc = is_record_name(entry.name)
                 ? files_list_one(store, entry.name, each, argument, &why)
                 : 0;
    if (rc != 0 && first == 0) {
      first = mcp_error_set(err, rc, "%s", why.message);
    }
  }
  return first;
}

static int files_store_list(void *userdata,
                            void (*each)(void *argument, const char *key),
                            void *argument, mcp_error *err) {
  const files_store *store = userdata;
  uv_fs_t folder;
  int rc = uv_fs_scandir(NULL, &folder, store->folder, 0, NULL);
  if (rc < 0) {
    mcp_error_set(err, MCP_ERR_IO, "cannot read the folder %s: %s",
                  store->folder, uv_strerror(rc));
    rc = MCP_ERR_IO;
  } else {
    rc = files_list_all(store, &folder, each, argument, err);
  }
  uv_fs_req_cleanup(&folder);
  return rc;
}

/* --- life ----------------------------------------------------------------- */

static void files_store_release(void *userdata) {
  files_store *store = userdata;
  const mcp_allocator *allocator = &store->loop->allocator;
  while (!mcpi_list_is_empty(&store->takes)) {
    take_free(MCPI_CONTAINER(store->takes.next, files_take, link));
  }
  mcpi_strfree(allocator, store->folder);
  mcpi_free(allocator, store, sizeof(*store));
}

/* Owned; NULL with err. */
static char *files_folder(const mcp_allocator *allocator, const char *folder,
                          mcp_error *err) {
  if (folder == NULL) {
    return mcpi_record_default_folder(allocator, err);
  }
  char *copy = mcpi_strdup(allocator, folder);
  if (copy == NULL) {
    mcpi_no_memory(err);
  }
  return copy;
}

int mcp_auth_store_files(mcp_auth_store *out, mcp_loop *loop,
                         const char *folder, mcp_error *err) {
  mcp_auth_store functions = {.take = files_store_take,
                              .cancel = files_store_cancel,
                              .give = files_store_give,
                              .list = files_store_list,
                              .release = files_store_release};
  mcp_error why;
  if (loop == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "loop is NULL");
  }
  files_store *store = mcpi_calloc(&loop->allocator, 1, sizeof(*store));
  if (store == NULL) {
    return mcpi_no_memory(err);
  }
  store->loop = loop;
  mcpi_list_init(&store->takes);
  store->folder = files_folder(&loop->allocator, folder, &why);
  if (store->folder == NULL || mcpi_record_folder(store->folder, &why) != 0) {
    files_store_release(store);
    return mcp_error_set(err, why.code, "%s", why.message);
  }
  functions.userdata = store;
  int rc =
      mcpi_narrow(out, &functions, sizeof(functions), "mcp_auth_store", err);
  if (rc != 0) {
    files_store_release(store);
  }
  return rc;
}
