/* SPDX-License-Identifier: MIT */
/* Connections that call the server, each the next time when it has its answer:
 * a closed loop. What it cannot see is therefore the wait of a caller who comes
 * while the server is slow ("coordinated omission"): a server that stops for a
 * second is seen to do so once for each connection.
 *
 * A connection that breaks is made again, with a pause that grows; one that
 * fails too often in a row is given up. */
#ifndef CTL_LOAD_H
#define CTL_LOAD_H

#include "faults.h"
#include "histogram.h"
#include "session.h"

typedef struct ctl_caller ctl_caller;

typedef struct ctl_load {
  ctl_session *session; /* whose server is called, and how */
  ctl_caller *callers;
  size_t count;
  size_t warming; /* have neither had an answer nor failed */
  size_t pausing;
  size_t given_up;
  size_t under_way; /* calls */
  size_t open;      /* connections that are not closed */
  int is_ending;    /* nothing begins any more */
  int64_t warm_ns;  /* until then nothing counts, nor while any is warming */
  int64_t began_ns; /* what began then or later counts; 0: nothing has */

  /* The calls that count. */
  ctl_histogram latencies; /* of those that succeeded */
  ctl_faults faults;
  int64_t last_answer_ns;
} ctl_load;

/* Makes the call that the session's command line has: a tool's, or what costs a
 * server least. As the functions of mcp/client.h. */
int ctl_load_call(const ctl_session *session, mcp_client *client,
                  const mcp_request_options *options, mcp_done_cb on_done,
                  void *userdata);

/* Starts the calls on so many connections; for `warm_ns` and until each has had
 * an answer they do not count. 0 or MCP_ERR_NOMEM. */
int ctl_load_start(ctl_load *load, ctl_session *session, size_t count,
                   int64_t warm_ns);

/* Waits until something has happened, or `until_ns` has come, and does what is
 * due. */
void ctl_load_turn(ctl_load *load, int64_t until_ns);

/* Closes all connections, and waits for that. */
void ctl_load_stop(ctl_load *load);

#endif
