/* SPDX-License-Identifier: MIT */
#include "keep/wants.h"

#include <mcp/error.h>
#include <stdlib.h>
#include <string.h>

struct ctl_want {
  ctl_want *next;
  uint64_t client;
  int is_accepted; /* the server has accepted it */
  char uri[];
};

static const char *const levels[] = {"debug",   "info",     "notice",
                                     "warning", "error",    "critical",
                                     "alert",   "emergency"};

enum { LEVELS = sizeof(levels) / sizeof(*levels) };

int ctl_keep_level(const char *name) {
  for (int i = 0; name != NULL && i < LEVELS; i++) {
    if (strcmp(levels[i], name) == 0) {
      return i;
    }
  }
  return CTL_KEEP_LEVEL_NONE;
}

const char *ctl_keep_level_name(int level) {
  return level >= 0 && level < LEVELS ? levels[level] : levels[0];
}

static int is_it(const ctl_want *one, uint64_t client, const char *uri) {
  return one->client == client && strcmp(one->uri, uri) == 0;
}

/* NULL: the client does not want it. */
static ctl_want *find(const ctl_wants *wants, uint64_t client,
                      const char *uri) {
  ctl_want *one = wants->first;
  while (one != NULL && !is_it(one, client, uri)) {
    one = one->next;
  }
  return one;
}

static int is_accepted(const ctl_wants *wants, const char *uri) {
  for (const ctl_want *one = wants->first; one != NULL; one = one->next) {
    if (one->is_accepted && strcmp(one->uri, uri) == 0) {
      return 1;
    }
  }
  return 0;
}

int ctl_wants_add(ctl_wants *wants, uint64_t client, const char *uri) {
  int is_there = is_accepted(wants, uri);
  size_t size = strlen(uri) + 1;
  if (find(wants, client, uri) != NULL) {
    return is_there;
  }
  if (wants->count >= CTL_KEEP_MAX_WANTS) {
    return MCP_ERR_LIMIT;
  }
  ctl_want *one = malloc(sizeof(*one) + size);
  if (one == NULL) {
    return MCP_ERR_NOMEM;
  }
  *one = (ctl_want){wants->first, client, is_there};
  memcpy(one->uri, uri, size);
  wants->first = one;
  wants->count++;
  return is_there;
}

void ctl_wants_accepted(ctl_wants *wants, const char *uri) {
  for (ctl_want *one = wants->first; one != NULL; one = one->next) {
    if (strcmp(one->uri, uri) == 0) {
      one->is_accepted = 1;
    }
  }
}

static void take(ctl_wants *wants, uint64_t client, const char *uri) {
  ctl_want **at = &wants->first;
  while (*at != NULL && !is_it(*at, client, uri)) {
    at = &(*at)->next;
  }
  ctl_want *one = *at;
  if (one != NULL) {
    *at = one->next;
    free(one);
    wants->count--;
  }
}

/* Another client's request may have been accepted meanwhile. */
void ctl_wants_refused(ctl_wants *wants, uint64_t client, const char *uri) {
  const ctl_want *one = find(wants, client, uri);
  if (one != NULL && !one->is_accepted) {
    take(wants, client, uri);
  }
}

static int is_wanted(const ctl_wants *wants, const char *uri) {
  for (const ctl_want *one = wants->first; one != NULL; one = one->next) {
    if (strcmp(one->uri, uri) == 0) {
      return 1;
    }
  }
  return 0;
}

int ctl_wants_remove(ctl_wants *wants, uint64_t client, const char *uri) {
  take(wants, client, uri);
  return !is_wanted(wants, uri);
}

const char *ctl_wants_of(const ctl_wants *wants, uint64_t client) {
  const ctl_want *one = wants->first;
  while (one != NULL && one->client != client) {
    one = one->next;
  }
  return one != NULL ? one->uri : NULL;
}

static int is_part(const char *uri, const char *whole) {
  size_t len = strlen(whole);
  return strncmp(uri, whole, len) == 0 &&
         (uri[len] == '\0' || strchr("/?#", uri[len]) != NULL ||
          (len > 0 && whole[len - 1] == '/'));
}

int ctl_wants_covers(const ctl_wants *wants, uint64_t client, const char *uri) {
  for (const ctl_want *one = wants->first; one != NULL; one = one->next) {
    if (one->client == client && is_part(uri, one->uri)) {
      return 1;
    }
  }
  return 0;
}

void ctl_wants_deinit(ctl_wants *wants) {
  while (wants->first != NULL) {
    ctl_want *one = wants->first;
    wants->first = one->next;
    free(one);
  }
  wants->count = 0;
}
