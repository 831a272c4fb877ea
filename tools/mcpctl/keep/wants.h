/* SPDX-License-Identifier: MIT */
/* What the clients of a shared connection want from the server besides answers:
 * log messages from a level up, and the updates of resources. The server has
 * one client, so it knows the sum of these wishes. */
#ifndef CTL_KEEP_WANTS_H
#define CTL_KEEP_WANTS_H

#include <stddef.h>
#include <stdint.h>

enum {
  CTL_KEEP_MAX_WANTS = 10000, /* of all clients together */
  CTL_KEEP_LEVEL_NONE = -1
};

/* The level of that name, a greater one for worse messages;
 * CTL_KEEP_LEVEL_NONE: there is no such name. */
int ctl_keep_level(const char *name);
/* The name of a level, which is not CTL_KEEP_LEVEL_NONE. */
const char *ctl_keep_level_name(int level);

typedef struct ctl_want ctl_want;

typedef struct ctl_wants {
  ctl_want *first;
  size_t count;
  int server_level; /* that the server has; CTL_KEEP_LEVEL_NONE at first */
} ctl_wants;

/* ---- resources ---------------------------------------------------------- */

/* Notes that a client wants the updates of a resource. Returns 1 if the server
 * sends them already, 0 if it must be asked, or MCP_ERR_*. */
int ctl_wants_add(ctl_wants *wants, uint64_t client, const char *uri);
/* The server has accepted the request of a client, or refused it. */
void ctl_wants_accepted(ctl_wants *wants, const char *uri);
void ctl_wants_refused(ctl_wants *wants, uint64_t client, const char *uri);
/* Forgets it, if the client wants it. Returns 1 if no other client wants the
 * updates, so that the server need not send them. */
int ctl_wants_remove(ctl_wants *wants, uint64_t client, const char *uri);
/* Some resource that the client wants; NULL: there is none. Borrowed until it
 * is removed. */
const char *ctl_wants_of(const ctl_wants *wants, uint64_t client);

/* Whether a client wants the updates of the resource, or of one that it is a
 * part of: the server may name the part that has changed. */
int ctl_wants_covers(const ctl_wants *wants, uint64_t client, const char *uri);

void ctl_wants_deinit(ctl_wants *wants);

#endif
