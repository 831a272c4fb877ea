/* SPDX-License-Identifier: MIT */
/* The metadata of protected resources (RFC 9728) and of authorization servers
 * (RFC 8414; OpenID Connect Discovery), as a client and a resource server need
 * them. Every document comes from a peer: URLs in it are checked with
 * mcpi_web_url_check before anything uses them. */
#ifndef MCPI_AUTH_METADATA_H
#define MCPI_AUTH_METADATA_H

#include "base/str.h"
#include <mcp/allocator.h>
#include <mcp/json.h>

/* How many authorization servers count: a resource has one or two, and callers
 * look at one after the other. */
enum { MCPI_RESOURCE_SERVERS_MAX = 16 };

/* The strings and arrays point into `doc`. NULL: absent, or of another type. */
typedef struct mcpi_resource_metadata {
  mcp_doc *doc; /* owned */
  const char *resource;
  const mcp_json *authorization_servers; /* at least one string */
  const mcp_json *scopes_supported;
  int requires_dpop; /* dpop_bound_access_tokens_required */
} mcpi_resource_metadata;

/* Reads the metadata of the MCP server at that URL. Returns 0; MCP_ERR_PARSE:
 * the text is not a JSON object, so there are no metadata at this place;
 * MCP_ERR_REFUSED with err: `resource` must not be used as a URL, the metadata
 * are of another resource (mcpi_web_url_covers), or name no authorization
 * server; MCP_ERR_NOMEM. _deinit is needed only after 0. */
int mcpi_resource_metadata_read(mcpi_resource_metadata *out, mcpi_str text,
                                mcpi_str server_url,
                                const mcp_allocator *allocator, mcp_error *err);
/* Returns the authorization server with this index, from 0; NULL: there are not
 * so many, or the index is MCPI_RESOURCE_SERVERS_MAX. Values that are not
 * strings do not count. The URL is not checked yet. */
const char *
mcpi_resource_metadata_server(const mcpi_resource_metadata *metadata,
                              size_t index);
void mcpi_resource_metadata_deinit(mcpi_resource_metadata *metadata);

/* How a client proves who it is at the token endpoint (RFC 7591, 2), as bits of
 * the methods that a server supports. */
enum {
  MCPI_CLIENT_NONE = 1,
  MCPI_CLIENT_BASIC = 2, /* client_secret_basic */
  MCPI_CLIENT_POST = 4,  /* client_secret_post */
  MCPI_CLIENT_JWT = 8    /* private_key_jwt */
};

/* Returns the bit of a method, by its name; 0: NULL, or one we do not know. */
int mcpi_client_method(const char *name);
/* Returns the name of a method; NULL: we do not know it. */
const char *mcpi_client_method_name(int method);

/* The strings and arrays point into `doc`, or into `text` if there is no
 * document. NULL: absent, or of another type. */
typedef struct mcpi_server_metadata {
  mcp_doc *doc; /* owned; NULL: default endpoints */
  char *text;   /* owned; NULL: there is a document */
  size_t text_size;
  const char *issuer;
  const char *authorization_endpoint;
  const char *token_endpoint; /* never NULL */
  const char *registration_endpoint;
  const char *revocation_endpoint;
  const char *jwks_uri;
  const char *introspection_endpoint;
  const mcp_json *scopes_supported;
  int auth_methods;        /* bits MCPI_CLIENT_*; absent: MCPI_CLIENT_BASIC */
  int has_s256;            /* code_challenge_methods_supported has S256 */
  int sends_iss;           /* authorization_response_iss_parameter_supported */
  int supports_dpop_es256; /* dpop_signing_alg_values_supported has ES256 */
  int supports_client_metadata; /* client_id_metadata_document_supported */
} mcpi_server_metadata;

/* Reads the metadata of an authorization server. Returns 0; MCP_ERR_PARSE: the
 * text is not a JSON object, so there are no metadata at this place;
 * MCP_ERR_REFUSED with err: the issuer in it is not this one (compared byte by
 * byte), a URL is refused, or there is no token_endpoint; MCP_ERR_NOMEM.
 * _deinit is needed only after 0. */
int mcpi_server_metadata_read(mcpi_server_metadata *out, mcpi_str text,
                              mcpi_str issuer, const mcp_allocator *allocator,
                              mcp_error *err);
/* Makes the metadata of a server of 2025-03-26 that publishes none: /authorize,
 * /token and /register below its origin, PKCE with S256, and clients without a
 * secret. Returns 0 or MCP_ERR_NOMEM. */
int mcpi_server_metadata_default(mcpi_server_metadata *out, mcpi_str origin,
                                 const mcp_allocator *allocator);
/* Frees it and clears it. Legal for one that is cleared. */
void mcpi_server_metadata_deinit(mcpi_server_metadata *metadata,
                                 const mcp_allocator *allocator);

#endif
