/* SPDX-License-Identifier: MIT */
/* The client that transcripts drive: how it starts and stops, and its handlers,
 * which answer at once by what the question says, or later. */
#include "client_program.h"

#include "setting.h"
#include "transcript.h"
#include <stdlib.h>
#include <string.h>

/* ---- questions ----------------------------------------------------------- */

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

/* With the option `handlers=later`: they wait for the command `answer`. */
static void on_asked(mcp_question *question, void *userdata) {
  client_self *me = userdata;
  if (me->question_count == CLIENT_MAX_QUESTIONS) {
    mcp_question_decline(question);
    return;
  }
  me->questions[me->question_count++] = question;
  transcript_saw("question %d %s", (int)me->question_count,
                 mcp_question_method(question));
}

/* ---- notifications ------------------------------------------------------- */

static void on_log(mcp_client *client, int level, const char *logger,
                   const mcp_json *data, void *userdata) {
  (void)client;
  (void)userdata;
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  transcript_saw("log %d %s %s", level, logger != NULL ? logger : "-",
                 client_json_text(builder, data));
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
  (void)userdata;
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  transcript_saw("notified %s %s", method, client_json_text(builder, params));
  mcp_builder_free(builder);
}

static void on_error(mcp_client *client, const mcp_error *err, void *userdata) {
  (void)client;
  (void)userdata;
  if (err->status != 0) {
    transcript_saw("error %s status=%d: %s", mcp_error_name(err->code),
                   (int)err->status, err->message);
  } else {
    transcript_saw("error %s: %s", mcp_error_name(err->code), err->message);
  }
}

static void on_closed(mcp_client *client, const mcp_error *err,
                      void *userdata) {
  (void)client;
  (void)userdata;
  transcript_saw("closed %s", err->code != 0 ? mcp_error_name(err->code) : "");
}

/* ---- start --------------------------------------------------------------- */

/* A limit or setting that an option of this name sets. */
#define SETTING(member) SETTING_OF(mcp_client_options, #member, member)

static void set_number(mcp_client_options *options, const char *text) {
  static const setting settings[] = {
      SETTING(any_elicit_url),     SETTING(apply_defaults),
      SETTING(can_elicit_url),     SETTING(can_sample_context),
      SETTING(can_sample_tools),   SETTING(connect_timeout_ms),
      SETTING(log_level),          SETTING(max_cache),
      SETTING(max_list),           SETTING(max_output_schemas),
      SETTING(max_pages),          SETTING(max_pending),
      SETTING(max_reopens),        SETTING(max_reports),
      SETTING(max_request_ms),     SETTING(max_rounds),
      SETTING(skip_cache),         SETTING(skip_output_check),
      SETTING(ping_interval_ms),   SETTING(probe_timeout_ms),
      SETTING(request_timeout_ms), SETTING(use_tasks)};
  setting_apply(settings, sizeof settings / sizeof settings[0], options, text);
}

static void describe(mcp_client_options *options) {
  static const mcp_icon icons[] = {
      {.src = "https://example.com/c.png",
       .mime_type = "image/png",
       .sizes = "48x48 96x96",
       .theme = "dark"},
      {.src = "https://example.com/c.svg", .sizes = " any"}};
  static const char *const extensions[] = {"com.example/reports", "{\"a\": 1}",
                                           "com.example/x", "{}", NULL};
  options->title = "A \"client\"";
  options->description = "For transcripts";
  options->website_url = "https://example.com/";
  options->icons = icons;
  options->icon_count = 2;
  options->extensions = extensions;
}

static void set_handlers(mcp_client_options *options, const char *which) {
  if (strcmp(which, "none") == 0) {
    options->on_elicit = NULL;
    options->on_sample = NULL;
    options->on_roots = NULL;
    options->can_elicit_url = 0;
  } else if (strcmp(which, "later") == 0) {
    options->on_elicit = on_asked;
    options->on_sample = on_asked;
    options->on_roots = on_asked;
  } else if (strcmp(which, "quiet") == 0) { /* nobody listens */
    *options = (mcp_client_options){.size = sizeof(mcp_client_options),
                                    .revision = options->revision};
  }
}

static void set_option(mcp_client_options *options, const char *text) {
  static const char *const types[] = {"com.example/task", "task", NULL};
  if (strcmp(text, "policy=legacy") == 0) {
    options->policy = MCP_POLICY_LEGACY;
  } else if (strcmp(text, "policy=modern") == 0) {
    options->policy = MCP_POLICY_MODERN;
  } else if (strcmp(text, "policy=auto") == 0) {
    options->policy = MCP_POLICY_AUTO;
    options->revision = NULL;
  } else if (strncmp(text, "verdict=", 8) == 0) {
    options->verdict = text + 8;
    options->revision = NULL;
  } else if (strncmp(text, "handlers=", 9) == 0) {
    set_handlers(options, text + 9);
  } else if (strcmp(text, "described") == 0) {
    describe(options);
  } else if (strcmp(text, "tasks") == 0) {
    options->result_types = types;
  } else {
    set_number(options, text);
  }
}

static void make_client(client_self *me, const char *revision) {
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
  mcp_error err = {0};
  for (size_t i = 0; i < me->option_count; i++) {
    set_option(&config, me->options[i]);
    has_roots &= strncmp(me->options[i], "handlers=", 9) != 0;
  }
  for (size_t i = 0; i < me->option_count; i++) {
    if (strcmp(me->options[i], "roots") == 0) {
      has_roots = 1;
      config.on_roots = NULL;
    }
  }
  me->client = mcp_client_new(me->loop, "wire", "1.0.0", &config, &err);
  if (me->client == NULL) {
    transcript_saw("configure: %s", err.message);
  }
  if (has_roots) {
    mcp_client_set_roots(
        me->client, "[{\"uri\":\"file:///home/ada\",\"name\":\"home\"}]", NULL);
  }
}

client_self *client_begin(mcp_loop *loop, const char *revision, char **options,
                          size_t option_count) {
  client_self *me = calloc(1, sizeof *me);
  me->loop = loop;
  me->options = options;
  me->option_count = option_count;
  make_client(me, revision != NULL && *revision != '\0' ? revision : NULL);
  return me;
}

static void *start(mcp_loop *loop, mcp_transport *end, const char *revision,
                   char **options, size_t option_count) {
  client_self *me = client_begin(loop, revision, options, option_count);
  client_connect(me, end);
  return me;
}

static void connect_again(void *userdata, mcp_transport *end, size_t number,
                          const char *words) {
  (void)number;
  (void)words;
  client_connect(userdata, end);
}

static void stop(void *userdata) {
  client_self *me = userdata;
  mcp_client_free(me->client);
  for (size_t i = 0; i < me->question_count; i++) {
    if (me->questions[i] != NULL) {
      mcp_question_decline(me->questions[i]);
    }
  }
  client_check_ended();
  free(me);
}

const program client_program = {start, client_run_command, stop, connect_again};
