/* SPDX-License-Identifier: MIT */
/* Tools, methods, notifications and tasks beyond the ordinary. */
#include "server_program.h"

#include "transcript.h"
#include <stdio.h>
#include <string.h>

/* ---- tools -------------------------------------------------------------- */

/* All that a handler can find out, as its answer. */
static int on_who(mcp_call *call, void *userdata) {
  double number = 0;
  int64_t integer = 0;
  int flag = 0;
  const char *text = "";
  size_t len = 0;
  const mcp_session *session = mcp_call_session(call);
  const char *id = session != NULL ? mcp_session_id(session) : NULL;
  (void)userdata;
  mcp_call_try_number(call, "number", &number);
  mcp_call_try_int(call, "integer", &integer);
  mcp_call_try_bool(call, "flag", &flag);
  mcp_call_try_string(call, "text", &text);
  mcp_call_string_n(call, "text", &len);
  mcp_call_add_textf(call, "%g %d %d %s %zu %d", number, (int)integer, flag,
                     text, len, (int)mcp_call_int(call, "integer"));
  mcp_call_add_textf(call, "%s %s in %s", mcp_call_method(call),
                     mcp_call_name(call), mcp_call_revision(call));
  mcp_call_add_textf(
      call, "%s %s session %s, elicitation %d, %d members, %s",
      mcp_call_principal(call) != NULL ? mcp_call_principal(call) : "nobody",
      mcp_call_peer(call) != NULL ? mcp_call_peer(call) : "nowhere",
      id != NULL ? id : "none", mcp_call_client_has(call, "elicitation.form"),
      (int)mcp_json_size(mcp_call_client_capabilities(call)),
      mcp_json_type_name(mcp_json_type(mcp_call_client_info(call))));
  return mcp_call_reply(call);
}

/* Shows what it has before it is done. */
static int on_flush(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_add_text(call, "one");
  mcp_call_flush(call);
  mcp_call_add_image(call, "\x89PNG", 4, "image/png");
  mcp_call_add_text_n(call, "two\0", 4);
  mcp_call_flush(call);
  mcp_call_close_stream(call, 5);
  return mcp_call_reply_text(call, "three");
}

static void on_cancelled(mcp_call *call, void *userdata) {
  (void)call;
  (void)userdata;
  transcript_saw("cancelled");
}

/* Answers when it is cancelled, or asked with `finish`. */
static mcp_call *waiting;

static int on_wait(mcp_call *call, void *userdata) {
  (void)userdata;
  if (waiting != NULL) {
    return mcp_call_reply_failure(call, "one waits already");
  }
  int rc = mcp_call_defer(call);
  if (rc == 0) {
    waiting = call;
    mcp_call_on_cancel(call, on_cancelled, NULL);
  }
  return rc;
}

void server_finish(const char *text) {
  mcp_call *call = waiting;
  waiting = NULL;
  if (call != NULL) {
    transcript_saw("%d", mcp_call_is_cancelled(call));
    if (mcp_call_reply_text(call, text) == MCP_ERR_INVALID) {
      mcp_call_drop(call); /* the text is not UTF-8: there was no reply */
    }
  }
}

/* What may not be: each is refused, and the last refusal is the answer. */
static int on_wrong(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  (void)userdata;
  transcript_saw(
      "%s %s %s %s", mcp_error_name(mcp_call_add_text(call, "\xff")),
      mcp_error_name(mcp_call_set_structured(call, "{")),
      mcp_error_name(mcp_call_add_content(
          call, &(mcp_content){.size = sizeof(mcp_content), .type = 99})),
      mcp_error_name(mcp_call_set_cache(call, 5, 1)));
  return mcp_call_ask_elicit(
      call, "who",
      &(mcp_elicitation){.size = sizeof(mcp_elicitation),
                         .message = "m",
                         .form = MCP_SCHEMA_TEXT("{\"type\":\"array\"}")},
      &answer);
}

static int on_ask_all(mcp_call *call, void *userdata) {
  const mcp_json *form;
  const mcp_json *url;
  (void)userdata;
  int first = mcp_call_ask_elicit(
      call, "form",
      &(mcp_elicitation){
          .size = sizeof(mcp_elicitation),
          .message = "All of it",
          .form = MCP_OBJECT(
              MCP_STRING("color", "One of",
                         .values = MCP_VALUES("red", "blue")),
              MCP_NUMBER("share", "A part", .optional = 1,
                         .more = "\"minimum\":0,\"maximum\":1"),
              MCP_STRING("mail", "Where", .optional = 1,
                         .more = "\"format\":\"email\",\"title\":\"Mail\""))},
      &form);
  int second =
      mcp_call_ask_url(call, "url", "Go", "https://example.com/", NULL, &url);
  if (first != 0 || second != 0) {
    return first != 0 ? first : second;
  }
  return mcp_call_reply_textf(call, "%d %d", mcp_answer_action(form),
                              mcp_answer_action(url));
}

static int on_sample_all(mcp_call *call, void *userdata) {
  static const char messages[] =
      "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"},"
      "{\"type\":\"image\",\"data\":\"AAAA\",\"mimeType\":\"image/png\"}]},"
      "{\"role\":\"assistant\",\"content\":{\"type\":\"tool_use\",\"id\":"
      "\"t1\","
      "\"name\":\"add\",\"input\":{\"a\":1}}},"
      "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
      "\"toolUseId\":\"t1\",\"content\":[]}]}]";
  static const char tools[] =
      "[{\"name\":\"add\",\"description\":\"Adds\",\"inputSchema\":"
      "{\"type\":\"object\",\"properties\":{\"a\":true}}}]";
  const mcp_json *answer;
  (void)userdata;
  int rc = mcp_call_ask_sample(
      call, "all",
      &(mcp_sampling){.size = sizeof(mcp_sampling),
                      .messages = messages,
                      .max_tokens = 10,
                      .tools = tools,
                      .tool_choice = "auto",
                      .more = "\"includeContext\":\"none\""},
      &answer);
  return rc != 0 ? rc
                 : mcp_call_reply_textf(call, "%d", (int)mcp_json_size(answer));
}

static int on_sample_plain(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  (void)userdata;
  int rc = mcp_call_ask_sample(
      call, "plain",
      &(mcp_sampling){
          .size = sizeof(mcp_sampling),
          .messages = "[{\"role\":\"user\",\"content\":{\"type\":\"audio\","
                      "\"data\":\"AAAA\",\"mimeType\":\"audio/wav\"}},"
                      "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\","
                      "\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]}]",
          .max_tokens = 10,
          .more = "\"includeContext\":\"allServers\""},
      &answer);
  return rc != 0 ? rc : mcp_call_reply_text(call, "sampled");
}

void server_add_more(mcp_server *server) {
  static const struct {
    const char *name;
    mcp_call_cb handler;
    int32_t is_blocking;
  } tools[] = {{"flush", on_flush, 0},
               {"wait", on_wait, 0},
               {"wrong", on_wrong, 0},
               {"ask_all", on_ask_all, 0},
               {"sample_all", on_sample_all, 0},
               {"sample_plain", on_sample_plain, 0},
               {"block", on_flush, 1}};
  for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++) {
    mcp_server_add_tool(server,
                        &(mcp_tool){.size = sizeof(mcp_tool),
                                    .name = tools[i].name,
                                    .handler = tools[i].handler,
                                    .is_blocking = tools[i].is_blocking},
                        NULL);
  }
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool),
                  .name = "who",
                  .input =
                      MCP_OBJECT(MCP_NUMBER("number", "n", .optional = 1),
                                 MCP_INTEGER("integer", "i", .optional = 1),
                                 MCP_BOOLEAN("flag", "f", .optional = 1),
                                 MCP_STRING("text", "t", .optional = 1)),
                  .handler = on_who},
      NULL);
}

/* ---- methods and notifications ------------------------------------------ */

static int on_report(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_json(call, "{\"pages\":3}");
}

static int on_hint(mcp_call *call, void *userdata) {
  (void)userdata;
  transcript_saw("hint of %d members",
                 (int)mcp_json_size(mcp_call_params(call)));
  return 0;
}

void server_add_methods(mcp_server *server) {
  mcp_server_add_method(
      server,
      &(mcp_method){.size = sizeof(mcp_method),
                    .name = "com.example/report",
                    .params = MCP_OBJECT(MCP_STRING("topic", "what")),
                    .handler = on_report},
      NULL);
  mcp_server_add_method(server,
                        &(mcp_method){.size = sizeof(mcp_method),
                                      .name = "com.example/new",
                                      .first_revision = MCP_REVISION_2026_07_28,
                                      .extension = "com.example/reports",
                                      .handler = on_report},
                        NULL);
  mcp_server_add_method(server,
                        &(mcp_method){.size = sizeof(mcp_method),
                                      .name = "com.example/hint",
                                      .is_notification = 1,
                                      .handler = on_hint},
                        NULL);
  mcp_server_add_extension(server, "com.example/reports", "{\"max\":3}", NULL);
  mcp_server_add_experimental(server, "fast", NULL, NULL);
  mcp_server_add_listen_filter(server, "reportsChanged", NULL);
}

/* ---- tasks -------------------------------------------------------------- */

static uint32_t number_of(const mcp_json *members, const char *name) {
  return (uint32_t)mcp_json_int(mcp_json_get(members, name));
}

int server_enable_tasks(server_self *me, char *rest) {
  mcp_doc *doc = mcp_doc_parse(rest, strlen(rest), NULL, NULL, NULL);
  const mcp_json *members = mcp_doc_root(doc);
  const mcp_tasks_options options = {
      .size = sizeof(mcp_tasks_options),
      .max_tasks = number_of(members, "max_tasks"),
      .poll_ms = number_of(members, "poll_ms"),
      .ttl_ms = number_of(members, "ttl_ms"),
      .max_ttl_ms = number_of(members, "max_ttl_ms"),
      .max_bytes = number_of(members, "max_bytes"),
      .ask_as_tasks = (int32_t)number_of(members, "ask_as_tasks")};
  int rc = mcp_server_enable_tasks(me->server, &options, NULL);
  mcp_doc_free(doc);
  return rc;
}

int server_task_support(const char *word) {
  if (word != NULL && strcmp(word, "optional") == 0) {
    return MCP_TASK_OPTIONAL;
  }
  return word != NULL && strcmp(word, "required") == 0 ? MCP_TASK_REQUIRED
                                                       : MCP_TASK_FORBIDDEN;
}
