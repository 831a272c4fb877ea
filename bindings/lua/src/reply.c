/* SPDX-License-Identifier: MIT */
/* Answers calls with what handlers return. A handler that returns nil and a
 * text has failed, as is usual in Lua. */
#include "binding.h"

#include <stddef.h>
#include <string.h>

/* ---- content: a table with the metatable "mcp.content" ---- */

static const char *const content_types[] = {"text",     "image", "audio",
                                            "resource", "link",  NULL};
static const int content_values[] = {MCP_CONTENT_TEXT, MCP_CONTENT_IMAGE,
                                     MCP_CONTENT_AUDIO, MCP_CONTENT_RESOURCE,
                                     MCP_CONTENT_RESOURCE_LINK};
static const struct {
  const char *name;
  size_t at;
} content_members[] = {
    {"text", offsetof(mcp_content, text)},
    {"mime_type", offsetof(mcp_content, mime_type)},
    {"uri", offsetof(mcp_content, uri)},
    {"name", offsetof(mcp_content, name)},
    {"title", offsetof(mcp_content, title)},
    {"description", offsetof(mcp_content, description)},
};

/* mcp.content{type = "image", data = bytes, mime_type = "image/png"} */
int mcpl_new_content(lua_State *L) {
  mcpl_check_names(L, 1, "content",
                   "type data text mime_type uri name title description");
  lua_settop(L, 1);
  lua_getfield(L, 1, "type");
  mcpl_choice(L, 2, "type", content_types, content_values);
  lua_settop(L, 1);
  luaL_newmetatable(L, "mcp.content");
  lua_setmetatable(L, 1);
  return 1;
}

static int is_content(lua_State *L, int index) {
  if (!lua_istable(L, index) || !lua_getmetatable(L, index)) {
    return 0;
  }
  luaL_getmetatable(L, "mcp.content");
  int is = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return is;
}

static void read_content(lua_State *L, int index, mcp_content *content) {
  luaL_checkstack(L, 16, NULL);
  lua_getfield(L, index, "type");
  content->type = mcpl_choice(L, -1, "type", content_types, content_values);
  size_t count = sizeof content_members / sizeof *content_members;
  for (size_t i = 0; i < count; i++) {
    const char *text = mcpl_text(L, index, content_members[i].name);
    memcpy((char *)content + content_members[i].at, &text, sizeof text);
  }
  lua_getfield(L, index, "data");
  content->data = lua_tolstring(L, -1, &content->data_len);
}

static void add(lua_State *L, int index, mcp_call *call) {
  index = lua_absindex(L, index);
  int top = lua_gettop(L);
  if (is_content(L, index)) {
    mcp_content content = {.size = sizeof content};
    read_content(L, index, &content);
    mcpl_check(L, mcp_call_add_content(call, &content), NULL);
  } else {
    size_t len;
    const char *text = lua_tolstring(L, index, &len);
    if (text == NULL) {
      luaL_error(L,
                 "a handler returned a %s where a text or mcp.content{} "
                 "belongs",
                 luaL_typename(L, index));
    }
    mcpl_check(L, mcp_call_add_text_n(call, text, len), NULL);
  }
  lua_settop(L, top);
}

/* Whether the value is a list of texts and content, with at least one item. */
static int is_content_list(lua_State *L, int index) {
  lua_Integer count = (lua_Integer)lua_rawlen(L, index);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, index, i);
    int fits = lua_type(L, -1) == LUA_TSTRING || is_content(L, -1);
    lua_pop(L, 1);
    if (!fits) {
      return 0;
    }
  }
  return count > 0;
}

static void add_list(lua_State *L, int index, mcp_call *call) {
  lua_Integer count = (lua_Integer)lua_rawlen(L, index);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, index, i);
    add(L, -1, call);
    lua_pop(L, 1);
  }
}

/* Answers with the text of a handler that returned nil and a text. */
static int reply_failure(lua_State *L, int index, mcp_call *call) {
  size_t len;
  const char *text = luaL_tolstring(L, index, &len);
  return mcp_call_reply_failure_n(call, text, len);
}

static int has_failed(lua_State *L, int first) {
  return lua_isnoneornil(L, first) && !lua_isnoneornil(L, first + 1);
}

/* ---- tools ---- */

static int reply_number(lua_State *L, int index, mcp_call *call) {
  if (lua_isinteger(L, index)) {
    return mcp_call_reply_text(call, luaL_tolstring(L, index, NULL));
  }
  return mcp_call_reply_number(call, lua_tonumber(L, index));
}

static int reply_table(lua_State *L, int index, mcp_call *call) {
  if (is_content(L, index)) {
    add(L, index, call);
  } else if (is_content_list(L, index)) {
    add_list(L, index, call);
  } else {
    mcpl_check(L, mcp_call_set_structured(call, mcpl_to_json(L, index)), NULL);
  }
  return mcp_call_reply(call);
}

int mcpl_reply_tool(lua_State *L, int first, mcp_call *call, int is_binary) {
  (void)is_binary;
  if (has_failed(L, first)) {
    return reply_failure(L, first + 1, call);
  }
  switch (lua_type(L, first)) {
  case LUA_TNUMBER:
    return reply_number(L, first, call);
  case LUA_TBOOLEAN:
    return mcp_call_reply_text(call,
                               lua_toboolean(L, first) ? "true" : "false");
  case LUA_TTABLE:
    return reply_table(L, first, call);
  case LUA_TNIL:
  case LUA_TNONE:
    return mcp_call_reply(call);
  default:
    add(L, first, call);
    return mcp_call_reply(call);
  }
}

/* ---- resources ---- */

int mcpl_reply_resource(lua_State *L, int first, mcp_call *call,
                        int is_binary) {
  if (has_failed(L, first)) {
    return reply_failure(L, first + 1, call);
  }
  if (lua_isnoneornil(L, first)) {
    return MCP_ERR_NOT_FOUND;
  }
  if (lua_istable(L, first)) {
    mcpl_check(L,
               mcp_call_add_resource_text(call, NULL, "application/json",
                                          mcpl_to_json(L, first)),
               NULL);
    return mcp_call_reply(call);
  }
  size_t len;
  const char *text = luaL_tolstring(L, first, &len);
  if (is_binary) {
    mcpl_check(L, mcp_call_add_resource_data(call, NULL, NULL, text, len),
               NULL);
  } else {
    mcpl_check(L, mcp_call_add_text_n(call, text, len), NULL);
  }
  return mcp_call_reply(call);
}

/* ---- prompts ---- */

static const char *const roles[] = {"user", "assistant", NULL};
static const int role_values[] = {MCP_ROLE_USER, MCP_ROLE_ASSISTANT};

/* A message is a text, content, or {role = ..., content = ...}. */
static void add_message(lua_State *L, int index, mcp_call *call) {
  index = lua_absindex(L, index);
  int top = lua_gettop(L);
  int role = MCP_ROLE_USER;
  if (lua_istable(L, index) && !is_content(L, index)) {
    mcpl_check_names(L, index, "a message", "role content");
    lua_getfield(L, index, "role");
    role = lua_isnil(L, -1) ? role
                            : mcpl_choice(L, -1, "role", roles, role_values);
    lua_getfield(L, index, "content");
    index = lua_gettop(L);
  }
  mcpl_check(L, mcp_call_set_role(call, role), NULL);
  add(L, index, call);
  lua_settop(L, top);
}

int mcpl_reply_prompt(lua_State *L, int first, mcp_call *call, int is_binary) {
  (void)is_binary;
  if (has_failed(L, first)) {
    return reply_failure(L, first + 1, call);
  }
  if (!lua_istable(L, first) || lua_rawlen(L, first) == 0) {
    add_message(L, first, call);
    return mcp_call_reply(call);
  }
  lua_Integer count = (lua_Integer)lua_rawlen(L, first);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, first, i);
    add_message(L, -1, call);
    lua_pop(L, 1);
  }
  return mcp_call_reply(call);
}

/* ---- completions ---- */

int mcpl_reply_completion(lua_State *L, int first, mcp_call *call) {
  if (lua_istable(L, first)) {
    lua_Integer count = (lua_Integer)lua_rawlen(L, first);
    for (lua_Integer i = 1; i <= count; i++) {
      lua_rawgeti(L, first, i);
      mcpl_check(L, mcp_call_add_completion(call, luaL_tolstring(L, -1, NULL)),
                 NULL);
      lua_pop(L, 2);
    }
  }
  return mcp_call_reply(call);
}
