/* SPDX-License-Identifier: MIT */
/* The user agrees in a browser, which brings a code (RFC 6749, 4.1; RFC 7636;
 * RFC 9207). */
#include "auth/client/step.h"

#include "auth/form.h"
#include "auth/scopes.h"
#include "auth/web_url.h"
#include "base/base64.h"

/* --- the page ------------------------------------------------------------- */

/* Appends base64url of the SHA-256 of the verifier. Returns 0 or an
 * MCP_ERR_*. */
static int put_challenge(const mcpi_flow *flow, mcpi_buf *to) {
  const mcp_platform *platform = &flow->loop->platform;
  uint8_t hash[MCP_SHA256_SIZE];
  int rc = platform->crypto->sha256(platform->userdata, flow->verifier,
                                    strlen(flow->verifier), hash);
  if (rc == 0) {
    mcpi_base64url_put(to, hash, sizeof(hash));
    rc = to->error;
  }
  return rc;
}

static void put_page(const mcpi_flow *flow, mcpi_str challenge, mcpi_buf *url) {
  const char *page = flow->server.authorization_endpoint;
  mcpi_buf_puts(url, mcpi_str_z(page));
  mcpi_buf_putc(url, strchr(page, '?') != NULL ? '&' : '?');
  size_t begin = url->len;
  mcpi_form_put(url, begin, "response_type", MCPI_STR("code"));
  mcpi_form_put(url, begin, "client_id", mcpi_str_z(flow->client.client_id));
  mcpi_form_put(url, begin, "redirect_uri", mcpi_str_z(flow->redirect_uri));
  mcpi_form_put(url, begin, "state", mcpi_str_z(flow->state_text));
  mcpi_form_put(url, begin, "code_challenge", challenge);
  mcpi_form_put(url, begin, "code_challenge_method", MCPI_STR("S256"));
  if (flow->scopes.len > 0) {
    mcpi_form_put(url, begin, "scope", mcpi_buf_str(&flow->scopes));
  }
  if (flow->resource != NULL) {
    mcpi_form_put(url, begin, "resource", mcpi_str_z(flow->resource));
  }
  /* OpenID Connect Core, 11: else a server ignores the scope. */
  if (mcpi_scopes_has(mcpi_buf_str(&flow->scopes),
                      MCPI_STR("offline_access"))) {
    mcpi_form_put(url, begin, "prompt", MCPI_STR("consent"));
  }
}

mcpi_flow_next mcpi_step_agree(mcpi_flow *flow) {
  mcpi_buf challenge;
  mcpi_buf_init(&challenge, flow->allocator, SIZE_MAX);
  int rc = mcpi_random_text(flow->loop, 32, flow->state_text);
  if (rc == 0) {
    rc = mcpi_random_text(flow->loop, 32, flow->verifier);
  }
  if (rc == 0) {
    rc = put_challenge(flow, &challenge);
  }
  if (rc == 0) {
    put_page(flow, mcpi_buf_str(&challenge), mcpi_step_ask(flow));
  }
  mcpi_buf_deinit(&challenge);
  return rc == 0 ? MCPI_FLOW_BROWSE
                 : mcpi_step_fail_code(flow, rc, "making a challenge (PKCE)");
}

/* --- the query with which the browser has returned ------------------------ */

typedef struct redirect_query {
  mcpi_buf state;
  mcpi_buf iss;
  mcpi_buf code;
  mcpi_buf error;
  mcpi_buf error_description;
} redirect_query;

static const struct {
  const char *name;
  size_t offset;
} query_members[] = {
    {"state", offsetof(redirect_query, state)},
    {"iss", offsetof(redirect_query, iss)},
    {"code", offsetof(redirect_query, code)},
    {"error", offsetof(redirect_query, error)},
    {"error_description", offsetof(redirect_query, error_description)},
};

enum { QUERY_MEMBERS = sizeof(query_members) / sizeof(query_members[0]) };

static mcpi_buf *query_member(redirect_query *query, size_t i) {
  return (mcpi_buf *)(void *)((char *)query + query_members[i].offset);
}

static void query_init(redirect_query *query, const mcp_allocator *allocator) {
  for (size_t i = 0; i < QUERY_MEMBERS; i++) {
    mcpi_buf_init_secret(query_member(query, i), allocator, SIZE_MAX);
  }
}

static void query_deinit(redirect_query *query) {
  for (size_t i = 0; i < QUERY_MEMBERS; i++) {
    mcpi_buf_deinit(query_member(query, i));
  }
}

/* Reads the members; data NULL: it is absent. Returns 0; MCP_ERR_INVALID: a
 * member occurs twice, or its encoding is broken; MCP_ERR_NOMEM. */
static int query_read(redirect_query *query, mcpi_str text) {
  for (size_t i = 0; i < QUERY_MEMBERS; i++) {
    int rc = mcpi_form_get(query_member(query, i), text, query_members[i].name);
    if (rc != 0 && rc != MCP_ERR_NOT_FOUND) {
      return rc;
    }
  }
  return 0;
}

/* Whether a text begins as a URL does: "scheme:". A query has "=" or "&" before
 * any ":". */
static int is_url(const char *text) {
  return text[strcspn(text, ":/?=&")] == ':';
}

/* Whether a URL, without its query, is redirect_uri. */
static int is_redirect_uri(const mcpi_flow *flow, const char *url) {
  const char *wanted = flow->redirect_uri;
  mcpi_str a = mcpi_str_n(url, strcspn(url, "?#"));
  mcpi_str b = mcpi_str_n(wanted, strcspn(wanted, "?#"));
  return mcpi_str_eq(a, b) || mcpi_web_url_is_same_target(a, b);
}

/* Finds the query. Returns 0, or MCP_ERR_INVALID with err. */
static int find_query(const mcpi_flow *flow, const char *url, mcpi_str *query,
                      mcp_error *err) {
  const char *begin = url;
  if (strlen(url) > MCPI_FLOW_MAX_REDIRECT) {
    return mcp_error_set(err, MCP_ERR_INVALID, "the URL has more than %d bytes",
                         MCPI_FLOW_MAX_REDIRECT);
  }
  if (is_url(url)) {
    if (!is_redirect_uri(flow, url)) {
      return mcp_error_set(err, MCP_ERR_INVALID,
                           "the URL does not begin with %.150s, to which the "
                           "browser returns",
                           flow->redirect_uri);
    }
    begin = url + strcspn(url, "?#");
  }
  begin += *begin == '?';
  *query = mcpi_str_n(begin, strcspn(begin, "#"));
  return 0;
}

/* --- the return ----------------------------------------------------------- */

/* Compares in a time that does not depend on where the texts differ. */
static int is_same_secret(mcpi_str a, mcpi_str b) {
  unsigned differs = a.len != b.len;
  for (size_t i = 0; i < a.len && i < b.len; i++) {
    differs |= (unsigned)(unsigned char)(a.ptr[i] ^ b.ptr[i]);
  }
  return differs == 0;
}

/* Whether the answer comes from the authorization server to which the user was
 * sent (RFC 9207, 2.4): compared byte by byte. */
static int is_from_issuer(const mcpi_flow *flow, const redirect_query *query) {
  if (query->iss.data == NULL) {
    return !flow->server.sends_iss;
  }
  return mcpi_str_eq(mcpi_buf_str(&query->iss),
                     mcpi_str_z(flow->server.issuer));
}

static mcpi_flow_next take_error(mcpi_flow *flow, const redirect_query *query) {
  char error[MCPI_SHOWN_SIZE];
  char more[MCPI_SHOWN_SIZE];
  mcpi_str name = mcpi_buf_str(&query->error);
  mcpi_str text = mcpi_buf_str(&query->error_description);
  int code = MCP_ERR_REFUSED;
  if (mcpi_step_drop_client(flow, name)) {
    return MCPI_FLOW_GET_CLIENT;
  }
  if (mcpi_step_may_pass(name)) {
    code = MCP_ERR_IO;
  }
  return mcpi_step_fail(flow, code, "%.60s answered: %s%s%s", flow->issuer,
                        mcpi_step_show(flow, name, error),
                        text.len > 0 ? ": " : "",
                        mcpi_step_show(flow, text, more));
}

/* Until the issuer is known to be right, nothing of the answer is used or
 * shown. */
static mcpi_flow_next take_query(mcpi_flow *flow, const redirect_query *query) {
  if (!is_from_issuer(flow, query)) {
    return mcpi_step_fail(flow, MCP_ERR_REFUSED,
                          "the browser has returned with an answer that does "
                          "not come from %.60s (iss); another server may have "
                          "mixed itself in",
                          flow->issuer);
  }
  if (query->error.data != NULL) {
    return take_error(flow, query);
  }
  if (query->code.len == 0) {
    return mcpi_step_fail(flow, MCP_ERR_PROTOCOL,
                          "the browser has returned from %.100s without a code",
                          flow->issuer);
  }
  mcpi_strfree_wiped(flow->allocator, flow->code);
  flow->code = mcpi_strndup(flow->allocator, query->code.data, query->code.len);
  return flow->code != NULL ? MCPI_FLOW_GET_TOKEN : mcpi_step_no_memory(flow);
}

/* Checks that the query belongs to this login. */
static int query_check(const mcpi_flow *flow, const redirect_query *query,
                       mcp_error *err) {
  if (query->state.data == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "the URL has no \"state\"");
  }
  if (!is_same_secret(mcpi_buf_str(&query->state),
                      mcpi_str_z(flow->state_text))) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "the URL belongs to another login (its \"state\" "
                         "differs)");
  }
  return 0;
}

int mcpi_step_take_redirect(mcpi_flow *flow, const char *url,
                            mcpi_flow_next *next, mcp_error *err) {
  redirect_query query;
  mcpi_str text = {NULL, 0};
  int rc = find_query(flow, url, &text, err);
  if (rc != 0) {
    return rc;
  }
  query_init(&query, flow->allocator);
  rc = query_read(&query, text);
  if (rc == MCP_ERR_INVALID) {
    mcp_error_set(err, rc, "the URL's query is broken");
  } else if (rc != 0) {
    mcp_error_set(err, rc, "%s", mcp_error_text(rc));
  } else {
    rc = query_check(flow, &query, err);
  }
  if (rc == 0) {
    *next = take_query(flow, &query);
  }
  query_deinit(&query);
  return rc;
}
