/* SPDX-License-Identifier: MIT */
/* Events come inside the loop, where no request can be awaited. So they are
 * kept until the loop returns. */
#include "watch.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/report.h"
#include "common/term.h"
#include "common/text_diff.h"
#include "connection/listen.h"
#include "connection/session.h"
#include "platform/clock.h"
#include "platform/environment.h"
#include "platform/interrupt.h"
#include "platform/memory.h"
#include "platform/program.h"
#include "platform/wait.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* An event that is kept. Everything is owned. */
typedef struct kept {
  struct kept *next;
  int kind;
  time_t at;
  char *name;
  char *text; /* the event as a line for people */
  char *data; /* JSON; NULL: none */
} kept;

/* A resource, and what was read of it last. */
typedef struct watched {
  const char *uri;
  char *text; /* owned; NULL: it could not be read, or is not text */
} watched;

typedef struct watch {
  const ctl_options *options;
  ctl_session session;
  kept *first;
  kept **end;
  watched *resources; /* one for each URI of the command line */
  const char *uri;    /* of the request that is sent now */
} watch;

/* ---- events ------------------------------------------------------------ */

static char *line_of(const ctl_event *event) {
  char *text = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&text, &len);
  if (out == NULL) {
    return NULL;
  }
  ctl_event_print(out, event);
  return ctl_memory_close(out, &text, &len) == 0 ? text : NULL;
}

static void watch_on_event(ctl_session *session, const ctl_event *event) {
  watch *self = session->event_userdata;
  kept *one = calloc(1, sizeof(*one));
  if (one == NULL) {
    return;
  }
  one->kind = event->kind;
  one->at = time(NULL);
  one->name = strdup(event->name);
  one->text = line_of(event);
  one->data = event->data != NULL ? ctl_json_text(event->data) : NULL;
  *self->end = one;
  self->end = &one->next;
}

static void kept_free(kept *one) {
  free(one->name);
  free(one->text);
  free(one->data);
  free(one);
}

/* ---- reading ----------------------------------------------------------- */

static int start_reading(ctl_session *session,
                         const mcp_request_options *options) {
  const watch *self = session->event_userdata;
  return mcp_client_read_resource(session->client, self->uri, options,
                                  ctl_session_done, session, &session->error);
}

/* The text of a resource with one part; owned. NULL: it has none. */
static char *read_text(watch *self, const char *uri) {
  self->uri = uri;
  if (ctl_session_request(&self->session, start_reading) != 0) {
    ctl_report(0, "%s: %s", uri, self->session.error.message);
    return NULL;
  }
  const char *text =
      ctl_json_member(mcp_result_item(self->session.result, 0), "text");
  return text != NULL ? strdup(text) : NULL;
}

static watched *find_watched(const watch *self, const char *uri) {
  for (int i = 0; i < self->options->arg_count; i++) {
    if (strcmp(self->resources[i].uri, uri) == 0) {
      return &self->resources[i];
    }
  }
  return NULL;
}

static void show_text(const watched *resource) {
  if (resource->text != NULL) {
    fputs(resource->text, stdout);
    size_t len = strlen(resource->text);
    fputs(len > 0 && resource->text[len - 1] == '\n' ? "" : "\n", stdout);
  } else {
    puts("(not a text)");
  }
}

static void show_resource(watch *self, const char *uri) {
  watched *resource = find_watched(self, uri);
  if (resource == NULL ||
      (!self->options->reads && !self->options->shows_diff)) {
    return;
  }
  char *before = resource->text;
  resource->text = read_text(self, uri);
  if (self->options->shows_diff && before != NULL && resource->text != NULL) {
    ctl_text_diff_print(uri, before, resource->text);
  } else {
    show_text(resource);
  }
  free(before);
}

/* ---- showing ----------------------------------------------------------- */

static const char *const kinds[] = {
    [CTL_EVENT_LIST] = "list",
    [CTL_EVENT_RESOURCE] = "resource",
    [CTL_EVENT_LOG] = "log",
    [CTL_EVENT_OTHER] = "notification",
};

static void print_json(const kept *one) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  char at[32];
  struct tm utc;
  strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%SZ", ctl_time_utc(one->at, &utc));
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "at", at);
  mcp_builder_string(out, "event", kinds[one->kind]);
  ctl_json_put_typed(out, "name", one->name);
  if (one->data != NULL) {
    mcp_builder_json(out, "data", one->data);
  }
  mcp_builder_end(out);
  const char *text = mcp_builder_text(out, NULL);
  if (text != NULL) {
    puts(text);
  }
  mcp_builder_free(out);
}

static void print_line(const kept *one) {
  char at[16];
  struct tm local;
  strftime(at, sizeof(at), "%H:%M:%S", ctl_time_local(one->at, &local));
  printf("%s  %s", at, one->text != NULL ? one->text : "\n");
}

/* Runs the user's command, which finds the event in its environment. */
static void run_command(const char *command, const kept *one) {
  ctl_env_set("MCPCTL_EVENT", kinds[one->kind]);
  ctl_env_set("MCPCTL_NAME", one->name);
  ctl_env_set("MCPCTL_DATA", one->data != NULL ? one->data : "");
  fflush(stdout);
  int status = ctl_program_run(command);
  if (status == -1) {
    ctl_report(0, "--exec %s: %s", command, strerror(errno));
  } else if (status != 0) {
    ctl_report(0, "--exec %s: it ended with status %d", command, status);
  }
}

static void show_event(watch *self, const kept *one) {
  if (one->name == NULL) {
    return; /* there was no memory for it */
  }
  if (self->options->is_json) {
    print_json(one);
  } else {
    print_line(one);
  }
  if (one->kind == CTL_EVENT_RESOURCE) {
    show_resource(self, one->name);
  }
  if (self->options->exec != NULL) {
    run_command(self->options->exec, one);
  }
  fflush(stdout);
}

static void show_events(watch *self) {
  while (self->first != NULL) {
    kept *one = self->first;
    self->first = one->next;
    if (self->first == NULL) {
      self->end = &self->first;
    }
    show_event(self, one);
    kept_free(one);
  }
}

/* ---- all --------------------------------------------------------------- */

static int start_subscribing(ctl_session *session,
                             const mcp_request_options *options) {
  const watch *self = session->event_userdata;
  return mcp_client_subscribe(session->client, self->uri, options,
                              ctl_session_done, session, &session->error);
}

/* Subscribes to each URI, and reads what later contents are compared with. */
static int watch_resources(watch *self) {
  for (int i = 0; i < self->options->arg_count; i++) {
    watched *resource = &self->resources[i];
    resource->uri = self->uri = self->options->args[i];
    if (ctl_session_request(&self->session, start_subscribing) != 0) {
      ctl_report(CTL_FAILED, "cannot subscribe to %s: %s", resource->uri,
                 self->session.error.message);
      return CTL_FAILED;
    }
    if (self->options->shows_diff) {
      resource->text = read_text(self, resource->uri);
    }
  }
  return CTL_OK;
}

/* Returns when the user interrupts, or the connection ends. */
static int watch_events(watch *self) {
  ctl_session *session = &self->session;
  while (!session->is_closed && !ctl_interrupt_has_come()) {
    mcp_loop_step(session->loop);
    if (self->first != NULL) {
      show_events(self);
    } else if (session->question_count > 0) {
      ctl_session_answer(session);
    } else if (!session->is_closed) {
      ctl_wait(session->loop, -1, -1);
    }
  }
  show_events(self);
  return session->is_closed
             ? ctl_report(CTL_FAILED, "%s has closed the connection",
                          self->options->target)
             : CTL_OK;
}

/* Nothing else is shown until the first event. */
static void note_begin(const watch *self) {
  if (ctl_term_is_terminal(stdout) && ctl_term_is_terminal(stderr)) {
    ctl_report_aside("watching %s: Ctrl-C ends", self->options->target);
  }
}

int ctl_watch_run(const ctl_options *options) {
  watch self = {.options = options};
  self.end = &self.first;
  self.session.on_event = watch_on_event;
  self.session.event_userdata = &self;
  self.resources =
      calloc((size_t)options->arg_count + 1, sizeof(*self.resources));
  int code = ctl_session_open(&self.session, options);
  if (code == CTL_OK && self.resources != NULL) {
    ctl_listen_changes(&self.session);
    code = watch_resources(&self);
  }
  if (code == CTL_OK) {
    note_begin(&self);
    code = watch_events(&self);
  }
  ctl_session_close(&self.session);
  for (int i = 0; self.resources != NULL && i < options->arg_count; i++) {
    free(self.resources[i].text);
  }
  free(self.resources);
  return code;
}
