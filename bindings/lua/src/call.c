/* SPDX-License-Identifier: MIT */
/* The object that a handler gets beside the arguments. It is valid until the
 * handler returns.
 *
 * A handler runs in a coroutine of its own. A question that has no answer yet
 * yields, and the coroutine is dropped: libmcp runs the handler again from its
 * start when the answer has arrived (mcp/call.h, "asking"). Unlike an error, a
 * yield cannot be caught by a pcall in the handler. */
#include "binding.h"

#include <stdio.h>

static mcpl_call *use_box(lua_State *L) {
  mcpl_call *self = luaL_checkudata(L, 1, "mcp.call");
  if (self->call == NULL) {
    luaL_error(L, "the call is over: its handler has returned");
  }
  return self;
}

static mcp_call *use(lua_State *L) {
  return use_box(L)->call;
}

mcpl_call *mcpl_push_call(lua_State *L, mcp_call *call, lua_State *thread) {
  mcpl_call *self = lua_newuserdatauv(L, sizeof *self, 0);
  *self = (mcpl_call){.call = call, .thread = thread};
  luaL_setmetatable(L, "mcp.call");
  return self;
}

/* ---- messages to the client ---- */

/* call:progress(done, total, message): returns false if the client has gone */
static int call_progress(lua_State *L) {
  int rc =
      mcp_call_progress(use(L), luaL_checknumber(L, 2), luaL_optnumber(L, 3, 0),
                        luaL_optstring(L, 4, NULL));
  lua_pushboolean(L, rc == 0);
  return 1;
}

/* call:log(level, data, logger) */
static int call_log(lua_State *L) {
  mcp_call *call = use(L);
  int rc = mcp_call_log(call, mcpl_level(L, 2), luaL_optstring(L, 4, NULL),
                        mcpl_to_json(L, 3));
  lua_pushboolean(L, rc == 0);
  return 1;
}

/* ---- what is known ---- */

static int call_cancelled(lua_State *L) {
  lua_pushboolean(L, mcp_call_is_cancelled(use(L)));
  return 1;
}

static int call_has(lua_State *L) {
  lua_pushboolean(L, mcp_call_client_has(use(L), luaL_checkstring(L, 2)));
  return 1;
}

static int call_revision(lua_State *L) {
  lua_pushstring(L, mcp_call_revision(use(L)));
  return 1;
}

static int call_uri(lua_State *L) {
  lua_pushstring(L, mcp_call_uri(use(L)));
  return 1;
}

static int call_principal(lua_State *L) {
  lua_pushstring(L, mcp_call_principal(use(L)));
  return 1;
}

static int call_client_info(lua_State *L) {
  mcpl_push_json(L, mcp_call_client_info(use(L)));
  return 1;
}

static int call_meta(lua_State *L) {
  mcpl_push_json(L, mcp_call_meta(use(L)));
  return 1;
}

/* ---- questions ---- */

static const char *next_key(lua_State *L, mcpl_call *self) {
  return lua_pushfstring(L, "q%d", ++self->questions);
}

/* Returns the answer to Lua, or yields until there is one. */
static int finish_question(lua_State *L, mcpl_call *self, int rc,
                           const mcp_json *answer) {
  if (rc == MCP_PENDING) {
    if (L != self->thread) {
      luaL_error(L, "a handler asks in its own coroutine only");
    }
    self->is_asking = 1;
    return lua_yield(L, 0);
  }
  mcpl_check(L, rc, NULL);
  mcpl_push_json(L, answer);
  return 1;
}

/* call:elicit(message, fields): returns {action = "accept", content = {...}} */
static int call_elicit(lua_State *L) {
  mcpl_call *self = use_box(L);
  luaL_checktype(L, 3, LUA_TTABLE);
  mcp_schema form = {.size = sizeof form, .text = mcpl_fields(L, 3)};
  mcp_elicitation question = {.size = sizeof question,
                              .message = luaL_checkstring(L, 2),
                              .form = &form};
  const mcp_json *answer = NULL;
  int rc =
      mcp_call_ask_elicit(self->call, next_key(L, self), &question, &answer);
  return finish_question(L, self, rc, answer);
}

/* call:sample(prompt, max_tokens): returns {role =, content =, model =} */
static int call_sample(lua_State *L) {
  mcpl_call *self = use_box(L);
  mcp_sampling question = {.size = sizeof question,
                           .max_tokens = luaL_optinteger(L, 3, 1000)};
  if (lua_istable(L, 2)) {
    question.messages = mcpl_to_json(L, 2);
  } else {
    question.prompt = luaL_checkstring(L, 2);
  }
  const mcp_json *answer = NULL;
  int rc =
      mcp_call_ask_sample(self->call, next_key(L, self), &question, &answer);
  return finish_question(L, self, rc, answer);
}

/* call:roots(): returns a list of {uri =, name =} */
static int call_roots(lua_State *L) {
  mcpl_call *self = use_box(L);
  const mcp_json *answer = NULL;
  int rc = mcp_call_ask_roots(self->call, next_key(L, self), &answer);
  return finish_question(L, self, rc, mcp_json_get(answer, "roots"));
}

static const luaL_Reg methods[] = {{"progress", call_progress},
                                   {"log", call_log},
                                   {"cancelled", call_cancelled},
                                   {"client_has", call_has},
                                   {"client_info", call_client_info},
                                   {"revision", call_revision},
                                   {"uri", call_uri},
                                   {"principal", call_principal},
                                   {"meta", call_meta},
                                   {"elicit", call_elicit},
                                   {"sample", call_sample},
                                   {"roots", call_roots},
                                   {NULL, NULL}};

void mcpl_open_calls(lua_State *L) {
  mcpl_class(L, "mcp.call", methods, NULL);
}
