/* SPDX-License-Identifier: MIT */
/* require "mcp" */
#include "binding.h"

/* The key of a table of the registry, which does not keep its values alive:
 * address -> userdata. */
static const char objects;

void mcpl_remember(lua_State *L, int index, const void *address) {
  index = lua_absindex(L, index);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &objects);
  lua_pushvalue(L, index);
  lua_rawsetp(L, -2, address);
  lua_pop(L, 1);
}

void mcpl_recall(lua_State *L, const void *address) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &objects);
  lua_rawgetp(L, -1, address);
  lua_remove(L, -2);
}

void mcpl_class(lua_State *L, const char *name, const luaL_Reg *methods,
                const luaL_Reg *meta) {
  luaL_newmetatable(L, name);
  if (meta != NULL) {
    luaL_setfuncs(L, meta, 0);
  }
  lua_newtable(L);
  luaL_setfuncs(L, methods, 0);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

/* mcp.array(t): t becomes a JSON array, also if it is empty. */
static int array(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  mcpl_mark_array(L, 1);
  return 1;
}

static void make_objects(lua_State *L) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &objects);
}

static const luaL_Reg functions[] = {{"server", mcpl_new_server},
                                     {"client", mcpl_new_client},
                                     {"content", mcpl_new_content},
                                     {"error", mcpl_new_error},
                                     {"array", array},
                                     {NULL, NULL}};

__attribute__((visibility("default"))) int luaopen_mcp(lua_State *L);

int luaopen_mcp(lua_State *L) {
  luaL_checkversion(L);
  make_objects(L);
  mcpl_open_errors(L);
  mcpl_open_calls(L);
  mcpl_open_servers(L);
  mcpl_open_clients(L);
  luaL_newlib(L, functions);
  lua_pushlightuserdata(L, NULL);
  lua_setfield(L, -2, "null");
  lua_pushstring(L, mcp_version());
  lua_setfield(L, -2, "version");
  return 1;
}
