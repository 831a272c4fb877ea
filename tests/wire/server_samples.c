/* SPDX-License-Identifier: MIT */
/* The server that transcripts speak to: one of everything. */
#include "server_program.h"
#include "transcript.h"
#include <stdio.h>
#include <string.h>

/* ---- tools ------------------------------------------------------------ */

int server_on_add(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_number(call, mcp_call_number(call, "a") +
                                         mcp_call_number(call, "b"));
}

static int on_sum(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_json_iter iter;
  const mcp_json *number;
  double sum = 0;
  mcp_json_iter_init(&iter, mcp_call_argument(call, "numbers"));
  while ((number = mcp_json_iter_next(&iter, NULL)) != NULL) {
    sum += mcp_json_number(number);
  }
  char json[64];
  snprintf(json, sizeof json, "{\"sum\":%.17g}", sum);
  return mcp_call_reply_structured(call, json);
}

/* Says something that its output schema forbids. */
static int on_liar(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_structured(call, "{\"sum\":\"many\"}");
}

static int on_all_content(mcp_call *call, void *userdata) {
  (void)userdata;
  const mcp_annotations annotations = {.size = sizeof(mcp_annotations),
                                       .audience = MCP_ROLE_USER,
                                       .has_priority = 1,
                                       .priority = 0.5,
                                       .last_modified = "2026-01-02T03:04:05Z"};
  mcp_call_add_content(call, &(mcp_content){.size = sizeof(mcp_content),
                                            .type = MCP_CONTENT_TEXT,
                                            .text = "tab\there",
                                            .annotations = &annotations});
  mcp_call_add_image(call, "\x89PNG", 4, "image/png");
  mcp_call_add_audio(call, "RIFF", 4, "audio/wav");
  mcp_call_add_content(call, &(mcp_content){.size = sizeof(mcp_content),
                                            .type = MCP_CONTENT_RESOURCE,
                                            .uri = "test://embedded",
                                            .mime_type = "text/plain",
                                            .text = "inside"});
  mcp_call_add_content(call, &(mcp_content){.size = sizeof(mcp_content),
                                            .type = MCP_CONTENT_RESOURCE_LINK,
                                            .uri = "test://text",
                                            .name = "text",
                                            .title = "A text"});
  mcp_call_set_meta(call, "com.example/cost", "7");
  return mcp_call_reply(call);
}

static int on_fail(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_failure(call, "disk %d is full", 3);
}

static int on_refuse(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_error(call, 42, "not today",
                              "{\"retry\":\"tomorrow\"}");
}

static int on_forget(mcp_call *call, void *userdata) {
  (void)call;
  (void)userdata;
  return 0;
}

static int on_later(mcp_call *call, void *userdata) {
  server_self *me = userdata;
  if (me->deferred != NULL) {
    return mcp_call_reply_failure(call, "one is deferred already");
  }
  int rc = mcp_call_defer(call);
  me->deferred = rc == 0 ? call : NULL;
  return rc;
}

static int on_progress(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_progress(call, 0, 100, NULL);
  mcp_call_progress(call, 50, 100, "half");
  mcp_call_progress(call, 99.5, 0, NULL);
  return mcp_call_reply_text(call, "done");
}

static int on_log(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_logf(call, MCP_LOG_DEBUG, "detail %d", 1);
  mcp_call_log(call, MCP_LOG_ERROR, "disk", "{\"free\":0}");
  return mcp_call_reply_text(call, "logged");
}

static int on_ask(mcp_call *call, void *userdata) {
  (void)userdata;
  const mcp_json *answer;
  int rc = mcp_call_ask_elicit(
      call, "who",
      &(mcp_elicitation){
          .size = sizeof(mcp_elicitation),
          .message = "Who are you?",
          .form = MCP_OBJECT(
              MCP_STRING("name", "Your name", .more = "\"minLength\":1"),
              MCP_INTEGER("age", "In years", .optional = 1,
                          .more = "\"default\":30"))},
      &answer);
  if (rc != 0) {
    return rc;
  }
  if (mcp_answer_action(answer) != MCP_ACTION_ACCEPT) {
    return mcp_call_reply_text(call, "nobody");
  }
  return mcp_call_reply_textf(
      call, "hello %s",
      mcp_json_string(mcp_json_pointer(answer, "/content/name")));
}

static int on_ask_url(mcp_call *call, void *userdata) {
  (void)userdata;
  const mcp_json *answer;
  int rc = mcp_call_ask_url(call, "login", "Please log in",
                            "https://example.com/login", "e7", &answer);
  if (rc != 0) {
    return rc;
  }
  return mcp_call_reply_textf(call, "action %d", mcp_answer_action(answer));
}

static int on_sample(mcp_call *call, void *userdata) {
  (void)userdata;
  const mcp_json *answer;
  int rc = mcp_call_ask_sample(call, "capital",
                               &(mcp_sampling){.size = sizeof(mcp_sampling),
                                               .prompt = "Capital of France?",
                                               .system_prompt = "Be brief",
                                               .max_tokens = 100,
                                               .more = "\"temperature\":0.5"},
                               &answer);
  if (rc != 0) {
    return rc;
  }
  return mcp_call_reply_text(
      call, mcp_json_string(mcp_json_pointer(answer, "/content/text")));
}

static int on_roots(mcp_call *call, void *userdata) {
  (void)userdata;
  const mcp_json *answer;
  int rc = mcp_call_ask_roots(call, "roots", &answer);
  if (rc != 0) {
    return rc;
  }
  return mcp_call_reply_textf(
      call, "%d roots", (int)mcp_json_size(mcp_json_get(answer, "roots")));
}

/* Two questions in the first round, one in the second, and a state. */
static int on_rounds(mcp_call *call, void *userdata) {
  (void)userdata;
  const mcp_elicitation step = {.size = sizeof(mcp_elicitation),
                                .message = "Step?",
                                .form = MCP_OBJECT(MCP_BOOLEAN("ok", "Go on"))};
  const mcp_json *one;
  const mcp_json *two;
  const mcp_json *three;
  int first = mcp_call_ask_elicit(call, "one", &step, &one);
  int second = mcp_call_ask_roots(call, "two", &two);
  if (first != 0 || second != 0) {
    mcp_call_set_state(call, "{\"seen\":1}");
    return first != 0 ? first : second;
  }
  int rc = mcp_call_ask_elicit(call, "three", &step, &three);
  if (rc != 0) {
    return rc;
  }
  return mcp_call_reply_textf(
      call, "seen %d",
      (int)mcp_json_int(mcp_json_get(mcp_call_state(call), "seen")));
}

static int on_urls_required(mcp_call *call, void *userdata) {
  (void)userdata;
  const mcp_url_elicitation url = {.elicitation_id = "e1",
                                   .url = "https://example.com/pay",
                                   .message = "Pay"};
  return mcp_call_reply_urls_required(call, &url, 1);
}

/* Some of whose arguments travel in headers. */
static int on_route(mcp_call *call, void *userdata) {
  (void)userdata;
  const char *region = mcp_call_string(call, "region");
  if (region == NULL && mcp_call_argument(call, "region") != NULL) {
    return MCP_ERR_INVALID; /* it contains NUL */
  }
  return mcp_call_reply_textf(call, "to %s",
                              region != NULL ? region : "nowhere");
}

#define TOOL(...)                                                              \
  &(mcp_tool) {                                                                \
    .size = sizeof(mcp_tool), __VA_ARGS__                                      \
  }

static void add_tools(server_self *me) {
  mcp_server *server = me->server;
  const mcp_icon icon = {.src = "https://example.com/add.png",
                         .mime_type = "image/png",
                         .sizes = "48x48"};
  mcp_server_add_tool(
      server,
      TOOL(.name = "add", .title = "Addition",
           .description = "Adds two numbers", .icons = &icon, .icon_count = 1,
           .input =
               MCP_OBJECT(MCP_NUMBER("a", "first"), MCP_NUMBER("b", "second")),
           .hints = MCP_TOOL_READ_ONLY | MCP_TOOL_NOT_OPEN_WORLD,
           .meta = "{\"com.example/stage\":\"stable\"}",
           .handler = server_on_add),
      NULL);
  mcp_server_add_tool(
      server,
      TOOL(.name = "sum", .description = "Adds many",
           .input = MCP_OBJECT(MCP_ARRAY("numbers", "what",
                                         .schema = MCP_SCHEMA_TYPE("number"))),
           .output = MCP_OBJECT(MCP_NUMBER("sum", "the sum")),
           .handler = on_sum),
      NULL);
  mcp_server_add_tool(server,
                      TOOL(.name = "liar",
                           .output = MCP_OBJECT(MCP_NUMBER("sum", "the sum")),
                           .handler = on_liar),
                      NULL);
  static const struct {
    const char *name;
    mcp_call_cb handler;
  } plain[] = {{"all_content", on_all_content},
               {"fail", on_fail},
               {"refuse", on_refuse},
               {"forget", on_forget},
               {"later", on_later},
               {"progress", on_progress},
               {"log", on_log},
               {"ask", on_ask},
               {"ask_url", on_ask_url},
               {"sample", on_sample},
               {"roots", on_roots},
               {"rounds", on_rounds},
               {"urls_required", on_urls_required}};
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
    mcp_server_add_tool(server,
                        TOOL(.name = plain[i].name, .userdata = me,
                             .handler = plain[i].handler),
                        NULL);
  }
}

void server_add_route(mcp_server *server) {
  mcp_server_add_tool(
      server,
      TOOL(.name = "route", .description = "Finds a way",
           .input =
               MCP_OBJECT(MCP_STRING("region", "where to", .optional = 1,
                                     .more = "\"x-mcp-header\":\"Region\""),
                          MCP_INTEGER("hops", "at most", .optional = 1,
                                      .more = "\"x-mcp-header\":\"Hops\""),
                          MCP_BOOLEAN("fast", "the fastest", .optional = 1,
                                      .more = "\"x-mcp-header\":\"Fast\"")),
           .handler = on_route),
      NULL);
}

/* Has an output schema, and says nothing that could keep to it. */
static int on_mute(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, "done");
}

/* Tools and a prompt that ask much of their arguments. */
void server_add_schemas(mcp_server *server) {
  const mcp_prompt_argument arguments[] = {{.name = "from", .required = 1},
                                           {.name = "to", .required = 1}};
  mcp_server_add_tool(server,
                      TOOL(.name = "mute", .input = MCP_OBJECT(),
                           .output = MCP_SCHEMA_TYPE("object"),
                           .handler = on_mute),
                      NULL);
  mcp_server_add_tool(
      server,
      TOOL(.name = "order",
           .input = MCP_SCHEMA_TEXT(
               "{\"type\":\"object\",\"required\":[\"id\"],\"properties\":{"
               "\"id\":{\"type\":\"integer\",\"minimum\":1},"
               "\"sizes\":{\"type\":\"array\",\"items\":{\"enum\":[1.0,2]}}},"
               "\"if\":{\"required\":[\"gift\"]},"
               "\"then\":{\"required\":[\"wish\"]}}"),
           .handler = on_mute),
      NULL);
  mcp_server_add_prompt(server,
                        &(mcp_prompt){.size = sizeof(mcp_prompt),
                                      .name = "route",
                                      .arguments = arguments,
                                      .argument_count = 2,
                                      .handler = on_mute},
                        NULL);
}

static int on_loose(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_structured(call, "{\"any\":1}");
}

/* A tool whose schemas have booleans among their properties. */
void server_add_booleans(mcp_server *server) {
  static const char schema[] =
      "{\"type\":\"object\",\"properties\":{\"any\":true,\"never\":false,"
      "\"deep\":{\"type\":\"object\",\"properties\":{\"x\":true},"
      "\"additionalProperties\":false}},\"additionalProperties\":false}";
  mcp_server_add_tool(server,
                      TOOL(.name = "loose", .input = MCP_SCHEMA_TEXT(schema),
                           .output = MCP_SCHEMA_TEXT(schema),
                           .handler = on_loose),
                      NULL);
}

/* ---- resources and prompts -------------------------------------------- */

static int on_read_two(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_add_resource_text(call, "test://two/a", "text/plain", "A");
  mcp_call_add_resource_data(call, "test://two/b", "application/octet-stream",
                             "B\0B", 3);
  return mcp_call_reply(call);
}

static int on_read_item(mcp_call *call, void *userdata) {
  (void)userdata;
  const char *id = mcp_call_string(call, "id");
  if (id == NULL) {
    return MCP_ERR_INVALID;
  }
  if (strcmp(id, "none") == 0) {
    return MCP_ERR_NOT_FOUND;
  }
  char text[64];
  snprintf(text, sizeof text, "item %.40s", id);
  mcp_call_add_resource_text(call, NULL, NULL, text);
  return mcp_call_reply(call);
}

/* Suggests what begins with what is typed. */
static int on_complete(mcp_call *call, void *userdata) {
  (void)userdata;
  static const char *const words[] = {"alpha", "beta", "bravo"};
  const char *typed = mcp_call_complete_value(call);
  if (typed == NULL) {
    return MCP_ERR_INVALID;
  }
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strncmp(words[i], typed, strlen(typed)) == 0) {
      mcp_call_add_completion(call, words[i]);
    }
  }
  return mcp_call_reply(call);
}

static void add_resources(server_self *me) {
  mcp_server_add_resource(me->server,
                          &(mcp_resource){.size = sizeof(mcp_resource),
                                          .uri = "test://text",
                                          .name = "text",
                                          .title = "A text",
                                          .description = "Fixed text",
                                          .mime_type = "text/plain",
                                          .resource_size = 5,
                                          .cache_ttl_ms = 1000,
                                          .text = "hello"},
                          NULL);
  mcp_server_add_resource(me->server,
                          &(mcp_resource){.size = sizeof(mcp_resource),
                                          .uri = "test://binary",
                                          .name = "binary",
                                          .mime_type = "image/png",
                                          .data = "\x89PNG",
                                          .data_len = 4},
                          NULL);
  mcp_server_add_resource(me->server,
                          &(mcp_resource){.size = sizeof(mcp_resource),
                                          .uri = "test://two",
                                          .name = "two",
                                          .handler = on_read_two},
                          NULL);
  mcp_server_add_resource_template(
      me->server,
      &(mcp_resource_template){.size = sizeof(mcp_resource_template),
                               .uri_template = "test://item/{id}",
                               .name = "item",
                               .description = "One item",
                               .mime_type = "text/plain",
                               .handler = on_read_item,
                               .complete = on_complete},
      NULL);
}

static int on_greet(mcp_call *call, void *userdata) {
  const char *name = mcp_call_string(call, "name");
  const char *style = mcp_call_string(call, "style");
  (void)userdata;
  if (name == NULL) {
    return MCP_ERR_INVALID;
  }
  mcp_call_set_description(call, "A greeting");
  mcp_call_add_textf(call, "Greet %s %s", name,
                     style != NULL ? style : "kindly");
  return mcp_call_reply(call);
}

static int on_rich(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_add_content(call, &(mcp_content){.size = sizeof(mcp_content),
                                            .type = MCP_CONTENT_RESOURCE,
                                            .uri = "test://text",
                                            .mime_type = "text/plain",
                                            .text = "hello"});
  mcp_call_set_role(call, MCP_ROLE_ASSISTANT);
  mcp_call_add_text(call, "What next?");
  mcp_call_set_role(call, MCP_ROLE_USER);
  mcp_call_add_image(call, "\x89PNG", 4, "image/png");
  return mcp_call_reply(call);
}

static void add_prompts(server_self *me) {
  const mcp_prompt_argument arguments[] = {
      {.name = "name", .description = "Whom", .required = 1},
      {.name = "style", .title = "Style"}};
  mcp_server_add_prompt(me->server,
                        &(mcp_prompt){.size = sizeof(mcp_prompt),
                                      .name = "greet",
                                      .title = "Greeting",
                                      .description = "Greets somebody",
                                      .arguments = arguments,
                                      .argument_count = 2,
                                      .handler = on_greet,
                                      .complete = on_complete},
                        NULL);
  mcp_server_add_prompt(me->server,
                        &(mcp_prompt){.size = sizeof(mcp_prompt),
                                      .name = "rich",
                                      .description = "Several messages",
                                      .handler = on_rich},
                        NULL);
}

void server_add_samples(server_self *me) {
  add_tools(me);
  add_resources(me);
  add_prompts(me);
  mcp_server_enable_logging(me->server);
}
