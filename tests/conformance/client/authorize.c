/* SPDX-License-Identifier: MIT */
/* How the client gets tokens in the scenarios of authorization. There is no
 * browser: the authorization servers of the suite redirect at once, so asking
 * for the page brings the URL to which a browser would return. */
#include "conformance.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

#define CONTEXT(name) mcp_json_string(mcp_json_get(context, name))

/* --- the user ------------------------------------------------------------- */

static size_t ignore_body(char *bytes, size_t size, size_t count, void *owner) {
  (void)bytes;
  (void)owner;
  return size * count;
}

/* The server is another process, so the program may wait for it here. */
static int agree(mcp_auth *auth, const mcp_auth_prompt *prompt,
                 void *userdata) {
  char *location = NULL;
  mcp_error err;
  int rc = MCP_ERR_IO;
  CURL *easy = curl_easy_init();
  (void)userdata;
  curl_easy_setopt(easy, CURLOPT_URL, prompt->url);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, ignore_body);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT, 10L);
  if (curl_easy_perform(easy) == CURLE_OK &&
      curl_easy_getinfo(easy, CURLINFO_REDIRECT_URL, &location) == CURLE_OK &&
      location != NULL) {
    rc = mcp_auth_redirected(auth, prompt->login, location, &err);
    if (rc != 0) {
      fprintf(stderr, "conformance-client: %s\n", err.message);
    }
  }
  curl_easy_cleanup(easy);
  return rc;
}

/* --- what the program has ------------------------------------------------- */

static int give_assertion(mcp_auth *auth, const mcp_auth_prompt *prompt,
                          void *userdata) {
  return mcp_auth_assert(auth, prompt->login, userdata, NULL);
}

static void set_assertion(mcp_auth_options *options, const char *assertion) {
  options->get_assertion = give_assertion;
  options->userdata = (void *)(uintptr_t)assertion;
}

static void use_credentials(mcp_auth_options *options,
                            const mcp_json *context) {
  options->grant = MCP_AUTH_CLIENT_CREDENTIALS;
  options->private_key = CONTEXT("private_key_pem");
  options->key_algorithm = CONTEXT("signing_algorithm");
}

static void use_enterprise(mcp_auth_options *options, const mcp_json *context) {
  options->grant = MCP_AUTH_ENTERPRISE;
  options->idp_client_id = CONTEXT("idp_client_id");
  options->idp_token_endpoint = CONTEXT("idp_token_endpoint");
  set_assertion(options, CONTEXT("idp_id_token"));
}

static void use_workload(mcp_auth_options *options, const mcp_json *context) {
  options->grant = MCP_AUTH_WORKLOAD;
  options->client_id = NULL;
  set_assertion(options, CONTEXT("valid_jwt"));
}

static const struct {
  const char *name;
  void (*set)(mcp_auth_options *options, const mcp_json *context);
} grants[] = {
    {"auth/client-credentials-jwt", use_credentials},
    {"auth/client-credentials-basic", use_credentials},
    {"auth/enterprise-managed-authorization", use_enterprise},
    {"auth/wif-jwt-bearer", use_workload},
};

mcp_auth *make_auth(mcp_loop *loop, const char *name, const mcp_json *context) {
  mcp_auth_options options = {
      .size = sizeof(mcp_auth_options),
      .client_name = "conformance-client",
      .client_id = CONTEXT("client_id"),
      .client_secret = CONTEXT("client_secret"),
      .client_issuer = CONTEXT("issuer"),
      .client_metadata_url =
          "https://conformance-test.local/client-metadata.json",
      .redirect_uri = "http://localhost:3000/callback",
      .open_browser = agree,
  };
  mcp_error err;
  for (size_t i = 0; i < sizeof grants / sizeof grants[0]; i++) {
    if (strcmp(grants[i].name, name) == 0) {
      grants[i].set(&options, context);
    }
  }
  mcp_auth *auth = mcp_auth_new(loop, &options, &err);
  if (auth == NULL) {
    fprintf(stderr, "conformance-client: %s\n", err.message);
  }
  return auth;
}
