/* SPDX-License-Identifier: MIT */
/* How the transcripts' server starts and stops: see server_program.h. */
#include "server_program.h"

#include "setting.h"
#include "transcript.h"
#include <stdlib.h>
#include <string.h>

const mcp_allocator *server_program_allocator;
int server_program_has_pairs;

/* ---- callbacks ----------------------------------------------------------- */

static void on_opened(mcp_server *server, mcp_session *session,
                      void *userdata) {
  server_self *me = userdata;
  (void)server;
  me->session = session;
  transcript_saw("opened %s", mcp_session_revision(session));
  if (me->when_opened != NULL) {
    char *line = strdup(me->when_opened);
    server_command(me, line);
    free(line);
  }
}

static void on_session_closed(mcp_server *server, mcp_session *session,
                              void *userdata) {
  (void)server;
  (void)session;
  ((server_self *)userdata)->session = NULL;
  transcript_saw("closed");
}

static void on_report(mcp_server *server, const mcp_error *err,
                      void *userdata) {
  (void)server;
  (void)userdata;
  transcript_saw("report %s: %s", mcp_error_name(err->code), err->message);
}

static int on_request(mcp_call *call, void *userdata) {
  const server_self *me = userdata;
  const char *name = mcp_call_name(call);
  if (me->shows_hooks) {
    transcript_saw("request %s", mcp_call_method(call));
  }
  if (name != NULL && strcmp(name, "forbidden") == 0) {
    mcp_call_reply_error(call, 403, "forbidden by policy", NULL);
    return MCP_ERR_REFUSED;
  }
  return name != NULL && strcmp(name, "refused") == 0 ? MCP_ERR_REFUSED : 0;
}

/* The reply to a call that becomes a task: its handler goes on. */
static int is_task_begun(const char *reply, size_t len) {
  mcp_doc *doc = mcp_doc_parse(reply, len, NULL, NULL, NULL);
  const mcp_json *result = mcp_json_get(mcp_doc_root(doc), "result");
  const char *type = mcp_json_string(mcp_json_get(result, "resultType"));
  int is_begun = mcp_json_get(result, "task") != NULL ||
                 (type != NULL && strcmp(type, "task") == 0);
  mcp_doc_free(doc);
  return is_begun;
}

static void on_reply(mcp_call *call, const char *reply, size_t len,
                     void *userdata) {
  server_self *me = userdata;
  if (!is_task_begun(reply, len)) {
    handler_forget(me, call);
  }
  if (me->shows_hooks) {
    transcript_saw("reply %.*s", (int)len, reply);
  }
}

static void on_closed(mcp_connection *connection, const mcp_error *err,
                      void *userdata) {
  server_client *client = userdata;
  (void)connection;
  (void)err;
  client->end = NULL;
  client->connection = NULL;
}

/* ---- start --------------------------------------------------------------- */

typedef struct config {
  mcp_server_options options;
  mcp_limits limits;
} config;

/* A member that the option of this name sets. */
#define SETTING(name) SETTING_OF(config, #name, options.name)
#define LIMIT(name) SETTING_OF(config, #name, limits.name)

static void set_option(config *made, const char *text) {
  static const setting settings[] = {
      LIMIT(ask_timeout_ms),  SETTING(cache_is_public),
      SETTING(cache_ttl_ms),  SETTING(eras),
      LIMIT(max_batch),       LIMIT(max_calls),
      LIMIT(max_depth),       LIMIT(max_kept_bytes),
      LIMIT(max_message),     LIMIT(max_reports),
      LIMIT(max_rounds),      LIMIT(max_subscriptions),
      LIMIT(max_total_calls), LIMIT(max_unreadable),
      LIMIT(max_values),      SETTING(page_bytes),
      SETTING(page_count),    LIMIT(ping_interval_ms),
      LIMIT(ping_timeout_ms)};
  setting_apply(settings, sizeof settings / sizeof settings[0], made, text);
}

static int has_option(char **options, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(options[i], name) == 0) {
      return 1;
    }
  }
  return 0;
}

static void make_server(server_self *me, char **options, size_t count) {
  int is_plain = has_option(options, count, "plain");
  config made;
  made.limits = (mcp_limits){.size = sizeof(mcp_limits),
                             .max_reports = 1000 /* time stands still */};
  made.options = (mcp_server_options){
      .size = sizeof(mcp_server_options),
      .limits = &made.limits,
      .allocator = server_program_allocator,
      .title = is_plain ? NULL : "Transcripts",
      .description = is_plain ? NULL : "A server of examples",
      .website_url = is_plain ? NULL : "https://example.com/",
      .instructions = is_plain ? NULL : "Be exact.",
      .cache_ttl_ms = is_plain ? 0 : 60000,
      .cache_is_public = !is_plain,
      .userdata = me,
      .on_report = on_report,
      .on_session_opened = on_opened,
      .on_session_closed = on_session_closed,
      .on_request = on_request,
      .on_reply = on_reply};
  mcp_error err = {0};
  for (size_t i = 0; i < count; i++) {
    set_option(&made, options[i]);
    me->may_block |= strncmp(options[i], "pool=", 5) == 0;
    if (strncmp(options[i], "when_opened=", 12) == 0) {
      free(me->when_opened);
      me->when_opened = strdup(options[i] + 12);
    }
  }
  me->shows_hooks = has_option(options, count, "hooks");
  me->server = mcp_server_new("wire", "1.0.0", &made.options, &err);
  if (me->server == NULL) {
    transcript_saw("configure: %s", err.message);
  }
}

/* The value of "name=value" among words; *len is its length, 0: there is
 * none. */
static const char *word_value(const char *words, const char *name,
                              size_t *len) {
  const char *at = strstr(words, name);
  at = at != NULL ? at + strlen(name) : words + strlen(words);
  *len = strcspn(at, " ");
  return at;
}

static void connect_client(void *userdata, mcp_transport *end, size_t number,
                           const char *words) {
  server_self *me = userdata;
  server_client *client = &me->clients[number - 1];
  mcp_connection_options options = {.size = sizeof(mcp_connection_options),
                                    .on_closed = on_closed,
                                    .userdata = client};
  size_t len;
  mcp_error err = {0};
  char *principal = strdup(word_value(words, "principal=", &len));
  principal[len] = '\0';
  options.principal = len > 0 ? principal : NULL;
  char *peer = strdup(word_value(words, "peer=", &len));
  peer[len] = '\0';
  options.peer = len > 0 ? peer : NULL;
  options.drain_ms =
      (uint32_t)strtoul(word_value(words, "drain_ms=", &len), NULL, 10);
  client->end = end;
  if (mcp_server_connect(me->server, me->loop, end, &options,
                         &client->connection, &err) != 0) {
    client->end = NULL;
    transcript_saw("connect: %s", err.message);
  }
  free(principal);
  free(peer);
}

static void *start(mcp_loop *loop, mcp_transport *end, const char *revision,
                   char **options, size_t option_count) {
  (void)revision;
  server_self *me = calloc(1, sizeof *me);
  const char *words = "";
  me->loop = loop;
  make_server(me, options, option_count);
  if (!has_option(options, option_count, "empty") &&
      !has_option(options, option_count, "plain")) {
    server_add_samples(me);
  }
  if (me->server != NULL && mcp_server_error(me->server) != NULL) {
    transcript_saw("error: %s", mcp_server_error(me->server)->message);
  }
  for (size_t i = 0; i < option_count; i++) {
    end = transcript_wrap(loop, end, options[i], 1);
    if (strncmp(options[i], "connect ", 8) == 0) {
      words = options[i] + 8;
    }
  }
  if (end != NULL) {
    connect_client(me, end, 1, words);
  }
  return me;
}

static void stop(void *userdata) {
  server_self *me = userdata;
  char command[] = "answer too late";
  mcp_server_free(me->server);
  me->server = NULL;
  server_command(me, command);
  server_finish("too late");
  handlers_free(me);
  free(me->when_opened);
  free(me);
}

mcp_server *server_program_server(void *userdata) {
  const server_self *me = userdata;
  return me->server;
}

const program server_program = {start, server_run_command, stop,
                                connect_client};
