/* SPDX-License-Identifier: MIT */
/* A loop on libuv: what is behind an mcp_loop made by mcp_loop_new. */
#ifndef MCPI_PLATFORM_UV_LOOP_H
#define MCPI_PLATFORM_UV_LOOP_H

#include "core/loop.h"
#include "platform/posts.h"
#include "platform/workers.h"
#include <stdatomic.h>

/* Bytes read at once: what a pipe holds. */
enum { MCPI_READ_SIZE = 64 * 1024 };

typedef struct mcpi_uv {
  mcp_loop *loop;
  mcp_allocator allocator;
  uv_loop_t *uv; /* own_uv, or the program's */
  uv_loop_t own_uv;
  int owns_uv;
  int is_stopping; /* mcp_loop_stop was called and has not been heeded */
  int is_ending;
  int is_in_turn;            /* one turn that may sleep: see turn() */
  uint32_t depth;            /* runs and callbacks of ours on the stack */
  _Atomic(uintptr_t) home;   /* the thread that was in it last: this_thread() */
  _Atomic(uintptr_t) inside; /* the thread that is in it; 0: none */

  /* None of these keeps uv_run going by itself, but own_mail. */
  uv_timer_t deadline; /* the core's next */
  uv_timer_t patience; /* mcp_loop_wait's limit */
  uv_async_t mail;     /* posts from other threads, workers that are idle */
  uv_idle_t own_mail;  /* posts from inside: they cost no system call */
  uint32_t refs; /* open handles of ours, and whoever called mcpi_uv_hold */

  mcpi_posts posts;
  mcpi_workers *workers; /* NULL before the first blocking call */
  uint32_t pool_threads;
  uint32_t pool_queue;
  char *read_buffer; /* NULL before the first transport reads */
} mcpi_uv;

/* What is behind a loop, or NULL when it is a manual one. */
MCP_API mcpi_uv *mcpi_uv_of(const mcp_loop *loop);

/* Around everything that libuv calls and that may call the program: while one
 * is on the stack the loop must not be run. */
MCP_API void mcpi_uv_enter(mcpi_uv *uv);
MCP_API void mcpi_uv_leave(mcpi_uv *uv);

/* Keeps this structure until the holder's handles are closed: libuv closes the
 * last one first. */
MCP_API void mcpi_uv_hold(mcpi_uv *uv);
MCP_API void mcpi_uv_drop(mcpi_uv *uv);

/* MCPI_READ_SIZE bytes that all transports of the loop read into, one after the
 * other; NULL when out of memory. */
MCP_API char *mcpi_uv_read_buffer(mcpi_uv *uv);

/* Fills an error with what could not be done and the system's reason, an errno
 * value. MCP_ERR_IO. */
int mcpi_io_error(mcp_error *err, int error, const char *what);

#endif
