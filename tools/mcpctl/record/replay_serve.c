/* SPDX-License-Identifier: MIT */
/* Is a recorded server.
 *
 * For each message of the client, the recording has a track: what the server
 * sent because of it, in order. A track begins when the client sends the same
 * again. Where the recorded client answered a question of the server, the track
 * waits until this client has answered it too. */
#include "common/by_hand.h"
#include "common/envelope.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/redactor.h"
#include "common/report.h"
#include "connection/caller.h"
#include "platform/interrupt.h"
#include "platform/wait.h"
#include "record/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct track {
  struct track *next;
  int cause;    /* the recorded message of the client; CTL_NO_ENTRY: none, the
                 * server spoke first */
  int at;       /* the entry that comes next */
  mcp_doc *now; /* what the client has sent now, owned; NULL: nothing */
} track;

typedef struct replay {
  mcp_loop *loop;
  ctl_recording *recording;
  ctl_redactor *redactor;
  ctl_caller *caller;
  track *tracks;
  mcp_doc **live; /* for each entry: the request that was the same, or NULL */
  mcp_builder *out;
  int is_closed;
} replay;

/* ---- sending ------------------------------------------------------------- */

/* Sends what the builder holds. */
static void send_built(replay *self) {
  size_t len = 0;
  const char *text = mcp_builder_text(self->out, &len);
  if (text != NULL) {
    ctl_caller_send(self->caller, text, len);
  }
}

static void send_with(replay *self, const mcp_json *message,
                      const char *const *path, const mcp_json *value) {
  mcp_builder_clear(self->out);
  ctl_envelope_put(self->out, message, path, value);
  send_built(self);
}

static void send_error(replay *self, const mcp_json *id, int code,
                       const char *text) {
  mcp_builder_clear(self->out);
  ctl_envelope_put_error(self->out, id, code, text);
  send_built(self);
}

/* The request with which this client asked the same as the recorded client with
 * the request of that id. NULL: it has not asked that. */
static const mcp_json *live_request(const replay *self, const mcp_json *id) {
  for (int i = self->recording->count - 1; i >= 0; i--) {
    const ctl_entry *entry = &self->recording->entries[i];
    if (entry->is_client && self->live[i] != NULL &&
        mcp_json_equal(mcp_json_get(entry->message, "id"), id)) {
      return mcp_doc_root(self->live[i]);
    }
  }
  return NULL;
}

/* Progress has the token of this client's request. A client that gave none gets
 * no progress. */
static void send_progress(replay *self, const mcp_json *message,
                          const mcp_json *request) {
  static const char *const path[] = {"params", "progressToken", NULL};
  const mcp_json *token =
      mcp_json_pointer(request, "/params/_meta/progressToken");
  if (token != NULL) {
    send_with(self, message, path, token);
  }
}

/* A notification may name the request that listens for it (2026-07-28). */
static void send_other(replay *self, const mcp_json *message) {
  static const char *const path[] = {
      "params", "_meta", "io.modelcontextprotocol/subscriptionId", NULL};
  static const char *const none[] = {NULL};
  const mcp_json *id =
      mcp_json_get(mcp_json_pointer(message, "/params/_meta"), path[2]);
  const mcp_json *request = id != NULL ? live_request(self, id) : NULL;
  if (id == NULL) {
    send_with(self, message, none, NULL);
  } else if (request != NULL) {
    send_with(self, message, path, mcp_json_get(request, "id"));
  }
}

static void send_entry(replay *self, const track *from, ctl_entry *entry) {
  static const char *const id_path[] = {"id", NULL};
  const mcp_json *request = mcp_doc_root(from->now);
  if (entry->kind == CTL_MESSAGE_ANSWER) {
    send_with(self, entry->message, id_path, mcp_json_get(request, "id"));
  } else if (ctl_envelope_is_method(entry->message, "notifications/progress")) {
    send_progress(self, entry->message, request);
  } else {
    entry->is_used = 0; /* a question: it has no answer yet */
    send_other(self, entry->message);
  }
}

/* ---- tracks -------------------------------------------------------------- */

static int is_on_track(const track *of, const ctl_entry *entry) {
  if (entry->is_client) {
    return 0;
  }
  return entry->kind == CTL_MESSAGE_ANSWER
             ? entry->partner != CTL_NO_ENTRY && entry->partner == of->cause
             : entry->cause == of->cause;
}

/* Whether a question of the track, which the recorded client answered before
 * the next entry, has no answer yet. */
static int is_track_waiting(const replay *self, const track *of) {
  for (int i = 0; i < of->at; i++) {
    const ctl_entry *entry = &self->recording->entries[i];
    if (is_on_track(of, entry) && entry->kind == CTL_MESSAGE_REQUEST &&
        entry->partner != CTL_NO_ENTRY && entry->partner < of->at &&
        !entry->is_used) {
      return 1;
    }
  }
  return 0;
}

/* Sends what comes next. Returns 1 at the end of the track; 0: it waits. */
static int track_play(replay *self, track *of) {
  for (; of->at < self->recording->count; of->at++) {
    ctl_entry *entry = &self->recording->entries[of->at];
    if (!is_on_track(of, entry)) {
      continue;
    }
    if (is_track_waiting(self, of)) {
      return 0;
    }
    send_entry(self, of, entry);
  }
  return 1;
}

/* A request that was recorded without its answer would wait indefinitely. One
 * that listens does that anyway, and one that was cancelled has no answer. */
static void end_request(replay *self, const track *of) {
  const ctl_entry *entry =
      of->cause != CTL_NO_ENTRY ? &self->recording->entries[of->cause] : NULL;
  if (entry != NULL && entry->kind == CTL_MESSAGE_REQUEST &&
      entry->partner == CTL_NO_ENTRY && !entry->is_cancelled &&
      !ctl_envelope_is_method(entry->message, "subscriptions/listen")) {
    send_error(self, mcp_json_get(mcp_doc_root(of->now), "id"),
               MCP_RPC_INTERNAL_ERROR,
               "the recording ends before the answer to this request");
  }
}

static void track_free(track *of) {
  mcp_doc_free(of->now);
  free(of);
}

static void play_all(replay *self) {
  track **at = &self->tracks;
  while (*at != NULL) {
    track *of = *at;
    if (track_play(self, of)) {
      end_request(self, of);
      *at = of->next;
      track_free(of);
    } else {
      at = &of->next;
    }
  }
}

/* Takes `now`. */
static void begin_track(replay *self, int cause, mcp_doc *now) {
  track *begun = calloc(1, sizeof(*begun));
  track **last = &self->tracks;
  if (begun == NULL) {
    mcp_doc_free(now);
    return;
  }
  *begun = (track){.cause = cause, .now = now};
  while (*last != NULL) {
    last = &(*last)->next;
  }
  *last = begun;
}

/* ---- from the client ----------------------------------------------------- */

static mcp_doc *copy_of(const mcp_json *message) {
  size_t len = 0;
  char *text = mcp_json_to_text(message, &len);
  mcp_doc *doc =
      text != NULL ? mcp_doc_parse(text, len, NULL, NULL, NULL) : NULL;
  mcp_text_free(text);
  return doc;
}

static int has_method(const replay *self, const char *method) {
  for (int i = 0; i < self->recording->count; i++) {
    const ctl_entry *entry = &self->recording->entries[i];
    if (entry->is_client && entry->kind == CTL_MESSAGE_REQUEST &&
        ctl_envelope_is_method(entry->message, method)) {
      return 1;
    }
  }
  return 0;
}

static void answer_ping(replay *self, const mcp_json *id) {
  mcp_builder_clear(self->out);
  mcp_builder_object(self->out, NULL);
  mcp_builder_string(self->out, "jsonrpc", "2.0");
  mcp_builder_value(self->out, "id", id);
  mcp_builder_object(self->out, "result");
  mcp_builder_end(self->out);
  mcp_builder_end(self->out);
  send_built(self);
}

/* The bytes of the first characters of a text in UTF-8: at most `max`. */
static size_t whole_characters(const char *text, size_t max) {
  size_t len = strnlen(text, max);
  while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80) {
    len--;
  }
  return len;
}

static void refuse_request(replay *self, const mcp_json *id,
                           const char *method) {
  enum { MAX_SHOWN = 80 };
  char text[160];
  int is_known = has_method(self, method);
  snprintf(text, sizeof(text), "the recording has no %.*s%s",
           (int)whole_characters(method, MAX_SHOWN), method,
           is_known ? " with these params" : "");
  send_error(self, id,
             is_known ? MCP_RPC_INVALID_PARAMS : MCP_RPC_METHOD_NOT_FOUND,
             text);
}

/* A request that the recording does not have. */
static void answer_unknown(replay *self, const mcp_json *request) {
  const mcp_json *id = mcp_json_get(request, "id");
  const char *method = ctl_envelope_method(request);
  if (strcmp(method, "ping") == 0) {
    answer_ping(self, id);
  } else {
    refuse_request(self, id, method);
  }
}

/* The recording shows no secrets, so they are hidden before the search. */
static int find_recorded(replay *self, const mcp_json *message) {
  size_t len = 0;
  char *text = mcp_json_to_text(message, &len);
  const char *shown =
      text != NULL ? ctl_redact(self->redactor, text, len) : NULL;
  mcp_doc *doc = shown != NULL
                     ? mcp_doc_parse(shown, strlen(shown), NULL, NULL, NULL)
                     : NULL;
  int found = doc != NULL
                  ? ctl_recording_find(self->recording, 1, mcp_doc_root(doc))
                  : CTL_NO_ENTRY;
  mcp_doc_free(doc);
  mcp_text_free(text);
  return found;
}

/* The client has answered the question of the server with that id. */
static void take_answer(replay *self, const mcp_json *answer) {
  const mcp_json *id = mcp_json_get(answer, "id");
  for (int i = 0; i < self->recording->count; i++) {
    ctl_entry *entry = &self->recording->entries[i];
    if (!entry->is_client && entry->kind == CTL_MESSAGE_REQUEST &&
        mcp_json_equal(mcp_json_get(entry->message, "id"), id)) {
      entry->is_used = 1;
    }
  }
  play_all(self);
}

static void take_message(replay *self, const mcp_json *message) {
  int kind = ctl_envelope_kind(message);
  int found = CTL_NO_ENTRY;
  if (kind == CTL_MESSAGE_ANSWER) {
    take_answer(self, message);
    return;
  }
  if (kind == CTL_MESSAGE_OTHER) {
    return;
  }
  found = find_recorded(self, message);
  if (found == CTL_NO_ENTRY) {
    if (kind == CTL_MESSAGE_REQUEST) {
      answer_unknown(self, message);
    }
    return;
  }
  self->recording->entries[found].is_used = 1;
  mcp_doc_free(self->live[found]);
  self->live[found] = copy_of(message);
  begin_track(self, found, copy_of(message));
  play_all(self);
}

static void on_line(const char *text, size_t len, const mcp_json *message,
                    void *userdata) {
  replay *self = userdata;
  mcp_json_iter iter;
  const mcp_json *one = NULL;
  (void)text;
  (void)len;
  if (message == NULL) {
    send_error(self, NULL, MCP_RPC_PARSE_ERROR, "the line is not JSON");
    return;
  }
  if (mcp_json_type(message) != MCP_JSON_ARRAY) {
    take_message(self, message);
    return;
  }
  mcp_json_iter_init(&iter, message);
  while ((one = mcp_json_iter_next(&iter, NULL)) != NULL) {
    take_message(self, one);
  }
}

static void on_end(void *userdata) {
  replay *self = userdata;
  ctl_caller_close(self->caller);
}

static void on_closed(const mcp_error *err, void *userdata) {
  replay *self = userdata;
  (void)err;
  self->is_closed = 1;
}

/* ---- the run ----------------------------------------------------------- */

static int replay_open(replay *self, mcp_error *err) {
  const ctl_caller_events events = {on_line, on_end, on_closed, self};
  size_t count = (size_t)self->recording->count + 1;
  self->live = calloc(count, sizeof(mcp_doc *));
  self->out = mcp_builder_new(NULL, err);
  self->redactor = ctl_redactor_new(self->loop, err);
  if (self->live == NULL || self->out == NULL || self->redactor == NULL) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  self->caller = ctl_caller_open(self->loop, &events, err);
  return self->caller != NULL ? 0 : err->code;
}

static void replay_close(replay *self) {
  while (self->tracks != NULL) {
    track *of = self->tracks;
    self->tracks = of->next;
    track_free(of);
  }
  for (int i = 0; self->live != NULL && i < self->recording->count; i++) {
    mcp_doc_free(self->live[i]);
  }
  ctl_caller_free(self->caller);
  ctl_redactor_free(self->redactor);
  mcp_builder_free(self->out);
  free(self->live);
}

static void replay_run(replay *self) {
  begin_track(self, CTL_NO_ENTRY, NULL);
  play_all(self);
  while (!self->is_closed) {
    mcp_loop_step(self->loop);
    if (ctl_interrupt_has_come()) {
      ctl_caller_close(self->caller);
    }
    if (!self->is_closed) {
      ctl_wait(self->loop, -1, -1);
    }
  }
}

int ctl_replay_serve(mcp_loop *loop, ctl_recording *recording) {
  replay self = {.loop = loop, .recording = recording};
  mcp_error err = {0};
  int code = CTL_OK;
  int is_by_hand = ctl_by_hand();
  if (replay_open(&self, &err) == 0) {
    if (is_by_hand) {
      ctl_by_hand_note();
    }
    replay_run(&self);
    code = ctl_interrupt_has_come() ? CTL_INTERRUPTED : CTL_OK;
  } else {
    code = ctl_report(CTL_USAGE, "%s", err.message);
  }
  replay_close(&self);
  return code;
}
