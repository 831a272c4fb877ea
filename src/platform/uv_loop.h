/* SPDX-License-Identifier: MIT */
/* A loop on libuv: the platform of an mcp_loop made by mcp_loop_new. */
#ifndef MCPI_PLATFORM_UV_LOOP_H
#define MCPI_PLATFORM_UV_LOOP_H

#include "core/loop.h"
#include "platform/fetches.h"
#include "platform/posts.h"
#include "platform/workers.h"
#include <stdatomic.h>

/* The bytes that are read at once: what a pipe holds. */
enum { MCPI_READ_SIZE = 64 * 1024 };

typedef struct mcpi_uv {
  mcp_loop *loop;
  mcp_allocator allocator;
  uv_loop_t *uv; /* own_uv, or the program's */
  uv_loop_t own_uv;
  int owns_uv;
  int is_stopping; /* mcp_loop_stop was called and has not taken effect yet */
  int is_ending;
  int is_in_turn; /* one turn that may sleep: see turn() */
  /* Runs and callbacks of the library on the stack. */
  uint32_t depth;
  /* The thread that was last inside: this_thread(). */
  _Atomic(uintptr_t) home;
  _Atomic(uintptr_t) inside; /* the thread that is inside; 0: none */

  /* Of these, only own_mail keeps uv_run going. */
  uv_timer_t deadline; /* the core's next deadline */
  uv_timer_t patience; /* the limit of mcp_loop_wait */
  uv_async_t mail;     /* posts from other threads, and idle workers */
  /* Posts from the loop's thread: they cost no system call. */
  uv_idle_t own_mail;
  uint32_t refs; /* our open handles, and the callers of mcpi_uv_hold */

  mcpi_posts posts;
  mcpi_workers *workers; /* NULL before the first blocking call */
  mcpi_fetches *fetches; /* NULL before the first fetch */
  uint32_t pool_threads;
  uint32_t pool_queue;
  char *read_buffer; /* NULL before the first transport reads */
} mcpi_uv;

/* Returns the structure of a loop, or NULL for a manual loop. */
MCP_API mcpi_uv *mcpi_uv_of(const mcp_loop *loop);

/* Call these around everything that libuv calls and that may call the program:
 * while one is on the stack the loop must not run. */
MCP_API void mcpi_uv_enter(mcpi_uv *uv);
MCP_API void mcpi_uv_leave(mcpi_uv *uv);

/* Keeps this structure until the holder's handles are closed, because libuv
 * closes the last one first. */
MCP_API void mcpi_uv_hold(mcpi_uv *uv);
MCP_API void mcpi_uv_drop(mcpi_uv *uv);

/* Returns MCPI_READ_SIZE bytes that all transports of the loop read into, one
 * after the other; NULL when out of memory. */
MCP_API char *mcpi_uv_read_buffer(mcpi_uv *uv);

/* Fills an error with what failed and the system's reason, an errno value.
 * Returns MCP_ERR_IO. */
int mcpi_io_error(mcp_error *err, int error, const char *what);

#endif
