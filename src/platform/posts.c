/* SPDX-License-Identifier: MIT */
/* A mailbox for the loop's thread. */
#include "platform/posts.h"

#include <mcp/error.h>

enum {
  FIRST_CAP = 16,
  /* A list that grew larger than this is freed when it is empty. */
  KEPT_CAP = 4096
};

int mcpi_posts_init(mcpi_posts *posts, const mcp_allocator *allocator,
                    void (*wake)(void *argument), void *argument) {
  *posts = (mcpi_posts){
      .allocator = allocator, .wake = wake, .wake_argument = argument};
  return uv_mutex_init(&posts->lock) == 0 ? 0 : MCP_ERR_NOMEM;
}

static void free_list(const mcp_allocator *allocator, mcpi_post_list *list) {
  mcpi_free(allocator, list->items, list->cap * sizeof(*list->items));
  *list = (mcpi_post_list){0};
}

void mcpi_posts_deinit(mcpi_posts *posts) {
  free_list(posts->allocator, &posts->inbox);
  free_list(posts->allocator, &posts->turn);
  uv_mutex_destroy(&posts->lock);
}

static int grow(const mcp_allocator *allocator, mcpi_post_list *list) {
  size_t size = list->cap * sizeof(*list->items);
  size_t new_size = size > 0 ? size * 2 : FIRST_CAP * sizeof(*list->items);
  mcpi_post *items = mcpi_realloc(allocator, list->items, size, new_size);
  if (items == NULL) {
    return MCP_ERR_NOMEM;
  }
  list->items = items;
  list->cap = new_size / sizeof(*items);
  return 0;
}

static int posts_append(mcpi_posts *posts, mcpi_post post) {
  mcpi_post_list *inbox = &posts->inbox;
  if (posts->is_closed) {
    return MCP_ERR_CLOSED;
  }
  if (inbox->count == inbox->cap && grow(posts->allocator, inbox) != 0) {
    return MCP_ERR_NOMEM;
  }
  inbox->items[inbox->count++] = post;
  return 0;
}

int mcpi_posts_add(mcpi_posts *posts, void (*run)(void *argument),
                   void *argument) {
  uv_mutex_lock(&posts->lock);
  int rc = posts_append(posts, (mcpi_post){run, argument});
  if (rc == 0) {
    posts->wake(posts->wake_argument);
  }
  uv_mutex_unlock(&posts->lock);
  return rc;
}

/* Takes the posts that have come, when all earlier ones have run. */
static void refill(mcpi_posts *posts) {
  if (posts->next < posts->turn.count) {
    return;
  }
  posts->next = 0;
  posts->turn.count = 0;
  if (posts->turn.cap > KEPT_CAP) {
    free_list(posts->allocator, &posts->turn);
  }
  uv_mutex_lock(&posts->lock);
  mcpi_post_list empty = posts->turn;
  posts->turn = posts->inbox;
  posts->inbox = empty;
  uv_mutex_unlock(&posts->lock);
}

int mcpi_posts_run(mcpi_posts *posts, size_t max) {
  refill(posts);
  for (; max > 0 && posts->next < posts->turn.count; max--) {
    /* A copy: the function may post, run the loop, or do both. */
    mcpi_post post = posts->turn.items[posts->next++];
    post.run(post.argument);
  }
  return mcpi_posts_wait(posts);
}

int mcpi_posts_wait(mcpi_posts *posts) {
  if (posts->next < posts->turn.count) {
    return 1;
  }
  uv_mutex_lock(&posts->lock);
  int waits = posts->inbox.count > 0;
  uv_mutex_unlock(&posts->lock);
  return waits;
}

void mcpi_posts_close(mcpi_posts *posts) {
  uv_mutex_lock(&posts->lock);
  posts->is_closed = 1;
  uv_mutex_unlock(&posts->lock);
}
