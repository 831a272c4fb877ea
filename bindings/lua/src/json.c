/* SPDX-License-Identifier: MIT */
/* JSON values and Lua values.
 *
 * | JSON            | Lua                                              |
 * |-----------------|--------------------------------------------------|
 * | null            | mcp.null (a light userdata that is NULL)         |
 * | an integer      | an integer, if it fits into 64 bits; else a float|
 * | an array        | a table with the metatable "mcp.array"           |
 * | an object       | a table                                          |
 *
 * In the other direction a table with [1] is an array too, and an empty one
 * without that metatable is an object. */
#include "binding.h"

#define MAX_DEPTH 128 /* as a builder's */

void mcpl_mark_array(lua_State *L, int index) {
  index = lua_absindex(L, index);
  luaL_newmetatable(L, "mcp.array");
  lua_setmetatable(L, index);
}

static int has_array_mark(lua_State *L) {
  if (!lua_getmetatable(L, -1)) {
    return 0;
  }
  luaL_getmetatable(L, "mcp.array");
  int has = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return has;
}

/* ---- from JSON ---- */

static void push_number(lua_State *L, const mcp_json *value) {
  int64_t integer;
  if (mcp_json_try_int(value, &integer) == 0) {
    lua_pushinteger(L, integer);
  } else {
    lua_pushnumber(L, mcp_json_number(value));
  }
}

static void push_text(lua_State *L, const mcp_json *value) {
  size_t len;
  const char *text = mcp_json_string_n(value, &len);
  lua_pushlstring(L, text, len);
}

static void push_array(lua_State *L, const mcp_json *value) {
  lua_createtable(L, (int)mcp_json_size(value), 0);
  mcpl_mark_array(L, -1);
  mcp_json_iter iter;
  mcp_json_iter_init(&iter, value);
  const mcp_json *item;
  for (int i = 1; (item = mcp_json_iter_next(&iter, NULL)) != NULL; i++) {
    mcpl_push_json(L, item);
    lua_rawseti(L, -2, i);
  }
}

static void push_object(lua_State *L, const mcp_json *value) {
  lua_createtable(L, 0, (int)mcp_json_size(value));
  mcp_json_iter iter;
  mcp_json_iter_init(&iter, value);
  const mcp_json *member;
  const mcp_json *name;
  while ((member = mcp_json_iter_next(&iter, &name)) != NULL) {
    push_text(L, name);
    mcpl_push_json(L, member);
    lua_rawset(L, -3);
  }
}

void mcpl_push_json(lua_State *L, const mcp_json *value) {
  luaL_checkstack(L, 4, "the JSON value is nested too deep");
  switch (mcp_json_type(value)) {
  case MCP_JSON_NULL:
    lua_pushlightuserdata(L, NULL);
    break;
  case MCP_JSON_BOOL:
    lua_pushboolean(L, mcp_json_bool(value));
    break;
  case MCP_JSON_NUMBER:
    push_number(L, value);
    break;
  case MCP_JSON_STRING:
    push_text(L, value);
    break;
  case MCP_JSON_ARRAY:
    push_array(L, value);
    break;
  case MCP_JSON_OBJECT:
    push_object(L, value);
    break;
  default:
    lua_pushnil(L);
  }
}

/* ---- to JSON ---- */

/* The functions below raise no error, since a builder would be lost. They
 * return what is wrong, or NULL; the builder keeps errors of its own. */
static const char *add_value(lua_State *L, mcp_builder *to, int depth);

static const char *add_array(lua_State *L, mcp_builder *to, int depth) {
  mcp_builder_array(to, NULL);
  const char *wrong = NULL;
  lua_Unsigned count = lua_rawlen(L, -1);
  for (lua_Unsigned i = 1; i <= count && wrong == NULL; i++) {
    lua_rawgeti(L, -1, (lua_Integer)i);
    wrong = add_value(L, to, depth);
    lua_pop(L, 1);
  }
  mcp_builder_end(to);
  return wrong;
}

static const char *add_object(lua_State *L, mcp_builder *to, int depth) {
  mcp_builder_object(to, NULL);
  const char *wrong = NULL;
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    if (lua_type(L, -2) != LUA_TSTRING) {
      lua_pop(L, 2);
      return "a table is neither an array from 1 on, nor has only names";
    }
    size_t len;
    const char *name = lua_tolstring(L, -2, &len);
    mcp_builder_name_n(to, name, len);
    wrong = add_value(L, to, depth);
    lua_pop(L, 1);
    if (wrong != NULL) {
      lua_pop(L, 1);
      return wrong;
    }
  }
  mcp_builder_end(to);
  return NULL;
}

/* Returns 1 if the table on the top has anything beside [1] to [#t]. */
static int has_names_too(lua_State *L) {
  lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
  lua_pushnil(L);
  while (lua_next(L, -2) != 0) {
    lua_pop(L, 1);
    if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 1 ||
        lua_tointeger(L, -1) > count) {
      lua_pop(L, 1);
      return 1;
    }
  }
  return 0;
}

static const char *add_table(lua_State *L, mcp_builder *to, int depth) {
  if (depth > MAX_DEPTH || !lua_checkstack(L, 6)) {
    return "tables are nested too deep, or one contains itself";
  }
  if (lua_rawlen(L, -1) == 0 && !has_array_mark(L)) {
    return add_object(L, to, depth + 1);
  }
  if (has_names_too(L)) {
    return "a table has both [1] and names or gaps";
  }
  return add_array(L, to, depth + 1);
}

static const char *add_value(lua_State *L, mcp_builder *to, int depth) {
  size_t len;
  const char *text;
  switch (lua_type(L, -1)) {
  case LUA_TNIL:
    mcp_builder_null(to, NULL);
    return NULL;
  case LUA_TBOOLEAN:
    mcp_builder_bool(to, NULL, lua_toboolean(L, -1));
    return NULL;
  case LUA_TNUMBER:
    if (lua_isinteger(L, -1)) {
      mcp_builder_int(to, NULL, lua_tointeger(L, -1));
    } else {
      mcp_builder_number(to, NULL, lua_tonumber(L, -1));
    }
    return NULL;
  case LUA_TSTRING:
    text = lua_tolstring(L, -1, &len);
    mcp_builder_string_n(to, NULL, text, len);
    return NULL;
  case LUA_TTABLE:
    return add_table(L, to, depth);
  case LUA_TLIGHTUSERDATA:
    if (lua_touserdata(L, -1) == NULL) {
      mcp_builder_null(to, NULL);
      return NULL;
    }
    return "a light userdata has no JSON form";
  default:
    return "a function, userdata or thread has no JSON form";
  }
}

/* A builder that Lua frees if an error comes. */
typedef struct builder_box {
  mcp_builder *builder;
} builder_box;

static int free_builder(lua_State *L) {
  builder_box *box = lua_touserdata(L, 1);
  mcp_builder_free(box->builder);
  box->builder = NULL;
  return 0;
}

static builder_box *push_builder(lua_State *L) {
  builder_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  box->builder = NULL;
  if (luaL_newmetatable(L, "mcp.builder")) {
    lua_pushcfunction(L, free_builder);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  box->builder = mcp_builder_new(NULL, NULL);
  return box;
}

const char *mcpl_to_json(lua_State *L, int index) {
  index = lua_absindex(L, index);
  luaL_checkstack(L, 8, NULL);
  builder_box *box = push_builder(L);
  lua_pushvalue(L, index);
  const char *wrong = add_value(L, box->builder, 0);
  lua_pop(L, 1);
  size_t len;
  const char *text = mcp_builder_text(box->builder, &len);
  if (wrong == NULL && text == NULL) {
    wrong = mcp_builder_error(box->builder)->message;
  }
  if (wrong != NULL) {
    luaL_error(L, "this value cannot be sent as JSON: %s", wrong);
  }
  text = lua_pushlstring(L, text, len);
  mcp_builder_free(box->builder);
  box->builder = NULL;
  lua_remove(L, -2);
  return text;
}
