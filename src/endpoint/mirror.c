/* SPDX-License-Identifier: MIT */
/* Headers that mirror the body, so that proxies can route a request without
 * reading its body (MCP 2026-07-28, Streamable HTTP: Request Metadata). A
 * server that reads both checks that they agree. */
#include "endpoint/mirror.h"

#include "codec/http_value.h"
#include "endpoint/endpoint.h"
#include "schema/http_params.h"
#include "server/own_methods.h"

static int mirror_fail(mcp_error *err, const char *header, const char *what) {
  mcp_error_set(err, MCP_ERR_PROTOCOL, "the header %s %s", header, what);
  return 0;
}

/* Whether a header whose value is not encoded agrees with the body. Returns 1;
 * or 0 and why in err, as the functions that follow. A notification may come
 * without it (MCP 2026-07-28, Streamable HTTP: Sending Messages). */
static int plain_agrees(const char *name, const char *value, mcpi_str body,
                        int kind, mcp_error *err) {
  if (value == NULL && kind != MCPI_REQUEST) {
    return 1;
  }
  if (value == NULL) {
    return mirror_fail(err, name, "is missing");
  }
  if (!mcpi_str_eq(mcpi_header_trim(mcpi_str_z(value)), body)) {
    return mirror_fail(err, name, "does not match the body");
  }
  return 1;
}

static int mirror_name_agrees(const mcp_http_exchange *exchange,
                              const mcp_json *value, mcp_error *err) {
  if (exchange->head.mcp_name == NULL) {
    return mirror_fail(err, "Mcp-Name", "is missing");
  }
  mcpi_buf scratch = mcpi_endpoint_take_scratch(exchange->http);
  int rc =
      mcpi_header_compare(&scratch, mcpi_str_z(exchange->head.mcp_name), value);
  mcpi_endpoint_give_scratch(exchange->http, &scratch);
  switch (rc) {
  case 0:
    return 1;
  case MCP_ERR_PROTOCOL:
    return mirror_fail(err, "Mcp-Name", "does not match the body");
  case MCP_ERR_PARSE:
    return mirror_fail(err, "Mcp-Name", "has a malformed value");
  default:
    mcp_error_set(err, rc, "%s", mcp_error_text(rc));
    return 0;
  }
}

/* Whether Mcp-Name agrees with the body of a method of the program. A method
 * may do without the member that the header repeats. Then a proxy must not read
 * a name where the handler finds none. */
static int mirror_own_agrees(const mcp_http_exchange *exchange,
                             const mcpi_incoming *in, mcp_error *err) {
  const mcpi_own_method *own =
      mcpi_own_method_find(exchange->http->shard->server, in->envelope->method,
                           in->context.revision, 0);
  const char *member = own != NULL ? mcpi_own_method_name_member(own) : NULL;
  if (member == NULL || in->envelope->kind != MCPI_REQUEST) {
    return 1;
  }
  const mcp_json *name = mcpi_json_get(in->envelope->params, member);
  if (mcp_json_type(name) == MCP_JSON_STRING) {
    return mirror_name_agrees(exchange, name, err);
  }
  return exchange->head.mcp_name == NULL ||
         mirror_fail(err, "Mcp-Name", "does not match the body");
}

/* Whether the headers agree with a tool's arguments. If the tool does not
 * exist, no headers are known. */
static int mirror_arguments_agree(const mcp_http_exchange *exchange,
                                  const mcpi_incoming *in, mcpi_str name,
                                  mcp_error *err) {
  mcpi_shard *shard = exchange->http->shard;
  mcpi_shard_refresh(shard);
  const mcpi_registry *tools = shard->registries[MCPI_TOOLS];
  const mcpi_entry *tool =
      tools->has_http_params ? mcpi_registry_find(tools, name) : NULL;
  if (tool == NULL || tool->http_params == NULL) {
    return 1;
  }
  mcpi_buf scratch = mcpi_endpoint_take_scratch(exchange->http);
  int rc = mcpi_http_params_check(
      tool->http_params, mcpi_json_get(in->envelope->params, "arguments"),
      exchange->request->headers, exchange->request->header_count, &scratch,
      err);
  mcpi_endpoint_give_scratch(exchange->http, &scratch);
  if (rc != 0 && rc != MCP_ERR_PROTOCOL) {
    mcp_error_set(err, rc, "%s", mcp_error_text(rc));
  }
  return rc == 0;
}

/* Whether the headers of the body's method agree with it. The check of the
 * parameters reports a name that is missing or of another type. */
static int method_headers_agree(const mcp_http_exchange *exchange,
                                const mcpi_incoming *in, mcp_error *err) {
  const mcpi_method *method = in->method;
  if (method == NULL) {
    return mirror_own_agrees(exchange, in, err);
  }
  if (method->mirrored == NULL) {
    return 1;
  }
  const mcp_json *name = mcpi_json_get(in->envelope->params, method->mirrored);
  return (in->envelope->kind != MCPI_REQUEST ||
          mcp_json_type(name) != MCP_JSON_STRING ||
          mirror_name_agrees(exchange, name, err)) &&
         (method->id != MCPI_M_TOOLS_CALL ||
          mirror_arguments_agree(exchange, in, mcpi_json_str(name), err));
}

int mcpi_endpoint_headers_agree(const mcp_http_exchange *exchange,
                                const mcpi_incoming *in, mcpi_str version,
                                mcp_error *err) {
  const mcpi_endpoint_head *head = &exchange->head;
  const mcpi_envelope *envelope = in->envelope;
  if (head->repeated != NULL) {
    return mirror_fail(err, head->repeated, "came twice");
  }
  return plain_agrees("MCP-Protocol-Version", head->protocol_version, version,
                      envelope->kind, err) &&
         plain_agrees("Mcp-Method", head->mcp_method, envelope->method,
                      envelope->kind, err) &&
         (in->class == MCPI_CLASS_REFUSED ||
          method_headers_agree(exchange, in, err));
}
