/* SPDX-License-Identifier: MIT */
/* The load of a measurement: connections that call the server. Each connection
 * makes its next call when it has the answer to the last one: a closed loop. It
 * does not measure the wait of callers that come at their own pace
 * ("coordinated omission"): when the server stops for a second, each connection
 * counts one slow call.
 *
 * After a failure a connection is made again, with a pause that grows. After
 * too many failures in a row it is abandoned. */
#ifndef CTL_LOAD_H
#define CTL_LOAD_H

#include "bench/faults.h"
#include "bench/histogram.h"
#include "connection/session.h"

typedef struct ctl_load_caller ctl_load_caller;

typedef struct ctl_load {
  ctl_session *session; /* has the server and the call's arguments */
  ctl_load_caller *callers;
  size_t count;
  size_t warming;   /* callers that have had neither an answer nor a failure */
  size_t pausing;   /* callers that wait before their next attempt */
  size_t given_up;  /* callers that were abandoned */
  size_t under_way; /* calls in flight */
  size_t open;      /* connections that are not closed */
  int is_ending;    /* no further call begins */
  int64_t warm_ns;  /* the earliest time at which calls may count */
  int64_t began_ns; /* calls that begin at this time or later count; 0: the
                     * measurement has not begun */

  /* The calls that count. */
  ctl_histogram latencies; /* of those that succeeded */
  ctl_faults faults;
  int64_t last_answer_ns;
} ctl_load;

/* Calls the tool of the session's command line, or sends the cheapest request
 * of the revision. Returns what the functions of mcp/client.h return. */
int ctl_load_call(const ctl_session *session, mcp_client *client,
                  const mcp_request_options *options, mcp_done_cb on_done,
                  void *userdata);

/* Starts calls on `count` connections. They do not count until `warm_ns` have
 * passed and each connection has had an answer or a failure. Returns 0 or
 * MCP_ERR_NOMEM. */
int ctl_load_start(ctl_load *load, ctl_session *session, size_t count,
                   int64_t warm_ns);

/* Waits for an event, but not beyond `until_ns`, and handles what is due. */
void ctl_load_turn(ctl_load *load, int64_t until_ns);

/* Closes all connections and waits until they are closed. */
void ctl_load_stop(ctl_load *load);

#endif
