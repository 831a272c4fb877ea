/* SPDX-License-Identifier: MIT */
/* Handlers that a transcript writes: steps, each of which is a function of
 * mcp/call.h without its mcp_call_. README.md lists them. */
#include "marks.h"
#include "server_program.h"
#include "transcript.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ANSWERS = 8, MAX_KEY = 32 };

struct handler {
  server_self *program;
  char *steps;
  char *complete; /* NULL: none */
  handler *next;
};

/* One run of some steps. */
typedef struct run {
  server_self *program;
  mcp_call *call;
  int is_kept;
  int rc;      /* of the last step that has one */
  int failed;  /* the code of the first question that failed */
  int is_open; /* a question has no answer yet */
  int is_over; /* a step returned */
  size_t answer_count;
  char keys[MAX_ANSWERS][MAX_KEY];
  const mcp_json *answers[MAX_ANSWERS];
  scratch scratch; /* of the step */
} run;

/* ---- JSON ---------------------------------------------------------------- */

static const char *keep_text(scratch *s, char *text) {
  size_t max = sizeof(s->texts) / sizeof(s->texts[0]);
  if (text == NULL || s->count == max) {
    free(text);
    return NULL;
  }
  s->texts[s->count++] = text;
  return text;
}

static char *json_text(const mcp_json *value) {
  size_t len = 0;
  const char *string = mcp_json_string_n(value, &len);
  if (string != NULL) {
    return strndup(string, len);
  }
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  mcp_builder_value(builder, NULL, value);
  char *text = strdup(mcp_builder_text(builder, NULL));
  mcp_builder_free(builder);
  return text;
}

const char *member_json(scratch *s, const mcp_json *object, const char *name) {
  const mcp_json *value = mcp_json_get(object, name);
  return value != NULL ? keep_text(s, json_text(value)) : NULL;
}

const char *member_string(scratch *s, const mcp_json *object,
                          const char *name) {
  const mcp_json *value = mcp_json_get(object, name);
  return mcp_json_string(value) != NULL ? keep_text(s, json_text(value)) : NULL;
}

void scratch_free(scratch *s) {
  for (size_t i = 0; i < s->count; i++) {
    free(s->texts[i]);
  }
  s->count = 0;
}

/* ---- $(...): what the call knows ----------------------------------------- */

static const mcp_json *answer_of(const run *r, const char *key, size_t len) {
  for (size_t i = 0; i < r->answer_count; i++) {
    if (strncmp(r->keys[i], key, len) == 0 && r->keys[i][len] == '\0') {
      return r->answers[i];
    }
  }
  return NULL;
}

static const char *plain_value(const run *r, const char *name) {
  const mcp_call *call = r->call;
  static const struct {
    const char *name;
    const char *(*get)(const mcp_call *call);
  } values[] = {{"method", mcp_call_method},
                {"name", mcp_call_name},
                {"uri", mcp_call_uri},
                {"revision", mcp_call_revision},
                {"principal", mcp_call_principal},
                {"scopes", mcp_call_scopes},
                {"peer", mcp_call_peer},
                {"task_id", mcp_call_task_id},
                {"complete_argument", mcp_call_complete_argument},
                {"complete_value", mcp_call_complete_value}};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    if (strcmp(name, values[i].name) == 0) {
      const char *value = values[i].get(call);
      return value != NULL ? value : "none";
    }
  }
  if (strcmp(name, "session") == 0) {
    return mcp_call_session(call) != NULL ? "a session" : "none";
  }
  if (strcmp(name, "session_id") == 0) {
    return mcp_session_id(mcp_call_session(call));
  }
  if (strcmp(name, "is_cancelled") == 0) {
    return mcp_call_is_cancelled(call) ? "1" : "0";
  }
  if (strcmp(name, "shows_apps") == 0) {
    return mcp_call_client_shows_apps(call) ? "1" : "0";
  }
  if (strncmp(name, "client_has ", 11) == 0) {
    return mcp_call_client_has(call, name + 11) ? "1" : "0";
  }
  if (strncmp(name, "string ", 7) == 0) {
    const char *value = mcp_call_string(call, name + 7);
    return value != NULL ? value : "none";
  }
  return NULL;
}

/* "NAME" or "NAME/POINTER". */
static const mcp_json *json_value(const run *r, const char *path) {
  static const struct {
    const char *name;
    const mcp_json *(*get)(const mcp_call *call);
  } values[] = {{"arguments", mcp_call_arguments},
                {"params", mcp_call_params},
                {"meta", mcp_call_meta},
                {"state", mcp_call_state},
                {"context", mcp_call_complete_context},
                {"client_info", mcp_call_client_info},
                {"client_capabilities", mcp_call_client_capabilities}};
  size_t len = strcspn(path, "/");
  const mcp_json *value = answer_of(r, path, len);
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    if (strlen(values[i].name) == len &&
        strncmp(path, values[i].name, len) == 0) {
      value = values[i].get(r->call);
    }
  }
  return value != NULL ? mcp_json_pointer(value, path + len) : NULL;
}

static void put_value(const run *r, text_buf *to, const char *path) {
  const char *plain = plain_value(r, path);
  const mcp_json *value = plain == NULL ? json_value(r, path) : NULL;
  if (plain != NULL) {
    text_adds(to, plain);
  } else if (value == NULL) {
    text_adds(to, "none");
  } else {
    char *json = json_text(value);
    text_adds(to, json);
    free(json);
  }
}

static int hex_digit(char c) {
  const char *digits = "0123456789abcdef";
  const char *at = c != '\0' ? strchr(digits, c) : NULL;
  return at != NULL ? (int)(at - digits) : -1;
}

/* The step's text with $(...) and \xNN replaced. Borrowed until the next
 * step. */
static const char *text_arg(run *r, const char *from) {
  text_buf whole = {NULL, 0, 0};
  char path[128];
  text_adds(&whole, "");
  while (*from != '\0') {
    size_t len = strncmp(from, "$(", 2) == 0 ? strcspn(from, ")") : 0;
    if (len > 2 && from[len] == ')' && len - 2 < sizeof path) {
      snprintf(path, sizeof path, "%.*s", (int)len - 2, from + 2);
      put_value(r, &whole, path);
      from += len + 1;
    } else if (strncmp(from, "\\x", 2) == 0 && hex_digit(from[2]) >= 0 &&
               hex_digit(from[3]) >= 0) {
      char byte = (char)(hex_digit(from[2]) * 16 + hex_digit(from[3]));
      text_add(&whole, &byte, 1);
      from += 4;
    } else {
      text_add(&whole, from, 1);
      from++;
    }
  }
  return keep_text(&r->scratch, whole.bytes);
}

/* Cuts a word off. "-" is NULL. */
static const char *word_arg(char **rest) {
  char *word = *rest;
  size_t len = strcspn(word, " ");
  *rest = word + len + (word[len] == ' ');
  word[len] = '\0';
  return strcmp(word, "-") == 0 ? NULL : word;
}

static mcp_doc *json_arg(const char *rest) {
  mcp_doc *doc = mcp_doc_parse(rest, strlen(rest), NULL, NULL, NULL);
  if (doc == NULL) {
    transcript_saw("not JSON: %s", rest);
    return NULL;
  }
  return doc;
}

/* ---- steps: adding ------------------------------------------------------- */

static int step_add_text(run *r, char *rest) {
  return mcp_call_add_text(r->call, text_arg(r, rest));
}

static int step_add_image(run *r, char *rest) {
  const char *type = word_arg(&rest);
  return mcp_call_add_image(r->call, rest, strlen(rest), type);
}

static int step_add_audio(run *r, char *rest) {
  const char *type = word_arg(&rest);
  return mcp_call_add_audio(r->call, rest, strlen(rest), type);
}

static int step_add_content(run *r, char *rest) {
  static const char *const types[] = {"",      "text",     "image",
                                      "audio", "resource", "resource_link"};
  mcp_doc *doc = json_arg(rest);
  const mcp_json *from = mcp_doc_root(doc);
  scratch *s = &r->scratch;
  mcp_content content = {.size = sizeof(mcp_content), .type = 99};
  const char *type = member_string(s, from, "type");
  for (int i = 1; type != NULL && i < 6; i++) {
    content.type = strcmp(type, types[i]) == 0 ? i : content.type;
  }
  content.text = member_string(s, from, "text");
  content.data = member_string(s, from, "data");
  content.data_len = content.data != NULL ? strlen(content.data) : 0;
  content.mime_type = member_string(s, from, "mimeType");
  content.uri = member_string(s, from, "uri");
  content.name = member_string(s, from, "name");
  content.meta = member_json(s, from, "_meta");
  int rc = mcp_call_add_content(r->call, &content);
  mcp_doc_free(doc);
  return rc;
}

static int step_add_resource_text(run *r, char *rest) {
  const char *uri = word_arg(&rest);
  const char *type = word_arg(&rest);
  return mcp_call_add_resource_text(r->call, uri, type, text_arg(r, rest));
}

static int step_add_resource_data(run *r, char *rest) {
  const char *uri = word_arg(&rest);
  const char *type = word_arg(&rest);
  return mcp_call_add_resource_data(r->call, uri, type, rest, strlen(rest));
}

static int step_add_completion(run *r, char *rest) {
  return mcp_call_add_completion(r->call, text_arg(r, rest));
}

static int step_set_structured(run *r, char *rest) {
  return mcp_call_set_structured(r->call, text_arg(r, rest));
}

static int step_structured(run *r, char *rest) {
  return mcp_builder_json(mcp_call_structured(r->call), NULL,
                          text_arg(r, rest));
}

static int step_set_role(run *r, char *rest) {
  int role = strcmp(rest, "user") == 0        ? MCP_ROLE_USER
             : strcmp(rest, "assistant") == 0 ? MCP_ROLE_ASSISTANT
                                              : 3;
  return mcp_call_set_role(r->call, role);
}

static int step_set_description(run *r, char *rest) {
  return mcp_call_set_description(r->call, text_arg(r, rest));
}

static int step_set_cache(run *r, char *rest) {
  const char *ttl = word_arg(&rest);
  return mcp_call_set_cache(r->call, ttl != NULL ? strtoul(ttl, NULL, 10) : 0,
                            strcmp(rest, "public") == 0);
}

static int step_set_meta(run *r, char *rest) {
  const char *key = word_arg(&rest);
  return mcp_call_set_meta(r->call, key, text_arg(r, rest));
}

static int step_set_state(run *r, char *rest) {
  return mcp_call_set_state(r->call, text_arg(r, rest));
}

/* ---- steps: replying ----------------------------------------------------- */

static int step_reply(run *r, char *rest) {
  (void)rest;
  return mcp_call_reply(r->call);
}

static int step_reply_text(run *r, char *rest) {
  return mcp_call_reply_text(r->call, text_arg(r, rest));
}

static int step_reply_number(run *r, char *rest) {
  return mcp_call_reply_number(r->call, strtod(text_arg(r, rest), NULL));
}

/* Whether the step may reply with the value: on a kept call, only with an
 * object. After any other reply it could not know whether it still holds the
 * call. */
static int is_object(run *r, const char *json) {
  mcp_doc *doc = mcp_doc_parse(json, strlen(json), NULL, NULL, NULL);
  int is = mcp_json_type(mcp_doc_root(doc)) == MCP_JSON_OBJECT;
  mcp_doc_free(doc);
  return is || !r->is_kept;
}

static int step_reply_structured(run *r, char *rest) {
  const char *json = text_arg(r, rest);
  return is_object(r, json) ? mcp_call_reply_structured(r->call, json)
                            : MCP_ERR_INVALID;
}

static int step_reply_builder(run *r, char *rest) {
  const char *json = text_arg(r, rest);
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  mcp_builder_json(builder, NULL, json);
  int rc = is_object(r, json) ? mcp_call_reply_builder(r->call, builder)
                              : MCP_ERR_INVALID;
  mcp_builder_free(builder);
  return rc;
}

static int step_reply_failure(run *r, char *rest) {
  return mcp_call_reply_failure(r->call, "%s", text_arg(r, rest));
}

/* Code, data or -, message. */
static int step_reply_error(run *r, char *rest) {
  const char *code = word_arg(&rest);
  const char *data = word_arg(&rest);
  return mcp_call_reply_error(r->call,
                              code != NULL ? (int)strtol(code, NULL, 10) : 0,
                              *rest != '\0' ? text_arg(r, rest) : NULL,
                              data != NULL ? text_arg(r, data) : NULL);
}

static int step_reply_json(run *r, char *rest) {
  const char *json = text_arg(r, *rest != '\0' ? rest : "{}");
  return is_object(r, json) ? mcp_call_reply_json(r->call, json)
                            : MCP_ERR_INVALID;
}

/* Pairs of an id and a URL. The id "reserved" sets what must be NULL. */
static int step_reply_urls_required(run *r, char *rest) {
  mcp_url_elicitation urls[4];
  size_t count = 0;
  memset(urls, 0, sizeof(urls));
  while (*rest != '\0' && count < 4) {
    urls[count].elicitation_id = word_arg(&rest);
    urls[count].url = word_arg(&rest);
    urls[count].message = "Go";
    if (strcmp(urls[count].elicitation_id, "reserved") == 0) {
      urls[count].reserved[1] = rest;
    }
    count++;
  }
  return mcp_call_reply_urls_required(r->call, urls, count);
}

static int step_defer(run *r, char *rest) {
  (void)rest;
  server_self *me = r->program;
  if (me->kept_count == SERVER_MAX_KEPT) {
    return MCP_ERR_LIMIT;
  }
  int rc = mcp_call_defer(r->call);
  if (rc == 0) {
    me->kept[me->kept_count++] = r->call;
    r->is_kept = 1;
  }
  return rc;
}

static int step_drop(run *r, char *rest) {
  (void)rest;
  if (!r->is_kept) {
    return MCP_ERR_INVALID;
  }
  mcp_call_drop(r->call);
  return MCP_ERR_GONE; /* for the program */
}

/* ---- steps: meanwhile ---------------------------------------------------- */

/* Progress, total or 0, message. */
static int step_progress(run *r, char *rest) {
  const char *progress = word_arg(&rest);
  const char *total = word_arg(&rest);
  return mcp_call_progress(r->call,
                           progress != NULL ? strtod(progress, NULL) : 0,
                           total != NULL ? strtod(total, NULL) : 0,
                           *rest != '\0' ? text_arg(r, rest) : NULL);
}

/* Level, logger or -, JSON. */
static int step_log(run *r, char *rest) {
  const char *level = word_arg(&rest);
  const char *logger = word_arg(&rest);
  return mcp_call_log(r->call, server_log_level(level), logger, rest);
}

static int step_logf(run *r, char *rest) {
  const char *level = word_arg(&rest);
  return mcp_call_logf(r->call, server_log_level(level), "%s",
                       text_arg(r, rest));
}

static int step_make_task(run *r, char *rest) {
  (void)rest;
  return mcp_call_make_task(r->call);
}

static int step_flush(run *r, char *rest) {
  (void)rest;
  return mcp_call_flush(r->call);
}

static int step_close_stream(run *r, char *rest) {
  return mcp_call_close_stream(r->call, (uint32_t)strtoul(rest, NULL, 10));
}

static void on_cancel(mcp_call *call, void *userdata) {
  const handler *h = userdata;
  server_self *me = h->program;
  transcript_saw("cancelled");
  for (size_t i = 0; i < me->kept_count; i++) {
    if (me->kept[i] == call) {
      handler_run_kept(me, i + 1, h->steps);
      return;
    }
  }
}

static int step_on_cancel(run *r, char *rest) {
  return mcp_call_on_cancel(r->call, on_cancel, handler_new(r->program, rest));
}

/* ---- steps: asking ------------------------------------------------------- */

static int note_question(run *r, const char *key, int rc,
                         const mcp_json *answer) {
  if (rc < 0) {
    r->failed = r->failed != 0 ? r->failed : rc;
  } else if (rc > 0) {
    r->is_open = 1;
  } else if (r->answer_count < MAX_ANSWERS && key != NULL) {
    snprintf(r->keys[r->answer_count], MAX_KEY, "%s", key);
    r->answers[r->answer_count++] = answer;
  }
  return rc;
}

/* Key, form, message. */
static int step_ask_elicit(run *r, char *rest) {
  const mcp_json *answer = NULL;
  const char *key = word_arg(&rest);
  const char *form = word_arg(&rest);
  const mcp_elicitation question = {.size = sizeof(mcp_elicitation),
                                    .message = text_arg(r, rest),
                                    .form = MCP_SCHEMA_TEXT(form)};
  int rc = mcp_call_ask_elicit(r->call, key, &question, &answer);
  return note_question(r, key, rc, answer);
}

/* Key, URL, id or -, message. */
static int step_ask_url(run *r, char *rest) {
  const mcp_json *answer = NULL;
  const char *key = word_arg(&rest);
  const char *url = word_arg(&rest);
  const char *id = word_arg(&rest);
  int rc = mcp_call_ask_url(r->call, key, rest, url, id, &answer);
  return note_question(r, key, rc, answer);
}

/* Key, and an object whose members are mcp_sampling's. */
static int step_ask_sample(run *r, char *rest) {
  const mcp_json *answer = NULL;
  scratch *s = &r->scratch;
  const char *key = word_arg(&rest);
  mcp_doc *doc = json_arg(rest);
  const mcp_json *from = mcp_doc_root(doc);
  const mcp_sampling question = {
      .size = sizeof(mcp_sampling),
      .messages = member_json(s, from, "messages"),
      .prompt = member_string(s, from, "prompt"),
      .system_prompt = member_string(s, from, "system_prompt"),
      .max_tokens = mcp_json_int(mcp_json_get(from, "max_tokens")),
      .more = member_string(s, from, "more"),
      .tools = member_json(s, from, "tools"),
      .tool_choice = member_string(s, from, "tool_choice")};
  int rc = mcp_call_ask_sample(r->call, key, &question, &answer);
  mcp_doc_free(doc);
  return note_question(r, key, rc, answer);
}

static int step_ask_roots(run *r, char *rest) {
  const mcp_json *answer = NULL;
  int rc = mcp_call_ask_roots(r->call, rest, &answer);
  return note_question(r, rest, rc, answer);
}

/* ---- steps: what a handler returns --------------------------------------- */

static int step_wait(run *r, char *rest) {
  int rc = strcmp(rest, "anyway") != 0 ? r->failed : 0;
  rc = rc == 0 && r->is_open ? MCP_PENDING : rc;
  r->is_over = rc != 0;
  return rc;
}

static int step_return(run *r, char *rest) {
  r->is_over = 1;
  return transcript_error_code(rest);
}

static int step_say(run *r, char *rest) {
  transcript_saw("%s", text_arg(r, rest));
  return r->rc;
}

/* ---- running ------------------------------------------------------------- */

/* IS_REPLY: it is the call's one reply, unless it fails. IS_SILENT: its code is
 * what the handler returns, and is not shown. */
enum { IS_REPLY = 1, IS_SILENT = 2 };

static const struct step {
  const char *name;
  int (*run)(run *r, char *rest);
  int flags;
} steps[] = {{"add_audio", step_add_audio, 0},
             {"add_completion", step_add_completion, 0},
             {"add_content", step_add_content, 0},
             {"add_image", step_add_image, 0},
             {"add_resource_data", step_add_resource_data, 0},
             {"add_resource_text", step_add_resource_text, 0},
             {"add_text", step_add_text, 0},
             {"ask_elicit", step_ask_elicit, 0},
             {"ask_roots", step_ask_roots, 0},
             {"ask_sample", step_ask_sample, 0},
             {"ask_url", step_ask_url, 0},
             {"close_stream", step_close_stream, 0},
             {"defer", step_defer, 0},
             {"drop", step_drop, IS_REPLY | IS_SILENT},
             {"flush", step_flush, 0},
             {"log", step_log, 0},
             {"logf", step_logf, 0},
             {"make_task", step_make_task, 0},
             {"on_cancel", step_on_cancel, 0},
             {"progress", step_progress, 0},
             {"reply", step_reply, IS_REPLY},
             {"reply_builder", step_reply_builder, IS_REPLY},
             {"reply_error", step_reply_error, IS_REPLY},
             {"reply_failure", step_reply_failure, IS_REPLY},
             {"reply_json", step_reply_json, IS_REPLY},
             {"reply_number", step_reply_number, IS_REPLY},
             {"reply_structured", step_reply_structured, IS_REPLY},
             {"reply_text", step_reply_text, IS_REPLY},
             {"reply_urls_required", step_reply_urls_required, IS_REPLY},
             {"return", step_return, IS_SILENT},
             {"say", step_say, IS_SILENT},
             {"set_cache", step_set_cache, 0},
             {"set_description", step_set_description, 0},
             {"set_meta", step_set_meta, 0},
             {"set_role", step_set_role, 0},
             {"set_state", step_set_state, 0},
             {"set_structured", step_set_structured, 0},
             {"structured", step_structured, 0},
             {"wait", step_wait, IS_SILENT}};

static const struct step *step_find(const char *name, size_t len) {
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    if (strncmp(steps[i].name, name, len) == 0 && steps[i].name[len] == '\0') {
      return &steps[i];
    }
  }
  return NULL;
}

static int is_ours(const run *r) {
  for (size_t i = 0; r->is_kept && i < r->program->kept_count; i++) {
    if (r->program->kept[i] == r->call) {
      return 1;
    }
  }
  return !r->is_kept;
}

/* on_reply reports replies. If no client waits for the reply, the server does
 * not call it, and the code must say whether the handler still holds a kept
 * call. A reply with a bad argument was not a reply. */
static void note_reply(const run *r, int rc) {
  int is_bad_argument = rc == MCP_ERR_INVALID || rc == MCP_ERR_UNSUPPORTED ||
                        rc == MCP_ERR_CAPABILITY || rc == MCP_ERR_PARSE;
  if (!r->is_kept || !is_ours(r) || rc == 0) {
    return;
  }
  if (rc == MCP_ERR_GONE ||
      (!is_bad_argument && mcp_call_is_cancelled(r->call))) {
    handler_forget(r->program, r->call);
  }
}

static void run_step(run *r, char *line) {
  size_t len = strcspn(line, " ");
  const struct step *step = step_find(line, len);
  if (step == NULL) {
    if (!server_command(r->program, line)) {
      transcript_saw("unknown step: %s", line);
    }
    return;
  }
  int rc = step->run(r, line + len + (line[len] == ' '));
  r->rc = rc;
  if (rc < 0 && (step->flags & IS_SILENT) == 0) {
    server_saw_code(step->name, rc);
  }
  if ((step->flags & IS_REPLY) != 0) {
    note_reply(r, rc);
  }
  scratch_free(&r->scratch);
}

/* Any step may answer the call, or free the server. */
static void run_steps(run *r, const char *from) {
  while (*from != '\0' && !r->is_over && is_ours(r)) {
    const char *end = strstr(from, " | ");
    size_t len = end != NULL ? (size_t)(end - from) : strlen(from);
    char *line = strndup(from, len);
    run_step(r, line);
    free(line);
    from += len + (end != NULL ? 3 : 0);
  }
}

int handler_run(mcp_call *call, void *userdata) {
  const handler *h = userdata;
  run r = {.program = h->program, .call = call};
  run_steps(&r, h->steps);
  return r.rc;
}

void handler_set_complete(handler *h, const char *from) {
  if (h != NULL && from != NULL) {
    h->complete = strdup(from);
  }
}

int handler_complete(mcp_call *call, void *userdata) {
  const handler *h = userdata;
  run r = {.program = h->program, .call = call};
  run_steps(&r, h->complete);
  return r.rc;
}

void handler_run_kept(server_self *me, size_t number, const char *from) {
  if (number == 0 || number > me->kept_count || me->kept[number - 1] == NULL) {
    transcript_saw("no call %zu is kept", number);
    return;
  }
  run r = {.program = me, .call = me->kept[number - 1], .is_kept = 1};
  run_steps(&r, from);
}

/* ---- life ---------------------------------------------------------------- */

handler *handler_new(server_self *me, const char *from) {
  handler *h = calloc(1, sizeof *h);
  h->program = me;
  h->steps = strdup(from);
  h->next = me->handlers;
  me->handlers = h;
  return h;
}

void handler_forget(server_self *me, const mcp_call *call) {
  for (size_t i = 0; i < me->kept_count; i++) {
    if (me->kept[i] == call) {
      me->kept[i] = NULL;
    }
  }
}

void handlers_free(server_self *me) {
  for (size_t i = 0; i < me->kept_count; i++) {
    mcp_call_drop(me->kept[i]);
  }
  while (me->handlers != NULL) {
    handler *h = me->handlers;
    me->handlers = h->next;
    free(h->steps);
    free(h->complete);
    free(h);
  }
}
