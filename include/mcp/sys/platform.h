/* SPDX-License-Identifier: MIT */
/** @file
 * What libmcp-core needs from the system beneath it.
 *
 * libmcp fills this table itself (libuv, OpenSSL, PCRE2). A program that links
 * libmcp-core alone fills in what it has: every entry may be NULL, and what
 * needs a missing one fails with MCP_ERR_PLATFORM and says which.
 */
#ifndef MCP_SYS_PLATFORM_H
#define MCP_SYS_PLATFORM_H

#include <mcp/export.h>

MCP_BEGIN_DECLS

/** Bytes that sealing adds to a text. */
#define MCP_SEAL_OVERHEAD 28
/** Bytes of a sealing key. */
#define MCP_SEAL_KEY_SIZE 32

typedef struct mcp_platform {
  /** sizeof(mcp_platform); MCP_PLATFORM_INIT sets it. */
  size_t size;
  /** Handed to every function below. */
  void *userdata;

  /** Tells the time: monotonic milliseconds from any start, and milliseconds
   * since 1970-01-01 UTC; either pointer may be NULL. NULL: the program tells
   * it by mcp_loop_advance. */
  void (*clock)(void *userdata, int64_t *now_ms, int64_t *wall_ms);

  /** Fills `bytes` with cryptographically secure random bytes. Returns 0 or
   * MCP_ERR_IO. Used for the keys of sealed state and of hash tables. */
  int (*random)(void *userdata, void *bytes, size_t len);

  /** Authenticated encryption: writes len + MCP_SEAL_OVERHEAD bytes to `out`.
   * `bound` is authenticated and not written. Returns 0 or MCP_ERR_IO. */
  int (*seal)(void *userdata, const uint8_t key[MCP_SEAL_KEY_SIZE],
              const void *bound, size_t bound_len, const void *text, size_t len,
              uint8_t *out);

  /** The way back: writes len - MCP_SEAL_OVERHEAD bytes to `out`. Returns 0,
   * or MCP_ERR_SEAL when anything was altered. */
  int (*unseal)(void *userdata, const uint8_t key[MCP_SEAL_KEY_SIZE],
                const void *bound, size_t bound_len, const void *sealed,
                size_t len, uint8_t *out);

  /** Runs `run(argument)` on the loop's thread, later. Callable from any
   * thread. Returns 0, or MCP_ERR_NOMEM or MCP_ERR_CLOSED and then never runs
   * it. NULL: the loop has one thread, and calls are answered from it only. */
  int (*post)(void *userdata, void (*run)(void *argument), void *argument);
  /** 1 on the loop's own thread. NULL: always so. */
  int (*is_loop_thread)(void *userdata);

  /** Runs `work(argument)` on another thread. Returns 0, or MCP_ERR_BUSY when
   * the queue is full and then never runs it. */
  int (*run_blocking)(void *userdata, void (*work)(void *argument),
                      void *argument);

  /** The loop's next deadline has changed: look at mcp_loop_next_deadline
   * again before sleeping. On the loop's thread. */
  void (*wake)(void *userdata);

  /** The loop is freed; the last call with this userdata. */
  void (*release)(void *userdata);

  /** Makes a lock that one thread can hold at a time; NULL when out of memory.
   * A server that is on several loops, or that other threads notify, has one.
   * The lock may outlive the loop, and loops of other platforms use it too: so
   * the next three are given the lock alone. NULL, and the next three too: only
   * one thread uses the loop, and whatever is on it. Since 0.2. */
  void *(*lock_new)(void *userdata);
  /** Waits until no other thread holds the lock, and takes it. A thread does
   * not take a lock twice. While a thread holds one, the library calls
   * allocators, `post`, `random` and `is_loop_thread`, which must not call the
   * library back. Since 0.2. */
  void (*lock_acquire)(void *lock);
  /** Lets another thread take the lock. Since 0.2. */
  void (*lock_release)(void *lock);
  /** Frees a lock that no thread holds, on any thread. Since 0.2. */
  void (*lock_free)(void *lock);
} mcp_platform;

#define MCP_PLATFORM_INIT MCP_INIT_(mcp_platform)

MCP_END_DECLS

#endif
