/* SPDX-License-Identifier: MIT */
/* Asks a server what was recorded, and compares its answers.
 *
 * The client's messages are sent in order. A request is sent when the one
 * before has its answer; a request that the recorded client cancelled, or that
 * listens, is not waited for. The server's questions get the recorded
 * answers. */
#include "common/envelope.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/redactor.h"
#include "common/report.h"
#include "common/term.h"
#include "common/text.h"
#include "connection/junk.h"
#include "connection/tail.h"
#include "connection/wire.h"
#include "line/options.h"
#include "platform/clock.h"
#include "platform/interrupt.h"
#include "platform/wait.h"
#include "record/compare.h"
#include "record/fresh.h"
#include "record/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ctl_entry.is_used of a request of the client. */
enum { NOT_SENT, SENT, ANSWERED };

typedef struct rerun {
  const ctl_options *options;
  mcp_loop *loop;
  ctl_recording *recording;
  ctl_redactor *redactor;
  ctl_wire *wire;
  ctl_fresh fresh;
  mcp_builder *out;   /* the message that is made */
  mcp_builder *found; /* the differences, for --json */
  const char **ignored;
  int at;         /* the entry that comes next */
  int awaited;    /* the request whose answer is awaited; CTL_NO_ENTRY */
  int64_t due_ns; /* then: when --timeout is over */
  int has_timed_out;
  int is_closed;
  int has_warned; /* of junk */
  mcp_error why;  /* how the server has ended */
  ctl_tail tail;
  int answers;
  int different;
  int is_first; /* the next difference is the first of its answer */
  const ctl_entry *compared;
} rerun;

/* ---- showing differences ----------------------------------------------- */

/* What an entry asks, such as "tools/call add". */
static void put_title(FILE *out, const ctl_entry *entry) {
  const mcp_json *params = mcp_json_get(entry->message, "params");
  const char *name = ctl_json_member(params, "name");
  name = name != NULL ? name : ctl_json_member(params, "uri");
  ctl_text_put_line(out, ctl_envelope_method(entry->message), SIZE_MAX);
  if (name != NULL) {
    fputc(' ', out);
    ctl_text_put_line(out, name, SIZE_MAX);
  }
  fprintf(out, " (line %zu)\n", entry->line);
}

static void put_side(const char *label, const mcp_json *value) {
  enum { INDENT = 14 };
  size_t width = ctl_term_width(stdout);
  char *text = value != NULL ? ctl_json_text(value) : NULL;
  printf("    %-10s", label);
  ctl_text_put_line(stdout, text != NULL ? text : "(nothing)",
                    width != SIZE_MAX && width > INDENT ? width - INDENT
                                                        : SIZE_MAX);
  putchar('\n');
  free(text);
}

static void json_put_difference(rerun *self, const char *pointer,
                                const mcp_json *was, const mcp_json *is) {
  const ctl_entry *entry = self->compared;
  mcp_builder_object(self->found, NULL);
  mcp_builder_int(self->found, "line", (int64_t)entry->line);
  mcp_builder_string(self->found, "method",
                     ctl_envelope_method(entry->message));
  mcp_builder_string(self->found, "pointer", pointer);
  if (was != NULL) {
    mcp_builder_value(self->found, "recorded", was);
  }
  if (is != NULL) {
    mcp_builder_value(self->found, "now", is);
  }
  mcp_builder_end(self->found);
}

static void on_difference(const char *pointer, const mcp_json *was,
                          const mcp_json *is, void *userdata) {
  rerun *self = userdata;
  self->different += self->is_first;
  if (self->options->is_json) {
    json_put_difference(self, pointer, was, is);
  } else {
    if (self->is_first) {
      put_title(stdout, self->compared);
    }
    fputs("  ", stdout);
    ctl_text_put_line(stdout, pointer[0] != '\0' ? pointer : "/", SIZE_MAX);
    putchar('\n');
    put_side("recorded", was);
    put_side("now", is);
  }
  self->is_first = 0;
}

/* Returns CTL_OK, or CTL_USAGE after a report. */
static int json_print_summary(rerun *self) {
  mcp_builder *found = self->found;
  mcp_builder_end(found);
  mcp_builder_int(found, "answers", self->answers);
  mcp_builder_int(found, "same", self->answers - self->different);
  mcp_builder_int(found, "different", self->different);
  mcp_builder_end(found);
  const char *text = mcp_builder_text(found, NULL);
  if (text == NULL) {
    return ctl_report(CTL_USAGE, "cannot print the differences: %s",
                      mcp_builder_error(found)->message);
  }
  ctl_json_print_text(text);
  return CTL_OK;
}

static int print_summary(rerun *self) {
  if (self->options->is_json) {
    return json_print_summary(self);
  }
  printf("%d %s: %d the same, %d different\n", self->answers,
         self->answers == 1 ? "answer" : "answers",
         self->answers - self->different, self->different);
  return CTL_OK;
}

/* ---- from the server --------------------------------------------------- */

/* The message without its secrets, which the recording does not have either.
 * Owned; NULL: out of memory. */
static mcp_doc *hide_secrets(rerun *self, const mcp_json *message) {
  size_t len = 0;
  char *text = mcp_json_to_text(message, &len);
  const char *shown =
      text != NULL ? ctl_redact(self->redactor, text, len) : NULL;
  mcp_doc *doc = shown != NULL
                     ? mcp_doc_parse(shown, strlen(shown), NULL, NULL, NULL)
                     : NULL;
  mcp_text_free(text);
  return doc;
}

static int find_sent(const rerun *self, const mcp_json *id) {
  for (int i = 0; i < self->recording->count; i++) {
    const ctl_entry *entry = &self->recording->entries[i];
    if (entry->is_client && entry->kind == CTL_MESSAGE_REQUEST &&
        entry->is_used == SENT &&
        mcp_json_equal(mcp_json_get(entry->message, "id"), id)) {
      return i;
    }
  }
  return CTL_NO_ENTRY;
}

/* The recorded answer with the ids, cursors and states of this session. Owned;
 * NULL: out of memory. */
static mcp_doc *renew(rerun *self, const mcp_json *was) {
  size_t len = 0;
  mcp_builder_clear(self->out);
  ctl_fresh_put(&self->fresh, self->out, was);
  const char *text = mcp_builder_text(self->out, &len);
  return text != NULL ? mcp_doc_parse(text, len, NULL, NULL, NULL) : NULL;
}

static void compare_answer(rerun *self, const ctl_entry *request,
                           const mcp_json *answer) {
  const mcp_json *recorded = self->recording->entries[request->partner].message;
  ctl_fresh_learn(&self->fresh, recorded, answer);
  mcp_doc *was = renew(self, recorded);
  mcp_doc *was_shown =
      was != NULL ? hide_secrets(self, mcp_doc_root(was)) : NULL;
  mcp_doc *is_shown = hide_secrets(self, answer);
  self->answers++;
  self->is_first = 1;
  self->compared = request;
  if (was_shown == NULL || is_shown == NULL ||
      ctl_compare(mcp_doc_root(was_shown), mcp_doc_root(is_shown),
                  self->ignored, on_difference, self) != 0) {
    self->different += self->is_first;
    ctl_report(0, "line %zu: the answers cannot be compared: out of memory",
               request->line);
  }
  mcp_doc_free(was);
  mcp_doc_free(was_shown);
  mcp_doc_free(is_shown);
}

static void take_answer(rerun *self, const mcp_json *answer) {
  int found = find_sent(self, mcp_json_get(answer, "id"));
  if (found == CTL_NO_ENTRY) {
    return;
  }
  ctl_entry *request = &self->recording->entries[found];
  request->is_used = ANSWERED;
  if (request->partner != CTL_NO_ENTRY && !request->is_cancelled) {
    compare_answer(self, request, answer);
  }
  if (self->awaited == found) {
    self->awaited = CTL_NO_ENTRY;
  }
}

static void send_built(rerun *self) {
  size_t len = 0;
  const char *text = mcp_builder_text(self->out, &len);
  mcp_doc *doc =
      text != NULL ? mcp_doc_parse(text, len, NULL, NULL, NULL) : NULL;
  int rc = doc != NULL ? ctl_wire_send(self->wire, text, len, mcp_doc_root(doc))
                       : MCP_ERR_NOMEM;
  if (rc != 0 && rc != MCP_ERR_CLOSED) {
    ctl_report(0, "a message was not sent: %s", mcp_error_text(rc));
  }
  mcp_doc_free(doc);
}

/* The first question with that method that was not used. */
static int find_question(const rerun *self, const mcp_json *message) {
  for (int i = 0; i < self->recording->count; i++) {
    const ctl_entry *entry = &self->recording->entries[i];
    if (!entry->is_client && entry->kind == CTL_MESSAGE_REQUEST &&
        !entry->is_used &&
        ctl_envelope_is_method(entry->message, ctl_envelope_method(message))) {
      return i;
    }
  }
  return CTL_NO_ENTRY;
}

/* A question of the server gets the recorded answer. */
static void answer_question(rerun *self, const mcp_json *message) {
  static const char *const id_path[] = {"id", NULL};
  const mcp_json *id = mcp_json_get(message, "id");
  mcp_doc *shown = hide_secrets(self, message);
  int found = ctl_recording_find(self->recording, 0, mcp_doc_root(shown));
  found = found != CTL_NO_ENTRY ? found : find_question(self, message);
  ctl_entry *question =
      found != CTL_NO_ENTRY ? &self->recording->entries[found] : NULL;
  mcp_builder_clear(self->out);
  if (question != NULL && question->partner != CTL_NO_ENTRY) {
    question->is_used = 1;
    ctl_envelope_put(self->out,
                     self->recording->entries[question->partner].message,
                     id_path, id);
  } else {
    ctl_report(0, "the recording has no answer to the server's %s",
               ctl_envelope_method(message));
    ctl_envelope_put_error(self->out, id, MCP_RPC_METHOD_NOT_FOUND,
                           "the recording has no answer to this request");
  }
  send_built(self);
  mcp_doc_free(shown);
}

static void take_message(rerun *self, const mcp_json *message) {
  switch (ctl_envelope_kind(message)) {
  case CTL_MESSAGE_ANSWER:
    take_answer(self, message);
    break;
  case CTL_MESSAGE_REQUEST:
    answer_question(self, message);
    break;
  default:
    break;
  }
}

static void on_message(const char *text, size_t len, const mcp_json *message,
                       int is_made, void *userdata) {
  rerun *self = userdata;
  mcp_json_iter iter;
  const mcp_json *one = NULL;
  (void)text;
  (void)len;
  (void)is_made;
  if (mcp_json_type(message) != MCP_JSON_ARRAY) {
    take_message(self, message);
    return;
  }
  mcp_json_iter_init(&iter, message);
  while ((one = mcp_json_iter_next(&iter, NULL)) != NULL) {
    take_message(self, one);
  }
}

static void on_junk(const char *text, size_t len, void *userdata) {
  rerun *self = userdata;
  (void)text;
  (void)len;
  if (self->options->url == NULL) {
    ctl_junk_warn(&self->has_warned, "the server", NULL);
  }
}

static void on_closed(const mcp_error *err, void *userdata) {
  rerun *self = userdata;
  self->is_closed = 1;
  self->why = *err;
}

static void on_stderr(const char *bytes, size_t len, void *userdata) {
  rerun *self = userdata;
  ctl_tail_add(&self->tail, bytes, len);
  if (self->options->is_verbose) {
    ctl_text_put_block(stderr, bytes, len);
  }
}

/* ---- to the server ----------------------------------------------------- */

static void warn_of_secrets(const rerun *self, const ctl_entry *entry) {
  const char *text = mcp_builder_text(self->out, NULL);
  if (text != NULL && strstr(text, "[redacted]") != NULL) {
    ctl_report(0,
               "line %zu: this message was recorded without its secrets, and "
               "is sent without them",
               entry->line);
  }
}

/* Whether the answer is awaited before the next request is sent. */
static int is_awaited(const ctl_entry *request) {
  return request->partner != CTL_NO_ENTRY && !request->is_cancelled &&
         !ctl_envelope_is_method(request->message, "subscriptions/listen");
}

static void send_entry(rerun *self, int index) {
  ctl_entry *entry = &self->recording->entries[index];
  mcp_builder_clear(self->out);
  ctl_fresh_put(&self->fresh, self->out, entry->message);
  warn_of_secrets(self, entry);
  entry->is_used = SENT;
  if (entry->kind == CTL_MESSAGE_REQUEST && is_awaited(entry)) {
    self->awaited = index;
    self->due_ns = ctl_now_ns() + (int64_t)self->options->timeout_ms * 1000000;
  }
  send_built(self);
}

/* Sends what can be sent. Returns 1 when all was sent and answered. */
static int send_next(rerun *self) {
  while (self->awaited == CTL_NO_ENTRY && !self->is_closed &&
         self->at < self->recording->count) {
    int index = self->at++;
    const ctl_entry *entry = &self->recording->entries[index];
    if (entry->is_client && (entry->kind == CTL_MESSAGE_REQUEST ||
                             entry->kind == CTL_MESSAGE_NOTIFICATION)) {
      send_entry(self, index);
    }
  }
  return self->awaited == CTL_NO_ENTRY && self->at == self->recording->count;
}

/* ---- the run ----------------------------------------------------------- */

static int left_ms(const rerun *self) {
  int64_t left = (self->due_ns - ctl_now_ns() + 999999) / 1000000;
  return left > 0 ? (int)left : 0;
}

/* Runs until the server has ended: by itself, or because nothing is left to
 * ask, or it did not answer in time. */
static void rerun_run(rerun *self) {
  while (!self->is_closed) {
    mcp_loop_step(self->loop);
    int is_done = send_next(self);
    int is_late = self->awaited != CTL_NO_ENTRY && left_ms(self) == 0;
    if (self->is_closed) {
      break;
    }
    if (is_late || is_done || ctl_interrupt_has_come()) {
      self->has_timed_out |= is_late;
      ctl_wire_close(self->wire);
      self->awaited = CTL_NO_ENTRY;
      self->at = self->recording->count;
      ctl_wait(self->loop, -1, -1);
    } else {
      ctl_wait(self->loop, -1, left_ms(self));
    }
  }
}

static int report_failure(const rerun *self) {
  int code = self->has_timed_out
                 ? ctl_report(CTL_TIMEOUT, "no answer within %g s (--timeout)",
                              self->options->timeout_ms / 1000.0)
                 : ctl_report(CTL_FAILED, "%s: %s", self->options->target,
                              self->why.message);
  if (!self->options->is_verbose) {
    ctl_tail_print(&self->tail);
  }
  return code;
}

static int rerun_code(const rerun *self) {
  int is_cut =
      self->awaited != CTL_NO_ENTRY || self->at < self->recording->count;
  if (ctl_interrupt_has_come()) {
    return ctl_report(CTL_INTERRUPTED, "interrupted");
  }
  if (self->has_timed_out || is_cut) {
    return report_failure(self);
  }
  return self->different > 0 ? CTL_FAILED : CTL_OK;
}

/* The ids never count. */
static const char **ignored_of(const ctl_options *options) {
  size_t count = 0;
  while (options->ignored[count] != NULL) {
    count++;
  }
  const char **ignored = calloc(count + 2, sizeof(char *));
  if (ignored != NULL) {
    ignored[0] = "/id";
    memcpy(ignored + 1, options->ignored, count * sizeof(char *));
  }
  return ignored;
}

static int rerun_open(rerun *self, mcp_error *err) {
  const ctl_wire_events events = {.on_message = on_message,
                                  .on_junk = on_junk,
                                  .on_closed = on_closed,
                                  .on_stderr = on_stderr,
                                  .userdata = self};
  self->ignored = ignored_of(self->options);
  self->out = mcp_builder_new(NULL, err);
  self->found = mcp_builder_new(NULL, err);
  self->redactor = ctl_redactor_new(self->loop, err);
  if (self->ignored == NULL || self->out == NULL || self->found == NULL ||
      self->redactor == NULL) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  mcp_builder_object(self->found, NULL);
  mcp_builder_array(self->found, "differences");
  self->wire = ctl_wire_open(self->loop, self->options, &events, err);
  return self->wire != NULL ? 0 : err->code;
}

static void rerun_close(rerun *self) {
  ctl_wire_free(self->wire);
  ctl_redactor_free(self->redactor);
  ctl_fresh_deinit(&self->fresh);
  mcp_builder_free(self->out);
  mcp_builder_free(self->found);
  free(self->ignored);
}

int ctl_replay_compare(mcp_loop *loop, const ctl_options *options,
                       ctl_recording *recording) {
  rerun self = {.options = options,
                .loop = loop,
                .recording = recording,
                .awaited = CTL_NO_ENTRY};
  mcp_error err = {0};
  int code = CTL_FAILED;
  if (rerun_open(&self, &err) == 0) {
    rerun_run(&self);
    int printed = print_summary(&self);
    code = rerun_code(&self);
    if (printed != CTL_OK && code == CTL_FAILED) {
      code = printed;
    }
  } else {
    ctl_report(code, "%s", err.message);
  }
  rerun_close(&self);
  return code;
}
