/* SPDX-License-Identifier: MIT */
/* What the files of the Lua module share. The module uses public headers only.
 *
 * Lua's errors leave C functions by longjmp. So no function that libmcp calls
 * lets one out: it does its work inside mcpl_protected. And no C memory is held
 * where an error may happen: it belongs to a Lua value, which frees it. */
#ifndef MCPL_BINDING_H
#define MCPL_BINDING_H

#include <lauxlib.h>
#include <lua.h>
#include <mcp/mcp.h>

#if LUA_VERSION_NUM < 504
#error "this module needs Lua 5.4"
#endif

/* ---- json.c: values ---- */

/* Pushes the Lua value of a JSON value; NULL gives nil, `null` mcp.null. */
void mcpl_push_json(lua_State *L, const mcp_json *value);
/* Pushes the JSON text of the value at `index`, and returns it. */
const char *mcpl_to_json(lua_State *L, int index);
/* Makes the table at `index` an array, also if it is empty. */
void mcpl_mark_array(lua_State *L, int index);

/* ---- schema.c ---- */

/* Pushes the JSON Schema, as text, of a table of fields such as
 * {a = "number", b = "string?: a name"}, and returns it; nil: NULL. */
const char *mcpl_fields(lua_State *L, int index);
/* Splits "string?: a name": pushes the type, whether it is optional, and the
 * description or nil. */
void mcpl_push_field_words(lua_State *L, const char *words);
/* Pushes an array of the names in a table, in alphabetical order. */
void mcpl_push_names(lua_State *L, int table);

/* ---- options.c: members of the tables that programs pass ---- */

/* These leave what they return on the stack, so that it lives until the
 * function of the module returns. `index` is absolute. */
const char *mcpl_text(lua_State *L, int index, const char *name);
const char *mcpl_json(lua_State *L, int index, const char *name);
const char *const *mcpl_words(lua_State *L, int index, const char *name);
const char *const *mcpl_pairs(lua_State *L, int index, const char *name,
                              const char *between);
int mcpl_flag(lua_State *L, int index, const char *name);
uint32_t mcpl_milliseconds(lua_State *L, int index, const char *name);
/* Checks that the argument is a table whose names are all in `known`, which are
 * separated by spaces. */
void mcpl_check_names(lua_State *L, int index, const char *what,
                      const char *known);
/* Returns the value that belongs to a word; an error names the words. */
int mcpl_choice(lua_State *L, int index, const char *name,
                const char *const words[], const int values[]);
int mcpl_level(lua_State *L, int index);

/* ---- errors.c ---- */

/* Raises a Lua error: a table with code, message and data (mcp.error). */
int mcpl_raise(lua_State *L, int code, const char *message);
int mcpl_raise_error(lua_State *L, const mcp_error *err, const mcp_json *data);
/* Raises an error if the code is one. */
void mcpl_check(lua_State *L, int rc, const mcp_error *err);
/* Answers a call with the Lua error on the top of the stack of `thread`. */
int mcpl_reply_error(lua_State *L, lua_State *thread, mcp_call *call);
/* Calls fn(argument) as a Lua function. Prints an error, and returns 0. */
int mcpl_protected(lua_State *L, lua_CFunction function, void *argument);

/* ---- reply.c: results of handlers ---- */

/* Answers a call with what a handler returned: the values from `first`. */
typedef int mcpl_reply(lua_State *L, int first, mcp_call *call, int is_binary);
mcpl_reply mcpl_reply_tool, mcpl_reply_resource, mcpl_reply_prompt;
int mcpl_reply_completion(lua_State *L, int first, mcp_call *call);
int mcpl_new_content(lua_State *L);

/* ---- call.c: the object that handlers get ---- */

typedef struct mcpl_call {
  mcp_call *call;    /* NULL: the call is over */
  lua_State *thread; /* the coroutine of the handler */
  int questions;
  int is_asking; /* the handler has yielded, to wait for an answer */
} mcpl_call;
mcpl_call *mcpl_push_call(lua_State *L, mcp_call *call, lua_State *thread);

/* ---- module.c ---- */

/* Objects that libmcp's callbacks find by their address. */
void mcpl_remember(lua_State *L, int index, const void *address);
void mcpl_recall(lua_State *L, const void *address);
/* Makes a class: a metatable with methods. */
void mcpl_class(lua_State *L, const char *name, const luaL_Reg *methods,
                const luaL_Reg *meta);

void mcpl_open_errors(lua_State *L);
void mcpl_open_calls(lua_State *L);
void mcpl_open_servers(lua_State *L);
void mcpl_open_clients(lua_State *L);
int mcpl_new_error(lua_State *L);
int mcpl_new_server(lua_State *L);
int mcpl_new_client(lua_State *L);

/* What the module mcp.http gives to this one. */
typedef struct mcpl_http {
  int (*connect)(mcp_client *client, const char *url,
                 const char *const *headers, mcp_done_cb on_done,
                 void *userdata, mcp_error *err);
} mcpl_http;

#endif
