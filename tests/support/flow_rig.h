/* SPDX-License-Identifier: MIT */
/* A login on a platform that a test plays: it records what the login asks for,
 * and the test answers when it wants. Random bytes count upwards, the hash of a
 * text is its first 32 bytes, and a signature is 64 times "S", so all requests
 * are texts that a test can compare.
 *
 * The end of each login is checked: its error has no secret of the login. */
#ifndef TESTS_SUPPORT_FLOW_RIG_H
#define TESTS_SUPPORT_FLOW_RIG_H

#include "auth/client/step.h"
#include "base/buf.h"
#include <mcp/auth.h>

#define RIG_SERVER "https://mcp.test/v1/mcp"
#define RIG_ISSUER "https://as.test"
#define RIG_REDIRECT "http://127.0.0.1:1234/callback"
/* The first two random texts of a login by code. */
#define RIG_STATE "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
#define RIG_VERIFIER "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8"

/* Documents. A test adds members at the end. */
#define RIG_RESOURCE_WITH(more)                                                \
  "{\"resource\":\"" RIG_SERVER "\",\"authorization_servers\":[\"" RIG_ISSUER  \
  "\"]" more "}"
#define RIG_RESOURCE RIG_RESOURCE_WITH("")
#define RIG_METADATA_WITH(more)                                                \
  "{\"issuer\":\"" RIG_ISSUER                                                  \
  "\",\"authorization_endpoint\":\"https://as.test/authorize\","               \
  "\"token_endpoint\":\"https://as.test/token\","                              \
  "\"code_challenge_methods_supported\":[\"S256\"]" more "}"
#define RIG_PUBLIC                                                             \
  ",\"registration_endpoint\":\"https://as.test/register\","                   \
  "\"token_endpoint_auth_methods_supported\":[\"none\"]"
#define RIG_TAKES_ASSERTIONS                                                   \
  ",\"grant_types_supported\":[\"authorization_code\","                        \
  "\"urn:ietf:params:oauth:grant-type:jwt-bearer\"]"
#define RIG_METADATA RIG_METADATA_WITH(RIG_PUBLIC RIG_TAKES_ASSERTIONS)
#define RIG_TOKEN                                                              \
  "{\"access_token\":\"the-access\",\"token_type\":\"Bearer\","                \
  "\"expires_in\":3600}"

typedef struct flow_rig flow_rig;
struct flow_rig {
  mcp_platform platform;
  mcp_loop *loop;
  mcp_auth_options options;
  mcpi_issuers issuers;
  mcpi_flow_start start;
  mcpi_flow *flow;
  mcpi_buf log; /* what the login has done since the last rig_take_log */
  char *log_copy;
  uint8_t random; /* the next random byte */
  int is_fuzzed;  /* only the random texts of a login are its secrets */

  /* The request that runs. */
  mcp_fetch_done_cb done;
  void *argument;

  /* What the functions of the platform and the host return. */
  int fetch_result;
  int random_result;
  int crypto_result;
  int browse_result;
  int assertion_result;
  int client_result;        /* MCPI_FLOW_NOT_ASKED at first */
  const char *redirect_uri; /* NULL: it fails */
  /* Called inside each function of the host, if it is not NULL. */
  void (*on_host)(flow_rig *rig, const char *what);

  /* What the login has brought. The rig owns it. */
  int ends;
  mcpi_token *token;
  mcpi_registration registered;
  int drops_registration;
  int is_refresh_refused;
  mcp_error why;
};

/* `allocator` NULL: the default. Returns 0 or MCP_ERR_NOMEM; _deinit is legal
 * after both. */
int flow_rig_init(flow_rig *rig, const mcp_allocator *allocator);
void flow_rig_deinit(flow_rig *rig);

/* Makes rig->flow, of rig->start. Returns 0, or MCP_ERR_NOMEM with rig->why. */
int flow_rig_new(flow_rig *rig);
void flow_rig_free(flow_rig *rig);

/* Returns what has happened since the last call, borrowed until the next:
 *
 *     GET URL                              a request, with "(public)" after the
 *     MCP-Protocol-Version: 2025-03-26     URL, if it may not go to a private
 *                                          address
 *     POST URL
 *     Authorization: Basic ...
 *     BODY
 *     redirect_uri WISH
 *     browse URL SCOPES                    and so on: what the host is asked
 *     cancel                               the request is cancelled
 *     token ACCESS                         the end
 *     failed NAME STATUS: MESSAGE */
const char *flow_rig_take_log(flow_rig *rig);

/* Answers the request that runs. `header` is "Name: value" or NULL. */
void flow_rig_answer(flow_rig *rig, int status, const char *header,
                     const char *body);
void flow_rig_answer_n(flow_rig *rig, int status, const char *header,
                       const char *body, size_t len);
/* There was no answer. */
void flow_rig_fail(flow_rig *rig, int code, const char *why);

#endif
