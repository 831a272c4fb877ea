/* SPDX-License-Identifier: MIT */
/* How the program proves who it is (RFC 6749, 2.3; RFC 7523, 2.2). */
#include "auth/client/step.h"

#include "auth/client/client_jwt.h"
#include "auth/form.h"
#include "base/error.h"

/* The JWT names the client, so client_id is not sent (RFC 7521, 4.2). */
static int put_client_jwt(mcpi_flow *flow, mcp_error *err) {
  mcpi_buf jwt;
  mcpi_buf_init_secret(&jwt, flow->allocator, SIZE_MAX);
  int rc =
      mcpi_client_jwt_put(&jwt, flow->loop, flow->start.options,
                          flow->client.client_id, flow->server.issuer, err);
  if (rc == 0) {
    mcpi_step_put(flow, "client_assertion_type",
                  "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    mcpi_form_put(&flow->ask.body, 0, "client_assertion", mcpi_buf_str(&jwt));
  }
  mcpi_buf_deinit(&jwt);
  return rc;
}

int mcpi_step_put_client(mcpi_flow *flow, mcp_error *err) {
  const mcpi_registration *client = &flow->client;
  switch (client->method) {
  case MCPI_CLIENT_JWT:
    return put_client_jwt(flow, err);
  case MCPI_CLIENT_BASIC:
    mcpi_form_put_basic(&flow->ask.authorization, mcpi_str_z(client->client_id),
                        mcpi_str_z(client->client_secret));
    return 0;
  case MCPI_CLIENT_POST:
    mcpi_step_put(flow, "client_id", client->client_id);
    mcpi_step_put(flow, "client_secret", client->client_secret);
    return 0;
  default:
    mcpi_step_put(flow, "client_id", client->client_id);
    return 0;
  }
}
