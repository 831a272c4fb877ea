/* SPDX-License-Identifier: MIT */
/* A mailbox: functions to run on the loop's thread, put in from any thread,
 * run in the order of their coming.
 *
 *     any thread -> inbox (under the lock) -> turn -> run, on the loop's thread
 *
 * The two lists change places when the turn is used up, so the lock is held for
 * moments only and a steady stream asks malloc for nothing. */
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
  mcpi_post_list turn;  /* the loop's thread's alone, as is what follows */
  size_t next;          /* in turn: the first that has not run */
} mcpi_posts;

/* 0 or MCP_ERR_NOMEM. */
int mcpi_posts_init(mcpi_posts *posts, const mcp_allocator *allocator);
void mcpi_posts_deinit(mcpi_posts *posts);

/* From any thread. 0, MCP_ERR_NOMEM or MCP_ERR_CLOSED. */
int mcpi_posts_add(mcpi_posts *posts, void (*run)(void *argument),
                   void *argument);
/* Runs at most `max` of those that wait. 1 when more wait. */
int mcpi_posts_run(mcpi_posts *posts, size_t max);
/* 1 when any wait. */
int mcpi_posts_wait(mcpi_posts *posts);
/* From now on mcpi_posts_add refuses; what waits can still be run. */
void mcpi_posts_close(mcpi_posts *posts);

#endif
