/* SPDX-License-Identifier: MIT */
/* Endpoints that demand access tokens. A check may wait for keys or for the
 * program:
 *
 *     route.c -> admit_token -> verifier -> on_checked -> refused
 *                                  |            |
 *                                  |            `-> accepted at once: route.c
 *                                  |                goes on
 *                                  `-- later -> on_checked -> on_admitted,
 *                                                             which is route.c
 *
 * (MCP 2026-07-28, Authorization; RFC 6750, 3; RFC 9449, 7; RFC 9728, 3.) */
#include "endpoint/protect.h"

#include "auth/scopes.h"
#include "base/error.h"
#include "codec/http_origin.h"
#include "codec/http_value.h"
#include "codec/uri.h"
#include "endpoint/answer.h"
#include "endpoint/endpoint.h"
#include "endpoint/token_rate.h"

#define WELL_KNOWN "/.well-known/oauth-protected-resource"

/* --- the URL of the server ---------------------------------------------- */

static int has_endpoint_path(const mcp_http *http) {
  return (http->options.wires & ~(uint32_t)MCP_HTTP_SSE) != 0;
}

static int is_at_endpoint(const mcp_http_exchange *exchange) {
  return exchange->path == MCPI_ENDPOINT_AT_ENDPOINT &&
         has_endpoint_path(exchange->http);
}

/* The path that a client of this request knows as the server: that of HTTP+SSE
 * is another one, and clients compare it with the metadata. */
static const char *resource_path(const mcp_http_exchange *exchange) {
  const mcp_http_options *options = &exchange->http->options;
  return is_at_endpoint(exchange) ? options->path : options->sse_path;
}

/* Appends the origin that the checked Host makes. Another server of this
 * machine can send us the tokens that its own clients have sent to it, with its
 * Host. So its port does not count if we know ours, and neither does another
 * loopback address than ours. */
static void put_host_origin(mcpi_buf *buf, const mcp_http *http,
                            const char *host) {
  mcpi_header_origin origin = {.scheme = http->is_secure ? MCPI_STR("https")
                                                         : MCPI_STR("http")};
  if (mcpi_header_host_parse(&origin.host, mcpi_str_z(host)) != 0) {
    return;
  }
  if (http->port > 0) {
    origin.host.port = http->port;
  }
  if (http->host[0] != '\0' &&
      !mcpi_header_eq_nocase(origin.host.name, MCPI_STR("localhost"))) {
    origin.host.name = mcpi_str_z(http->host);
  }
  mcpi_header_origin_put(buf, &origin);
}

/* Sets the URL of the server in *out: that of the options, or one that is made
 * in the exchange's memory. Returns 0 or MCP_ERR_NOMEM. */
static int find_resource(mcp_http_exchange *exchange, mcpi_str *out) {
  const mcp_http *http = exchange->http;
  const char *given = mcpi_verifier_options(http->verifier)->resource;
  mcpi_buf *made = &exchange->pass->resource;
  if (given != NULL) {
    *out = mcpi_str_z(given);
    return 0;
  }
  if (made->len == 0) {
    put_host_origin(made, http, exchange->head.host);
    mcpi_buf_puts(made, mcpi_str_z(resource_path(exchange)));
  }
  *out = mcpi_str_n(made->data, made->len);
  return made->error;
}

/* Returns the length of "scheme://host:port" in a URL. */
static size_t origin_len(mcpi_str url) {
  mcpi_uri parts;
  mcpi_uri_split(url, &parts);
  return (size_t)(parts.path.ptr - url.ptr);
}

/* Appends the URL of a request that is not at the server's own URL. */
static void put_request_url(mcpi_buf *buf, const mcp_http_exchange *exchange,
                            mcpi_str resource) {
  const char *target = exchange->request->target;
  mcpi_buf_put(buf, resource.ptr, origin_len(resource));
  mcpi_buf_put(buf, target, strcspn(target, "?"));
}

/* Whether the request goes to the URL of the server itself. A proxy may serve
 * it at another path than we do, so that path is not compared. */
static int is_at_resource(const mcp_http_exchange *exchange) {
  const mcp_http *http = exchange->http;
  const char *given = mcpi_verifier_options(http->verifier)->resource;
  if (exchange->path == MCPI_ENDPOINT_AT_SSE) {
    return given == NULL || !has_endpoint_path(http);
  }
  return exchange->path == MCPI_ENDPOINT_AT_ENDPOINT;
}

/* --- options ------------------------------------------------------------ */

/* Without a fixed URL a client could choose for which server its token must
 * be. */
static int check_resource(const mcp_http *http, mcp_error *err) {
  const char *const *host = http->options.allowed_hosts;
  if (mcpi_verifier_options(http->verifier)->resource != NULL) {
    return 0;
  }
  for (; host != NULL && *host != NULL; host++) {
    if (!mcpi_header_is_loopback(mcpi_str_z(*host))) {
      return mcp_error_set(err, MCP_ERR_INVALID,
                           "resource: the server is not only for this machine "
                           "(%.60s: \"%.100s\"), so set the URL by which its "
                           "clients know it",
                           http->options.host_setting, *host);
    }
  }
  return 0;
}

int mcpi_endpoint_check_unknown_port(const mcp_http *http, mcp_error *err) {
  if (http->verifier == NULL) {
    return 0;
  }
  const mcp_protect_options *options = mcpi_verifier_options(http->verifier);
  int has_audience = options->resource != NULL || options->audiences != NULL;
  int needs_audience =
      options->issuer != NULL || options->introspection_endpoint != NULL;
  if (has_audience || !needs_audience) {
    return 0;
  }
  return mcp_error_set(err, MCP_ERR_INVALID,
                       "resource: set the URL by which clients know the "
                       "server, because its port is not known here");
}

int mcpi_endpoint_protect(mcp_http *http, mcp_error *err) {
  const mcp_protect_options *given = http->options.protect;
  if (given == NULL) {
    return 0;
  }
  http->options.protect = NULL; /* the program's */
  mcp_error why = {0};
  http->verifier = mcpi_verifier_new(http->shard->loop, given, &why);
  if (http->verifier == NULL) {
    return mcp_error_set(err, why.code, "%s", why.message);
  }
  http->hides_forbidden =
      mcpi_verifier_options(http->verifier)->hides_forbidden != 0;
  return check_resource(http, err);
}

/* --- the check ---------------------------------------------------------- */

static void read_once(mcpi_token_request *request, mcpi_str *place,
                      const char *value) {
  request->is_repeated |= place->ptr != NULL;
  *place = mcpi_str_z(value);
}

/* Reads the two headers here, so that other endpoints do not look for them. */
static void read_credentials(const mcp_http_request *from,
                             mcpi_token_request *out) {
  for (size_t i = 0; i < from->header_count; i++) {
    const mcp_http_header *header = &from->headers[i];
    mcpi_str name = mcpi_str_z(header->name);
    if (name.len == strlen("Authorization") &&
        mcpi_header_eq_nocase(name, MCPI_STR("Authorization"))) {
      read_once(out, &out->authorization, header->value);
    } else if (name.len == strlen("DPoP") &&
               mcpi_header_eq_nocase(name, MCPI_STR("DPoP"))) {
      read_once(out, &out->dpop, header->value);
    }
  }
}

static void protect_fail_memory(mcp_http_exchange *exchange) {
  mcpi_endpoint_turn_away(exchange, 500, MCPI_STR("out of memory\n"), NULL, 0);
}

/* The operator must know if no token can be checked. The reason may name
 * servers that do not concern the client. */
static const char *report_failed_check(const mcp_http_exchange *exchange,
                                       const mcpi_token_result *result) {
  if (result->status != 503) {
    return result->reason;
  }
  mcpi_shard_report(exchange->http->shard, MCP_ERR_IO,
                    "a token could not be checked: %s", result->reason);
  return "the token cannot be checked now; try again later";
}

static void refuse_token(mcp_http_exchange *exchange,
                         const mcpi_token_result *result) {
  mcp_http *http = exchange->http;
  if (result->status == 429) {
    mcpi_endpoint_refuse_rate(exchange);
    return;
  }
  mcpi_buf text = mcpi_endpoint_take_scratch(http);
  mcpi_endpoint_ref(http);
  mcpi_buf_puts(&text, result->challenge);
  mcpi_buf_putc(&text, '\0');
  size_t reason_at = text.len;
  mcpi_buf_puts(&text, mcpi_str_z(report_failed_check(exchange, result)));
  mcpi_buf_putc(&text, '\n');
  if (text.error != 0) {
    protect_fail_memory(exchange);
  } else {
    const mcp_http_header more = {"WWW-Authenticate", text.data};
    mcpi_endpoint_turn_away(
        exchange, result->status,
        mcpi_str_n(text.data + reason_at, text.len - reason_at), &more,
        result->challenge.ptr != NULL ? 1 : 0);
  }
  mcpi_endpoint_give_scratch(http, &text);
  mcpi_endpoint_unref(http);
}

static int protect_may_check(mcpi_token_wait *wait) {
  mcpi_endpoint_pass *pass = MCPI_CONTAINER(wait, mcpi_endpoint_pass, wait);
  return mcpi_endpoint_may_send_tokens(pass->exchange);
}

static int keep_nonce(mcpi_endpoint_pass *pass, mcpi_str nonce) {
  if (nonce.ptr != NULL) {
    mcpi_buf_puts(&pass->nonce, nonce);
    mcpi_buf_putc(&pass->nonce, '\0');
  }
  return pass->nonce.error;
}

static void protect_take_result(mcpi_endpoint_pass *pass,
                                const mcpi_token_result *result) {
  mcp_http_exchange *exchange = pass->exchange;
  exchange->stage = MCPI_EXCHANGE_UNANSWERED;
  if (result->is_invalid) {
    mcpi_endpoint_count_invalid_token(exchange);
  }
  if (keep_nonce(pass, result->nonce) != 0) {
    mcpi_buf_clear(&pass->nonce);
    protect_fail_memory(exchange);
  } else if (result->grant == NULL) {
    refuse_token(exchange, result);
  } else {
    pass->grant = mcpi_grant_ref(result->grant);
    if (pass->on_admitted != NULL) {
      pass->on_admitted(exchange);
    }
  }
}

/* Runs inside mcpi_endpoint_check_token, or later. */
static void protect_on_checked(mcpi_token_wait *wait,
                               const mcpi_token_result *result) {
  mcpi_endpoint_pass *pass = MCPI_CONTAINER(wait, mcpi_endpoint_pass, wait);
  mcp_http_exchange *exchange = pass->exchange;
  mcpi_shard *shard = exchange->http->shard;
  if (exchange->stage != MCPI_EXCHANGE_CHECKING) {
    return;
  }
  mcpi_shard_enter(shard);
  exchange->refs++;
  protect_take_result(pass, result);
  mcpi_endpoint_exchange_unref(exchange);
  mcpi_shard_leave(shard);
}

/* `url` is the buffer for that of the request. */
static void check_token(mcp_http_exchange *exchange,
                        mcpi_token_request *request, mcpi_buf *url) {
  mcpi_endpoint_pass *pass = exchange->pass;
  if (request->dpop.ptr != NULL && !is_at_resource(exchange)) {
    put_request_url(url, exchange, request->resource);
    request->url = mcpi_str_n(url->data, url->len);
  }
  if (url->error != 0) {
    protect_fail_memory(exchange);
    return;
  }
  pass->on_admitted = NULL;
  exchange->stage = MCPI_EXCHANGE_CHECKING;
  mcpi_verifier_check(exchange->http->verifier, request, &pass->wait,
                      protect_on_checked);
}

int mcpi_endpoint_check_token(
    mcp_http_exchange *exchange,
    void (*on_admitted)(mcp_http_exchange *exchange)) {
  mcp_http *http = exchange->http;
  mcpi_token_request request = {.method = exchange->request->method,
                                .principal = exchange->request->principal,
                                .peer = exchange->request->peer,
                                .may_check = protect_may_check};
  if (find_resource(exchange, &request.resource) != 0) {
    protect_fail_memory(exchange);
    return 0;
  }
  read_credentials(exchange->request, &request);
  mcpi_buf url;
  mcpi_buf_init(&url, &http->server->allocator, SIZE_MAX);
  check_token(exchange, &request, &url);
  mcpi_buf_deinit(&url);
  if (exchange->stage == MCPI_EXCHANGE_CHECKING) {
    exchange->pass->on_admitted = on_admitted;
  }
  return exchange->stage == MCPI_EXCHANGE_UNANSWERED;
}

/* --- scopes ------------------------------------------------------------- */

/* Names also the scopes that each request needs: a client may ask for a token
 * with the scopes of this challenge alone. */
static void put_scope_challenge(const mcp_http_exchange *exchange,
                                const char *scopes, mcpi_buf *text) {
  const mcpi_verifier *verifier = exchange->http->verifier;
  const mcpi_buf *resource = &exchange->pass->resource;
  mcpi_buf all;
  mcpi_buf_init(&all, text->allocator, SIZE_MAX);
  mcpi_scopes_add(&all, mcpi_str_z(mcpi_verifier_options(verifier)->scopes));
  mcpi_scopes_add(&all, mcpi_str_z(scopes));
  mcpi_verifier_put_scope_challenge(verifier, exchange->pass->grant, text,
                                    mcpi_str_n(resource->data, resource->len),
                                    mcpi_str_n(all.data, all.len));
  text->error = text->error != 0 ? text->error : all.error;
  mcpi_buf_deinit(&all);
}

void mcpi_endpoint_respond_forbidden(mcp_http_exchange *exchange,
                                     const char *scopes, mcpi_str body,
                                     const mcp_http_header *session) {
  mcp_http_header headers[2];
  size_t count = 0;
  mcpi_buf challenge;
  mcpi_buf_init(&challenge, &exchange->http->server->allocator, SIZE_MAX);
  if (session != NULL) {
    headers[count++] = *session;
  }
  put_scope_challenge(exchange, scopes, &challenge);
  mcpi_buf_putc(&challenge, '\0');
  if (challenge.error == 0) {
    headers[count++] = (mcp_http_header){"WWW-Authenticate", challenge.data};
  }
  mcpi_endpoint_respond_json(exchange, challenge.error == 0 ? 403 : 500, body,
                             headers, count);
  mcpi_buf_deinit(&challenge);
}

/* --- metadata ----------------------------------------------------------- */

/* Whether the path of a well-known URL, without WELL_KNOWN, is a path of the
 * server as its clients know it. */
static int is_resource_path(const mcp_http *http, mcpi_str path) {
  const char *given = mcpi_verifier_options(http->verifier)->resource;
  if (given != NULL) {
    mcpi_str url = mcpi_str_z(given);
    size_t at = origin_len(url);
    mcpi_str own = mcpi_str_n(given + at, strcspn(given + at, "?"));
    if (mcpi_str_eq(mcpi_uri_trim_path(path), mcpi_uri_trim_path(own))) {
      return 1;
    }
  }
  return mcpi_str_eq(path, MCPI_STR("/")) ||
         (has_endpoint_path(http) &&
          mcpi_str_eq(path, mcpi_str_z(http->options.path))) ||
         ((http->options.wires & MCP_HTTP_SSE) != 0 &&
          mcpi_str_eq(path, mcpi_str_z(http->options.sse_path)));
}

/* The path after WELL_KNOWN, without the query. ptr NULL: it is another
 * target. */
static mcpi_str metadata_rest(const char *target) {
  size_t len = strlen(WELL_KNOWN);
  if (strncmp(target, WELL_KNOWN, len) != 0) {
    return mcpi_str_z(NULL);
  }
  return mcpi_str_n(target + len, strcspn(target + len, "?"));
}

int mcpi_endpoint_is_metadata(const mcp_http *http, const char *target) {
  mcpi_str rest = metadata_rest(target);
  return rest.ptr != NULL && (rest.len == 0 || is_resource_path(http, rest)) &&
         mcpi_verifier_has_metadata(http->verifier);
}

/* Any page may read them: they are public, and a page must read them before it
 * can ask its user to log in. */
static const mcp_http_header for_any_page = {"Access-Control-Allow-Origin",
                                             "*"};

static void send_metadata(mcp_http_exchange *exchange) {
  static const char type[] = "application/json";
  mcp_http *http = exchange->http;
  const mcp_http_header more[] = {for_any_page,
                                  {"Cache-Control", "public, max-age=3600"}};
  mcpi_str resource;
  mcpi_buf text = mcpi_endpoint_take_scratch(http);
  mcpi_endpoint_ref(http);
  if (mcpi_str_eq(metadata_rest(exchange->request->target),
                  mcpi_str_z(http->options.sse_path))) {
    exchange->path = MCPI_ENDPOINT_AT_SSE;
  }
  int rc = find_resource(exchange, &resource);
  if (rc == 0) {
    rc = mcpi_verifier_put_metadata(http->verifier, &text, resource);
  }
  if (rc == 0) {
    mcpi_endpoint_respond(exchange, 200, type, mcpi_str_n(text.data, text.len),
                          more, 2);
  } else {
    protect_fail_memory(exchange);
  }
  mcpi_endpoint_give_scratch(http, &text);
  mcpi_endpoint_unref(http);
}

/* Some clients send MCP-Protocol-Version here too, and then a browser asks
 * first. */
static void allow_metadata(mcp_http_exchange *exchange) {
  const mcp_http_header more[] = {for_any_page,
                                  {"Access-Control-Allow-Methods", "GET, HEAD"},
                                  {"Access-Control-Allow-Headers", "*"}};
  mcpi_endpoint_respond(exchange, 204, NULL, mcpi_str_z(NULL), more, 3);
}

void mcpi_endpoint_on_metadata(mcp_http_exchange *exchange) {
  switch (exchange->method) {
  case MCPI_ENDPOINT_GET:
  case MCPI_ENDPOINT_HEAD:
    send_metadata(exchange);
    break;
  case MCPI_ENDPOINT_OPTIONS:
    allow_metadata(exchange);
    break;
  default:
    mcpi_endpoint_refuse_other_methods(exchange, "GET, HEAD, OPTIONS");
  }
}
