/* SPDX-License-Identifier: MIT */
/** @file
 * Servers that demand OAuth tokens (libmcp).
 *
 * A program names mcp_protect_options in mcp_http_options.protect. Each HTTP
 * request must then carry an access token for this server. The library checks
 * it before it looks at the message, answers 401 or 403 with the challenge that
 * clients need, and publishes the metadata by which clients find the
 * authorization server.
 *
 *     mcp_protect_options protect = MCP_PROTECT_OPTIONS_INIT;
 *     protect.resource = "https://example.com/mcp";
 *     protect.issuer = "https://login.example.com";
 *     http.protect = &protect;
 *
 * (Specification: basic/authorization; RFC 6750, 7662, 9068, 9449, 9728.)
 */
#ifndef MCP_PROTECT_H
#define MCP_PROTECT_H

#include <mcp/json.h>
#include <mcp/loop.h>

MCP_BEGIN_DECLS

/** A token that the program shall check (check_token). It belongs to the
 * program until mcp_token_accept or mcp_token_refuse. */
typedef struct mcp_token_check mcp_token_check;

/** Zero and NULL mean the default. All is copied. At least one of issuer,
 * introspection_endpoint, tokens, token_file and check_token must say how
 * tokens are checked.
 *
 * A token is looked for in `tokens` first. If it is not there, check_token
 * checks it; without check_token, the keys of its issuer do if it is a JWT, and
 * introspection_endpoint does if it is not. If there is no issuer,
 * introspection_endpoint checks JWTs too.
 *
 * The library refuses a token unless all of this holds:
 * - It is not longer than 16 KB.
 * - A JWT is signed with RS256, PS256, ES256 or EdDSA, and its claim `iss` is
 *   one of the issuers here, character for character.
 * - Its claim `aud` has one of the audiences. This is also needed in an answer
 *   of introspection_endpoint.
 * - A JWT has the claim `exp`. An answer of introspection_endpoint need not
 *   have it, because the next request after introspection_ms asks the endpoint
 *   again. A stream has only one request: stream_ms limits it.
 * - If it is bound to a key by the claim `cnf`, the binding is `jkt`, and the
 *   request has a DPoP proof with this key and uses the scheme DPoP. Otherwise
 *   the request uses the scheme Bearer.
 * - It is an access token. A claim `typ` must be "Bearer" or "DPoP". The header
 *   of a JWT has `typ` "at+jwt", or, unless only_at_jwt is 1, "JWT" or none. If
 *   it is not "at+jwt", the JWT must not have the claims `at_hash`, `c_hash`,
 *   `s_hash`, `nonce` and `events`, which ID tokens and tokens about events
 *   have. But `nonce` may be there if the claim `typ` is "Bearer", as in access
 *   tokens of Keycloak before version 24.
 *
 * The identity of the client (mcp_call_principal) is the claim `sub`. If it
 * begins with "client:", "sub:" or "token:", the library puts "sub:" before it.
 * A token without `sub` has the identity "client:ID", where ID is the claim
 * `client_id` or `azp`. If there are several issuers, the issuer and a space
 * come before the identity, so that no issuer can give out the identities of
 * another. */
typedef struct mcp_protect_options {
  /** sizeof(mcp_protect_options); MCP_PROTECT_OPTIONS_INIT sets it. */
  size_t size;

  /* --- what is protected --- */

  /** The URL of this server as its clients know it, such as
   * "https://example.com/mcp". Behind a proxy or a forwarded port, this is the
   * URL of that. NULL: the URL is made of the server's port and of the loopback
   * address at which the server listens. It is made of the name in the Host
   * header instead if this is "localhost", or if the server listens at all
   * addresses. NULL is only allowed if every allowed host is a loopback name.
   * An endpoint that does not know its port (mcp_http_new, or a Unix socket)
   * needs `resource` or `audiences`, unless tokens are only fixed ones, or
   * those that check_token checks. */
  const char *resource;
  /** The values of the claim `aud` that are accepted; the array ends with NULL.
   * NULL: only `resource`. */
  const char *const *audiences;
  /** The scopes that each request needs, with spaces between them; NULL:
   * none. */
  const char *scopes;
  /** The scopes that the metadata name; NULL: `scopes`. */
  const char *scopes_supported;
  /** The name of this server for people, in the metadata; NULL: none. */
  const char *resource_name;
  /** The URL of a page for developers, in the metadata; NULL: none. */
  const char *documentation_url;

  /* --- who gives tokens --- */

  /** The issuer of the tokens: the authorization server's URL. Its metadata
   * name its keys. NULL: none, and then the server publishes no metadata,
   * because they must name an authorization server. */
  const char *issuer;
  /** Further authorization servers; the array ends with NULL. NULL: none. */
  const char *const *more_issuers;
  /** The URL of the issuer's keys (JWKS), if its metadata shall not be asked.
   * It needs `issuer`, and there must not be more_issuers. If it is NULL, the
   * metadata name the URL. If that URL has another origin than the issuer, and
   * the issuer is not a private or loopback address, the library does not fetch
   * keys from a private address. */
  const char *jwks_uri;
  /** The issuer's keys themselves, as JSON, if nothing shall be fetched. It
   * needs `issuer`, and there must not be more_issuers. */
  const char *jwks;
  /** The URL at which tokens are checked (RFC 7662), for tokens that are not
   * JWTs. It belongs to `issuer`, if there is one. NULL: tokens must be
   * JWTs. */
  const char *introspection_endpoint;
  /** The id and the secret of this server at introspection_endpoint. */
  const char *introspection_client_id;
  /** The secret that belongs to introspection_client_id. */
  const char *introspection_client_secret;
  /** Fixed tokens, for small set-ups without an authorization server; NULL:
   * none. Each line is "TOKEN", "TOKEN PRINCIPAL" or "TOKEN PRINCIPAL
   * SCOPE...". Without PRINCIPAL the identity of the client is "token:" and the
   * number of the line. With an issuer, a PRINCIPAL and the same `sub` of the
   * issuer are one client. Empty lines and lines that begin with "#" are
   * ignored. A token has at least 16 characters: letters, digits and "-._~+/",
   * with "=" only at its end. There are at most 1024 tokens. The library keeps
   * only their hashes. */
  const char *tokens;
  /** The path of a file whose text is that of `tokens`, and which other users
   * must not be able to read. mcp_server_listen_http and mcp_main read it when
   * they begin. mcp_http_new reads no files: it refuses this member. */
  const char *token_file;

  /* --- how tokens are checked --- */

  /** Accept only JWTs whose header has `typ` "at+jwt" (RFC 9068): 1. 0: also
   * those with `typ` "JWT" or without it, as many authorization servers make
   * them. */
  int32_t only_at_jwt;
  /** 1: accept only tokens that are bound to a key (DPoP). */
  int32_t requires_dpop;
  /** How far clocks may differ, in milliseconds; default 60,000. */
  uint32_t leeway_ms;
  /** How long the keys of an issuer are used, in milliseconds; default
   * 3,600,000. The first check after that fetches them again; until the new
   * keys are there, the old ones stay in use. A token with an unknown key
   * fetches the keys earlier, and waits for them; unknown keys cause a fetch
   * every 30 s at most. While the issuer cannot be reached, the old keys
   * stay. A token whose key the issuer has taken away is refused as soon as the
   * keys have been fetched again. */
  uint32_t keys_ms;
  /** How long the answer of introspection_endpoint is used for further
   * requests, in milliseconds; default 10,000; UINT32_MAX: not at all. Open
   * streams do not ask again: see stream_ms. */
  uint32_t introspection_ms;
  /** How far `iat` of a DPoP proof may be from now, in milliseconds; default
   * 300,000. A proof is accepted once in this time. The library remembers up to
   * 262,144 proofs for all loops of an address together. Principals share this
   * limit as mcp_limits describes. Beyond its share, a request with a proof
   * gets status 503. */
  uint32_t dpop_window_ms;
  /** 1: DPoP proofs must have a nonce of this server. */
  int32_t demands_nonce;
  /** Limits the time to fetch keys, and to ask introspection_endpoint, in
   * milliseconds; default 10,000. */
  uint32_t fetch_timeout_ms;
  /** The most requests that wait for a check on each loop; default 1024.
   * Clients share this limit as mcp_limits describes. Beyond its share, a
   * request gets status 503. A token in `tokens`, or one that has been checked
   * and is remembered, needs no check, so this limit does not concern it. If
   * all clients that wait for an answer of check_token leave, their check
   * counts until the program answers.
   *
   * As no token says yet who sends a request, the endpoint tells clients apart
   * by the principal of their certificate, or, if there is none, by their
   * address (the first 64 bits of an IPv6 address). Clients of a Unix socket
   * have no address: they are one client, which may use the whole limit.
   *
   * mcp_http_options.max_rate also limits how many invalid tokens and proofs
   * one such client sends in a second, since it may be guessing. A request
   * whose client leaves before the end of its check counts as one. Beyond the
   * limit, requests of the client whose token must be checked get status 429,
   * unless the library remembers that it has accepted the token. Without
   * max_rate there is no such limit. */
  uint32_t max_checks;
  /** The most checked tokens that are remembered; default 4096. */
  uint32_t max_tokens;
  /** 1: lists leave out tools, resources and prompts for which the token lacks
   * a scope. 0: they show all of them; a call is refused with 403. */
  int32_t hides_forbidden;
  /** Limits how long a WebSocket, a GET of a session, a stream of HTTP+SSE and
   * a `subscriptions/listen` stay open, in milliseconds; default 900,000 (15
   * minutes); UINT32_MAX: this does not limit them. It concerns the tokens that
   * may be revoked without notice: those that introspection_endpoint has
   * accepted, and those that check_token has accepted without expires_ms. A
   * client whose stream has ended opens another one, and then the token is
   * checked again. So a token that was revoked keeps a stream open for
   * introspection_ms and stream_ms together at most.
   *
   * stream_ms does not limit streams with other tokens. These end when their
   * token expires (mcp_http_options.protect); fixed tokens never expire. */
  uint32_t stream_ms;
  /** As in mcp_http_client_options, for fetching keys and asking. Requests to
   * a host of the loopback interface never go through a proxy. */
  const char *ca_file;
  /** The proxy for these requests, as in mcp_http_client_options. */
  const char *proxy;

  /** Checks a token that is not in `tokens`. The program calls mcp_token_accept
   * or mcp_token_refuse once, now or later, on the loop's thread, and before
   * the loop is freed. `token` is borrowed until then. While the program checks
   * a token, further requests with this token wait for the same answer. With
   * several threads (mcp_http_listen_options.threads), each of them calls
   * check_token for its own requests. NULL: the library checks JWTs, and asks
   * introspection_endpoint. */
  void (*check_token)(mcp_token_check *check, const char *token,
                      void *userdata);
  /** Passed to check_token. */
  void *userdata;
} mcp_protect_options;

#define MCP_PROTECT_OPTIONS_INIT MCP_INIT_(mcp_protect_options)

/** What the program knows of a token that it accepts. All is copied. */
typedef struct mcp_token_facts {
  /** sizeof(mcp_token_facts); MCP_TOKEN_FACTS_INIT sets it. */
  size_t size;
  /** The identity of the client (mcp_call_principal). Not NULL. */
  const char *principal;
  /** The scopes of the token, with spaces between them; NULL: none. */
  const char *scopes;
  /** When it expires, in milliseconds since 1970-01-01 UTC. 0: the first
   * request after introspection_ms asks the program again, and stream_ms limits
   * streams. */
  int64_t expires_ms;
  /** A JSON object as text, for mcp_call_claims; NULL: none. If it has "cnf",
   * the token is bound to a key, as the claims of a JWT say it. */
  const char *claims;
} mcp_token_facts;

#define MCP_TOKEN_FACTS_INIT MCP_INIT_(mcp_token_facts)

/** Accepts the token of check_token. Ends the check in each case: the program
 * must not use it afterwards. Only inside check_token a second answer is
 * recognised: it returns MCP_ERR_GONE, and the first one counts.
 * @param check NULL: MCP_ERR_INVALID
 * @param facts copied
 * @param err   may be NULL
 * @return 0; with err: MCP_ERR_INVALID (a member is wrong, and the token is
 *         refused), MCP_ERR_GONE (no request waits for the answer any longer),
 *         MCP_ERR_NOMEM (the requests get status 503) */
MCP_API int mcp_token_accept(mcp_token_check *check,
                             const mcp_token_facts *facts, mcp_error *err);
/** Refuses the token: the client gets status 401 with this description (ASCII,
 * NULL: none). Ends the check, as mcp_token_accept does. NULL is accepted for
 * `check`. */
MCP_API void mcp_token_refuse(mcp_token_check *check, const char *description);

MCP_END_DECLS

#endif
