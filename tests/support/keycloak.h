/* SPDX-License-Identifier: MIT */
/* Documents in the shape that Keycloak 26 gives them, for the realm "demo":
 * written for these tests, after what its manual and its issues show. Without
 * its experimental feature resource-indicators it ignores the parameter
 * `resource`, and `aud` comes from its audience mappers. */
#ifndef TESTS_SUPPORT_KEYCLOAK_H
#define TESTS_SUPPORT_KEYCLOAK_H

#define KEYCLOAK "https://sso.test/realms/demo"
#define KEYCLOAK_CLIENT_ID "f3b4b5c0-1a52-4c8e-9d3a-0d2d9a4f7c11"
#define KEYCLOAK_OPENID KEYCLOAK "/protocol/openid-connect"

/* `none` is not listed, and Keycloak accepts it. */
#define KEYCLOAK_METHODS                                                       \
  "[\"private_key_jwt\",\"client_secret_basic\",\"client_secret_post\","       \
  "\"tls_client_auth\",\"client_secret_jwt\"]"
#define KEYCLOAK_ALGORITHMS                                                    \
  "[\"PS384\",\"RS384\",\"EdDSA\",\"ES384\",\"HS256\",\"HS512\",\"ES256\","    \
  "\"RS256\",\"HS384\",\"ES512\",\"PS256\",\"PS512\",\"RS512\"]"

/* KEYCLOAK/.well-known/openid-configuration. */
#define KEYCLOAK_METADATA                                                      \
  "{\"issuer\":\"" KEYCLOAK "\",\"authorization_endpoint\":\"" KEYCLOAK_OPENID \
  "/auth\",\"token_endpoint\":\"" KEYCLOAK_OPENID                              \
  "/token\",\"introspection_endpoint\":\"" KEYCLOAK_OPENID                     \
  "/token/introspect\",\"userinfo_endpoint\":\"" KEYCLOAK_OPENID               \
  "/userinfo\",\"end_session_endpoint\":\"" KEYCLOAK_OPENID                    \
  "/logout\",\"frontchannel_logout_session_supported\":true,"                  \
  "\"frontchannel_logout_supported\":true,\"jwks_uri\":\"" KEYCLOAK_OPENID     \
  "/certs\",\"check_session_iframe\":\"" KEYCLOAK_OPENID                       \
  "/login-status-iframe.html\",\"grant_types_supported\":["                    \
  "\"authorization_code\",\"client_credentials\",\"implicit\",\"password\","   \
  "\"refresh_token\",\"urn:ietf:params:oauth:grant-type:device_code\","        \
  "\"urn:ietf:params:oauth:grant-type:token-exchange\","                       \
  "\"urn:ietf:params:oauth:grant-type:uma-ticket\","                           \
  "\"urn:openid:params:grant-type:ciba\"],"                                    \
  "\"acr_values_supported\":[\"0\",\"1\"],\"response_types_supported\":["      \
  "\"code\",\"none\",\"id_token\",\"token\",\"id_token token\","               \
  "\"code id_token\",\"code token\",\"code id_token token\"],"                 \
  "\"subject_types_supported\":[\"public\",\"pairwise\"],"                     \
  "\"id_token_signing_alg_values_supported\":" KEYCLOAK_ALGORITHMS             \
  ",\"response_modes_supported\":[\"query\",\"fragment\",\"form_post\","       \
  "\"query.jwt\",\"fragment.jwt\",\"form_post.jwt\",\"jwt\"],"                 \
  "\"registration_endpoint\":\"" KEYCLOAK                                      \
  "/clients-registrations/openid-connect\","                                   \
  "\"token_endpoint_auth_methods_supported\":" KEYCLOAK_METHODS                \
  ",\"token_endpoint_auth_signing_alg_values_supported\":" KEYCLOAK_ALGORITHMS \
  ",\"introspection_endpoint_auth_methods_supported\":" KEYCLOAK_METHODS       \
  ",\"claims_supported\":[\"aud\",\"sub\",\"iss\",\"auth_time\",\"name\","     \
  "\"given_name\",\"family_name\",\"preferred_username\",\"email\",\"acr\"],"  \
  "\"claim_types_supported\":[\"normal\"],\"claims_parameter_supported\":"     \
  "true,\"scopes_supported\":[\"openid\",\"mcp:tools\",\"profile\",\"email\"," \
  "\"address\",\"phone\",\"offline_access\",\"roles\",\"web-origins\","        \
  "\"microprofile-jwt\",\"acr\",\"basic\"],"                                   \
  "\"request_parameter_supported\":true,"                                      \
  "\"request_uri_parameter_supported\":true,"                                  \
  "\"require_request_uri_registration\":true,"                                 \
  "\"code_challenge_methods_supported\":[\"plain\",\"S256\"],"                 \
  "\"tls_client_certificate_bound_access_tokens\":true,"                       \
  "\"dpop_signing_alg_values_supported\":[\"PS384\",\"RS384\",\"EdDSA\","      \
  "\"ES384\",\"ES256\",\"RS256\",\"ES512\",\"PS256\",\"PS512\",\"RS512\"],"    \
  "\"revocation_endpoint\":\"" KEYCLOAK_OPENID                                 \
  "/revoke\",\"revocation_endpoint_auth_methods_supported\":" KEYCLOAK_METHODS \
  ",\"backchannel_logout_supported\":true,"                                    \
  "\"backchannel_logout_session_supported\":true,"                             \
  "\"device_authorization_endpoint\":\"" KEYCLOAK_OPENID                       \
  "/auth/device\",\"backchannel_token_delivery_modes_supported\":[\"poll\","   \
  "\"ping\"],\"backchannel_authentication_endpoint\":\"" KEYCLOAK_OPENID       \
  "/ext/ciba/auth\",\"require_pushed_authorization_requests\":false,"          \
  "\"pushed_authorization_request_endpoint\":\"" KEYCLOAK_OPENID               \
  "/ext/par/request\",\"mtls_endpoint_aliases\":{\"token_endpoint\":"          \
  "\"" KEYCLOAK_OPENID "/token\"},"                                            \
  "\"authorization_response_iss_parameter_supported\":true}"

/* How it registers a client: `method` and `more` are JSON texts. */
#define KEYCLOAK_CLIENT(method, more)                                          \
  "{\"redirect_uris\":[\"http://127.0.0.1:1234/callback\"],"                   \
  "\"token_endpoint_auth_method\":\"" method                                   \
  "\",\"grant_types\":[\"authorization_code\",\"refresh_token\"],"             \
  "\"response_types\":[\"code\",\"none\"],"                                    \
  "\"client_id\":\"" KEYCLOAK_CLIENT_ID "\"," more                             \
  "\"client_name\":\"Test\",\"scope\":\"address phone offline_access "         \
  "mcp:tools\",\"subject_type\":\"public\",\"request_uris\":[],"               \
  "\"tls_client_certificate_bound_access_tokens\":false,"                      \
  "\"dpop_bound_access_tokens\":false,\"client_id_issued_at\":1700000000,"     \
  "\"registration_client_uri\":\"" KEYCLOAK                                    \
  "/clients-registrations/openid-connect/f3b4b5c0\","                          \
  "\"registration_access_token\":\"eyJhbGciOiJIUzUxMiJ9.e30.c2ln\","           \
  "\"backchannel_logout_session_required\":false,"                             \
  "\"require_pushed_authorization_requests\":false}"

/* The answer with a token. */
#define KEYCLOAK_TOKEN                                                         \
  "{\"access_token\":\"the-access\",\"expires_in\":300,"                       \
  "\"refresh_expires_in\":1800,\"refresh_token\":\"the-refresh\","             \
  "\"token_type\":\"Bearer\",\"not-before-policy\":0,"                         \
  "\"session_state\":\"2a88c258-f73a-4103-b862-e1fbd8f4e04e\","                \
  "\"scope\":\"mcp:tools profile email\"}"

/* The claims of an access token. `aud` is ",\"aud\":..." or
 * empty; `typ` is the claim, and `more` adds members. */
#define KEYCLOAK_CLAIMS(aud, typ, more)                                        \
  "{\"exp\":1700000300,\"iat\":1700000000,\"auth_time\":1699999990,"           \
  "\"jti\":\"onrtac:d58f5dc8-fd8f-462b-8a19-716f8f83985b\","                   \
  "\"iss\":\"" KEYCLOAK "\"" aud                                               \
  ",\"sub\":\"36fa0f91-f94d-4a0c-afed-6b7d952e47da\",\"typ\":\"" typ           \
  "\",\"azp\":\"" KEYCLOAK_CLIENT_ID "\","                                     \
  "\"sid\":\"2a88c258-f73a-4103-b862-e1fbd8f4e04e\",\"acr\":\"1\","            \
  "\"allowed-origins\":[\"http://127.0.0.1:1234\"],\"realm_access\":{"         \
  "\"roles\":[\"default-roles-demo\",\"offline_access\","                      \
  "\"uma_authorization\"]},\"resource_access\":{\"account\":{\"roles\":["      \
  "\"manage-account\",\"manage-account-links\",\"view-profile\"]}},"           \
  "\"scope\":\"mcp:tools profile email\",\"email_verified\":false,"            \
  "\"name\":\"Ann Example\",\"preferred_username\":\"ann\","                   \
  "\"given_name\":\"Ann\",\"family_name\":\"Example\","                        \
  "\"email\":\"ann@example.test\"" more "}"

#endif
