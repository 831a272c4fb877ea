/* SPDX-License-Identifier: MIT */
/* What a transcript has the server do, by lines with a "!": README.md lists
 * the commands. */
#include "server_program.h"

#include "transcript.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arguments ----------------------------------------------------------- */

/* Cuts a word off. "-" is NULL. */
static char *word_arg(char **rest) {
  char *word = *rest;
  size_t len = strcspn(word, " ");
  *rest = word + len + (word[len] == ' ');
  word[len] = '\0';
  return strcmp(word, "-") == 0 ? NULL : word;
}

static const char *or_null(const char *text) {
  return *text != '\0' ? text : NULL;
}

/* "NAME {members} | steps", of which the last two may be left out. */
typedef struct entry {
  char *name;
  mcp_doc *doc;
  const mcp_json *members;
  handler *handler;
  scratch scratch;
} entry;

/* Bytes of the object that text begins with, or 0. */
static size_t object_len(const char *text) {
  size_t len = 0;
  int depth = 0;
  int is_string = 0;
  for (; text[0] == '{' && text[len] != '\0'; len++) {
    if (text[len] == '"' && (len == 0 || text[len - 1] != '\\')) {
      is_string = !is_string;
    }
    depth += is_string ? 0 : text[len] == '{' ? 1 : text[len] == '}' ? -1 : 0;
    if (depth == 0) {
      return len + 1;
    }
  }
  return 0;
}

static void entry_init(entry *e, server_self *me, char *rest) {
  size_t name_len = strcspn(rest, " ");
  char *members = rest + name_len + (rest[name_len] == ' ');
  char *steps = strstr(members + object_len(members), "| ");
  memset(e, 0, sizeof *e);
  if (steps != NULL) {
    e->handler = handler_new(me, steps + 2);
    for (*steps = '\0'; steps > members && steps[-1] == ' '; steps--) {
      steps[-1] = '\0';
    }
  }
  e->name = word_arg(&rest);
  if (*rest != '\0' &&
      (e->doc = mcp_doc_parse(rest, strlen(rest), NULL, NULL, NULL)) == NULL) {
    transcript_saw("not JSON: %s", rest);
  }
  e->members = mcp_doc_root(e->doc);
}

static void entry_deinit(entry *e) {
  scratch_free(&e->scratch);
  mcp_doc_free(e->doc);
}

static const char *string_of(entry *e, const char *name) {
  return member_string(&e->scratch, e->members, name);
}

static const char *json_of(entry *e, const char *name) {
  return member_json(&e->scratch, e->members, name);
}

static uint32_t flag_of(const entry *e, const char *name) {
  return (uint32_t)mcp_json_bool(mcp_json_get(e->members, name));
}

static mcp_call_cb callback_of(const entry *e) {
  return e->handler != NULL ? handler_run : NULL;
}

/* ---- registering --------------------------------------------------------- */

static int add_tool(server_self *me, char *rest) {
  entry e;
  entry_init(&e, me, rest);
  const char *input = json_of(&e, "input");
  const char *output = json_of(&e, "output");
  mcp_tool tool = {.size = sizeof(mcp_tool),
                   .name = e.name,
                   .title = string_of(&e, "title"),
                   .description = string_of(&e, "description"),
                   .input = input != NULL ? MCP_SCHEMA_TEXT(input) : NULL,
                   .output = output != NULL ? MCP_SCHEMA_TEXT(output) : NULL,
                   .is_blocking =
                       me->may_block ? flag_of(&e, "is_blocking") : 0,
                   .meta = json_of(&e, "_meta"),
                   .task = server_task_support(string_of(&e, "task")),
                   .handler = callback_of(&e),
                   .userdata = e.handler,
                   .scopes = string_of(&e, "scopes")};
  const char *app = string_of(&e, "app");
  uint32_t visibility = (flag_of(&e, "for_model") ? MCP_VISIBLE_TO_MODEL : 0) |
                        (flag_of(&e, "for_app") ? MCP_VISIBLE_TO_APP : 0);
  int rc =
      app != NULL || visibility != 0
          ? mcp_server_add_app_tool(me->server, &tool, app, visibility, NULL)
          : mcp_server_add_tool(me->server, &tool, NULL);
  entry_deinit(&e);
  return rc;
}

static int add_prompt(server_self *me, char *rest) {
  entry e;
  entry_init(&e, me, rest);
  mcp_prompt_argument arguments[8];
  size_t count = 0;
  mcp_json_iter iter;
  const mcp_json *argument;
  mcp_json_iter_init(&iter, mcp_json_get(e.members, "arguments"));
  while (count < 8 && (argument = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const char *name = mcp_json_string(argument);
    int is_required = name != NULL && name[0] == '!';
    arguments[count++] =
        (mcp_prompt_argument){.name = name != NULL ? name + is_required : NULL,
                              .required = (uint32_t)is_required};
  }
  const char *complete = string_of(&e, "complete");
  handler_set_complete(e.handler, complete);
  mcp_prompt prompt = {.size = sizeof(mcp_prompt),
                       .name = e.name,
                       .title = string_of(&e, "title"),
                       .description = string_of(&e, "description"),
                       .arguments = count > 0 ? arguments : NULL,
                       .argument_count = count,
                       .handler = callback_of(&e),
                       .complete = complete != NULL ? handler_complete : NULL,
                       .scopes = string_of(&e, "scopes"),
                       .userdata = e.handler};
  int rc = mcp_server_add_prompt(me->server, &prompt, NULL);
  entry_deinit(&e);
  return rc;
}

static int add_resource(server_self *me, char *rest) {
  entry e;
  entry_init(&e, me, rest);
  const char *name = string_of(&e, "name");
  const char *data = string_of(&e, "data");
  mcp_resource resource = {.size = sizeof(mcp_resource),
                           .uri = e.name,
                           .name = name != NULL ? name : e.name,
                           .mime_type = string_of(&e, "mimeType"),
                           .meta = json_of(&e, "_meta"),
                           .content_meta = json_of(&e, "content_meta"),
                           .cache_ttl_ms = (uint64_t)mcp_json_int(
                               mcp_json_get(e.members, "cache_ttl_ms")),
                           .text = string_of(&e, "text"),
                           .data = data,
                           .data_len = data != NULL ? strlen(data) : 0,
                           .handler = callback_of(&e),
                           .scopes = string_of(&e, "scopes"),
                           .userdata = e.handler};
  int rc = mcp_server_add_resource(me->server, &resource, NULL);
  entry_deinit(&e);
  return rc;
}

enum { MAX_ORIGINS = 8 };

/* The strings of an array, with NULL at the end; NULL: there is no array. */
static const char *const *origins_of(const entry *e, const char *name,
                                     const char *origins[MAX_ORIGINS]) {
  const mcp_json *array = mcp_json_get(e->members, name);
  size_t count = 0;
  for (; count < mcp_json_size(array) && count < MAX_ORIGINS - 1; count++) {
    origins[count] = mcp_json_string(mcp_json_at(array, count));
  }
  origins[count] = NULL;
  return array != NULL ? origins : NULL;
}

static int add_app(server_self *me, char *rest) {
  entry e;
  entry_init(&e, me, rest);
  const char *connect[MAX_ORIGINS];
  const char *resource[MAX_ORIGINS];
  const char *frame[MAX_ORIGINS];
  const char *base_uri[MAX_ORIGINS];
  const char *data = string_of(&e, "data");
  const mcp_json *border = mcp_json_get(e.members, "border");
  mcp_app app = {
      .size = sizeof(mcp_app),
      .uri = e.name,
      .name = "App",
      .title = string_of(&e, "title"),
      .meta = json_of(&e, "_meta"),
      .html = string_of(&e, "html"),
      .data = data,
      .data_len = data != NULL ? strlen(data) : 0,
      .handler = callback_of(&e),
      .userdata = e.handler,
      .connect_domains = origins_of(&e, "connect_domains", connect),
      .resource_domains = origins_of(&e, "resource_domains", resource),
      .frame_domains = origins_of(&e, "frame_domains", frame),
      .base_uri_domains = origins_of(&e, "base_uri_domains", base_uri),
      .domain = string_of(&e, "domain"),
      .permissions =
          (uint32_t)mcp_json_int(mcp_json_get(e.members, "permissions")),
      .border = border == NULL          ? 0
                : mcp_json_bool(border) ? MCP_APP_BORDER
                                        : MCP_APP_NO_BORDER};
  int rc = mcp_server_add_app(me->server, &app, NULL);
  entry_deinit(&e);
  return rc;
}

static int add_template(server_self *me, char *rest) {
  entry e;
  entry_init(&e, me, rest);
  const char *complete = string_of(&e, "complete");
  handler_set_complete(e.handler, complete);
  mcp_resource_template tpl = {.size = sizeof(mcp_resource_template),
                               .uri_template = e.name,
                               .name = "template",
                               .mime_type = string_of(&e, "mimeType"),
                               .content_meta = json_of(&e, "content_meta"),
                               .handler = callback_of(&e),
                               .complete =
                                   complete != NULL ? handler_complete : NULL,
                               .scopes = string_of(&e, "scopes"),
                               .userdata = e.handler};
  int rc = mcp_server_add_resource_template(me->server, &tpl, NULL);
  entry_deinit(&e);
  return rc;
}

static int add_method(server_self *me, char *rest) {
  entry e;
  entry_init(&e, me, rest);
  const char *params = json_of(&e, "params");
  mcp_method method = {
      .size = sizeof(mcp_method),
      .name = e.name,
      .first_revision = string_of(&e, "first_revision"),
      .last_revision = string_of(&e, "last_revision"),
      .extension = string_of(&e, "extension"),
      .params = params != NULL ? MCP_SCHEMA_TEXT(params) : NULL,
      .handler = callback_of(&e),
      .userdata = e.handler,
      .is_notification = flag_of(&e, "is_notification"),
      .is_blocking = me->may_block ? flag_of(&e, "is_blocking") : 0,
      .name_member = string_of(&e, "name_member")};
  int rc = mcp_server_add_method(me->server, &method, NULL);
  entry_deinit(&e);
  return rc;
}

static int add_extension(server_self *me, char *rest) {
  const char *id = word_arg(&rest);
  return mcp_server_add_extension(me->server, id, or_null(rest), NULL);
}

static int add_experimental(server_self *me, char *rest) {
  const char *id = word_arg(&rest);
  return mcp_server_add_experimental(me->server, id, or_null(rest), NULL);
}

static int add_filter(server_self *me, char *rest) {
  return mcp_server_add_listen_filter(me->server, rest, NULL);
}

/* Filter, extension or -. */
static int add_values(server_self *me, char *rest) {
  const char *filter = word_arg(&rest);
  return mcp_server_add_listen_values(me->server, filter, or_null(rest), NULL);
}

static int remove_tool(server_self *me, char *rest) {
  return mcp_server_remove_tool(me->server, rest);
}

static int remove_prompt(server_self *me, char *rest) {
  return mcp_server_remove_prompt(me->server, rest);
}

static int remove_resource(server_self *me, char *rest) {
  return mcp_server_remove_resource(me->server, rest);
}

static int remove_template(server_self *me, char *rest) {
  return mcp_server_remove_resource_template(me->server, rest);
}

static int enable_logging(server_self *me, char *rest) {
  (void)rest;
  return mcp_server_enable_logging(me->server);
}

/* ---- telling clients ----------------------------------------------------- */

static int updated(server_self *me, char *rest) {
  return mcp_server_resource_updated(me->server, rest);
}

static int log_warning(server_self *me, char *rest) {
  return mcp_server_log(me->server, MCP_LOG_WARNING, "wire", rest);
}

int server_log_level(const char *name) {
  static const char *const levels[] = {"debug",   "info",     "notice",
                                       "warning", "error",    "critical",
                                       "alert",   "emergency"};
  for (int i = 0; name != NULL && i < 8; i++) {
    if (strcmp(levels[i], name) == 0) {
      return MCP_LOG_DEBUG + i;
    }
  }
  return name != NULL ? (int)strtol(name, NULL, 10) : 0;
}

/* Level, logger or -, JSON. */
static int log_at(server_self *me, char *rest) {
  const char *level = word_arg(&rest);
  const char *logger = word_arg(&rest);
  return mcp_server_log(me->server, server_log_level(level), logger,
                        or_null(rest));
}

/* Filter, method, params. */
static int notify_filter(server_self *me, char *rest) {
  const char *filter = word_arg(&rest);
  const char *method = word_arg(&rest);
  return mcp_server_notify_listeners(me->server, filter, method, or_null(rest));
}

/* Filter, value, principal or -, method, params. */
static int notify_value(server_self *me, char *rest) {
  const char *filter = word_arg(&rest);
  const char *value = word_arg(&rest);
  const char *principal = word_arg(&rest);
  const char *method = word_arg(&rest);
  return mcp_server_notify_listeners_of(me->server, filter, value, principal,
                                        method, or_null(rest));
}

static int notify_reports(server_self *me, char *rest) {
  int rc = mcp_server_notify_listeners(me->server, "reportsChanged",
                                       "com.example/changed", rest);
  transcript_saw("notify %s", mcp_error_name(rc));
  return 0;
}

/* Method, params. */
static int notify(server_self *me, char *rest) {
  const char *method = word_arg(&rest);
  return mcp_session_notify(me->session, method, or_null(rest));
}

static int notify_session(server_self *me, char *rest) {
  if (me->session != NULL) {
    int rc = mcp_session_notify(me->session, "com.example/changed", rest);
    transcript_saw(
        "notify %s %d %d", mcp_error_name(rc),
        (int)mcp_json_size(mcp_session_client_info(me->session)),
        (int)mcp_json_size(mcp_session_client_capabilities(me->session)));
  }
  return 0;
}

static int elicited(server_self *me, char *rest) {
  return me->session != NULL
             ? mcp_session_elicitation_complete(me->session, rest)
             : 0;
}

static void saw_roots(mcp_session *session, const mcp_json *roots,
                      void *userdata) {
  (void)session;
  (void)userdata;
  transcript_saw("%d roots", (int)mcp_json_size(roots));
}

static int watch_roots(server_self *me, char *rest) {
  return mcp_server_on_roots(me->server,
                             strcmp(rest, "no") == 0 ? NULL : saw_roots, NULL);
}

/* ---- calls and connections ----------------------------------------------- */

static int answer(server_self *me, char *rest) {
  mcp_call *call = me->deferred;
  me->deferred = NULL;
  if (call != NULL) {
    int rc = mcp_call_reply_text(call, rest);
    transcript_saw("answer %s", mcp_error_name(rc));
    if (rc == MCP_ERR_INVALID) {
      mcp_call_drop(call); /* the text is not UTF-8: there was no reply */
    }
  }
  return 0;
}

static int drop(server_self *me, char *rest) {
  (void)rest;
  mcp_call_drop(me->deferred);
  me->deferred = NULL;
  return 0;
}

static int finish(server_self *me, char *rest) {
  (void)me;
  server_finish(rest);
  return 0;
}

/* "N | steps": what is done with the Nth kept call. */
static int with_call(server_self *me, char *rest) {
  char *steps = strstr(rest, "| ");
  if (steps != NULL) {
    handler_run_kept(me, strtoul(rest, NULL, 10), steps + 2);
  }
  return 0;
}

/* The client of a number; NULL: it is not connected. */
static server_client *client_of(server_self *me, const char *number) {
  size_t n = number != NULL ? strtoul(number, NULL, 10) : 0;
  return n > 0 && n <= SERVER_MAX_CLIENTS ? &me->clients[n - 1] : NULL;
}

/* Number, milliseconds for the calls in flight. */
static int close_client(server_self *me, char *rest) {
  const server_client *client = client_of(me, word_arg(&rest));
  if (client != NULL) {
    mcp_connection_close(client->connection, (uint32_t)strtoul(rest, NULL, 10));
  }
  return 0;
}

/* The program's end of the pair to a client; NULL: there is no pair. */
static mcp_transport *pair_end(server_self *me, const char *number) {
  const server_client *client = client_of(me, number);
  return client != NULL && server_program_has_pairs ? client->end : NULL;
}

/* The client of that number stops sending, but still reads. */
static int end_input(server_self *me, char *rest) {
  mcp_transport *end = pair_end(me, rest);
  if (end != NULL) {
    end->on_end(end);
  }
  return 0;
}

static size_t many_queued(mcp_transport *transport) {
  (void)transport;
  return 1024 * 1024 + 1;
}

/* The client of that number reads too slowly. */
static int slow(server_self *me, char *rest) {
  mcp_transport *end = pair_end(me, rest);
  if (end != NULL) {
    end->queued = many_queued;
  }
  return 0;
}

static int refuse_send(mcp_transport *transport, const char *message,
                       size_t len, const mcp_send_info *info) {
  (void)transport;
  (void)message;
  (void)len;
  (void)info;
  return MCP_ERR_LIMIT;
}

/* The client of that number does not read at all, and its queue is full. */
static int stuck(server_self *me, char *rest) {
  mcp_transport *end = pair_end(me, rest);
  if (end != NULL) {
    end->send = refuse_send;
  }
  return 0;
}

static int count_connections(server_self *me, char *rest) {
  (void)rest;
  transcript_saw("%zu connections", mcp_server_connection_count(me->server));
  return 0;
}

static int drain(server_self *me, char *rest) {
  mcp_server_drain(me->server, (uint32_t)strtoul(rest, NULL, 10));
  return 0;
}

static int free_server(server_self *me, char *rest) {
  (void)rest;
  mcp_server_free(me->server);
  me->server = NULL;
  return 0;
}

/* The first failure to register something. */
static int show_error(server_self *me, char *rest) {
  const mcp_error *err = mcp_server_error(me->server);
  (void)rest;
  transcript_saw("error %s", err != NULL ? err->message : "none");
  return 0;
}

/* ---- samples ------------------------------------------------------------- */

static int add_sum(server_self *me, char *rest) {
  return mcp_server_add_tool(me->server,
                             &(mcp_tool){.size = sizeof(mcp_tool),
                                         .name = rest,
                                         .handler = server_on_add},
                             NULL);
}

static int add_route(server_self *me, char *rest) {
  (void)rest;
  server_add_route(me->server);
  return 0;
}

static int add_schemas(server_self *me, char *rest) {
  (void)rest;
  server_add_schemas(me->server);
  return 0;
}

static int add_booleans(server_self *me, char *rest) {
  (void)rest;
  server_add_booleans(me->server);
  return 0;
}

static int add_more(server_self *me, char *rest) {
  (void)rest;
  server_add_more(me->server);
  return 0;
}

static int add_methods(server_self *me, char *rest) {
  (void)rest;
  server_add_methods(me->server);
  return 0;
}

/* ---- the table ----------------------------------------------------------- */

static const struct command {
  const char *name;
  int (*run)(server_self *me, char *rest);
} commands[] = {{"add_booleans", add_booleans},
                {"add_experimental", add_experimental},
                {"add_extension", add_extension},
                {"add_filter", add_filter},
                {"add_methods", add_methods},
                {"add_more", add_more},
                {"add_route", add_route},
                {"add_schemas", add_schemas},
                {"add_tool", add_sum},
                {"add_values", add_values},
                {"answer", answer},
                {"app", add_app},
                {"call", with_call},
                {"close", close_client},
                {"connections", count_connections},
                {"drain", drain},
                {"drop", drop},
                {"elicited", elicited},
                {"enable_logging", enable_logging},
                {"enable_tasks", server_enable_tasks},
                {"end_input", end_input},
                {"error", show_error},
                {"finish", finish},
                {"free_server", free_server},
                {"log", log_warning},
                {"log_at", log_at},
                {"method", add_method},
                {"notify", notify},
                {"notify_filter", notify_filter},
                {"notify_listeners", notify_reports},
                {"notify_session", notify_session},
                {"notify_value", notify_value},
                {"prompt", add_prompt},
                {"remove_prompt", remove_prompt},
                {"remove_resource", remove_resource},
                {"remove_template", remove_template},
                {"remove_tool", remove_tool},
                {"resource", add_resource},
                {"skills", server_skills},
                {"slow", slow},
                {"stuck", stuck},
                {"template", add_template},
                {"tool", add_tool},
                {"updated", updated},
                {"watch_roots", watch_roots}};

void server_saw_code(const char *name, int rc) {
  transcript_saw("%s %s", name, mcp_error_name(rc));
}

int server_command(server_self *me, char *line) {
  char *rest = line;
  const char *name = word_arg(&rest);
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    if (name != NULL && strcmp(commands[i].name, name) == 0) {
      int rc = commands[i].run(me, rest);
      if (rc != 0) {
        server_saw_code(commands[i].name, rc);
      }
      return 1;
    }
  }
  return 0;
}

int server_run_command(void *self, char *line) {
  return server_command(self, line);
}
