/* SPDX-License-Identifier: MIT */
/* What a server says on its own, while no request waits for it. */
#ifndef CTL_EVENT_H
#define CTL_EVENT_H

#include <mcp/json.h>
#include <stdio.h>

enum {
  CTL_EVENT_LIST,     /* a list has changed: tools, prompts or resources */
  CTL_EVENT_RESOURCE, /* a resource has changed */
  CTL_EVENT_LOG,
  CTL_EVENT_OTHER /* any other notification */
};

/* All is borrowed until the function that gets the event returns. */
typedef struct ctl_event {
  int kind;
  const char *name;     /* of the list, the URI, the level, or the method */
  const char *logger;   /* of a log message; NULL: none */
  const mcp_json *data; /* of a log message; params; NULL: none */
} ctl_event;

/* Prints the event as one line for people, neutralised. */
void ctl_event_print(FILE *out, const ctl_event *event);

#endif
