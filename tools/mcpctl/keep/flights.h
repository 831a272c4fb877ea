/* SPDX-License-Identifier: MIT */
/* The requests in flight on a connection that many clients share. Clients
 * choose their ids without knowledge of each other, so each request has a
 * number of its own at the server: its id there, and its progress token. */
#ifndef CTL_KEEP_FLIGHTS_H
#define CTL_KEEP_FLIGHTS_H

#include <mcp/json.h>
#include <stdint.h>

/* A client that sends nothing else: the connection's own requests, whose
 * answers nobody reads. */
enum { CTL_KEEP_NOBODY = 0 };

typedef struct ctl_flight {
  struct ctl_flight *next; /* an older one */
  int64_t number;
  uint64_t client;
  char *id;      /* that the client gave, as JSON text; owned */
  char *token;   /* its progress token as JSON text; owned; NULL: none */
  char *method;  /* owned */
  char *subject; /* a URI, for requests about one; owned; NULL: none */
  int level;     /* of log messages that the client wants; -1: none */
} ctl_flight;

typedef struct ctl_flights {
  ctl_flight *newest;
  int64_t last_number;
} ctl_flights;

/* Adds a client's request; `request` NULL: one of the connection's own.
 * Borrowed until it is taken; NULL: out of memory. */
ctl_flight *ctl_flights_add(ctl_flights *flights, uint64_t client,
                            const mcp_json *request, const char *method);

/* Finds by the number; NULL: it is not in flight. */
ctl_flight *ctl_flights_find(const ctl_flights *flights, int64_t number);
/* Finds by what the client has as its id. */
ctl_flight *ctl_flights_of(const ctl_flights *flights, uint64_t client,
                           const mcp_json *id);
/* The newest request of any client to which a question of the server could
 * belong. */
ctl_flight *ctl_flights_asker(const ctl_flights *flights);

size_t ctl_flights_count(const ctl_flights *flights, uint64_t client);

/* Takes one out: owned, end it with ctl_flight_free. */
void ctl_flights_take(ctl_flights *flights, ctl_flight *flight);
void ctl_flight_free(ctl_flight *flight);
void ctl_flights_deinit(ctl_flights *flights);

#endif
