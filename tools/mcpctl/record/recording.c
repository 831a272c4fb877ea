/* SPDX-License-Identifier: MIT */
#include "record/recording.h"
#include "common/envelope.h"
#include "common/file.h"
#include "common/json.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------- */

static const char not_a_recording[] =
    "this is not a recording of mcpctl record";

static int fail_memory(mcp_error *err) {
  return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
}

static int fail_line(size_t line, const char *why, mcp_error *err) {
  return mcp_error_set(err, MCP_ERR_INVALID, "line %zu: %s", line, why);
}

static int add_entry(ctl_recording *out, size_t line, int is_client,
                     const mcp_json *message, mcp_error *err) {
  size_t size = ((size_t)out->count + 1) * sizeof(ctl_entry);
  ctl_entry *entries = realloc(out->entries, size);
  if (entries == NULL) {
    return fail_memory(err);
  }
  out->entries = entries;
  entries[out->count++] = (ctl_entry){
      .line = line,
      .is_client = is_client,
      .kind = ctl_envelope_kind(message),
      .message = message,
      .partner = CTL_NO_ENTRY,
      .cause = CTL_NO_ENTRY,
  };
  return 0;
}

static int add_messages(ctl_recording *out, size_t line, int is_client,
                        const mcp_json *message, mcp_error *err) {
  mcp_json_iter iter;
  const mcp_json *one = NULL;
  int rc = 0;
  if (mcp_json_type(message) != MCP_JSON_ARRAY) {
    return add_entry(out, line, is_client, message, err);
  }
  mcp_json_iter_init(&iter, message);
  while (rc == 0 && (one = mcp_json_iter_next(&iter, NULL)) != NULL) {
    rc = add_entry(out, line, is_client, one, err);
  }
  return rc;
}

static int take_line(ctl_recording *out, size_t line, const mcp_json *root,
                     mcp_error *err) {
  const char *from = ctl_json_member(root, "from");
  const mcp_json *message = mcp_json_get(root, "message");
  int is_client = from != NULL && strcmp(from, "client") == 0;
  int is_server = from != NULL && strcmp(from, "server") == 0;
  if (!is_client && !is_server) {
    return fail_line(line, "\"from\" is not \"client\" or \"server\"", err);
  }
  return message != NULL ? add_messages(out, line, is_client, message, err) : 0;
}

static int take_first_line(const mcp_json *root, mcp_error *err) {
  int64_t format = mcp_json_int(mcp_json_get(root, "format"));
  if (ctl_json_member(root, "mcpctl") == NULL) {
    return fail_line(1, not_a_recording, err);
  }
  return format == 1
             ? 0
             : mcp_error_set(err, MCP_ERR_UNSUPPORTED,
                             "line 1: the format %lld is newer than this "
                             "mcpctl",
                             (long long)format);
}

static int parse_line(ctl_recording *out, size_t line, const char *text,
                      size_t len, mcp_error *err) {
  mcp_error cause;
  mcp_doc **docs = realloc(out->docs, (out->doc_count + 1) * sizeof(mcp_doc *));
  if (docs == NULL) {
    return fail_memory(err);
  }
  out->docs = docs;
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, &cause);
  if (doc == NULL && line == 1 && cause.code != MCP_ERR_NOMEM) {
    return fail_line(line, not_a_recording, err);
  }
  if (doc == NULL) {
    ctl_place place = ctl_file_place(text, len, (size_t)cause.offset);
    return mcp_error_set(err, cause.code, "line %zu, column %zu: %s", line,
                         place.column, cause.message);
  }
  docs[out->doc_count++] = doc;
  return line == 1 ? take_first_line(mcp_doc_root(doc), err)
                   : take_line(out, line, mcp_doc_root(doc), err);
}

/* ---- what belongs together ---------------------------------------------- */

static const mcp_json *id_of(const ctl_entry *entry) {
  return mcp_json_get(entry->message, "id");
}

/* The newest request of the other side before an answer that has its id and no
 * answer yet. */
static int find_request(const ctl_recording *recording, int answer) {
  const ctl_entry *of = &recording->entries[answer];
  for (int i = answer - 1; i >= 0; i--) {
    const ctl_entry *entry = &recording->entries[i];
    if (entry->kind == CTL_MESSAGE_REQUEST &&
        entry->is_client != of->is_client && entry->partner == CTL_NO_ENTRY &&
        mcp_json_equal(id_of(entry), id_of(of))) {
      return i;
    }
  }
  return CTL_NO_ENTRY;
}

/* The newest request of the client before a message that has that id, or that
 * progress token. */
static int find_named(const ctl_recording *recording, int before,
                      const mcp_json *name, const char *pointer) {
  for (int i = before - 1; name != NULL && i >= 0; i--) {
    const ctl_entry *entry = &recording->entries[i];
    if (entry->is_client && entry->kind == CTL_MESSAGE_REQUEST &&
        mcp_json_equal(mcp_json_pointer(entry->message, pointer), name)) {
      return i;
    }
  }
  return CTL_NO_ENTRY;
}

/* The newest request or notification of the client before a message. */
static int find_last(const ctl_recording *recording, int before) {
  for (int i = before - 1; i >= 0; i--) {
    const ctl_entry *entry = &recording->entries[i];
    if (entry->is_client && (entry->kind == CTL_MESSAGE_REQUEST ||
                             entry->kind == CTL_MESSAGE_NOTIFICATION)) {
      return i;
    }
  }
  return CTL_NO_ENTRY;
}

/* Progress belongs to the request with its token; other messages of the server
 * to what the client sent last. */
static int find_cause(const ctl_recording *recording, int at) {
  const mcp_json *message = recording->entries[at].message;
  int found = CTL_NO_ENTRY;
  if (ctl_envelope_is_method(message, "notifications/progress")) {
    found = find_named(recording, at,
                       mcp_json_pointer(message, "/params/progressToken"),
                       "/params/_meta/progressToken");
  }
  return found != CTL_NO_ENTRY ? found : find_last(recording, at);
}

static void note_cancelled(ctl_recording *recording, int at) {
  const mcp_json *message = recording->entries[at].message;
  int found = find_named(recording, at,
                         mcp_json_pointer(message, "/params/requestId"), "/id");
  if (found != CTL_NO_ENTRY) {
    recording->entries[found].is_cancelled = 1;
  }
}

static void link_entry(ctl_recording *recording, int at) {
  ctl_entry *entry = &recording->entries[at];
  if (entry->kind == CTL_MESSAGE_ANSWER) {
    entry->partner = find_request(recording, at);
    if (entry->partner != CTL_NO_ENTRY) {
      recording->entries[entry->partner].partner = at;
    }
  } else if (!entry->is_client) {
    entry->cause = find_cause(recording, at);
  } else if (ctl_envelope_is_method(entry->message,
                                    "notifications/cancelled")) {
    note_cancelled(recording, at);
  }
}

int ctl_recording_parse(ctl_recording *out, const char *text, size_t len,
                        mcp_error *err) {
  const char *end = text + len;
  int rc = 0;
  *out = (ctl_recording){0};
  for (size_t line = 1; rc == 0 && text < end; line++) {
    const char *feed = memchr(text, '\n', (size_t)(end - text));
    const char *stop = feed != NULL ? feed : end;
    if (stop > text) {
      rc = parse_line(out, line, text, (size_t)(stop - text), err);
    }
    text = feed != NULL ? feed + 1 : end;
  }
  if (rc == 0 && out->doc_count == 0) {
    rc = fail_line(1, "this is not a recording of mcpctl record", err);
  }
  for (int i = 0; rc == 0 && i < out->count; i++) {
    link_entry(out, i);
  }
  return rc;
}

void ctl_recording_deinit(ctl_recording *recording) {
  for (size_t i = 0; i < recording->doc_count; i++) {
    mcp_doc_free(recording->docs[i]);
  }
  free(recording->docs);
  free(recording->entries);
  *recording = (ctl_recording){0};
}

/* ---- finding ----------------------------------------------------------- */

static size_t count_params(const mcp_json *params) {
  return mcp_json_size(params) - (mcp_json_get(params, "_meta") != NULL);
}

static int has_same_params(const mcp_json *a, const mcp_json *b) {
  mcp_json_iter iter;
  const mcp_json *name = NULL;
  const mcp_json *value = NULL;
  if (count_params(a) != count_params(b)) {
    return 0;
  }
  mcp_json_iter_init(&iter, a);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    size_t len = 0;
    const char *text = mcp_json_string_n(name, &len);
    int is_meta = len == 5 && memcmp(text, "_meta", 5) == 0;
    if (!is_meta && !mcp_json_equal(value, mcp_json_get_n(b, text, len))) {
      return 0;
    }
  }
  return 1;
}

static int has_same_method(const mcp_json *a, const mcp_json *b) {
  const char *method = ctl_envelope_method(a);
  return method != NULL && ctl_envelope_is_method(b, method);
}

int ctl_recording_is_same(const mcp_json *a, const mcp_json *b) {
  return has_same_method(a, b) &&
         has_same_params(mcp_json_get(a, "params"), mcp_json_get(b, "params"));
}

/* Two clients begin with different names and capabilities, and get the same
 * answer. Notifications have no answer that their params could change. */
static int is_same_enough(const mcp_json *a, const mcp_json *b) {
  return has_same_method(a, b) &&
         (ctl_envelope_is_method(a, "initialize") ||
          ctl_envelope_kind(a) == CTL_MESSAGE_NOTIFICATION);
}

static int find_by(const ctl_recording *recording, int is_client,
                   const mcp_json *message,
                   int (*is_same)(const mcp_json *a, const mcp_json *b)) {
  int last = CTL_NO_ENTRY;
  for (int i = 0; i < recording->count; i++) {
    const ctl_entry *entry = &recording->entries[i];
    if (entry->is_client != is_client ||
        entry->kind != ctl_envelope_kind(message) ||
        !is_same(entry->message, message)) {
      continue;
    }
    if (!entry->is_used) {
      return i;
    }
    last = i;
  }
  return last;
}

int ctl_recording_find(const ctl_recording *recording, int is_client,
                       const mcp_json *message) {
  int found = find_by(recording, is_client, message, ctl_recording_is_same);
  return found != CTL_NO_ENTRY
             ? found
             : find_by(recording, is_client, message, is_same_enough);
}
