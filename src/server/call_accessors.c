/* SPDX-License-Identifier: MIT */
/* What a call asks for, and who asks (mcp/call.h). */
#include "server/call.h"

#include <mcp/sys/yyjson.h>

/* Returns an object without members, for clients that left the object out. */
static const mcp_json *empty_object(void) {
  static const yyjson_val object = {.tag = YYJSON_TYPE_OBJ,
                                    .uni = {.ofs = sizeof(yyjson_val)}};
  return mcp_json_from_yyjson(&object);
}

/* --- arguments ---------------------------------------------------------- */

/* null means absent, as everywhere in params. */
const mcp_json *mcp_call_arguments(const mcp_call *call) {
  const mcp_json *arguments = call != NULL ? call->arguments : NULL;
  return mcp_json_type(arguments) == MCP_JSON_OBJECT ? arguments
                                                     : empty_object();
}

const mcp_json *mcp_call_argument(const mcp_call *call, const char *name) {
  return call != NULL ? mcp_json_get(call->arguments, name) : NULL;
}

double mcp_call_number(const mcp_call *call, const char *name) {
  return mcp_json_number(mcp_call_argument(call, name));
}

int64_t mcp_call_int(const mcp_call *call, const char *name) {
  return mcp_json_int(mcp_call_argument(call, name));
}

int mcp_call_bool(const mcp_call *call, const char *name) {
  return mcp_json_bool(mcp_call_argument(call, name));
}

/* Reads a string of the client as a C string. The failure is recorded, so that
 * a handler that gets NULL can return MCP_ERR_INVALID. An earlier failure
 * stays, since the handler may return its code. Callers pass const calls, but
 * the call objects are never const. */
static const char *c_string(const mcp_call *call, const char *name,
                            const mcp_json *value) {
  if (mcpi_str_has_nul(mcpi_json_str(value)) && call->error.code == 0) {
    mcp_call *mine = (mcp_call *)call;
    mcpi_call_fail(mine, MCP_ERR_INVALID, MCP_RPC_INVALID_PARAMS,
                   "the argument \"%s\" must not contain NUL (\\u0000)", name);
    mine->error_answer = MCPI_ANSWER_BAD_ARGUMENT;
  }
  return mcp_json_string(value);
}

const char *mcp_call_string(const mcp_call *call, const char *name) {
  return c_string(call, name, mcp_call_argument(call, name));
}

const char *mcp_call_string_n(const mcp_call *call, const char *name,
                              size_t *len) {
  return mcp_json_string_n(mcp_call_argument(call, name), len);
}

/* Finds the argument if it is present and has that type. `place` is where the
 * program wants its value. */
static int find_argument(const mcp_call *call, const char *name, int type,
                         const void *place, const mcp_json **out) {
  if (call == NULL || place == NULL) {
    return MCP_ERR_INVALID;
  }
  *out = mcp_call_argument(call, name);
  if (*out == NULL) {
    return MCP_ERR_NOT_FOUND;
  }
  return mcp_json_type(*out) == type ? 0 : MCP_ERR_INVALID;
}

int mcp_call_try_number(const mcp_call *call, const char *name, double *out) {
  const mcp_json *value;
  int rc = find_argument(call, name, MCP_JSON_NUMBER, out, &value);
  if (rc == 0) {
    *out = mcp_json_number(value);
  }
  return rc;
}

int mcp_call_try_int(const mcp_call *call, const char *name, int64_t *out) {
  const mcp_json *value;
  int rc = find_argument(call, name, MCP_JSON_NUMBER, out, &value);
  if (rc == 0 && mcp_json_try_int(value, out) != 0) {
    rc = MCP_ERR_INVALID;
  }
  return rc;
}

int mcp_call_try_bool(const mcp_call *call, const char *name, int *out) {
  const mcp_json *value;
  int rc = find_argument(call, name, MCP_JSON_BOOL, out, &value);
  if (rc == 0) {
    *out = mcp_json_bool(value);
  }
  return rc;
}

int mcp_call_try_string(const mcp_call *call, const char *name,
                        const char **out) {
  const mcp_json *value;
  int rc = find_argument(call, name, MCP_JSON_STRING, out, &value);
  if (rc == 0 && mcp_json_string(value) == NULL) {
    rc = MCP_ERR_INVALID;
  }
  if (rc == 0) {
    *out = mcp_json_string(value);
  }
  return rc;
}

/* --- the request -------------------------------------------------------- */

/* A method's name is part of the message, so a NUL follows it. */
const char *mcp_call_method(const mcp_call *call) {
  if (call == NULL) {
    return NULL;
  }
  return call->method != NULL ? call->method->name : call->method_name.ptr;
}

/* Compares by the method, since the request hook runs before anything is looked
 * up. */
static int is_method(const mcp_call *call, mcpi_method_id id) {
  return call != NULL && call->method != NULL && call->method->id == id;
}

const char *mcp_call_name(const mcp_call *call) {
  const mcp_json *named = NULL;
  if (is_method(call, MCPI_M_TOOLS_CALL) ||
      is_method(call, MCPI_M_PROMPTS_GET)) {
    named = call->params;
  } else if (is_method(call, MCPI_M_COMPLETE)) {
    named = mcp_json_get(call->params, "ref");
  }
  return mcp_json_string(mcp_json_get(named, "name"));
}

const char *mcp_call_uri(const mcp_call *call) {
  return is_method(call, MCPI_M_RESOURCES_READ)
             ? mcp_json_string(mcp_json_get(call->params, "uri"))
             : NULL;
}

const mcp_json *mcp_call_params(const mcp_call *call) {
  return call != NULL ? call->params : NULL;
}

const mcp_json *mcp_call_meta(const mcp_call *call) {
  return mcp_json_get(mcp_call_params(call), "_meta");
}

static const mcp_json *completed(const mcp_call *call, const char *member) {
  return is_method(call, MCPI_M_COMPLETE)
             ? mcp_json_get(mcp_json_get(call->params, "argument"), member)
             : NULL;
}

const char *mcp_call_complete_argument(const mcp_call *call) {
  return mcp_json_string(completed(call, "name"));
}

const char *mcp_call_complete_value(const mcp_call *call) {
  return c_string(call, "value", completed(call, "value"));
}

const char *mcp_call_complete_value_n(const mcp_call *call, size_t *len) {
  return mcp_json_string_n(completed(call, "value"), len);
}

const mcp_json *mcp_call_complete_context(const mcp_call *call) {
  return is_method(call, MCPI_M_COMPLETE)
             ? mcp_json_get(mcp_json_get(call->params, "context"), "arguments")
             : NULL;
}

/* --- who asks ----------------------------------------------------------- */

mcp_server *mcp_call_server(const mcp_call *call) {
  return call != NULL ? call->shard->server : NULL;
}

mcp_loop *mcp_call_loop(const mcp_call *call) {
  return call != NULL ? call->shard->loop : NULL;
}

const char *mcp_call_revision(const mcp_call *call) {
  return call != NULL ? call->context.revision->name : NULL;
}

/* Sessions begin and end on the loop's thread. */
mcp_session *mcp_call_session(const mcp_call *call) {
  mcp_session *session = call != NULL ? call->session : NULL;
  if (session == NULL || !mcpi_loop_is_home(call->shard->loop)) {
    return NULL;
  }
  return session->caller->rules.is_stateless ? NULL : session;
}

const char *mcp_call_principal(const mcp_call *call) {
  return call != NULL ? call->principal : NULL;
}

const char *mcp_call_peer(const mcp_call *call) {
  return call != NULL ? call->peer : NULL;
}

const mcp_json *mcp_call_client_info(const mcp_call *call) {
  return call != NULL ? call->context.client_info : NULL;
}

const mcp_json *mcp_call_client_capabilities(const mcp_call *call) {
  const mcp_json *capabilities =
      call != NULL ? call->context.client_capabilities : NULL;
  return capabilities != NULL ? capabilities : empty_object();
}

int mcp_call_client_has(const mcp_call *call, const char *capability) {
  return call != NULL && capability != NULL &&
         mcpi_capability_has(call->context.client_capabilities, capability);
}

/* --- the token ---------------------------------------------------------- */

const mcp_json *mcp_call_claims(const mcp_call *call) {
  return call != NULL && call->grant != NULL ? mcp_doc_root(call->grant->claims)
                                             : NULL;
}

const char *mcp_call_scopes(const mcp_call *call) {
  if (call == NULL) {
    return NULL;
  }
  return call->grant != NULL ? call->grant->scopes : "";
}

int mcp_call_has_scopes(const mcp_call *call, const char *scopes) {
  return call != NULL &&
         (call->grant == NULL || mcpi_grant_covers(call->grant, scopes));
}
