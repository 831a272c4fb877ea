/* SPDX-License-Identifier: MIT */
/* The client id of the program at the authorization server, in this order (MCP,
 * Authorization: Client Registration Approaches):
 *
 *     1. client_id of the options
 *     2. what the program answers when it is asked
 *     3. client_metadata_url of the options, if the server supports it
 *     4. a registration that is kept
 *     5. a new registration
 *
 * A token that exists is renewed and revoked by the client to which it was
 * given. */
#include "auth/client/step.h"

/* --- a given client ------------------------------------------------------- */

/* Chooses how the program proves who it is. A server that lists no method that
 * we can use may know one anyway. */
static int method_for(const mcpi_flow *flow, const char *secret, int has_key) {
  int supported = flow->server.auth_methods;
  if (has_key && ((supported & MCPI_CLIENT_JWT) != 0 || secret == NULL)) {
    return MCPI_CLIENT_JWT;
  }
  if (secret == NULL) {
    return MCPI_CLIENT_NONE;
  }
  if ((supported & (MCPI_CLIENT_BASIC | MCPI_CLIENT_POST)) ==
      MCPI_CLIENT_POST) {
    return MCPI_CLIENT_POST;
  }
  return MCPI_CLIENT_BASIC;
}

static mcpi_flow_next use_client(mcpi_flow *flow, const char *id,
                                 const char *secret, int has_key) {
  mcpi_registration *client = &flow->client;
  if (mcpi_step_find_redirect(flow, NULL) != 0) {
    return MCPI_FLOW_FAILED;
  }
  client->method = method_for(flow, secret, has_key);
  int rc = mcpi_step_copy(flow, &client->client_id, id);
  if (rc == 0) {
    rc = mcpi_step_copy(flow, &client->client_secret, secret);
  }
  return rc == 0 ? mcpi_step_after_client(flow) : mcpi_step_no_memory(flow);
}

static mcpi_flow_next use_options(mcpi_flow *flow) {
  const mcp_auth_options *options = flow->start.options;
  if (!mcpi_step_may_use_issuer(flow, flow->issuer)) {
    return mcpi_step_refuse_issuer(flow, flow->issuer);
  }
  return use_client(flow, options->client_id, options->client_secret,
                    options->private_key != NULL);
}

/* The document at the URL may name a key, but servers that do not list that
 * method get no signature. */
static mcpi_flow_next use_metadata_url(mcpi_flow *flow) {
  const mcp_auth_options *options = flow->start.options;
  return use_client(flow, options->client_metadata_url, NULL,
                    options->private_key != NULL &&
                        (flow->server.auth_methods & MCPI_CLIENT_JWT) != 0);
}

/* --- a registration that is kept ------------------------------------------ */

static mcpi_flow_next use_known(mcpi_flow *flow) {
  if (mcpi_step_copy_client(flow, &flow->client, &flow->known_client) != 0) {
    return mcpi_step_no_memory(flow);
  }
  flow->uses_known_client = 1;
  return mcpi_step_after_client(flow);
}

/* Whether the program has what the method of the registration needs. */
static int has_proof(const mcpi_flow *flow) {
  const mcpi_registration *known = &flow->known_client;
  switch (known->method) {
  case MCPI_CLIENT_JWT:
    return flow->start.options->private_key != NULL;
  case MCPI_CLIENT_BASIC:
  case MCPI_CLIENT_POST:
    return known->client_secret != NULL;
  default:
    return 1;
  }
}

static int is_known_here(const mcpi_flow *flow) {
  const mcpi_registration *known = &flow->known_client;
  return known->client_id != NULL && known->issuer != NULL &&
         strcmp(known->issuer, flow->issuer) == 0 && has_proof(flow);
}

/* Whether the registration is good for a login: its secret has not expired, and
 * the browser can return to the URL that was registered. Returns 1, 0, or an
 * MCP_ERR_* with flow->result.why. */
static int is_known_good(mcpi_flow *flow) {
  const mcpi_registration *known = &flow->known_client;
  if (!is_known_here(flow) || flow->result.drops_registration ||
      known->expires_ms <= mcpi_loop_wall(flow->loop) ||
      known->redirect_uri == NULL) {
    return 0;
  }
  int rc = mcpi_step_find_redirect(flow, known->redirect_uri);
  if (rc != 0) {
    return rc;
  }
  return strcmp(known->redirect_uri, flow->redirect_uri) == 0;
}

static mcpi_flow_next use_registration(mcpi_flow *flow) {
  if (flow->start.options->grant != MCP_AUTH_CODE) {
    return mcpi_step_fail(flow, MCP_ERR_REFUSED,
                          "the program has no client_id for %.120s",
                          flow->issuer);
  }
  int is_good = is_known_good(flow);
  if (is_good < 0) {
    return MCPI_FLOW_FAILED;
  }
  return is_good ? use_known(flow) : mcpi_step_register(flow);
}

/* --- the client of a token ------------------------------------------------ */

static int is_client_of_token(const mcpi_flow *flow, const char *id) {
  return id != NULL && strcmp(id, flow->token->client_id) == 0;
}

/* The program has been asked, or is not asked. */
static mcpi_flow_next refuse_token(mcpi_flow *flow) {
  return mcpi_step_fail(flow, MCP_ERR_REFUSED,
                        "the token belongs to the client %.80s, which is no "
                        "longer that of the program",
                        flow->token->client_id);
}

static mcpi_flow_next get_client_of_token(mcpi_flow *flow) {
  const mcp_auth_options *options = flow->start.options;
  if (flow->token->client_id == NULL) {
    return mcpi_step_after_client(flow); /* of a workload */
  }
  if (is_client_of_token(flow, options->client_id)) {
    return use_options(flow);
  }
  if (is_known_here(flow) &&
      is_client_of_token(flow, flow->known_client.client_id)) {
    return use_known(flow);
  }
  if (is_client_of_token(flow, options->client_metadata_url)) {
    return use_metadata_url(flow);
  }
  return flow->purpose == MCPI_FLOW_TO_REFRESH ? MCPI_FLOW_ASK_CLIENT
                                               : refuse_token(flow);
}

/* --- the step ------------------------------------------------------------- */

mcpi_flow_next mcpi_step_get_client(mcpi_flow *flow) {
  mcpi_registration_deinit(&flow->client, flow->allocator);
  flow->uses_known_client = 0;
  if (flow->token != NULL) {
    return get_client_of_token(flow);
  }
  if (flow->start.options->client_id != NULL) {
    return use_options(flow);
  }
  if (flow->result.drops_registration) {
    return mcpi_step_register(flow);
  }
  return MCPI_FLOW_ASK_CLIENT;
}

mcpi_flow_next mcpi_step_take_given_client(mcpi_flow *flow, const char *id,
                                           const char *secret) {
  const mcp_auth_options *options = flow->start.options;
  if (flow->token != NULL && !is_client_of_token(flow, id)) {
    return refuse_token(flow);
  }
  if (id != NULL) {
    return use_client(flow, id, secret, options->private_key != NULL);
  }
  if (options->client_metadata_url != NULL &&
      flow->server.supports_client_metadata) {
    return use_metadata_url(flow);
  }
  return use_registration(flow);
}
