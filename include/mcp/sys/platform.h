/* SPDX-License-Identifier: MIT */
/** @file
 * The functions that libmcp-core needs from the system.
 *
 * libmcp fills this table itself (libuv, OpenSSL, PCRE2). A program that links
 * only libmcp-core fills it in. Each member may be NULL, but the four lock_*
 * only together. A function of the library that needs a missing member fails
 * with MCP_ERR_PLATFORM, and the message names the member.
 */
#ifndef MCP_SYS_PLATFORM_H
#define MCP_SYS_PLATFORM_H

#include <mcp/export.h>

MCP_BEGIN_DECLS

/** How many bytes mcp_platform.seal adds to a text: a nonce and an
 * authentication tag. */
#define MCP_SEAL_OVERHEAD 28
/** The size of a key of mcp_platform.seal in bytes. */
#define MCP_SEAL_KEY_SIZE 32

struct mcp_crypto;        /* mcp/sys/crypto.h */
struct mcp_fetch;         /* mcp/sys/fetch.h */
struct mcp_fetch_answer;  /* mcp/sys/fetch.h */
struct mcp_fetch_request; /* mcp/sys/fetch.h */

/** The table of functions. Members that the program does not set must be
 * zero. */
typedef struct mcp_platform {
  /** sizeof(mcp_platform); MCP_PLATFORM_INIT sets it. */
  size_t size;
  /** Handed to the functions below, except three of the lock functions. */
  void *userdata;

  /** Gets the time: *now_ms is monotonic, in milliseconds from any start;
   * *wall_ms is in milliseconds since 1970-01-01 UTC. Both pointers may be
   * NULL. If the member is NULL, the program sets the time with
   * mcp_loop_advance. */
  void (*clock)(void *userdata, int64_t *now_ms, int64_t *wall_ms);

  /** Fills `bytes` with cryptographically secure random bytes. Returns 0 or
   * MCP_ERR_IO. The library uses them for the keys of `seal` and of hash
   * tables, and for the ids of HTTP sessions. */
  int (*random)(void *userdata, void *bytes, size_t len);

  /** Encrypts and authenticates `text`, and writes len + MCP_SEAL_OVERHEAD
   * bytes to `out`. Also authenticates `bound`, which is not part of the output
   * (the additional data of an AEAD). Returns 0 or MCP_ERR_IO. */
  int (*seal)(void *userdata, const uint8_t key[MCP_SEAL_KEY_SIZE],
              const void *bound, size_t bound_len, const void *text, size_t len,
              uint8_t *out);

  /** Decrypts what `seal` wrote: `len` bytes, at least MCP_SEAL_OVERHEAD.
   * Writes len - MCP_SEAL_OVERHEAD bytes to `out`. Returns 0, or MCP_ERR_SEAL
   * if the key or `bound` differs or a byte was changed. */
  int (*unseal)(void *userdata, const uint8_t key[MCP_SEAL_KEY_SIZE],
                const void *bound, size_t bound_len, const void *sealed,
                size_t len, uint8_t *out);

  /** Calls `run(argument)` later, on the loop's thread. Calls that one thread
   * posts run in their order. Callable from any thread. Returns 0;
   * MCP_ERR_NOMEM or MCP_ERR_CLOSED: `run` is never called. NULL: the program
   * may use the library only on the loop's thread. */
  int (*post)(void *userdata, void (*run)(void *argument), void *argument);
  /** Returns 1 on the loop's thread, else 0. NULL: the library assumes 1. */
  int (*is_loop_thread)(void *userdata);

  /** Calls `work(argument)` on another thread. Returns 0; MCP_ERR_BUSY: the
   * queue is full, and `work` is never called. NULL: calls of handlers with
   * `is_blocking` fail. */
  int (*run_blocking)(void *userdata, void (*work)(void *argument),
                      void *argument);

  /** Called on the loop's thread when the next deadline has changed. The
   * program calls mcp_loop_next_deadline again before it waits. May be NULL. */
  void (*wake)(void *userdata);

  /** Called when the loop is freed. The library calls no function with this
   * userdata afterwards. May be NULL. */
  void (*release)(void *userdata);

  /** Makes a lock that one thread can hold at a time; returns NULL when out of
   * memory. The library makes a lock for each server that is on the loop.
   *
   * Set all four lock_* or none. Without them only one thread may use the loop
   * and the objects on it. The lock may be used after the loop is freed, and by
   * loops with other platforms. So the next three functions get only the lock,
   * not the userdata. Since 0.2. */
  void *(*lock_new)(void *userdata);
  /** Waits until no other thread holds the lock, and takes it. The library
   * never takes a lock twice on one thread, so the lock need not be recursive.
   * While a thread holds a lock, the library calls allocators, `post`, `random`
   * and `is_loop_thread`. These must not call the library. Since 0.2. */
  void (*lock_acquire)(void *lock);
  /** Lets another thread take the lock. Since 0.2. */
  void (*lock_release)(void *lock);
  /** Frees a lock that no thread holds, on any thread. Since 0.2. */
  void (*lock_free)(void *lock);

  /** Hashes, keys and signatures (mcp/sys/crypto.h). The table must stay valid
   * until the loop is freed. NULL: the library checks and makes no signatures,
   * so functions of authorization fail. Since 0.2. */
  const struct mcp_crypto *crypto;

  /** Begins an HTTP request of OAuth (mcp/sys/fetch.h). A redirect is followed
   * only for a GET, within the origin of the URL, at most five times; otherwise
   * its status is the answer. Called on the loop's thread.
   *
   * @param done called with the answer, and with `argument`
   * @param out  *out is valid until `done` is called or `fetch_cancel` returns
   * @return 0; MCP_ERR_INVALID: the URL is not valid; MCP_ERR_NOMEM;
   *         MCP_ERR_PLATFORM. `done` is called only after 0.
   *
   * Set both this member and fetch_cancel or none. Since 0.2. */
  int (*fetch)(void *userdata, const struct mcp_fetch_request *request,
               void (*done)(const struct mcp_fetch_answer *answer,
                            void *argument),
               void *argument, struct mcp_fetch **out);
  /** Ends a request. Its `done` is not called any more. On the loop's thread.
   * Since 0.2. */
  void (*fetch_cancel)(void *userdata, struct mcp_fetch *fetch);
} mcp_platform;

#define MCP_PLATFORM_INIT MCP_INIT_(mcp_platform)

MCP_END_DECLS

#endif
