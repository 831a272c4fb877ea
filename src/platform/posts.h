/* SPDX-License-Identifier: MIT */
/* A mailbox: any thread puts functions in, and they run on the loop's thread in
 * the order of their arrival.
 *
 *     any thread -> inbox (under the lock) -> turn -> run, on the loop's thread
 *
 * The two lists are exchanged when the turn is finished. So the lock is held
 * only for moments, and a steady stream allocates nothing. */
#ifndef MCPI_PLATFORM_POSTS_H
#define MCPI_PLATFORM_POSTS_H

#include "base/alloc.h"
#include <uv.h>

typedef struct mcpi_post {
  void (*run)(void *argument);
  void *argument;
} mcpi_post;

typedef struct mcpi_post_list {
  mcpi_post *items;
  size_t count;
  size_t cap;
} mcpi_post_list;

typedef struct mcpi_posts {
  const mcp_allocator *allocator;
  uv_mutex_t lock;
  mcpi_post_list inbox; /* under the lock */
  int is_closed;        /* under the lock */
  void (*wake)(void *argument);
  void *wake_argument;
  /* Used, like the following, only by the loop's thread. */
  mcpi_post_list turn;
  size_t next; /* in turn: the index of the first that has not run */
} mcpi_posts;

/* `wake` is called after each post, on the thread that posts and under the
 * lock: so a loop that has run a post may be freed, although the thread has not
 * returned from mcpi_posts_add yet. 0 or MCP_ERR_NOMEM. */
int mcpi_posts_init(mcpi_posts *posts, const mcp_allocator *allocator,
                    void (*wake)(void *argument), void *argument);
void mcpi_posts_deinit(mcpi_posts *posts);

/* On any thread. Returns 0, MCP_ERR_NOMEM or MCP_ERR_CLOSED. */
int mcpi_posts_add(mcpi_posts *posts, void (*run)(void *argument),
                   void *argument);
/* Runs at most `max` of the waiting functions. Returns 1 if more wait. */
int mcpi_posts_run(mcpi_posts *posts, size_t max);
/* Returns 1 if any function waits. */
int mcpi_posts_wait(mcpi_posts *posts);
/* From now on mcpi_posts_add refuses; waiting functions can still run. */
void mcpi_posts_close(mcpi_posts *posts);

#endif
