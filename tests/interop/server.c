/* SPDX-License-Identifier: MIT */
/* A server for other people's clients: what workbench-server does not do. */
#include "tools.h"

#include <mcp/mcp.h>
#include <stdio.h>
#include <string.h>

#define NOTE "note://today"

typedef struct state {
  mcp_server *server;
  int grown; /* tools added by `grow` */
} state;

/* ---- content ----------------------------------------------------------- */

static int on_media(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_add_text(call, "tab\t, quote\", \xe2\x82\xac, \xf0\x9f\x98\x80");
  mcp_call_add_image(call, "\x89PNG", 4, "image/png");
  mcp_call_add_audio(call, "RIFF", 4, "audio/wav");
  mcp_call_add_content(call, &(mcp_content){.size = sizeof(mcp_content),
                                            .type = MCP_CONTENT_RESOURCE,
                                            .uri = "note://inside",
                                            .mime_type = "text/plain",
                                            .text = "inside"});
  mcp_call_add_content(call, &(mcp_content){.size = sizeof(mcp_content),
                                            .type = MCP_CONTENT_RESOURCE_LINK,
                                            .uri = NOTE,
                                            .name = "today"});
  return mcp_call_reply(call);
}

/* Echoes its arguments as they came, digit by digit. */
static int on_echo(mcp_call *call, void *userdata) {
  (void)userdata;
  char *text = mcp_json_to_text(mcp_call_arguments(call), NULL);
  int rc = text != NULL ? mcp_call_reply_structured(call, text) : MCP_ERR_NOMEM;
  mcp_text_free(text);
  return rc;
}

/* ---- cancellation, logs, changes --------------------------------------- */

static int on_wait(mcp_call *call, void *userdata) {
  (void)userdata;
  return tool_wait(call, 0);
}

static int on_log(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_logf(call, MCP_LOG_DEBUG, "too small to be sent");
  mcp_call_log(call, MCP_LOG_WARNING, "disk", MCP_JSON({"free": 0}));
  return mcp_call_reply_text(call, "logged");
}

static int on_grow(mcp_call *call, void *userdata) {
  state *me = userdata;
  char name[32];
  snprintf(name, sizeof(name), "grown_%d", ++me->grown);
  int rc = mcp_server_add_tool(me->server,
                               &(mcp_tool){.size = sizeof(mcp_tool),
                                           .name = name,
                                           .handler = tool_cancelled},
                               NULL);
  return rc != 0 ? rc : mcp_call_reply_text(call, name);
}

static int on_touch(mcp_call *call, void *userdata) {
  const state *me = userdata;
  int rc = mcp_server_resource_updated(me->server, NOTE);
  return rc != 0 ? rc : mcp_call_reply_text(call, "touched");
}

/* ---- questions --------------------------------------------------------- */

static int on_ask(mcp_call *call, void *userdata) {
  (void)userdata;
  return tool_ask_age(
      call, MCP_OBJECT(MCP_STRING("name", "Your name"),
                       MCP_BOOLEAN("polite", "Be greeted", .optional = 1)));
}

static int on_visit(mcp_call *call, void *userdata) {
  (void)userdata;
  static const char *const words[] = {"none", "accept", "decline", "cancel"};
  const mcp_json *answer;
  int rc = mcp_call_ask_url(call, "login", "Please log in",
                            "https://example.com/login", NULL, &answer);
  return rc != 0 ? rc
                 : mcp_call_reply_text(call, words[mcp_answer_action(answer)]);
}

/* Two questions of different kinds in one round. */
static int on_survey(mcp_call *call, void *userdata) {
  (void)userdata;
  const mcp_json *model;
  const mcp_json *roots;
  int first =
      mcp_call_ask_sample(call, "capital",
                          &(mcp_sampling){.size = sizeof(mcp_sampling),
                                          .prompt = "Capital of France?",
                                          .system_prompt = "Be brief",
                                          .max_tokens = 100},
                          &model);
  if (first != 0 && first != MCP_PENDING) {
    return first;
  }
  int second = mcp_call_ask_roots(call, "roots", &roots);
  if (first != 0 || second != 0) {
    return second != 0 ? second : first;
  }
  return mcp_call_reply_textf(
      call, "%s, %s", mcp_json_string(mcp_json_pointer(model, "/content/text")),
      mcp_json_string(mcp_json_pointer(roots, "/roots/0/uri")));
}

/* ---- resources and prompts --------------------------------------------- */

static int on_city(mcp_call *call, void *userdata) {
  const char *name = mcp_call_string(call, "name");
  char text[128];
  (void)userdata;
  if (name == NULL) {
    return MCP_ERR_INVALID;
  }
  snprintf(text, sizeof(text), "%.80s is a city", name);
  int rc = mcp_call_add_resource_text(call, NULL, NULL, text);
  return rc != 0 ? rc : mcp_call_reply(call);
}

static int complete_city(mcp_call *call, void *userdata) {
  static const char *const cities[] = {"Lagos", "Lima", "Lisbon", "Oslo"};
  const char *start = mcp_call_complete_value(call);
  (void)userdata;
  if (start == NULL) {
    return MCP_ERR_INVALID;
  }
  for (size_t i = 0; i < sizeof(cities) / sizeof(cities[0]); i++) {
    if (strncmp(cities[i], start, strlen(start)) == 0) {
      mcp_call_add_completion(call, cities[i]);
    }
  }
  return mcp_call_reply(call);
}

static int on_travel(mcp_call *call, void *userdata) {
  const char *city = mcp_call_string(call, "city");
  (void)userdata;
  if (city == NULL) {
    return MCP_ERR_INVALID;
  }
  mcp_call_set_description(call, "A journey");
  mcp_call_add_textf(call, "Plan a journey to %s.", city);
  mcp_call_set_role(call, MCP_ROLE_ASSISTANT);
  mcp_call_add_content(call, &(mcp_content){.size = sizeof(mcp_content),
                                            .type = MCP_CONTENT_RESOURCE,
                                            .uri = NOTE,
                                            .mime_type = "text/plain",
                                            .text = "Buy milk"});
  return mcp_call_reply(call);
}

/* ------------------------------------------------------------------------ */

static void add_tools(mcp_server *server, state *me) {
  static const struct {
    const char *name;
    mcp_call_cb handler;
  } tools[] = {
      {"media", on_media},
      {"fail", tool_fail},
      {"refuse", tool_refuse},
      {"wait", on_wait},
      {"log", on_log},
      {"grow", on_grow},
      {"cancelled", tool_cancelled},
      {"touch", on_touch},
      {"ask", on_ask},
      {"visit", on_visit},
      {"survey", on_survey},
      {"waiting", tool_waiting},
  };
  for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
    mcp_server_add_tool(server,
                        &(mcp_tool){.size = sizeof(mcp_tool),
                                    .name = tools[i].name,
                                    .handler = tools[i].handler,
                                    .userdata = me},
                        NULL);
  }
  mcp_server_add_tool(
      server, &(mcp_tool){.size = sizeof(mcp_tool),
                          .name = "echo",
                          .title = "Echo",
                          .hints = MCP_TOOL_READ_ONLY,
                          .input = MCP_SCHEMA_JSON({"type": "object"}),
                              .output = MCP_SCHEMA_JSON({"type": "object"}),
                                                        .handler = on_echo},
                              NULL);
}

static void add_others(mcp_server *server) {
  mcp_server_add_resource(server,
                          &(mcp_resource){.size = sizeof(mcp_resource),
                                          .uri = NOTE,
                                          .name = "today",
                                          .mime_type = "text/plain",
                                          .text = "Buy milk"},
                          NULL);
  mcp_server_add_resource(
      server,
      &(mcp_resource){.size = sizeof(mcp_resource),
                      .uri = "note://bytes",
                      .name = "bytes",
                      .mime_type = "application/octet-stream",
                      .data = "\0\xff\x80",
                      .data_len = 3},
      NULL);
  mcp_server_add_resource_template(
      server,
      &(mcp_resource_template){.size = sizeof(mcp_resource_template),
                               .uri_template = "city://{name}",
                               .name = "city",
                               .mime_type = "text/plain",
                               .handler = on_city,
                               .complete = complete_city},
      NULL);
  mcp_server_add_prompt(
      server,
      &(mcp_prompt){
          .size = sizeof(mcp_prompt),
          .name = "travel",
          .description = "Plans a journey",
          .arguments = (mcp_prompt_argument[]){{.name = "city", .required = 1}},
          .argument_count = 1,
          .handler = on_travel,
          .complete = complete_city},
      NULL);
}

int main(int argc, char **argv) {
  mcp_server *server =
      mcp_server_new("interop", "1.0.0",
                     &(mcp_server_options){.size = sizeof(mcp_server_options),
                                           .title = "Interop",
                                           .instructions = "Try everything.",
                                           .page_count = 5},
                     NULL);
  state me = {.server = server};
  mcp_server_enable_logging(server);
  add_tools(server, &me);
  add_others(server);
  return mcp_main(server, argc, argv);
}
