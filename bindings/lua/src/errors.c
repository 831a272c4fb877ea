/* SPDX-License-Identifier: MIT */
/* Errors: a table with `message`, and for errors of JSON-RPC and of libmcp with
 * `code` and `data`. Its metatable makes it print as its message. */
#include "binding.h"

#include <stdio.h>
#include <string.h>

static int error_tostring(lua_State *L) {
  lua_getfield(L, 1, "message");
  luaL_tolstring(L, -1, NULL);
  return 1;
}

void mcpl_open_errors(lua_State *L) {
  luaL_newmetatable(L, "mcp.error");
  lua_pushcfunction(L, error_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_pop(L, 1);
}

/* mcp.error{code = -32000, message = "...", data = ...} */
int mcpl_new_error(lua_State *L) {
  mcpl_check_names(L, 1, "an error", "code message data result");
  lua_settop(L, 1);
  luaL_setmetatable(L, "mcp.error");
  return 1;
}

static void push_error(lua_State *L, int code, const char *message) {
  lua_createtable(L, 0, 3);
  lua_pushinteger(L, code);
  lua_setfield(L, -2, "code");
  lua_pushstring(L, message);
  lua_setfield(L, -2, "message");
  luaL_setmetatable(L, "mcp.error");
}

int mcpl_raise(lua_State *L, int code, const char *message) {
  push_error(L, code, message);
  return lua_error(L);
}

int mcpl_raise_error(lua_State *L, const mcp_error *err, const mcp_json *data) {
  push_error(L, err->code == MCP_ERR_REMOTE ? err->status : err->code,
             err->message[0] != '\0' ? err->message
                                     : mcp_error_text(err->code));
  mcpl_push_json(L, data);
  lua_setfield(L, -2, "data");
  return lua_error(L);
}

void mcpl_check(lua_State *L, int rc, const mcp_error *err) {
  if (rc >= 0) {
    return;
  }
  if (err != NULL && err->code != 0) {
    mcpl_raise_error(L, err, NULL);
  }
  mcpl_raise(L, rc, mcp_error_text(rc));
}

/* ---- answers ---- */

/* Returns the length of the "file:line: " that error() put before a text, which
 * is of use to the author of the server only. */
static size_t place_length(lua_State *L, lua_State *thread, const char *text) {
  lua_Debug at;
  for (int level = 0; lua_getstack(thread, level, &at); level++) {
    luaL_where(thread, level);
    lua_xmove(thread, L, 1);
    const char *place = lua_tostring(L, -1);
    size_t len = strlen(place);
    int is_first = len > 0 && strncmp(text, place, len) == 0;
    lua_pop(L, 1);
    if (is_first) {
      return len;
    }
  }
  return 0;
}

static int reply_with_text(lua_State *L, lua_State *thread, mcp_call *call) {
  size_t len;
  const char *text = luaL_tolstring(L, -1, &len);
  luaL_traceback(L, thread, text, 0);
  fprintf(stderr, "%s\n", lua_tostring(L, -1));
  lua_pop(L, 1);
  size_t place = place_length(L, thread, text);
  return mcp_call_reply_failure_n(call, text + place, len - place);
}

/* The error on the top has the metatable "mcp.error". */
static int reply_with_table(lua_State *L, mcp_call *call) {
  int table = lua_gettop(L);
  lua_getfield(L, table, "message");
  size_t len;
  const char *message = luaL_tolstring(L, -1, &len);
  lua_getfield(L, table, "code");
  int code = (int)lua_tointeger(L, -1);
  if (code == 0) {
    return mcp_call_reply_failure_n(call, message, len);
  }
  return mcp_call_reply_error(call, code, message, mcpl_json(L, table, "data"));
}

static int is_error_table(lua_State *L) {
  if (!lua_istable(L, -1) || !lua_getmetatable(L, -1)) {
    return 0;
  }
  luaL_getmetatable(L, "mcp.error");
  int is = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return is;
}

int mcpl_reply_error(lua_State *L, lua_State *thread, mcp_call *call) {
  lua_xmove(thread, L, 1);
  if (is_error_table(L)) {
    return reply_with_table(L, call);
  }
  return reply_with_text(L, thread, call);
}

/* ---- what libmcp calls ---- */

static int print_error(lua_State *L) {
  luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
  fprintf(stderr, "%s\n", lua_tostring(L, -1));
  return 0;
}

int mcpl_protected(lua_State *L, lua_CFunction function, void *argument) {
  if (!lua_checkstack(L, 8)) {
    return 0;
  }
  int top = lua_gettop(L);
  lua_pushcfunction(L, print_error);
  lua_pushcfunction(L, function);
  lua_pushlightuserdata(L, argument);
  int status = lua_pcall(L, 1, 0, top + 1);
  lua_settop(L, top);
  return status == LUA_OK;
}
