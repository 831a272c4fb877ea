/* SPDX-License-Identifier: MIT */
/* What the files of keep/route.h share:
 *
 * - route.c: clients come and leave;
 * - from_client.c: what clients send;
 * - from_server.c: what the server sends;
 * - route_send.c: how both send. */
#ifndef CTL_KEEP_ROUTE_STATE_H
#define CTL_KEEP_ROUTE_STATE_H

#include "keep/flights.h"
#include "keep/questions.h"
#include "keep/route.h"
#include "keep/tasks.h"
#include "keep/wants.h"

#include <mcp/error.h>

typedef struct ctl_route_member {
  struct ctl_route_member *next;
  uint64_t number;
  int level;    /* of log messages; CTL_KEEP_LEVEL_NONE: it has set none */
  int is_ready; /* it has sent a request, and so can get notifications */
} ctl_route_member;

struct ctl_route {
  ctl_route_events events;
  const char *roots;
  ctl_route_member *members;
  ctl_flights flights;
  ctl_wants wants;
  ctl_kept_tasks tasks;
  ctl_questions questions;
  char *initialized;   /* the member of the answer to initialize, such as
                      * "result":{...}; owned; NULL: there was none */
  char *discovered;    /* the same of server/discover; also an error */
  int has_initialized; /* the server has got the notification */
  uint64_t requests;
};

/* NULL: it has left. */
ctl_route_member *ctl_route_find_member(const ctl_route *route,
                                        uint64_t client);
/* The level that has all messages that clients want; CTL_KEEP_LEVEL_NONE: none
 * wants any. */
int ctl_route_wanted_level(const ctl_route *route);

/* ---- sending ----------------------------------------------------------- */

/* Both take the text. NULL: there was no memory for it. A message to
 * CTL_KEEP_NOBODY goes nowhere. */
void ctl_route_give_server(ctl_route *route, char *text);
void ctl_route_give_client(ctl_route *route, uint64_t client, char *text);
/* Borrows the text. */
void ctl_route_to_client(ctl_route *route, uint64_t client, const char *text);

/* These make JSON text, owned: end it with free. NULL: out of memory. */
char *ctl_route_error(const mcp_json *id, int code, const char *message);
/* An answer that is as `member`, such as "result":{}. */
char *ctl_route_answer(const mcp_json *id, const char *member);

#endif
