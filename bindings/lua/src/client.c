/* SPDX-License-Identifier: MIT */
/* Clients. Each has a loop, which runs while a function waits for an answer.
 *
 * A client's userdata has one user value, the table of its functions (on_log
 * and others). Callbacks run inside a function of the client, whose Lua thread
 * is `state`. */
#include "binding.h"

#include <string.h>

typedef struct mcpl_client {
  mcp_loop *loop;
  mcp_client *client; /* NULL: it is closed */
  lua_State *state;
  int is_waiting;
  int result_count; /* results that need the loop */
} mcpl_client;

/* A request, and then what came of it. Its user value is the client: results
 * live in memory of the loop, which therefore goes after them. */
typedef struct mcpl_request {
  mcpl_client *owner;
  int is_done;
  mcp_result *result;
  mcp_error error;
  mcp_doc *error_data;
} mcpl_request;

/* ---- callbacks ---- */

/* An event: it calls a function of the program's with its values. */
typedef struct mcpl_event {
  const char *function;
  mcpl_client *self;
  void (*push)(lua_State *L, const struct mcpl_event *event);
  double progress;
  double total;
  const char *text;
  const mcp_json *json;
  int level;
  mcp_question *question;
} mcpl_event;

static int push_function(lua_State *L, const mcpl_event *event) {
  mcpl_recall(L, event->self);
  lua_getiuservalue(L, -1, 1);
  return lua_getfield(L, -1, event->function) == LUA_TFUNCTION;
}

static int run_event(lua_State *L) {
  const mcpl_event *event = lua_touserdata(L, 1);
  if (push_function(L, event)) {
    int before = lua_gettop(L);
    event->push(L, event);
    lua_call(L, lua_gettop(L) - before, 0);
  }
  return 0;
}

static void handle(mcpl_event *event, void *userdata) {
  event->self = userdata;
  mcpl_protected(event->self->state, run_event, event);
}

static void push_progress(lua_State *L, const mcpl_event *event) {
  lua_pushnumber(L, event->progress);
  lua_pushnumber(L, event->total);
  lua_pushstring(L, event->text);
}

static void on_progress(mcp_client *from, double progress, double total,
                        const char *message, void *userdata) {
  (void)from;
  handle(&(mcpl_event){.function = "on_progress",
                       .push = push_progress,
                       .progress = progress,
                       .total = total,
                       .text = message},
         userdata);
}

static void push_log(lua_State *L, const mcpl_event *event) {
  lua_pushstring(L, mcp_log_level_name(event->level));
  mcpl_push_json(L, event->json);
  lua_pushstring(L, event->text);
}

static void on_log(mcp_client *from, int level, const char *logger,
                   const mcp_json *data, void *userdata) {
  (void)from;
  handle(&(mcpl_event){.function = "on_log",
                       .push = push_log,
                       .level = level,
                       .json = data,
                       .text = logger},
         userdata);
}

static void push_event_text(lua_State *L, const mcpl_event *event) {
  lua_pushstring(L, event->text);
}

static void on_list_changed(mcp_client *from, const char *list,
                            void *userdata) {
  (void)from;
  handle(&(mcpl_event){.function = "on_list_changed",
                       .push = push_event_text,
                       .text = list},
         userdata);
}

static void on_resource_updated(mcp_client *from, const char *uri,
                                void *userdata) {
  (void)from;
  handle(&(mcpl_event){.function = "on_resource_updated",
                       .push = push_event_text,
                       .text = uri},
         userdata);
}

/* ---- questions of the server ---- */

/* on_elicit(params) returns the filled-in form, or nil: the user declines. */
static int answer_elicit(lua_State *L) {
  const mcpl_event *event = lua_touserdata(L, 1);
  push_function(L, event);
  mcpl_push_json(L, mcp_question_params(event->question));
  lua_call(L, 1, 1);
  if (!lua_toboolean(L, -1)) {
    mcp_question_decline(event->question);
    return 0;
  }
  mcp_error err = {0};
  const char *content = lua_istable(L, -1) ? mcpl_to_json(L, -1) : NULL;
  mcpl_check(L, mcp_question_accept(event->question, content, &err), &err);
  return 0;
}

/* on_sample(params) returns a text, or a whole result. */
static int answer_sample(lua_State *L) {
  const mcpl_event *event = lua_touserdata(L, 1);
  push_function(L, event);
  mcpl_push_json(L, mcp_question_params(event->question));
  lua_call(L, 1, 1);
  if (!lua_toboolean(L, -1)) {
    mcp_question_decline(event->question);
    return 0;
  }
  if (!lua_istable(L, -1)) {
    luaL_tolstring(L, -1, NULL);
    lua_newtable(L); /* the content */
    lua_insert(L, -2);
    lua_setfield(L, -2, "text");
    lua_pushliteral(L, "text");
    lua_setfield(L, -2, "type");
    lua_newtable(L); /* the result */
    lua_insert(L, -2);
    lua_setfield(L, -2, "content");
    lua_pushliteral(L, "assistant");
    lua_setfield(L, -2, "role");
    lua_pushliteral(L, "unknown");
    lua_setfield(L, -2, "model");
  }
  mcp_error err = {0};
  mcpl_check(L, mcp_question_answer(event->question, mcpl_to_json(L, -1), &err),
             &err);
  return 0;
}

static void ask(lua_CFunction answer, mcpl_event *event) {
  if (!mcpl_protected(event->self->state, answer, event)) {
    mcp_question_fail(event->question, MCP_RPC_INTERNAL_ERROR,
                      "the client's function failed");
  }
}

static void on_elicit(mcp_question *question, void *userdata) {
  ask(answer_elicit, &(mcpl_event){.function = "on_elicit",
                                   .self = userdata,
                                   .question = question});
}

static void on_sample(mcp_question *question, void *userdata) {
  ask(answer_sample, &(mcpl_event){.function = "on_sample",
                                   .self = userdata,
                                   .question = question});
}

/* ---- requests ---- */

static void on_done(mcp_client *from, const mcp_outcome *outcome,
                    void *userdata) {
  (void)from;
  mcpl_request *request = userdata;
  request->is_done = 1;
  request->error = *outcome->error;
  request->result = mcp_result_ref(outcome->result);
  request->owner->result_count += request->result != NULL;
  size_t len;
  char *data = mcp_json_to_text(outcome->error_data, &len);
  if (data != NULL) {
    request->error_data = mcp_doc_parse(data, len, NULL, NULL, NULL);
    mcp_text_free(data);
  }
}

static void free_idle_loop(mcpl_client *self) {
  if (self->client == NULL && self->result_count == 0) {
    mcp_loop_free(self->loop);
    self->loop = NULL;
  }
}

static void release_request(mcpl_request *request) {
  mcpl_client *owner = request->owner;
  owner->result_count -= request->result != NULL;
  mcp_result_unref(request->result);
  mcp_doc_free(request->error_data);
  request->result = NULL;
  request->error_data = NULL;
  free_idle_loop(owner);
}

static int collect_request(lua_State *L) {
  release_request(lua_touserdata(L, 1));
  return 0;
}

/* `index` is the client's. */
static mcpl_request *push_request(lua_State *L, int index) {
  mcpl_request *made = lua_newuserdatauv(L, sizeof *made, 1);
  *made = (mcpl_request){.owner = lua_touserdata(L, index)};
  lua_pushvalue(L, index);
  lua_setiuservalue(L, -2, 1);
  luaL_setmetatable(L, "mcp.request");
  return made;
}

static mcpl_client *use(lua_State *L) {
  mcpl_client *self = luaL_checkudata(L, 1, "mcp.client");
  if (self->client == NULL) {
    luaL_error(L, "the client is closed");
  }
  if (self->is_waiting) {
    luaL_error(L, "the client waits for an answer; functions that it calls "
                  "meanwhile must not use it");
  }
  self->state = L;
  return self;
}

static void end_client(mcpl_client *self) {
  mcp_client_free(self->client); /* completes what has no answer */
  self->client = NULL;
  free_idle_loop(self);
}

/* Waits until the request that a function of libmcp has started is done. `rc`
 * and `err` are of that function. Raises an error if the request failed. */
static void await(lua_State *L, mcpl_client *self, mcpl_request *request,
                  int rc, const mcp_error *err) {
  mcpl_check(L, rc, err);
  self->is_waiting = 1;
  while (rc == 0 && !request->is_done) {
    rc = mcp_loop_wait(self->loop, -1);
  }
  self->is_waiting = 0;
  if (rc != 0) {
    end_client(self);
    mcpl_check(L, rc, NULL);
  }
  if (request->error.code != 0) {
    mcpl_raise_error(L, &request->error, mcp_doc_root(request->error_data));
  }
}

/* Options of one request: {timeout =, on_progress =}, which may be nil. */
static mcp_request_options read_options(lua_State *L, mcpl_client *self,
                                        int index) {
  mcp_request_options options = {.size = sizeof options,
                                 .timeout_ms =
                                     mcpl_milliseconds(L, index, "timeout")};
  lua_getiuservalue(L, 1, 1);
  if (!lua_istable(L, index)) {
    lua_pushnil(L);
  } else if (lua_getfield(L, index, "on_progress") == LUA_TFUNCTION) {
    options.on_progress = on_progress;
    options.progress_userdata = self;
  }
  lua_setfield(L, -2, "on_progress");
  return options;
}

/* ---- results ---- */

/* Pushes a result: the object, with `text` and `data` beside its members. */
static int push_result(lua_State *L, mcpl_request *request) {
  mcpl_push_json(L, mcp_result_json(request->result));
  size_t len;
  const char *text = mcp_result_text_n(request->result, &len);
  if (text != NULL) {
    lua_pushlstring(L, text, len);
    lua_setfield(L, -2, "text");
  }
  const char *data = mcp_result_bytes(request->result, &len);
  if (data != NULL) {
    lua_pushlstring(L, data, len);
    lua_setfield(L, -2, "data");
  }
  release_request(request);
  return 1;
}

static int push_items(lua_State *L, mcpl_request *request) {
  int count = (int)mcp_result_count(request->result);
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    mcpl_push_json(L, mcp_result_item(request->result, (size_t)i));
    lua_rawseti(L, -2, i + 1);
  }
  release_request(request);
  return 1;
}

/* A tool that failed is an error with its text and the `result`. */
static int raise_failure(lua_State *L) {
  lua_createtable(L, 0, 2);
  lua_getfield(L, -2, "text");
  lua_setfield(L, -2, "message");
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, "result");
  luaL_setmetatable(L, "mcp.error");
  return lua_error(L);
}

/* ---- the methods ---- */

typedef int list_function(mcp_client *client,
                          const mcp_request_options *options,
                          mcp_done_cb on_done, void *userdata, mcp_error *err);

static mcpl_request *send_plain(lua_State *L, list_function *send) {
  mcpl_client *self = use(L);
  mcp_request_options options = read_options(L, self, 2);
  mcpl_request *made = push_request(L, 1);
  mcp_error err = {0};
  int rc = send(self->client, &options, on_done, made, &err);
  await(L, self, made, rc, &err);
  return made;
}

static int list_tools(lua_State *L) {
  return push_items(L, send_plain(L, mcp_client_list_tools));
}

static int list_resources(lua_State *L) {
  return push_items(L, send_plain(L, mcp_client_list_resources));
}

static int list_templates(lua_State *L) {
  return push_items(L, send_plain(L, mcp_client_list_resource_templates));
}

static int list_prompts(lua_State *L) {
  return push_items(L, send_plain(L, mcp_client_list_prompts));
}

static int ping(lua_State *L) {
  send_plain(L, mcp_client_ping);
  return 0;
}

typedef int named_function(mcp_client *client, const char *name,
                           const char *arguments,
                           const mcp_request_options *options,
                           mcp_done_cb on_done, void *userdata, mcp_error *err);

/* client:name(name, arguments, options) */
static mcpl_request *send_named(lua_State *L, named_function *send) {
  mcpl_client *self = use(L);
  lua_settop(L, 4);
  const char *name = luaL_checkstring(L, 2);
  const char *arguments = lua_isnil(L, 3) ? NULL : mcpl_to_json(L, 3);
  mcp_request_options options = read_options(L, self, 4);
  mcpl_request *made = push_request(L, 1);
  mcp_error err = {0};
  int rc = send(self->client, name, arguments, &options, on_done, made, &err);
  await(L, self, made, rc, &err);
  return made;
}

static int call_tool(lua_State *L) {
  mcpl_request *request = send_named(L, mcp_client_call_tool);
  int is_failure = mcp_result_is_failure(request->result);
  push_result(L, request);
  return is_failure ? raise_failure(L) : 1;
}

static int get_prompt(lua_State *L) {
  return push_result(L, send_named(L, mcp_client_get_prompt));
}

static int send_request(lua_State *L) {
  const mcpl_request *request = send_named(L, mcp_client_request);
  mcpl_push_json(L, mcp_result_json(request->result));
  return 1;
}

typedef int uri_function(mcp_client *client, const char *uri,
                         const mcp_request_options *options,
                         mcp_done_cb on_done, void *userdata, mcp_error *err);

static mcpl_request *send_uri(lua_State *L, uri_function *send) {
  mcpl_client *self = use(L);
  const char *uri = luaL_checkstring(L, 2);
  mcp_request_options options = read_options(L, self, 3);
  mcpl_request *made = push_request(L, 1);
  mcp_error err = {0};
  int rc = send(self->client, uri, &options, on_done, made, &err);
  await(L, self, made, rc, &err);
  return made;
}

static int read_resource(lua_State *L) {
  return push_result(L, send_uri(L, mcp_client_read_resource));
}

static int subscribe(lua_State *L) {
  send_uri(L, mcp_client_subscribe);
  return 0;
}

static int unsubscribe(lua_State *L) {
  send_uri(L, mcp_client_unsubscribe);
  return 0;
}

/* client:complete(ref, argument, value, others): `ref` is the name of a prompt
 * or a URI template. Returns the suggestions. */
static int complete(lua_State *L) {
  mcpl_client *self = use(L);
  const char *ref = luaL_checkstring(L, 2);
  const char *others = lua_istable(L, 5) ? mcpl_to_json(L, 5) : NULL;
  mcpl_request *made = push_request(L, 1);
  mcp_error err = {0};
  int rc = mcp_client_complete(
      self->client, strchr(ref, ':') != NULL ? "ref/resource" : "ref/prompt",
      ref, luaL_checkstring(L, 3), luaL_checkstring(L, 4), others, NULL,
      on_done, made, &err);
  await(L, self, made, rc, &err);
  mcpl_push_json(
      L, mcp_json_pointer(mcp_result_json(made->result), "/completion/values"));
  return 1;
}

static int set_log_level(lua_State *L) {
  mcpl_client *self = use(L);
  mcpl_request *made = push_request(L, 1);
  mcp_error err = {0};
  int rc = mcp_client_set_log_level(self->client, mcpl_level(L, 2), NULL,
                                    on_done, made, &err);
  await(L, self, made, rc, &err);
  return 0;
}

/* client:wait(seconds): handles what the server sends, for at most this long or
 * until something has happened. */
static int wait_for_event(lua_State *L) {
  mcpl_client *self = use(L);
  lua_Number seconds = luaL_checknumber(L, 2);
  luaL_argcheck(L, seconds >= 0 && seconds < 1e6, 2, "it must be seconds");
  self->is_waiting = 1;
  int rc = mcp_loop_wait(self->loop, (int)(seconds * 1000));
  self->is_waiting = 0;
  mcpl_check(L, rc, NULL);
  return 0;
}

static int server_info(lua_State *L) {
  mcpl_push_json(L, mcp_client_server_info(use(L)->client));
  return 1;
}

static int instructions(lua_State *L) {
  lua_pushstring(L, mcp_client_instructions(use(L)->client));
  return 1;
}

static int revision(lua_State *L) {
  lua_pushstring(L, mcp_client_revision(use(L)->client));
  return 1;
}

/* ---- connecting and closing ---- */

static int close_client(lua_State *L) {
  mcpl_client *self = luaL_checkudata(L, 1, "mcp.client");
  if (self->client == NULL) {
    return 0;
  }
  use(L);
  self->is_waiting = 1;
  mcp_sync_close(self->client); /* a child process has ended then */
  self->is_waiting = 0;
  end_client(self);
  return 0;
}

/* The collector does not wait for the server's process. */
static int collect_client(lua_State *L) {
  end_client(luaL_checkudata(L, 1, "mcp.client"));
  return 0;
}

static int connect_command(lua_State *L, mcpl_client *self,
                           mcpl_request *request, mcp_error *err) {
  mcp_process_options options = {.size = sizeof options,
                                 .argv = mcpl_words(L, 1, "command"),
                                 .env = mcpl_pairs(L, 1, "env", "="),
                                 .inherit_env = mcpl_flag(L, 1, "inherit_env"),
                                 .working_directory = mcpl_text(L, 1, "cwd"),
                                 .stderr_fd =
                                     mcpl_flag(L, 1, "quiet") ? -1 : 0};
  return mcp_client_connect_command(self->client, &options, on_done, request,
                                    err);
}

static int connect_url(lua_State *L, mcpl_client *self, mcpl_request *request,
                       mcp_error *err) {
  lua_getglobal(L, "require");
  lua_pushliteral(L, "mcp.http");
  lua_call(L, 1, 1);
  const mcpl_http *http = lua_touserdata(L, -1);
  return http->connect(self->client, mcpl_text(L, 1, "url"),
                       mcpl_pairs(L, 1, "headers", ": "), on_done, request,
                       err);
}

/* Copies the functions of the argument table (1) to the user value. */
static void keep_functions(lua_State *L, int userdata) {
  static const char *const names[] = {"on_elicit", "on_sample", "on_log",
                                      "on_list_changed", "on_resource_updated"};
  lua_newtable(L);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    lua_getfield(L, 1, names[i]);
    lua_setfield(L, -2, names[i]);
  }
  lua_setiuservalue(L, userdata, 1);
}

static mcp_client_options read_client_options(lua_State *L, mcpl_client *self) {
  static const char *const eras[] = {"auto", "legacy", "modern", NULL};
  static const int policies[] = {MCP_POLICY_AUTO, MCP_POLICY_LEGACY,
                                 MCP_POLICY_MODERN};
  mcp_client_options options = {.size = sizeof options,
                                .request_timeout_ms =
                                    mcpl_milliseconds(L, 1, "timeout"),
                                .revision = mcpl_text(L, 1, "revision"),
                                .userdata = self,
                                .on_log = on_log,
                                .on_list_changed = on_list_changed,
                                .on_resource_updated = on_resource_updated};
  if (lua_getfield(L, 1, "era") != LUA_TNIL) {
    options.policy = (uint32_t)mcpl_choice(L, -1, "era", eras, policies);
  }
  if (lua_getfield(L, 1, "log_level") != LUA_TNIL) {
    options.log_level = mcpl_level(L, -1);
  }
  options.on_elicit = mcpl_flag(L, 1, "on_elicit") ? on_elicit : NULL;
  options.on_sample = mcpl_flag(L, 1, "on_sample") ? on_sample : NULL;
  return options;
}

/* mcp.client{command = {"program", "word"}} or mcp.client{url = "http://..."}:
 * connects. */
int mcpl_new_client(lua_State *L) {
  mcpl_check_names(L, 1, "a client",
                   "command url env inherit_env cwd quiet headers name "
                   "version timeout era revision log_level on_elicit "
                   "on_sample on_log on_list_changed on_resource_updated");
  lua_settop(L, 1);
  mcpl_client *self = lua_newuserdatauv(L, sizeof *self, 1);
  *self = (mcpl_client){.state = L};
  luaL_setmetatable(L, "mcp.client");
  keep_functions(L, 2);
  mcpl_remember(L, 2, self);
  mcp_client_options options = read_client_options(L, self);
  const char *name = mcpl_text(L, 1, "name");
  const char *version = mcpl_text(L, 1, "version");
  mcpl_request *made = push_request(L, 2);
  mcp_error err = {0};
  self->loop = mcp_loop_new(NULL, &err);
  if (self->loop == NULL) {
    mcpl_check(L, err.code, &err);
  }
  self->client =
      mcp_client_new(self->loop, name != NULL ? name : "lua",
                     version != NULL ? version : "1.0.0", &options, &err);
  if (self->client == NULL) {
    mcpl_check(L, err.code, &err);
  }
  int rc = mcpl_flag(L, 1, "url") ? connect_url(L, self, made, &err)
                                  : connect_command(L, self, made, &err);
  await(L, self, made, rc, &err);
  lua_pushvalue(L, 2);
  return 1;
}

static const luaL_Reg methods[] = {{"tools", list_tools},
                                   {"resources", list_resources},
                                   {"templates", list_templates},
                                   {"prompts", list_prompts},
                                   {"call", call_tool},
                                   {"read", read_resource},
                                   {"prompt", get_prompt},
                                   {"complete", complete},
                                   {"subscribe", subscribe},
                                   {"unsubscribe", unsubscribe},
                                   {"set_log_level", set_log_level},
                                   {"ping", ping},
                                   {"request", send_request},
                                   {"wait", wait_for_event},
                                   {"server_info", server_info},
                                   {"instructions", instructions},
                                   {"revision", revision},
                                   {"close", close_client},
                                   {NULL, NULL}};
static const luaL_Reg meta[] = {
    {"__gc", collect_client}, {"__close", close_client}, {NULL, NULL}};
static const luaL_Reg no_methods[] = {{NULL, NULL}};
static const luaL_Reg request_meta[] = {{"__gc", collect_request},
                                        {NULL, NULL}};

void mcpl_open_clients(lua_State *L) {
  mcpl_class(L, "mcp.client", methods, meta);
  mcpl_class(L, "mcp.request", no_methods, request_meta);
}
