/* SPDX-License-Identifier: MIT */
/* Many clients on one connection to a server, each as if it were alone.
 * Messages go in, and messages come out; nothing here reads, writes or waits.
 *
 * - A request gets an id and a progress token of its own at the server. The
 *   answer, progress and cancellation find their way by these.
 * - The first client's handshake is the server's. Later clients get the answers
 *   that the server gave then.
 * - A question of the server goes to the client with the newest request, since
 *   the server does not say to which request it belongs. A question about a
 *   task goes to the client of the task.
 * - The updates of a resource go to those who have subscribed to it, and log
 *   messages to those whose level they have. The server gets one subscription,
 *   and the level with the most messages.
 * - All other notifications go to all. */
#ifndef CTL_KEEP_ROUTE_H
#define CTL_KEEP_ROUTE_H

#include <mcp/json.h>
#include <stdint.h>

/* Requests of one client at one time, and of the route itself. */
enum { CTL_KEEP_MAX_FLIGHTS = 1000 };

typedef struct ctl_route ctl_route;

/* Where messages go. The functions may not call the route again. */
typedef struct ctl_route_events {
  void (*to_server)(const char *text, size_t len, const mcp_json *message,
                    void *userdata);
  void (*to_client)(uint64_t client, const char *text, size_t len,
                    void *userdata);
  void *userdata;
} ctl_route_events;

/* `roots` is the result of roots/list as JSON text, borrowed until the route is
 * freed; NULL: there are none. Owned: end it with ctl_route_free. NULL: out of
 * memory. */
ctl_route *ctl_route_new(const ctl_route_events *events, const char *roots);
void ctl_route_free(ctl_route *route);

/* Adds a client by a number of the caller's, above 0. Returns 0 or
 * MCP_ERR_NOMEM. */
int ctl_route_join(ctl_route *route, uint64_t client);
/* The client has gone. Its requests are cancelled, and the questions that it
 * has not answered are refused. */
void ctl_route_leave(ctl_route *route, uint64_t client);

/* Passes on what a client has sent. Returns 0, or MCP_ERR_PROTOCOL for what is
 * not a message: the client should be disconnected. */
int ctl_route_from_client(ctl_route *route, uint64_t client,
                          const mcp_json *message);
/* Passes on what the server has sent: a message, or a batch. What only the
 * process of the session may say (keep/ask.h) does not pass. */
void ctl_route_from_server(ctl_route *route, const mcp_json *message);
/* Passes on an error of the process itself, which answers a request that the
 * server has not answered. */
void ctl_route_failed(ctl_route *route, const mcp_json *error);

/* How many requests clients have sent, without handshakes, log levels and
 * subscriptions. */
uint64_t ctl_route_requests(const ctl_route *route);

#endif
