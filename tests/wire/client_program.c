/* SPDX-License-Identifier: MIT */
/* The client that transcripts drive: every request, and handlers that answer
 * at once by what the question says. */
#include "transcript.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct self {
  mcp_client *client;
  uint64_t last_request;
} self;

/* Requests that have begun and not completed: there is one client at a time. */
static int in_flight;

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

/* A verb's name as the userdata of its completion, which only reads it. */
#define NAME(literal) ((void *)(uintptr_t)(literal))

static const char *json_text(mcp_builder *builder, const mcp_json *value) {
  mcp_builder_clear(builder);
  mcp_builder_value(builder, NULL, value);
  return mcp_builder_text(builder, NULL);
}

/* "= VERB status result", the result as JSON. */
static void saw_outcome(const char *verb, const mcp_outcome *outcome) {
  mcp_builder *builder = mcp_builder_new(NULL);
  const char *name = mcp_error_name(outcome->status);
  if (outcome->status == 0) {
    transcript_saw("%s ok %d %s", verb, (int)mcp_result_count(outcome->result),
                   json_text(builder, mcp_result_json(outcome->result)));
  } else if (outcome->status == MCP_ERR_REMOTE) {
    transcript_saw("%s %s %d %s %s", verb, name, (int)outcome->error->status,
                   outcome->error->message,
                   json_text(builder, outcome->error_data));
  } else {
    transcript_saw("%s %s sent=%d %s", verb, name, (int)outcome->was_sent,
                   outcome->error->message);
  }
  mcp_builder_free(builder);
}

static void on_done(mcp_client *client, const mcp_outcome *outcome,
                    void *userdata) {
  (void)client;
  check(in_flight-- > 0);
  saw_outcome(userdata, outcome);
}

static void on_connected(mcp_client *client, const mcp_outcome *outcome,
                         void *userdata) {
  (void)userdata;
  check(in_flight-- > 0);
  saw_outcome("connect", outcome);
  const char *verdict = mcp_client_verdict(client);
  transcript_saw("verdict %s", verdict != NULL ? verdict : "none");
}

static void on_progress(mcp_client *client, double progress, double total,
                        const char *message, void *userdata) {
  (void)client;
  (void)userdata;
  transcript_saw("progress %g of %g %s", progress, total,
                 message != NULL ? message : "");
}

static void on_elicit(mcp_question *question, void *userdata) {
  (void)userdata;
  const mcp_json *params = mcp_question_params(question);
  const char *message = mcp_json_string(mcp_json_get(params, "message"));
  message = message != NULL ? message : "";
  transcript_saw("asked %s", message);
  mcp_error err = {0};
  if (strstr(message, "decline") != NULL) {
    mcp_question_decline(question);
  } else if (strstr(message, "cancel") != NULL) {
    mcp_question_cancel(question);
  } else if (strstr(message, "fail") != NULL) {
    mcp_question_fail(question, MCP_RPC_INTERNAL_ERROR, "no terminal");
  } else if (mcp_json_get(params, "url") != NULL) {
    mcp_question_accept(question, NULL, &err);
  } else if (mcp_question_accept(question, "{\"name\":\"Ada\"}", &err) != 0) {
    transcript_saw("refused %s", err.message);
    mcp_question_cancel(question);
  }
}

static void on_sample(mcp_question *question, void *userdata) {
  (void)userdata;
  transcript_saw("sampling");
  mcp_question_answer(question,
                      "{\"role\":\"assistant\",\"content\":{\"type\":\"text\","
                      "\"text\":\"Paris\"},\"model\":\"m\"}",
                      NULL);
}

/* With the option `handlers=later`: it waits for the command `accept`. */
static mcp_question *asked;

static void on_asked(mcp_question *question, void *userdata) {
  (void)userdata;
  transcript_saw("asked later %s", mcp_question_method(question));
  if (asked != NULL) {
    mcp_question_decline(question);
  } else {
    asked = question;
  }
}

/* Whether the question is still there, by what answering it returned. */
static int is_open(int rc) {
  return rc == MCP_ERR_INVALID || rc == MCP_ERR_SCHEMA;
}

static void answer_asked(const char *content) {
  mcp_question *question = asked;
  mcp_error err = {0};
  asked = NULL;
  if (question == NULL) {
    return;
  }
  transcript_saw("is cancelled %d", mcp_question_is_cancelled(question));
  int rc = mcp_question_accept(question, content, &err);
  rc = is_open(rc) ? mcp_question_answer(question, content, NULL) : rc;
  if (is_open(rc)) {
    mcp_question_fail(question, 7, "no answer");
  }
}

static void on_log(mcp_client *client, int level, const char *logger,
                   const mcp_json *data, void *userdata) {
  (void)client;
  (void)userdata;
  mcp_builder *builder = mcp_builder_new(NULL);
  transcript_saw("log %d %s %s", level, logger != NULL ? logger : "-",
                 json_text(builder, data));
  mcp_builder_free(builder);
}

static void on_list_changed(mcp_client *client, const char *list,
                            void *userdata) {
  (void)client;
  (void)userdata;
  transcript_saw("changed %s", list);
}

static void on_updated(mcp_client *client, const char *uri, void *userdata) {
  (void)client;
  (void)userdata;
  transcript_saw("updated %s", uri);
}

static void on_elicited(mcp_client *client, const char *id, void *userdata) {
  (void)client;
  (void)userdata;
  transcript_saw("elicited %s", id);
}

static void on_notification(mcp_client *client, const char *method,
                            const mcp_json *params, void *userdata) {
  (void)client;
  (void)params;
  (void)userdata;
  transcript_saw("notified %s", method);
}

static void on_error(mcp_client *client, const mcp_error *err, void *userdata) {
  (void)client;
  (void)userdata;
  transcript_saw("error %s: %s", mcp_error_name(err->code), err->message);
}

static void on_closed(mcp_client *client, const mcp_error *err,
                      void *userdata) {
  (void)client;
  (void)err;
  (void)userdata;
  transcript_saw("closed");
}

static void on_open(mcp_client *client, const mcp_json *granted,
                    void *userdata) {
  (void)client;
  (void)userdata;
  mcp_builder *builder = mcp_builder_new(NULL);
  transcript_saw("listening %s", json_text(builder, granted));
  mcp_builder_free(builder);
}

static void set_option(mcp_client_options *options, const char *text) {
  if (strcmp(text, "policy=legacy") == 0) {
    options->policy = MCP_POLICY_LEGACY;
  } else if (strcmp(text, "policy=modern") == 0) {
    options->policy = MCP_POLICY_MODERN;
  } else if (strcmp(text, "policy=auto") == 0) {
    options->revision = NULL;
  } else if (strncmp(text, "verdict=", 8) == 0) {
    options->verdict = text + 8;
    options->revision = NULL;
  } else if (strcmp(text, "handlers=none") == 0) {
    options->on_elicit = NULL;
    options->on_sample = NULL;
    options->can_elicit_url = 0;
  } else if (strcmp(text, "log=info") == 0) {
    options->log_level = MCP_LOG_INFO;
  } else if (strcmp(text, "defaults") == 0) {
    options->apply_defaults = 1;
  } else if (strcmp(text, "handlers=later") == 0) {
    options->on_elicit = on_asked;
    options->on_sample = on_asked;
    options->on_roots = on_asked;
    options->can_sample_tools = 1;
    options->can_sample_context = 1;
  } else if (strcmp(text, "url=any") == 0) {
    options->any_elicit_url = 1;
  } else if (strcmp(text, "described") == 0) {
    static const mcp_icon icon = {"https://example.com/c.png", "image/png",
                                  "48x48 96x96", "dark"};
    static const char *const extensions[] = {"com.example/reports", "{\"a\":1}",
                                             NULL};
    static const char *const types[] = {"com.example/task", NULL};
    options->title = "A client";
    options->description = "For transcripts";
    options->website_url = "https://example.com/";
    options->icons = &icon;
    options->icon_count = 1;
    options->extensions = extensions;
    options->result_types = types;
  } else if (strncmp(text, "max_list=", 9) == 0) {
    options->max_list = strtoul(text + 9, NULL, 10);
  } else if (strncmp(text, "max_cache=", 10) == 0) {
    options->max_cache = strtoul(text + 10, NULL, 10);
  } else if (strncmp(text, "ping=", 5) == 0) {
    options->ping_interval_ms = (uint32_t)strtoul(text + 5, NULL, 10);
  }
}

static void *start(mcp_loop *loop, mcp_transport *end, const char *revision,
                   char **options, size_t option_count) {
  self *me = calloc(1, sizeof *me);
  mcp_client_options config = {.size = sizeof(mcp_client_options),
                               .revision = revision,
                               .userdata = me,
                               .on_elicit = on_elicit,
                               .can_elicit_url = 1,
                               .on_sample = on_sample,
                               .on_log = on_log,
                               .on_list_changed = on_list_changed,
                               .on_resource_updated = on_updated,
                               .on_elicitation_complete = on_elicited,
                               .on_notification = on_notification,
                               .on_error = on_error,
                               .on_closed = on_closed};
  int has_roots = 1;
  for (size_t i = 0; i < option_count; i++) {
    set_option(&config, options[i]);
    has_roots &= strcmp(options[i], "handlers=none") != 0;
    end = transcript_wrap(loop, end, options[i], 0);
  }
  mcp_error err = {0};
  me->client = mcp_client_new(loop, "wire", "1.0.0", &config, &err);
  if (me->client == NULL) {
    transcript_saw("configure: %s", err.message);
  }
  if (has_roots) {
    mcp_client_set_roots(
        me->client, "[{\"uri\":\"file:///home/ada\",\"name\":\"home\"}]", NULL);
  }
  in_flight = 1;
  if (mcp_client_connect(me->client, end, on_connected, NULL, &err) != 0) {
    in_flight = 0;
    transcript_saw("connect: %s", err.message);
  }
  return me;
}

/* Splits "a b c" into at most `max` words, the last one with the rest. */
static int split(char *line, char **words, int max) {
  int count = 0;
  while (count < max && *line != '\0') {
    words[count++] = line;
    char *blank = count < max ? strchr(line, ' ') : NULL;
    if (blank == NULL) {
      break;
    }
    *blank = '\0';
    line = blank + 1;
  }
  for (int i = count; i < max; i++) {
    words[i] = NULL;
  }
  return count;
}

typedef int (*list_function)(mcp_client *, const mcp_request_options *,
                             mcp_done_cb, void *, mcp_error *);

static int run_list(self *me, const char *verb) {
  static const struct {
    const char *verb;
    list_function run;
  } lists[] = {{"list_tools", mcp_client_list_tools},
               {"list_resources", mcp_client_list_resources},
               {"list_templates", mcp_client_list_resource_templates},
               {"list_prompts", mcp_client_list_prompts},
               {"ping", mcp_client_ping},
               {"discover", mcp_client_discover}};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    if (strcmp(verb, lists[i].verb) == 0) {
      return lists[i].run(me->client, NULL, on_done, NAME(lists[i].verb), NULL);
    }
  }
  return MCP_ERR_NOT_FOUND;
}

static int run_listen(self *me, const char *uri) {
  const char *uris[] = {uri, NULL};
  return mcp_client_listen(
      me->client,
      &(mcp_listen){.size = sizeof(mcp_listen),
                    .tools = 1,
                    .prompts = 1,
                    .resources = 1,
                    .once = 1,
                    .uris = uri != NULL ? uris : NULL},
      &(mcp_request_options){.size = sizeof(mcp_request_options),
                             .request = &me->last_request},
      on_open, on_done, NAME("listen"), NULL);
}

static int run_call(self *me, char **words, int wants_progress) {
  return mcp_client_call_tool(
      me->client, words[1], words[2],
      &(mcp_request_options){.size = sizeof(mcp_request_options),
                             .on_progress = wants_progress ? on_progress : NULL,
                             .request = &me->last_request},
      on_done, NAME("call_tool"), NULL);
}

/* With all that can be said of a request. */
static int run_call_with(self *me, char **words) {
  return mcp_client_call_tool(
      me->client, words[1], words[2],
      &(mcp_request_options){.size = sizeof(mcp_request_options),
                             .timeout_ms = 5000,
                             .max_ms = 9000,
                             .meta = "{\"com.example/trace\":\"t\"}",
                             .on_progress = on_progress,
                             .is_idempotent = 1,
                             .no_cache = 1,
                             .request = &me->last_request},
      on_done, NAME("call_with"), NULL);
}

/* Opened again when it ends. */
static int run_listen_on(self *me, const char *uri) {
  const char *uris[] = {uri, NULL};
  return mcp_client_listen(
      me->client,
      &(mcp_listen){.size = sizeof(mcp_listen),
                    .tools = 1,
                    .prompts = 1,
                    .uris = uri != NULL ? uris : NULL,
                    .more = "\"com.example/x\":true"},
      &(mcp_request_options){.size = sizeof(mcp_request_options),
                             .request = &me->last_request},
      on_open, on_done, NAME("listen_on"), NULL);
}

static void describe(const mcp_client *client) {
  const char *revision = mcp_client_revision(client);
  const char *says = mcp_client_instructions(client);
  const char *id = mcp_client_session_id(client);
  transcript_saw("%s %s session %s: %d members, %d capabilities, tools %d",
                 revision != NULL ? revision : "none", says != NULL ? says : "",
                 id != NULL ? id : "none",
                 (int)mcp_json_size(mcp_client_server_info(client)),
                 (int)mcp_json_size(mcp_client_server_capabilities(client)),
                 mcp_client_server_has(client, "tools.listChanged"));
}

static int run_verb(self *me, char **w) {
  mcp_client *client = me->client;
  const char *verb = w[0];
  if (strcmp(verb, "call_tool") == 0) {
    return run_call(me, w, 0);
  } else if (strcmp(verb, "call_tool_progress") == 0) {
    return run_call(me, w, 1);
  } else if (strcmp(verb, "call_with") == 0) {
    return run_call_with(me, w);
  } else if (strcmp(verb, "listen_on") == 0) {
    return run_listen_on(me, w[1]);
  } else if (strcmp(verb, "read") == 0) {
    return mcp_client_read_resource(client, w[1], NULL, on_done, NAME("read"),
                                    NULL);
  } else if (strcmp(verb, "prompt") == 0) {
    return mcp_client_get_prompt(client, w[1], w[2], NULL, on_done,
                                 NAME("prompt"), NULL);
  } else if (strcmp(verb, "complete") == 0) {
    return mcp_client_complete(client, "ref/prompt", w[1], w[2], "al",
                               "{\"style\":\"x\"}", NULL, on_done,
                               NAME("complete"), NULL);
  } else if (strcmp(verb, "subscribe") == 0) {
    return mcp_client_subscribe(client, w[1], NULL, on_done, NAME("subscribe"),
                                NULL);
  } else if (strcmp(verb, "unsubscribe") == 0) {
    return mcp_client_unsubscribe(client, w[1], NULL, on_done,
                                  NAME("unsubscribe"), NULL);
  } else if (strcmp(verb, "set_log_level") == 0) {
    return mcp_client_set_log_level(client, w[1] != NULL ? atoi(w[1]) : 0, NULL,
                                    on_done, NAME("set_log_level"), NULL);
  } else if (strcmp(verb, "listen") == 0) {
    return run_listen(me, w[1]);
  } else if (strcmp(verb, "request") == 0) {
    return mcp_client_request(client, w[1], w[2], NULL, on_done,
                              NAME("request"), NULL);
  } else if (strcmp(verb, "notify") == 0) {
    return mcp_client_notify(client, w[1], w[2], NULL);
  } else if (strcmp(verb, "cancel") == 0) {
    return mcp_client_cancel(client, me->last_request, w[1]);
  } else if (strcmp(verb, "set_roots") == 0) {
    return mcp_client_set_roots(client, w[1], NULL);
  } else if (strcmp(verb, "close") == 0) {
    mcp_client_close(client);
    return 0;
  }
  return run_list(me, verb);
}

static int command(void *userdata, char *line) {
  char *words[3];
  if (split(line, words, 3) == 0) {
    return 0;
  }
  self *me = userdata;
  if (strcmp(words[0], "describe") == 0) {
    describe(me->client);
    return 1;
  }
  if (strcmp(words[0], "accept") == 0) {
    answer_asked(words[1]);
    return 1;
  }
  int is_request =
      strcmp(words[0], "notify") != 0 && strcmp(words[0], "cancel") != 0 &&
      strcmp(words[0], "set_roots") != 0 && strcmp(words[0], "close") != 0;
  in_flight += is_request;
  int rc = run_verb(me, words);
  in_flight -= is_request && rc != 0;
  if (rc != 0) {
    transcript_saw("%s %s", words[0], mcp_error_name(rc));
  }
  return 1;
}

static void stop(void *userdata) {
  self *me = userdata;
  mcp_client_free(me->client);
  answer_asked(NULL);
  check(in_flight == 0);
  free(me);
}

const program client_program = {start, command, stop, NULL};
