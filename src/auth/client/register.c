/* SPDX-License-Identifier: MIT */
/* Registering the program at an authorization server (RFC 7591; OpenID Connect
 * Dynamic Client Registration, 2, for application_type). */
#include "auth/client/step.h"

#include "auth/web_url.h"

/* --- asking --------------------------------------------------------------- */

/* A program that many people have on their computers keeps no secret. A secret
 * goes in the body if the server lists this: servers on the Python SDK list
 * client_secret_basic, but refuse it without a client_id in the body
 * (python-sdk issue 3545), and others refuse it with one. */
static int method_to_register(const mcpi_flow *flow) {
  static const int wanted[] = {MCPI_CLIENT_NONE, MCPI_CLIENT_POST,
                               MCPI_CLIENT_BASIC};
  for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
    if ((flow->server.auth_methods & wanted[i]) != 0) {
      return wanted[i];
    }
  }
  return MCPI_CLIENT_NONE;
}

/* Programs on a user's computer have a loopback URL. */
static const char *application_type(const mcpi_flow *flow) {
  mcpi_str url = mcpi_str_z(flow->redirect_uri);
  return mcpi_str_starts_with(url, MCPI_STR("https:")) &&
                 !mcpi_web_url_is_loopback(url)
             ? "web"
             : "native";
}

static void put_one(mcp_builder *builder, const char *name, const char *text) {
  mcp_builder_array(builder, name);
  mcp_builder_string(builder, NULL, text);
  mcp_builder_end(builder);
}

static void build_client_metadata(const mcpi_flow *flow, mcp_builder *builder) {
  const mcp_auth_options *options = flow->start.options;
  mcp_builder_object(builder, NULL);
  mcp_builder_string(builder, "client_name", options->client_name);
  if (options->client_uri != NULL) {
    mcp_builder_string(builder, "client_uri", options->client_uri);
  }
  put_one(builder, "redirect_uris", flow->redirect_uri);
  mcp_builder_array(builder, "grant_types");
  mcp_builder_string(builder, NULL, "authorization_code");
  mcp_builder_string(builder, NULL, "refresh_token");
  mcp_builder_end(builder);
  put_one(builder, "response_types", "code");
  mcp_builder_string(builder, "token_endpoint_auth_method",
                     mcpi_client_method_name(method_to_register(flow)));
  mcp_builder_string(builder, "application_type", application_type(flow));
  if (mcpi_step_uses_dpop(flow)) {
    mcp_builder_bool(builder, "dpop_bound_access_tokens", 1);
  }
  mcp_builder_end(builder);
}

/* Returns 0 or an MCP_ERR_*. */
static int put_client_metadata(const mcpi_flow *flow, mcpi_buf *to) {
  mcp_builder *builder = mcp_builder_new(flow->allocator, NULL);
  size_t len;
  int rc = 0;
  build_client_metadata(flow, builder);
  const char *text = mcp_builder_text(builder, &len);
  if (text != NULL) {
    mcpi_buf_put(to, text, len);
  } else {
    rc = mcp_builder_error(builder)->code;
  }
  mcp_builder_free(builder);
  return rc;
}

mcpi_flow_next mcpi_step_register(mcpi_flow *flow) {
  const char *url = flow->server.registration_endpoint;
  if (url == NULL) {
    return mcpi_step_fail(flow, MCP_ERR_REFUSED,
                          "%.100s does not register programs, and the program "
                          "has no client_id for it",
                          flow->issuer);
  }
  if (mcpi_step_find_redirect(flow, NULL) != 0) {
    return MCPI_FLOW_FAILED;
  }
  mcpi_buf_puts(mcpi_step_ask(flow), mcpi_str_z(url));
  flow->ask.type = "application/json";
  int rc = put_client_metadata(flow, &flow->ask.body);
  return rc == 0 ? MCPI_FLOW_FETCH
                 : mcpi_step_fail_code(flow, rc, "writing client metadata");
}

/* --- the answer ----------------------------------------------------------- */

/* The secret's end is in seconds; 0: it has none. */
static int64_t registration_expiry(const mcp_json *root) {
  int64_t s = 0;
  mcp_json_try_int(mcp_json_get(root, "client_secret_expires_at"), &s);
  return s > 0 && s < INT64_MAX / 1000 ? s * 1000 : INT64_MAX;
}

/* The server may have registered another method than was asked for. */
static int registered_method(const mcpi_flow *flow, const mcp_json *root) {
  const mcp_json *method = mcp_json_get(root, "token_endpoint_auth_method");
  return method != NULL ? mcpi_client_method(mcp_json_string(method))
                        : method_to_register(flow);
}

/* Returns 0 or MCP_ERR_NOMEM. */
static int keep_registration(mcpi_flow *flow, const mcp_json *root,
                             const char *id, const char *secret) {
  mcpi_registration *client = &flow->client;
  client->is_registered = 1;
  client->expires_ms = registration_expiry(root);
  int rc = mcpi_step_copy(flow, &client->issuer, flow->issuer);
  if (rc == 0) {
    rc = mcpi_step_copy(flow, &client->client_id, id);
  }
  if (rc == 0) {
    rc = mcpi_step_copy(flow, &client->client_secret, secret);
  }
  if (rc == 0) {
    rc = mcpi_step_copy(flow, &client->redirect_uri, flow->redirect_uri);
  }
  if (rc == 0) {
    rc = mcpi_step_copy_client(flow, &flow->result.registered, client);
  }
  return rc;
}

static mcpi_flow_next take_object(mcpi_flow *flow, const mcp_json *root) {
  const char *id = mcp_json_string(mcp_json_get(root, "client_id"));
  const char *secret = mcp_json_string(mcp_json_get(root, "client_secret"));
  int method = registered_method(flow, root);
  if (id == NULL || id[0] == '\0') {
    return mcpi_step_fail_answer(flow, MCP_ERR_PROTOCOL, "has no client_id");
  }
  if (method == 0 ||
      (method == MCPI_CLIENT_JWT && flow->start.options->private_key == NULL)) {
    return mcpi_step_fail_answer(flow, MCP_ERR_PROTOCOL,
                                 "has a token_endpoint_auth_method that the "
                                 "program does not have");
  }
  if (secret == NULL &&
      (method == MCPI_CLIENT_BASIC || method == MCPI_CLIENT_POST)) {
    return mcpi_step_fail_answer(flow, MCP_ERR_PROTOCOL,
                                 "has no client_secret, which its "
                                 "token_endpoint_auth_method needs");
  }
  flow->client.method = method;
  return keep_registration(flow, root, id, secret) == 0
             ? mcpi_step_after_client(flow)
             : mcpi_step_no_memory(flow);
}

mcpi_flow_next mcpi_step_take_registration(mcpi_flow *flow,
                                           const mcp_fetch_answer *answer) {
  if (!mcpi_step_is_fine(answer)) {
    return mcpi_step_refuse(flow, answer);
  }
  return mcpi_step_take_object(flow, answer, take_object);
}
