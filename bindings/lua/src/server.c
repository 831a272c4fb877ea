/* SPDX-License-Identifier: MIT */
/* Servers: Lua functions become tools, resources and prompts.
 *
 * Memory: a server's userdata has one user value, a table that keeps the
 * entries by their address. An entry is what libmcp's userdata of a tool,
 * resource or prompt points to. So entries live as long as the server, or until
 * libmcp releases them; Lua's collector sees it all.
 *
 * Threads: Lua has one. `--threads` lets libmcp call handlers on several, so
 * each callback takes the server's lock. */
#include "binding.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct mcpl_server {
  mcp_server *server; /* NULL: it has run, or is freed */
  lua_State *state;   /* the Lua thread that callbacks use */
  pthread_mutex_t lock;
  int is_running;
} mcpl_server;

/* User values: 1 the handler, 2 the table of functions that complete. */
typedef struct mcpl_entry {
  mcpl_server *owner;
  mcpl_reply *reply;
  int is_binary;
} mcpl_entry;

static mcpl_server *use(lua_State *L) {
  mcpl_server *self = luaL_checkudata(L, 1, "mcp.server");
  if (self->server == NULL) {
    luaL_error(L, "the server has ended; make a new one");
  }
  return self;
}

/* ---- calls ---- */

/* One run of a handler, or of a function that completes. */
typedef struct mcpl_job {
  mcpl_entry *entry;
  mcp_call *call;
  int is_completion;
  int rc; /* what libmcp gets */
} mcpl_job;

/* Pushes the entry's userdata. */
static void push_entry(lua_State *L, const mcpl_entry *entry) {
  mcpl_recall(L, entry->owner);
  lua_getiuservalue(L, -1, 1);
  lua_rawgetp(L, -1, entry);
  lua_replace(L, -3);
  lua_pop(L, 1);
}

/* Pushes the function and its arguments; returns the number of arguments. */
static int push_handler(lua_State *L, mcpl_job *job) {
  lua_getiuservalue(L, -1, 1);
  mcpl_push_json(L, mcp_call_arguments(job->call));
  return 1;
}

/* complete = {name = function(value, others, call) ... end} */
static int push_completer(lua_State *L, mcpl_job *job) {
  lua_getiuservalue(L, -1, 2);
  lua_getfield(L, -1, mcp_call_complete_argument(job->call));
  lua_remove(L, -2);
  size_t len;
  const char *value = mcp_call_complete_value_n(job->call, &len);
  lua_pushlstring(L, value, len);
  mcpl_push_json(L, mcp_call_complete_context(job->call));
  return 2;
}

static int reply_job(lua_State *L, int first, const mcpl_job *job) {
  return job->is_completion
             ? mcpl_reply_completion(L, first, job->call)
             : job->entry->reply(L, first, job->call, job->entry->is_binary);
}

/* Runs the handler in a coroutine, and answers. Errors in here are those of
 * the answer: the handler's own stay in the coroutine. */
static int run(lua_State *L) {
  mcpl_job *job = lua_touserdata(L, 1);
  lua_State *thread = lua_newthread(L);
  push_entry(L, job->entry);
  int count =
      job->is_completion ? push_completer(L, job) : push_handler(L, job);
  if (lua_isnil(L, -count - 1)) { /* there is nothing that completes it */
    job->rc = mcp_call_reply(job->call);
    return 0;
  }
  mcpl_call *call = mcpl_push_call(L, job->call, thread);
  lua_pushvalue(L, -1);
  lua_insert(L, 2); /* keeps it alive */
  lua_xmove(L, thread, count + 2);
  int results = 0;
  int status = lua_resume(thread, L, count + 1, &results);
  call->call = NULL;
  int first = lua_gettop(L) + 1;
  luaL_checkstack(L, results + 16, "a handler returned too many values");
  if (status == LUA_OK) {
    lua_xmove(thread, L, results);
    job->rc = reply_job(L, first, job);
  } else if (status == LUA_YIELD && call->is_asking) {
    job->rc = MCP_PENDING;
  } else if (status == LUA_YIELD) {
    job->rc = mcp_call_reply_failure(
        job->call, "the handler yields, but nothing would resume it");
  } else {
    job->rc = mcpl_reply_error(L, thread, job->call);
  }
  lua_resetthread(thread); /* closes what it has left open */
  return 0;
}

static int on_job(mcpl_job *job) {
  mcpl_server *owner = job->entry->owner;
  pthread_mutex_lock(&owner->lock);
  if (!mcpl_protected(owner->state, run, job)) {
    job->rc =
        mcp_call_reply_failure(job->call, "the server cannot send its result");
  }
  pthread_mutex_unlock(&owner->lock);
  return job->rc;
}

static int on_call(mcp_call *call, void *userdata) {
  return on_job(&(mcpl_job){.entry = userdata, .call = call});
}

static int on_complete(mcp_call *call, void *userdata) {
  return on_job(
      &(mcpl_job){.entry = userdata, .call = call, .is_completion = 1});
}

/* ---- entries ---- */

static int forget(lua_State *L) {
  const mcpl_entry *entry = lua_touserdata(L, 1);
  mcpl_recall(L, entry->owner); /* nil while the collector frees it */
  if (!lua_isnil(L, -1)) {
    lua_getiuservalue(L, -1, 1);
    lua_pushnil(L);
    lua_rawsetp(L, -2, entry);
  }
  return 0;
}

static void on_release(void *userdata) {
  mcpl_entry *entry = userdata;
  mcpl_server *owner = entry->owner;
  pthread_mutex_lock(&owner->lock);
  mcpl_protected(owner->state, forget, entry);
  pthread_mutex_unlock(&owner->lock);
}

/* Makes an entry from the argument table (2), and lets the server keep it. */
static mcpl_entry *make_entry(lua_State *L, mcpl_server *self,
                              mcpl_reply *reply) {
  mcpl_entry *made = lua_newuserdatauv(L, sizeof *made, 2);
  *made = (mcpl_entry){.owner = self, .reply = reply};
  if (lua_getfield(L, 2, "handler") != LUA_TFUNCTION) {
    luaL_error(L, "\"handler\" must be a function");
  }
  lua_setiuservalue(L, -2, 1);
  if (lua_getfield(L, 2, "complete") != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
  }
  lua_setiuservalue(L, -2, 2);
  lua_getiuservalue(L, 1, 1);
  lua_pushvalue(L, -2);
  lua_rawsetp(L, -2, made);
  lua_pop(L, 1);
  return made;
}

/* Ends a function that adds something. */
static int added(lua_State *L, const mcpl_entry *entry, int rc,
                 const mcp_error *err) {
  if (rc != 0) {
    lua_getiuservalue(L, 1, 1);
    lua_pushnil(L);
    lua_rawsetp(L, -2, entry);
    mcpl_check(L, rc, err);
  }
  lua_settop(L, 1);
  return 1; /* the server, so that calls can be chained */
}

/* Returns the bits of hints such as read_only = true. */
static uint32_t read_hints(lua_State *L) {
  static const struct {
    const char *name;
    uint32_t yes;
    uint32_t no;
  } hints[] = {{"read_only", MCP_TOOL_READ_ONLY, MCP_TOOL_NOT_READ_ONLY},
               {"destructive", MCP_TOOL_DESTRUCTIVE, MCP_TOOL_NOT_DESTRUCTIVE},
               {"idempotent", MCP_TOOL_IDEMPOTENT, MCP_TOOL_NOT_IDEMPOTENT},
               {"open_world", MCP_TOOL_OPEN_WORLD, MCP_TOOL_NOT_OPEN_WORLD}};
  uint32_t bits = 0;
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
    if (lua_getfield(L, 2, hints[i].name) != LUA_TNIL) {
      bits |= lua_toboolean(L, -1) ? hints[i].yes : hints[i].no;
    }
    lua_pop(L, 1);
  }
  return bits;
}

/* A schema is stated as fields, or whole. */
static const char *read_schema(lua_State *L, const char *fields,
                               const char *whole) {
  const char *text = mcpl_json(L, 2, whole);
  if (text == NULL) {
    lua_getfield(L, 2, fields);
    text = mcpl_fields(L, -1);
  }
  return text;
}

/* server:tool{name =, description =, input = {a = "number"}, handler =} */
static int add_tool(lua_State *L) {
  mcpl_server *self = use(L);
  mcpl_check_names(L, 2, "a tool",
                   "name title description input input_schema output "
                   "output_schema meta handler read_only destructive "
                   "idempotent open_world");
  mcp_schema input = {.size = sizeof input,
                      .text = read_schema(L, "input", "input_schema")};
  mcp_schema output = {.size = sizeof output,
                       .text = read_schema(L, "output", "output_schema")};
  mcpl_entry *made = make_entry(L, self, mcpl_reply_tool);
  mcp_tool tool = {.size = sizeof tool,
                   .name = mcpl_text(L, 2, "name"),
                   .title = mcpl_text(L, 2, "title"),
                   .description = mcpl_text(L, 2, "description"),
                   .input = input.text != NULL ? &input : NULL,
                   .output = output.text != NULL ? &output : NULL,
                   .hints = read_hints(L),
                   .meta = mcpl_json(L, 2, "meta"),
                   .handler = on_call,
                   .userdata = made,
                   .release = on_release};
  mcp_error err = {0};
  return added(L, made, mcp_server_add_tool(self->server, &tool, &err), &err);
}

static int add_template(lua_State *L, mcpl_server *self, mcpl_entry *made,
                        const char *uri, int has_complete) {
  mcp_resource_template tpl = {.size = sizeof tpl,
                               .uri_template = uri,
                               .name = mcpl_text(L, 2, "name"),
                               .title = mcpl_text(L, 2, "title"),
                               .description = mcpl_text(L, 2, "description"),
                               .mime_type = mcpl_text(L, 2, "mime_type"),
                               .meta = mcpl_json(L, 2, "meta"),
                               .handler = on_call,
                               .complete = has_complete ? on_complete : NULL,
                               .userdata = made,
                               .release = on_release};
  tpl.name = tpl.name != NULL ? tpl.name : uri;
  mcp_error err = {0};
  return added(L, made,
               mcp_server_add_resource_template(self->server, &tpl, &err),
               &err);
}

/* server:resource{uri = "stock://{item}", mime_type =, handler =} */
static int add_resource(lua_State *L) {
  mcpl_server *self = use(L);
  mcpl_check_names(L, 2, "a resource",
                   "uri name title description mime_type binary complete meta "
                   "handler");
  mcpl_entry *made = make_entry(L, self, mcpl_reply_resource);
  made->is_binary = mcpl_flag(L, 2, "binary");
  int has_complete = mcpl_flag(L, 2, "complete");
  const char *uri = mcpl_text(L, 2, "uri");
  if (uri != NULL && strchr(uri, '{') != NULL) {
    return add_template(L, self, made, uri, has_complete);
  }
  mcp_resource resource = {.size = sizeof resource,
                           .uri = uri,
                           .name = mcpl_text(L, 2, "name"),
                           .title = mcpl_text(L, 2, "title"),
                           .description = mcpl_text(L, 2, "description"),
                           .mime_type = mcpl_text(L, 2, "mime_type"),
                           .meta = mcpl_json(L, 2, "meta"),
                           .handler = on_call,
                           .userdata = made,
                           .release = on_release};
  resource.name = resource.name != NULL ? resource.name : uri;
  mcp_error err = {0};
  return added(L, made, mcp_server_add_resource(self->server, &resource, &err),
               &err);
}

/* Reads arguments = {item = "string?: what"}: an array, on the stack. */
static const mcp_prompt_argument *read_arguments(lua_State *L, size_t *count) {
  *count = 0;
  if (lua_getfield(L, 2, "arguments") != LUA_TTABLE) {
    return NULL;
  }
  int table = lua_gettop(L);
  mcpl_push_names(L, table);
  *count = (size_t)lua_rawlen(L, -1);
  mcp_prompt_argument *made =
      lua_newuserdatauv(L, sizeof *made * (*count + 1), 0);
  luaL_checkstack(L, (int)*count * 4 + 8, NULL);
  for (size_t i = 0; i < *count; i++) {
    lua_rawgeti(L, table + 1, (lua_Integer)i + 1);
    const char *name = lua_tostring(L, -1);
    const char *words = mcpl_text(L, table, name);
    mcpl_push_field_words(L, words);
    made[i] = (mcp_prompt_argument){.name = name,
                                    .description = lua_tostring(L, -1),
                                    .required = !lua_toboolean(L, -2)};
  }
  return made;
}

/* server:prompt{name =, arguments = {item = "string"}, handler =} */
static int add_prompt(lua_State *L) {
  mcpl_server *self = use(L);
  mcpl_check_names(L, 2, "a prompt",
                   "name title description arguments complete meta handler");
  mcpl_entry *made = make_entry(L, self, mcpl_reply_prompt);
  mcp_prompt prompt = {.size = sizeof prompt,
                       .name = mcpl_text(L, 2, "name"),
                       .title = mcpl_text(L, 2, "title"),
                       .description = mcpl_text(L, 2, "description"),
                       .meta = mcpl_json(L, 2, "meta"),
                       .handler = on_call,
                       .complete =
                           mcpl_flag(L, 2, "complete") ? on_complete : NULL,
                       .userdata = made,
                       .release = on_release};
  prompt.arguments = read_arguments(L, &prompt.argument_count);
  mcp_error err = {0};
  return added(L, made, mcp_server_add_prompt(self->server, &prompt, &err),
               &err);
}

/* ---- removing, notifying ---- */

static int remove_by(lua_State *L, int (*remove)(mcp_server *, const char *)) {
  mcpl_server *self = use(L);
  const char *name = luaL_checkstring(L, 2);
  lua_State *before = self->state;
  self->state = L; /* on_release may run in here */
  int rc = remove(self->server, name);
  self->state = before;
  mcpl_check(L, rc, NULL);
  lua_settop(L, 1);
  return 1;
}

static int remove_tool(lua_State *L) {
  return remove_by(L, mcp_server_remove_tool);
}

static int remove_prompt(lua_State *L) {
  return remove_by(L, mcp_server_remove_prompt);
}

static int remove_resource(lua_State *L) {
  return remove_by(L, strchr(luaL_checkstring(L, 2), '{') != NULL
                          ? mcp_server_remove_resource_template
                          : mcp_server_remove_resource);
}

static int updated(lua_State *L) {
  return remove_by(L, mcp_server_resource_updated);
}

/* ---- serving ---- */

static void on_stop(mcp_server *server, mcp_loop *loop, void *userdata) {
  (void)server;
  (void)loop;
  (void)userdata;
  fflush(stdout); /* descriptor 1 is still standard error */
}

/* Pushes the words of the command line: arg[0], arg[1] ... */
static const char *const *push_command_line(lua_State *L, int *count) {
  lua_newtable(L);
  lua_newtable(L);
  *count = 0;
  do {
    lua_geti(L, 2, *count);
    if (lua_isnil(L, -1) && *count == 0) {
      lua_pop(L, 1);
      lua_pushliteral(L, "server");
    }
    int is_end = lua_isnil(L, -1);
    lua_rawseti(L, -2, ++*count);
    if (is_end) {
      --*count;
      break;
    }
  } while (1);
  lua_setfield(L, -2, "arg");
  return mcpl_words(L, lua_absindex(L, -1), "arg");
}

/* server:run(arg): serves until the end, and returns the exit code. */
static int run_server(lua_State *L) {
  mcpl_server *self = use(L);
  if (self->is_running) {
    return luaL_error(L, "the server runs already");
  }
  if (lua_isnoneornil(L, 2)) {
    lua_settop(L, 1);
    lua_newtable(L);
  }
  luaL_checktype(L, 2, LUA_TTABLE);
  int count;
  const char *const *words = push_command_line(L, &count);
  mcp_main_options options = {.size = sizeof options, .on_stop = on_stop};
  fflush(stdout);
  self->is_running = 1;
  self->state = L;
  int code = mcp_main_with(self->server, count, (char **)words, &options);
  self->server = NULL; /* libmcp has freed it */
  self->is_running = 0;
  lua_pushinteger(L, code);
  return 1;
}

/* ---- making ---- */

static int free_server(lua_State *L) {
  mcpl_server *self = luaL_checkudata(L, 1, "mcp.server");
  self->state = L;
  if (self->server != NULL && !self->is_running) {
    mcp_server_free(self->server);
    self->server = NULL;
    pthread_mutex_destroy(&self->lock);
  }
  return 0;
}

/* mcp.server{name =, version =, instructions =, logging = true} */
int mcpl_new_server(lua_State *L) {
  mcpl_check_names(L, 1, "a server",
                   "name version title description website_url instructions "
                   "era logging");
  static const char *const eras[] = {"both", "legacy", "modern", NULL};
  static const int era_values[] = {0, MCP_ERA_LEGACY, MCP_ERA_MODERN};
  lua_settop(L, 1);
  mcpl_server *self = lua_newuserdatauv(L, sizeof *self, 1);
  *self = (mcpl_server){.state = L};
  lua_newtable(L);
  lua_setiuservalue(L, 2, 1);
  const char *name = mcpl_text(L, 1, "name");
  const char *version = mcpl_text(L, 1, "version");
  mcp_server_options options = {.size = sizeof options,
                                .title = mcpl_text(L, 1, "title"),
                                .description = mcpl_text(L, 1, "description"),
                                .website_url = mcpl_text(L, 1, "website_url"),
                                .instructions =
                                    mcpl_text(L, 1, "instructions")};
  if (lua_getfield(L, 1, "era") != LUA_TNIL) {
    options.eras = (uint32_t)mcpl_choice(L, -1, "era", eras, era_values);
  }
  mcp_error err = {0};
  self->server =
      mcp_server_new(name, version != NULL ? version : "1.0.0", &options, &err);
  if (self->server == NULL) {
    mcpl_check(L, err.code, &err);
  }
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&self->lock, &recursive);
  pthread_mutexattr_destroy(&recursive);
  lua_pushvalue(L, 2);
  luaL_setmetatable(L, "mcp.server");
  mcpl_remember(L, -1, self);
  if (mcpl_flag(L, 1, "logging")) {
    mcpl_check(L, mcp_server_enable_logging(self->server), NULL);
  }
  return 1;
}

static const luaL_Reg methods[] = {{"tool", add_tool},
                                   {"resource", add_resource},
                                   {"prompt", add_prompt},
                                   {"remove_tool", remove_tool},
                                   {"remove_resource", remove_resource},
                                   {"remove_prompt", remove_prompt},
                                   {"resource_updated", updated},
                                   {"run", run_server},
                                   {NULL, NULL}};
static const luaL_Reg meta[] = {{"__gc", free_server}, {NULL, NULL}};

void mcpl_open_servers(lua_State *L) {
  mcpl_class(L, "mcp.server", methods, meta);
}
