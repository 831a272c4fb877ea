/* SPDX-License-Identifier: MIT */
/* What a call needs: capabilities of the client (MCP 2025-11-25, Lifecycle:
 * Capability Negotiation), and scopes of its token (MCP 2026-07-28,
 * Authorization: Scope Challenge Handling). */
#include "server/call.h"

/* Extensions' names have dots of their own. */
static size_t first_step(const char *path) {
  return strcspn(path, ".");
}

/* {"requiredCapabilities":{"elicitation":{"form":{}}}} */
static void put_required(const char *path, mcpi_buf *out) {
  size_t len = first_step(path);
  mcpi_buf_lit(out, "{\"requiredCapabilities\":{");
  mcpi_json_put_string(out, mcpi_str_n(path, len));
  mcpi_buf_lit(out, ":{");
  if (path[len] == '.') {
    mcpi_json_put_string(out, mcpi_str_z(path + len + 1));
    mcpi_buf_lit(out, ":{}");
  }
  mcpi_buf_lit(out, "}}}");
}

/* Some clients declare what their revision does not have, and to declare it
 * would not help others. */
static int check_revision(mcp_call *call, const char *capability) {
  static const struct {
    const char *capability;
    uint32_t feature;
  } since[] = {{"elicitation.form", MCPI_HAS_ELICIT_FORM},
               {"elicitation.url", MCPI_HAS_ELICIT_URL},
               {"sampling.tools", MCPI_HAS_SAMPLING_TOOLS},
               {"sampling.context", MCPI_HAS_SAMPLING_CONTEXT}};
  const mcpi_revision *revision = call->context.revision;
  for (size_t i = 0; i < sizeof(since) / sizeof(since[0]); i++) {
    if (strcmp(capability, since[i].capability) == 0 &&
        !mcpi_revision_has(revision, since[i].feature)) {
      return mcpi_call_fail(
          call, MCP_ERR_UNSUPPORTED, MCP_RPC_INTERNAL_ERROR,
          "the revision %s has no %s, whatever the client declares: answer "
          "without asking, or let the client use a newer revision",
          revision->name, capability);
    }
  }
  return 0;
}

int mcpi_call_require(mcp_call *call, const char *capability) {
  const mcp_json *declared = call->context.client_capabilities;
  int is_modern = mcpi_revision_is_modern(call->context.revision);
  int rc = check_revision(call, capability);
  if (rc != 0 || mcpi_capability_has(declared, capability)) {
    return rc;
  }
  mcpi_call_fail(call, MCP_ERR_CAPABILITY,
                 is_modern ? MCP_RPC_MISSING_CAPABILITY
                           : MCP_RPC_INTERNAL_ERROR,
                 call->caller != NULL && call->caller->rules.is_stateless
                     ? "%s: a request without a session cannot ask its client"
                     : "the client has not declared the capability %s",
                 capability);
  if (is_modern) {
    put_required(capability, &call->error_data);
  }
  return MCP_ERR_CAPABILITY;
}

/* --- scopes ------------------------------------------------------------- */

/* What clients without HTTP's header read, in OAuth's words. */
static void put_needed(const char *scopes, mcpi_buf *out) {
  mcpi_buf_lit(out, "{\"error\":\"insufficient_scope\",\"scope\":");
  mcpi_json_put_string(out, mcpi_str_z(scopes));
  mcpi_buf_putc(out, '}');
}

/* The code is -32600, as in the endpoint's other refusals with status 403 and
 * 404: the request is refused because of who sends it. The protocol gives no
 * code to a lack of scopes, and forbids new ones from -32000 to -32099. Over
 * HTTP the status and its header say more. */
int mcpi_call_require_scopes(mcp_call *call, const char *scopes,
                             const char *what, mcpi_str name) {
  if (call->grant == NULL || mcpi_grant_covers(call->grant, scopes)) {
    return 0;
  }
  call->needed_scopes = mcpi_strdup(&call->shard->server->allocator, scopes);
  if (call->needed_scopes == NULL) {
    return mcpi_call_fail(call, MCP_ERR_NOMEM, MCP_RPC_INTERNAL_ERROR,
                          "out of memory");
  }
  mcpi_call_fail(call, MCP_ERR_REFUSED, MCP_RPC_INVALID_REQUEST,
                 "the %s \"%.*s\" needs a token with the scopes \"%s\"", what,
                 (int)(name.len < 100 ? name.len : 100), name.ptr, scopes);
  put_needed(scopes, &call->error_data);
  if (call->error_data.error != 0) {
    mcpi_buf_clear(&call->error_data); /* the message says enough */
  }
  return MCP_ERR_REFUSED;
}
