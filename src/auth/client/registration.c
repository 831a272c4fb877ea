/* SPDX-License-Identifier: MIT */
#include "auth/client/registration.h"

#include "base/alloc.h"
#include <mcp/error.h>
#include <stdint.h>
#include <string.h>

void mcpi_registration_deinit(mcpi_registration *registration,
                              const mcp_allocator *allocator) {
  mcpi_strfree(allocator, registration->issuer);
  mcpi_strfree(allocator, registration->client_id);
  mcpi_strfree_wiped(allocator, registration->client_secret);
  mcpi_strfree(allocator, registration->redirect_uri);
  *registration = (mcpi_registration){.expires_ms = INT64_MAX};
}

static void put_known(mcp_builder *builder, const char *name,
                      const char *text) {
  if (text != NULL) {
    mcp_builder_string(builder, name, text);
  }
}

void mcpi_registration_write(const mcpi_registration *registration,
                             mcp_builder *builder) {
  mcp_builder_object(builder, NULL);
  put_known(builder, "issuer", registration->issuer);
  put_known(builder, "client_id", registration->client_id);
  put_known(builder, "client_secret", registration->client_secret);
  put_known(builder, "redirect_uri", registration->redirect_uri);
  put_known(builder, "token_endpoint_auth_method",
            mcpi_client_method_name(registration->method));
  if (registration->expires_ms != INT64_MAX) {
    mcp_builder_int(builder, "expires_at_ms", registration->expires_ms);
  }
  mcp_builder_end(builder);
}

/* Returns 0 or MCP_ERR_NOMEM. */
static int copy_member(char **to, const mcp_json *object, const char *name,
                       const mcp_allocator *allocator) {
  const char *text = mcp_json_string(mcp_json_get(object, name));
  *to = mcpi_strdup(allocator, text);
  return text != NULL && *to == NULL ? MCP_ERR_NOMEM : 0;
}

static int registration_copy(mcpi_registration *to, const mcp_json *object,
                             const mcp_allocator *allocator) {
  int rc = copy_member(&to->issuer, object, "issuer", allocator);
  if (rc == 0) {
    rc = copy_member(&to->client_id, object, "client_id", allocator);
  }
  if (rc == 0) {
    rc = copy_member(&to->client_secret, object, "client_secret", allocator);
  }
  if (rc == 0) {
    rc = copy_member(&to->redirect_uri, object, "redirect_uri", allocator);
  }
  return rc;
}

int mcpi_registration_read(mcpi_registration *out, const mcp_json *object,
                           const mcp_allocator *allocator) {
  const mcp_json *method = mcp_json_get(object, "token_endpoint_auth_method");
  mcpi_registration found = {.method =
                                 mcpi_client_method(mcp_json_string(method)),
                             .is_registered = 1,
                             .expires_ms = INT64_MAX};
  mcp_json_try_int(mcp_json_get(object, "expires_at_ms"), &found.expires_ms);
  int rc = registration_copy(&found, object, allocator);
  if (rc == 0 &&
      (found.issuer == NULL || found.client_id == NULL || found.method == 0)) {
    rc = MCP_ERR_INVALID;
  }
  if (rc != 0) {
    mcpi_registration_deinit(&found, allocator);
    return rc;
  }
  *out = found;
  return 0;
}
