/* SPDX-License-Identifier: MIT */
/* A store of tasks with a loop, and functions that call it and wait for the
 * completion. The time stands still until the test moves it. */
#ifndef MCP_TESTS_STORE_RIG_H
#define MCP_TESTS_STORE_RIG_H

#include <mcp/tasks.h>
#include <pthread.h>

/* How a kind of store is made, and what is left of it removed. */
typedef struct store_maker {
  /* Returns 0 or an MCP_ERR_*. */
  int (*make)(mcp_task_store *out, const mcp_allocator *allocator,
              size_t max_bytes);
  /* After the store's release, or a failed make. May be NULL. */
  void (*clean)(void);
} store_maker;

enum { STORE_RIG_POSTS = 1024 };

typedef struct store_rig {
  const store_maker *maker;
  mcp_loop *loop;
  mcp_task_store store;
  int is_done;           /* the completion has run */
  int status;            /* of the last function */
  size_t count;          /* of the last records */
  char seen[400];        /* "ID:DATA " of each of them */
  mcp_task_record first; /* of the last records; its strings are not valid */
  char first_owner[16];
  /* What other threads post, under the lock: */
  pthread_mutex_t lock;
  pthread_cond_t has_posts;
  int fail_posts; /* how many posts fail for lack of memory */
  size_t post_count;
  struct {
    void (*run)(void *argument);
    void *argument;
  } posts[STORE_RIG_POSTS];
} store_rig;

/* Makes a store and a loop at 1000 ms by the wall clock. Returns 0, or the code
 * of the maker: then nothing needs store_rig_end. */
int store_rig_begin(store_rig *rig, const store_maker *maker,
                    const mcp_allocator *allocator, size_t max_bytes);
void store_rig_end(store_rig *rig);
/* Releases the store and makes it again, without cleaning. */
void store_rig_reopen(store_rig *rig, size_t max_bytes);
/* Runs what was posted. */
void store_rig_run_posts(store_rig *rig);
/* Runs what is posted until the last function has completed. */
void store_rig_wait(store_rig *rig);

/* A record of version 1 that expires at 5000. */
mcp_task_record store_record(const char *id, const char *owner,
                             int64_t created_ms, const char *data);

/* Each calls the store, waits, and returns the status, or what was seen. */
int store_create(store_rig *rig, const char *id, const char *owner,
                 int64_t created_ms, const char *data);
int store_create_record(store_rig *rig, const mcp_task_record *record);
int store_update(store_rig *rig, const char *id, uint64_t version,
                 int has_ended, const char *data);
int store_expire(store_rig *rig, int64_t now_ms);
const char *store_load(store_rig *rig, const char *id);
int store_try_list(store_rig *rig, const char *owner);
/* after NULL: from the first on. These fail the test on an error. */
const char *store_list(store_rig *rig, const char *owner,
                       const mcp_task_record *after, size_t max);
const char *store_unfinished(store_rig *rig, const mcp_task_record *after,
                             size_t max);
int store_has(store_rig *rig, const char *id);

#endif
