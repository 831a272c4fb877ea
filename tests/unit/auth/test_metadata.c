/* SPDX-License-Identifier: MIT */
#include "auth/metadata.h"

#include "auth/web_url.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"

#define SERVER "https://example.com/mcp"
#define ISSUER "https://login.example.com/tenant1"

/* --- protected resources -------------------------------------------------- */

static int read_resource(mcpi_resource_metadata *out, const char *text,
                         mcp_error *err) {
  return mcpi_resource_metadata_read(out, mcpi_str_z(scratch_quoted(text)),
                                     MCPI_STR(SERVER), mcp_allocator_default(),
                                     err);
}

SCRATCH_TEST(a_resource_names_its_authorization_servers) {
  mcpi_resource_metadata found;
  mcp_error err;
  assert_int_equal(read_resource(&found,
                                 "{'resource': '" SERVER
                                 "', 'authorization_servers': "
                                 "[1, '" ISSUER "', null, 'https://b'], "
                                 "'scopes_supported': ['a'], "
                                 "'dpop_bound_access_tokens_required': true}",
                                 &err),
                   0);
  assert_string_equal(found.resource, SERVER);
  assert_string_equal(mcpi_resource_metadata_server(&found, 0), ISSUER);
  assert_string_equal(mcpi_resource_metadata_server(&found, 1), "https://b");
  assert_null(mcpi_resource_metadata_server(&found, 2));
  assert_int_equal(mcp_json_size(found.scopes_supported), 1);
  assert_true(found.requires_dpop);
  mcpi_resource_metadata_deinit(&found);
}

SCRATCH_TEST(what_is_not_an_object_is_no_metadata) {
  static const char *const texts[] = {"",  "<html></html>", "[]", "'x'", "null",
                                      "{", "{'resource':"};
  mcpi_resource_metadata found;
  mcpi_server_metadata server;
  mcp_error err;
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    assert_int_equal(read_resource(&found, texts[i], &err), MCP_ERR_PARSE);
    assert_int_equal(mcpi_server_metadata_read(&server, mcpi_str_z(texts[i]),
                                               MCPI_STR(ISSUER),
                                               mcp_allocator_default(), &err),
                     MCP_ERR_PARSE);
  }
}

SCRATCH_TEST(metadata_of_another_resource_are_refused) {
  static const char *const texts[] = {
      "{}",
      "{'authorization_servers': ['https://b']}",
      "{'resource': 1, 'authorization_servers': ['https://b']}",
      "{'resource': 'https://evil.example.com/mcp', "
      "'authorization_servers': ['https://b']}",
      "{'resource': 'https://example.com/mcp2', "
      "'authorization_servers': ['https://b']}",
      "{'resource': '" SERVER "'}",
      "{'resource': '" SERVER "', 'authorization_servers': []}",
      "{'resource': '" SERVER "', 'authorization_servers': [1]}",
      "{'resource': '" SERVER "', 'authorization_servers': 'https://b'}",
      "{'resource': '" SERVER "', 'authorization_servers': {'a': 'b'}}"};
  mcpi_resource_metadata found;
  mcp_error err;
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    if (read_resource(&found, texts[i], &err) != MCP_ERR_REFUSED) {
      fail_msg("%s", texts[i]);
    }
    assert_int_equal(err.code, MCP_ERR_REFUSED);
  }
}

static void read_long_resource(size_t len) {
  char resource[MCPI_WEB_URL_MAX + 2];
  mcpi_resource_metadata found;
  mcp_error err;
  memset(resource, 'a', len);
  memcpy(resource, "https://a/", 10);
  resource[len] = '\0';
  const char *text = scratch_quoted(
      scratch_join("{'resource': '", resource,
                   "', 'authorization_servers': ['https://b']}"));
  int rc = mcpi_resource_metadata_read(&found, mcpi_str_z(text),
                                       mcpi_str_z(resource),
                                       mcp_allocator_default(), &err);
  if (len <= MCPI_WEB_URL_MAX) {
    assert_int_equal(rc, 0);
    mcpi_resource_metadata_deinit(&found);
  } else {
    assert_int_equal(rc, MCP_ERR_REFUSED);
    assert_non_null(strstr(err.message, "too long"));
  }
}

SCRATCH_TEST(a_resource_has_a_limit) {
  read_long_resource(MCPI_WEB_URL_MAX);
  read_long_resource(MCPI_WEB_URL_MAX + 1);
}

SCRATCH_TEST(sixteen_authorization_servers_count) {
  mcpi_resource_metadata found;
  mcp_error err;
  mcpi_buf *text = scratch_buf();
  mcpi_buf_lit(text, "{'resource': '" SERVER "', 'authorization_servers': [");
  for (int i = 0; i <= MCPI_RESOURCE_SERVERS_MAX; i++) {
    mcpi_buf_puts(text, i == 0 ? MCPI_STR("'b'") : MCPI_STR(", 'b'"));
  }
  mcpi_buf_lit(text, "]}");
  assert_int_equal(read_resource(&found, scratch_str(text), &err), 0);
  assert_non_null(mcpi_resource_metadata_server(&found, 15));
  assert_null(mcpi_resource_metadata_server(&found, 16));
  mcpi_resource_metadata_deinit(&found);
}

/* --- authorization servers ------------------------------------------------ */

static int read_server(mcpi_server_metadata *out, const char *text,
                       mcp_error *err) {
  return mcpi_server_metadata_read(out, mcpi_str_z(scratch_quoted(text)),
                                   MCPI_STR(ISSUER), mcp_allocator_default(),
                                   err);
}

SCRATCH_TEST(a_server_says_what_it_can_do) {
  mcpi_server_metadata found;
  mcp_error err;
  assert_int_equal(
      read_server(
          &found,
          "{'issuer': '" ISSUER "', 'authorization_endpoint': 'https://a/a', "
          "'token_endpoint': 'https://a/t', 'registration_endpoint': "
          "'https://a/r', 'revocation_endpoint': 'https://a/v', 'jwks_uri': "
          "'https://a/j', 'introspection_endpoint': 'https://a/i', "
          "'token_endpoint_auth_methods_supported': ['none', "
          "'private_key_jwt', "
          "'tls_client_auth', 7], 'code_challenge_methods_supported': "
          "['plain', "
          "'S256'], 'dpop_signing_alg_values_supported': ['ES256'], "
          "'authorization_response_iss_parameter_supported': true, "
          "'client_id_metadata_document_supported': true, "
          "'scopes_supported': ['a']}",
          &err),
      0);
  assert_string_equal(found.issuer, ISSUER);
  assert_string_equal(found.authorization_endpoint, "https://a/a");
  assert_string_equal(found.token_endpoint, "https://a/t");
  assert_string_equal(found.registration_endpoint, "https://a/r");
  assert_string_equal(found.revocation_endpoint, "https://a/v");
  assert_string_equal(found.jwks_uri, "https://a/j");
  assert_string_equal(found.introspection_endpoint, "https://a/i");
  assert_int_equal(found.auth_methods, MCPI_CLIENT_NONE | MCPI_CLIENT_JWT);
  assert_true(found.has_s256 && found.sends_iss && found.supports_dpop_es256 &&
              found.supports_client_metadata);
  assert_non_null(found.scopes_supported);
  mcpi_server_metadata_deinit(&found, mcp_allocator_default());
  mcpi_server_metadata_deinit(&found, mcp_allocator_default());
}

SCRATCH_TEST(what_a_server_does_not_say_is_absent) {
  mcpi_server_metadata found;
  mcp_error err;
  assert_int_equal(read_server(&found,
                               "{'issuer': '" ISSUER
                               "', 'token_endpoint': 'https://a/t', "
                               "'code_challenge_methods_supported': 'S256'}",
                               &err),
                   0);
  assert_null(found.authorization_endpoint);
  assert_null(found.registration_endpoint);
  assert_int_equal(found.auth_methods, MCPI_CLIENT_BASIC);
  assert_false(found.has_s256 || found.sends_iss || found.supports_dpop_es256 ||
               found.supports_client_metadata);
  mcpi_server_metadata_deinit(&found, mcp_allocator_default());
}

/* As servers of tests have them. */
SCRATCH_TEST(a_server_may_be_on_loopback) {
  static const char *const issuers[] = {"http://localhost:8123",
                                        "http://localhost:8123/tenant1"};
  for (size_t i = 0; i < 2; i++) {
    mcpi_server_metadata found;
    mcp_error err;
    const char *text = scratch_quoted(
        scratch_join("{'issuer': '", issuers[i],
                     "', 'token_endpoint': 'http://localhost:8123/token', "
                     "'token_endpoint_auth_methods_supported': ['none']}"));
    assert_int_equal(mcpi_server_metadata_read(&found, mcpi_str_z(text),
                                               mcpi_str_z(issuers[i]),
                                               mcp_allocator_default(), &err),
                     0);
    assert_int_equal(found.auth_methods, MCPI_CLIENT_NONE);
    mcpi_server_metadata_deinit(&found, mcp_allocator_default());
  }
}

SCRATCH_TEST(members_of_another_type_count_as_absent) {
  mcpi_server_metadata found;
  mcp_error err;
  assert_int_equal(
      read_server(&found,
                  "{'issuer': '" ISSUER "', 'token_endpoint': 'https://a/t', "
                  "'registration_endpoint': null, 'jwks_uri': 7, "
                  "'scopes_supported': 'a', "
                  "'token_endpoint_auth_methods_supported': {'none': 1}, "
                  "'client_id_metadata_document_supported': 'true'}",
                  &err),
      0);
  assert_null(found.registration_endpoint);
  assert_null(found.jwks_uri);
  assert_null(found.scopes_supported);
  assert_int_equal(found.auth_methods, MCPI_CLIENT_BASIC);
  assert_false(found.supports_client_metadata);
  mcpi_server_metadata_deinit(&found, mcp_allocator_default());
  assert_int_equal(read_server(&found,
                               "{'issuer': '" ISSUER "', "
                               "'token_endpoint': ['https://a/t']}",
                               &err),
                   MCP_ERR_REFUSED);
}

SCRATCH_TEST(a_server_that_is_not_the_issuer_is_refused) {
  static const char *const issuers[] = {
      "'https://login.example.com/tenant1/'",
      "'https://login.example.com'",
      "'HTTPS://login.example.com/tenant1'",
      "'https://attacker.example.com'",
      "'https://login.example.com:443/tenant1'",
      "null",
      "['" ISSUER "']"};
  mcpi_server_metadata found;
  mcp_error err;
  for (size_t i = 0; i < sizeof(issuers) / sizeof(issuers[0]); i++) {
    char *text = scratch_join(
        "{'token_endpoint': 'https://a/t', 'issuer': ", issuers[i], "}");
    assert_int_equal(read_server(&found, text, &err), MCP_ERR_REFUSED);
    assert_non_null(strstr(err.message, ISSUER));
  }
}

SCRATCH_TEST(a_url_that_must_not_be_used_is_refused) {
  static const char *const members[] = {
      "authorization_endpoint", "registration_endpoint", "revocation_endpoint",
      "jwks_uri", "introspection_endpoint"};
  mcpi_server_metadata found;
  mcp_error err;
  for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
    char *text = scratch_join("{'issuer': '" ISSUER
                              "', 'token_endpoint': 'https://a/t', '",
                              members[i], "': 'javascript:alert(1)'}");
    assert_int_equal(read_server(&found, text, &err), MCP_ERR_REFUSED);
    assert_non_null(strstr(err.message, members[i]));
  }
  assert_int_equal(read_server(&found, "{'issuer': '" ISSUER "'}", &err),
                   MCP_ERR_REFUSED);
  assert_int_equal(read_server(&found,
                               "{'issuer': '" ISSUER
                               "', 'token_endpoint': 'http://evil.com/t'}",
                               &err),
                   MCP_ERR_REFUSED);
}

SCRATCH_TEST(a_server_without_metadata_has_default_endpoints) {
  mcpi_server_metadata found;
  assert_int_equal(mcpi_server_metadata_default(&found,
                                                MCPI_STR("http://localhost:80"),
                                                mcp_allocator_default()),
                   0);
  assert_string_equal(found.issuer, "http://localhost:80");
  assert_string_equal(found.authorization_endpoint,
                      "http://localhost:80/authorize");
  assert_string_equal(found.token_endpoint, "http://localhost:80/token");
  assert_string_equal(found.registration_endpoint,
                      "http://localhost:80/register");
  assert_true(found.has_s256);
  mcpi_server_metadata_deinit(&found, mcp_allocator_default());
}

SCRATCH_TEST(methods_have_names) {
  static const char *const names[] = {"none", "client_secret_basic",
                                      "client_secret_post", "private_key_jwt"};
  for (size_t i = 0; i < 4; i++) {
    int method = mcpi_client_method(names[i]);
    assert_int_equal(method, 1 << i);
    assert_string_equal(mcpi_client_method_name(method), names[i]);
  }
  assert_int_equal(mcpi_client_method("NONE"), 0);
  assert_int_equal(mcpi_client_method(NULL), 0);
  assert_null(mcpi_client_method_name(3));
}

static int read_all(const mcp_allocator *allocator, void *userdata) {
  static const char resource[] =
      "{\"resource\":\"" SERVER "\",\"authorization_servers\":[\"b\"]}";
  static const char server[] =
      "{\"issuer\":\"" ISSUER "\",\"token_endpoint\":\"https://a/t\"}";
  mcpi_resource_metadata found;
  mcpi_server_metadata issuer;
  mcp_error err;
  int rc = mcpi_resource_metadata_read(&found, mcpi_str_z(resource),
                                       MCPI_STR(SERVER), allocator, &err);
  if (rc == 0) {
    mcpi_resource_metadata_deinit(&found);
    rc = mcpi_server_metadata_read(&issuer, mcpi_str_z(server),
                                   MCPI_STR(ISSUER), allocator, &err);
  }
  if (rc == 0) {
    mcpi_server_metadata_deinit(&issuer, allocator);
    rc =
        mcpi_server_metadata_default(&issuer, MCPI_STR("https://a"), allocator);
  }
  if (rc == 0) {
    mcpi_server_metadata_deinit(&issuer, allocator);
  }
  return rc;
}

TEST(failures_are_survived) {
  failing_alloc_rerun_least(3, read_all, NULL);
}
