/* SPDX-License-Identifier: MIT */
/* Reads members of the tables that programs pass. */
#include "binding.h"

#include <string.h>

/* Returns the C string at the top; `name` is for the message. */
static const char *check_text(lua_State *L, const char *name) {
  if (lua_type(L, -1) != LUA_TSTRING) {
    luaL_error(L, "\"%s\" is a %s; it must be a string", name,
               luaL_typename(L, -1));
  }
  size_t len;
  const char *text = lua_tolstring(L, -1, &len);
  if (strlen(text) != len) {
    luaL_error(L, "\"%s\" contains a zero byte", name);
  }
  return text;
}

static int get(lua_State *L, int index, const char *name) {
  luaL_checkstack(L, 8, NULL);
  return lua_istable(L, index) ? lua_getfield(L, index, name)
                               : (lua_pushnil(L), LUA_TNIL);
}

const char *mcpl_text(lua_State *L, int index, const char *name) {
  return get(L, index, name) == LUA_TNIL ? NULL : check_text(L, name);
}

const char *mcpl_json(lua_State *L, int index, const char *name) {
  return get(L, index, name) == LUA_TNIL ? NULL : mcpl_to_json(L, -1);
}

int mcpl_flag(lua_State *L, int index, const char *name) {
  get(L, index, name);
  int flag = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return flag;
}

uint32_t mcpl_milliseconds(lua_State *L, int index, const char *name) {
  if (get(L, index, name) == LUA_TNIL) {
    return 0;
  }
  lua_Number seconds = lua_tonumber(L, -1);
  if (!(seconds > 0)) {
    luaL_error(L, "\"%s\" must be a number of seconds above 0", name);
  }
  lua_pop(L, 1);
  return seconds < 4e6 ? (uint32_t)(seconds * 1000) + 1 : UINT32_MAX;
}

const char *const *mcpl_words(lua_State *L, int index, const char *name) {
  if (get(L, index, name) == LUA_TNIL) {
    return NULL;
  }
  luaL_argcheck(L, lua_istable(L, -1), index, "it must be a list of strings");
  int list = lua_gettop(L);
  size_t count = (size_t)lua_rawlen(L, list);
  const char **words = lua_newuserdatauv(L, sizeof *words * (count + 1), 0);
  luaL_checkstack(L, (int)count + 8, NULL);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    words[i] = check_text(L, name); /* stays on the stack */
  }
  words[count] = NULL;
  return words;
}

const char *const *mcpl_pairs(lua_State *L, int index, const char *name,
                              const char *between) {
  if (get(L, index, name) == LUA_TNIL) {
    return NULL;
  }
  luaL_argcheck(L, lua_istable(L, -1), index, "it must be a table");
  int table = lua_gettop(L);
  lua_newtable(L);
  lua_newtable(L);
  int count = 0;
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) {
    const char *value = check_text(L, name);
    lua_pushvalue(L, -2);
    lua_pushfstring(L, "%s%s%s", check_text(L, name), between, value);
    lua_rawseti(L, table + 2, ++count);
    lua_pop(L, 1);
  }
  lua_setfield(L, table + 1, "list");
  return mcpl_words(L, table + 1, "list");
}

/* Whether a word stands in a list of words with spaces between them. */
static int stands_in(const char *list, const char *word) {
  size_t len = strlen(word);
  for (; *list != '\0'; list += strcspn(list, " ")) {
    list += strspn(list, " ");
    if (strcspn(list, " ") == len && memcmp(list, word, len) == 0) {
      return 1;
    }
  }
  return 0;
}

void mcpl_check_names(lua_State *L, int index, const char *what,
                      const char *known) {
  luaL_checktype(L, index, LUA_TTABLE);
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    const char *name = luaL_tolstring(L, -1, NULL);
    if (!stands_in(known, name)) {
      luaL_error(L, "%s has no \"%s\"; it may have: %s", what, name, known);
    }
    lua_pop(L, 2);
  }
}

int mcpl_choice(lua_State *L, int index, const char *name,
                const char *const words[], const int values[]) {
  const char *word = luaL_tolstring(L, index, NULL);
  lua_pushfstring(L, "\"%s\" is \"%s\"; it may be:", name, word);
  for (int i = 0; words[i] != NULL; i++) {
    if (strcmp(words[i], word) == 0) {
      lua_pop(L, 2);
      return values[i];
    }
    lua_pushfstring(L, "%s %s", lua_tostring(L, -1), words[i]);
    lua_replace(L, -2);
  }
  return luaL_error(L, "%s", lua_tostring(L, -1));
}

int mcpl_level(lua_State *L, int index) {
  const char *word = luaL_checkstring(L, index);
  for (int level = MCP_LOG_DEBUG; level <= MCP_LOG_EMERGENCY; level++) {
    if (strcmp(mcp_log_level_name(level), word) == 0) {
      return level;
    }
  }
  return luaL_argerror(L, index, "it must be a level such as \"info\"");
}
