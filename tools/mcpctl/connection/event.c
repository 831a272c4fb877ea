/* SPDX-License-Identifier: MIT */
#include "connection/event.h"
#include "common/json.h"
#include "common/text.h"

#include <stdint.h>
#include <stdlib.h>

/* A string as it is, any other value as JSON. */
static void put_data(FILE *out, const mcp_json *data) {
  const char *plain = mcp_json_string(data);
  char *text = plain == NULL && data != NULL ? ctl_json_text(data) : NULL;
  const char *shown = plain != NULL ? plain : text;
  ctl_text_put_line(out, shown != NULL ? shown : "", SIZE_MAX);
  free(text);
}

void ctl_event_print(FILE *out, const ctl_event *event) {
  switch (event->kind) {
  case CTL_EVENT_LIST:
    fprintf(out, "the list of %s has changed", event->name);
    break;
  case CTL_EVENT_RESOURCE:
    ctl_text_put_line(out, event->name, SIZE_MAX);
    fputs(" has changed", out);
    break;
  case CTL_EVENT_LOG:
    fputs(event->name, out);
    if (event->logger != NULL) {
      fputs(" from ", out);
      ctl_text_put_line(out, event->logger, SIZE_MAX);
    }
    fputs(": ", out);
    put_data(out, event->data);
    break;
  default:
    ctl_text_put_line(out, event->name, SIZE_MAX);
    fputc(' ', out);
    put_data(out, event->data);
    break;
  }
  fputc('\n', out);
}
