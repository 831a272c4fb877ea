/* SPDX-License-Identifier: MIT */
/* What peers may take: calls in flight, kept bytes, subscriptions; and the
 * reports of refusals to the program.
 *
 * The checks only look. The functions that report call the program, which may
 * then end everything: call them once the peer has its answer. */
#ifndef MCPI_SERVER_LIMITS_H
#define MCPI_SERVER_LIMITS_H

#include "core/reports.h"
#include "server/caller.h"

/* The limits that refuse peers, or that end what peers have. 0: no limit. */
enum {
  MCPI_LIMIT_CALLS = 1,
  MCPI_LIMIT_TOTAL_CALLS,
  MCPI_LIMIT_BYTES,
  MCPI_LIMIT_SUBSCRIPTIONS,
  MCPI_LIMIT_SESSIONS,
  MCPI_LIMIT_EVENT_BYTES,
  MCPI_LIMIT_CONNECTIONS,
  MCPI_LIMIT_COUNT
};

/* One limit on one loop, from the first time that it refuses or ends something
 * (limits.c). An eviction must not use up the report of a refusal, so each has
 * its own rate. */
typedef struct mcpi_limit {
  mcpi_shard *shard;
  const char *option; /* the option that sets it */
  int has_refused;
  int64_t refused_ms; /* the last time */
  mcpi_reports refusals;
  mcpi_reports evictions;
} mcpi_limit;

/* The smallest max_kept_bytes: a connection may keep a quarter of it, and a
 * short request takes a block of up to 2 KB. */
enum { MCPI_MIN_KEPT_BYTES = 8192 };

/* Reports the counts of what was not reported yet. */
void mcpi_limits_flush(mcpi_shard *shard);
/* Frees the limits of a shard, and stops their timers. */
void mcpi_limits_deinit(mcpi_shard *shard);
/* Notes that a limit has refused a peer, for mcpi_shard_refusing. */
void mcpi_shard_note_refusal(mcpi_shard *shard, int which);
/* Notes a refusal, and reports it to the program: for each limit the first in
 * ten seconds, and then how many followed. `peer` NULL: not known. */
void mcpi_shard_refused(mcpi_shard *shard, int which, const char *peer,
                        const char *why);
/* Reports, at the same rate, that something was ended to make room. No peer was
 * refused. */
void mcpi_shard_evicted(mcpi_shard *shard, int which, const char *peer,
                        const char *format, ...) MCP_PRINTF(4, 5);
/* Returns the option of a limit that has refused a peer on this loop in the
 * last ten seconds; NULL: there was no refusal. */
const char *mcpi_shard_refusing(const mcpi_shard *shard);
/* Reports to the program that a listener has refused a connection because of
 * max_connections. Must be called on the loop's thread. The program may free
 * the server and the listener in its on_report. */
MCP_API void mcpi_server_connection_refused(mcp_server *server, mcp_loop *loop,
                                            const char *peer,
                                            const mcp_error *err);

/* --- the checks --- */

/* Returns 0 if the caller may have that many more calls in flight, else the
 * MCPI_LIMIT_* that refuses them; err then says why. */
int mcpi_caller_check_calls(const mcpi_caller *caller, size_t more,
                            mcp_error *err);
/* Returns 0, or MCPI_LIMIT_BYTES when the caller keeps more than it may; err
 * then says why. */
int mcpi_caller_check_bytes(const mcpi_caller *caller, mcp_error *err);

/* Subscriptions have as many bytes for themselves, counted in the same way:
 * they last, and a caller that has many must still be able to end some. */

/* Returns the bytes that a URI of a subscription takes, including its place in
 * a table. */
size_t mcpi_subscription_bytes(mcpi_str uri);
/* Returns 0 if the call's caller may have that many more subscriptions. A
 * listen is one; each URI of a listen or of a session is another. Otherwise
 * records MCP_ERR_LIMIT on the call, and returns it. */
int mcpi_call_check_subscriptions(mcp_call *call, size_t count, size_t bytes);
void mcpi_subscriptions_add(mcpi_caller *caller, size_t count, size_t bytes);
void mcpi_subscriptions_remove(mcpi_caller *caller, size_t count, size_t bytes);

#endif
