/* SPDX-License-Identifier: MIT */
/* The short form of schemas: {a = "number", b = "string?: a name",
 * c = {type = "integer", minimum = 1, optional = true}}. */
#include "binding.h"

#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lua's tables have no order, and the same program should always show the same
 * schema. */
void mcpl_push_names(lua_State *L, int table) {
  table = lua_absindex(L, table);
  lua_newtable(L);
  int names = lua_gettop(L);
  int count = 0;
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) {
      luaL_error(L, "the names of fields are strings, not a %s",
                 luaL_typename(L, -2));
    }
    lua_pushvalue(L, -2);
    lua_rawseti(L, names, ++count);
  }
  const char **sorted = lua_newuserdatauv(L, sizeof *sorted * (size_t)count, 0);
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, names, i + 1);
    sorted[i] = lua_tostring(L, -1); /* a key of the table, so it stays */
    lua_pop(L, 1);
  }
  qsort(sorted, (size_t)count, sizeof *sorted, compare_names);
  for (int i = 0; i < count; i++) {
    lua_pushstring(L, sorted[i]);
    lua_rawseti(L, names, i + 1);
  }
  lua_settop(L, names);
}

void mcpl_push_field_words(lua_State *L, const char *words) {
  size_t type = strcspn(words, "?: ");
  const char *rest = words + type;
  int is_optional = *rest == '?';
  rest += is_optional;
  rest += strspn(rest, ": ");
  lua_pushlstring(L, words, type);
  lua_pushboolean(L, is_optional);
  if (*rest != '\0') {
    lua_pushstring(L, rest);
  } else {
    lua_pushnil(L);
  }
}

/* Replaces the words on the top by a schema; returns whether the field is
 * optional. */
static int schema_of_words(lua_State *L) {
  mcpl_push_field_words(L, lua_tostring(L, -1));
  int is_optional = lua_toboolean(L, -2);
  lua_createtable(L, 0, 2);
  lua_insert(L, -4);
  lua_setfield(L, -4, "description");
  lua_pop(L, 1);
  lua_setfield(L, -2, "type");
  lua_remove(L, -2);
  return is_optional;
}

/* Replaces the table on the top by a copy without `optional`. */
static int schema_of_table(lua_State *L) {
  int from = lua_gettop(L);
  lua_getfield(L, from, "optional");
  int is_optional = lua_toboolean(L, -1);
  lua_pop(L, 1);
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, from) != 0;) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, from + 1);
  }
  lua_pushnil(L);
  lua_setfield(L, from + 1, "optional");
  lua_remove(L, from);
  return is_optional;
}

static int schema_of_field(lua_State *L, const char *name) {
  if (lua_type(L, -1) == LUA_TSTRING) {
    return schema_of_words(L);
  }
  if (lua_type(L, -1) == LUA_TTABLE) {
    return schema_of_table(L);
  }
  return luaL_error(L,
                    "the field \"%s\" is a %s; it must be a type such as "
                    "\"number\", or a table with a JSON Schema",
                    name, luaL_typename(L, -1));
}

const char *mcpl_fields(lua_State *L, int index) {
  index = lua_absindex(L, index);
  if (lua_isnil(L, index)) {
    return NULL;
  }
  luaL_checktype(L, index, LUA_TTABLE);
  luaL_checkstack(L, 16, NULL);
  lua_newtable(L);
  int schema = lua_gettop(L);
  lua_pushliteral(L, "object");
  lua_setfield(L, schema, "type");
  lua_newtable(L); /* properties */
  lua_newtable(L); /* required */
  mcpl_mark_array(L, -1);
  mcpl_push_names(L, index);
  for (int i = 1; lua_rawgeti(L, schema + 3, i) == LUA_TSTRING; i++) {
    const char *name = lua_tostring(L, -1);
    lua_getfield(L, index, name);
    if (!schema_of_field(L, name)) {
      lua_pushvalue(L, -2);
      lua_rawseti(L, schema + 2, (lua_Integer)lua_rawlen(L, schema + 2) + 1);
    }
    lua_rawset(L, schema + 1); /* takes the name too */
  }
  lua_settop(L, schema + 2);
  lua_setfield(L, schema, "required");
  lua_setfield(L, schema, "properties");
  const char *text = mcpl_to_json(L, schema);
  lua_remove(L, schema);
  return text;
}
