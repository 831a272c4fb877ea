/* SPDX-License-Identifier: MIT */
#include "auth/client/step.h"

#include "auth/client/wiping.h"
#include "auth/form.h"
#include "auth/web_url.h"
#include "codec/http_value.h"
#include "json/parse.h"
#include <stdarg.h>
#include <stdio.h>

/* So the rest of the error has room, too. */
enum { SHOWN_URL = 100 };

/* --- failing -------------------------------------------------------------- */

static const char *step_name(const mcpi_flow *flow) {
  switch (flow->step) {
  case MCPI_FLOW_FIND_RESOURCE:
    return "finding the authorization server";
  case MCPI_FLOW_FIND_ISSUER:
    return "reading the authorization server's metadata";
  case MCPI_FLOW_GET_CLIENT:
    return "getting a client id";
  case MCPI_FLOW_AGREE:
    return "asking the user to agree";
  case MCPI_FLOW_ASSERT:
    return "asking for an assertion";
  case MCPI_FLOW_EXCHANGE:
    return "exchanging the ID token";
  case MCPI_FLOW_REVOKE:
    return "revoking the token";
  default:
    return flow->purpose == MCPI_FLOW_TO_REFRESH ? "renewing the token"
                                                 : "getting a token";
  }
}

mcpi_flow_next mcpi_step_fail(mcpi_flow *flow, int code, const char *format,
                              ...) {
  char text[MCP_ERROR_TEXT_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  mcp_error_set(&flow->result.why, code, "%s: %s", step_name(flow), text);
  return MCPI_FLOW_FAILED;
}

mcpi_flow_next mcpi_step_no_memory(mcpi_flow *flow) {
  return mcpi_step_fail(flow, MCP_ERR_NOMEM, "out of memory");
}

mcpi_flow_next mcpi_step_fail_code(mcpi_flow *flow, int code,
                                   const char *what) {
  return mcpi_step_fail(flow, code, "%s: %s", what, mcp_error_text(code));
}

mcpi_flow_next mcpi_step_fail_answer(mcpi_flow *flow, int code,
                                     const char *what) {
  const char *url = flow->ask.url.data;
  return mcpi_step_fail(flow, code, "the answer of %.*s %s",
                        mcpi_step_shown_len(url), url, what);
}

int mcpi_step_shown_len(const char *url) {
  size_t len = strcspn(url, "?");
  return len < SHOWN_URL ? (int)len : SHOWN_URL;
}

/* --- asking --------------------------------------------------------------- */

mcpi_buf *mcpi_step_ask(mcpi_flow *flow) {
  mcpi_flow_ask *ask = &flow->ask;
  mcpi_buf_deinit(&ask->url);
  mcpi_buf_deinit(&ask->body);
  mcpi_buf_deinit(&ask->authorization);
  mcpi_buf_deinit(&ask->proof);
  ask->type = NULL;
  ask->is_for_program = 0;
  return &ask->url;
}

void mcpi_step_ask_form(mcpi_flow *flow, const char *url) {
  mcpi_buf_puts(mcpi_step_ask(flow), mcpi_str_z(url));
  flow->ask.type = "application/x-www-form-urlencoded";
}

void mcpi_step_put(mcpi_flow *flow, const char *name, const char *value) {
  if (value != NULL) {
    mcpi_form_put(&flow->ask.body, 0, name, mcpi_str_z(value));
  }
}

void mcpi_step_put_scopes(mcpi_flow *flow) {
  if (flow->scopes.len > 0) {
    mcpi_form_put(&flow->ask.body, 0, "scope", mcpi_buf_str(&flow->scopes));
  }
}

/* The client reaches the server's own origin in any case, whatever address its
 * name has: that of an intranet is private. */
int mcpi_step_is_public_only(const mcpi_flow *flow, const char *url) {
  return flow->start.server_is_public &&
         !flow->start.options->allows_private_addresses &&
         !mcpi_web_url_has_same_origin(mcpi_str_z(url),
                                       mcpi_str_z(flow->start.server_url));
}

/* --- the issuer ----------------------------------------------------------- */

/* Returns the only issuer at which the program logs in; NULL: it does so at
 * each that the server names. */
static const char *step_only_issuer(const mcpi_flow *flow) {
  const mcp_auth_options *options = flow->start.options;
  if (options->client_issuer == NULL && options->client_id != NULL) {
    return flow->start.bound_issuer;
  }
  return options->client_issuer;
}

int mcpi_step_may_use_issuer(const mcpi_flow *flow, const char *issuer) {
  const char *only = step_only_issuer(flow);
  return only == NULL || strcmp(issuer, only) == 0;
}

mcpi_flow_next mcpi_step_refuse_issuer(mcpi_flow *flow, const char *issuer) {
  return mcpi_step_fail(
      flow, MCP_ERR_REFUSED, "the authorization server is %.80s, but %s %.60s",
      issuer,
      flow->start.options->client_id != NULL ? "client_id belongs to"
                                             : "client_issuer is",
      step_only_issuer(flow));
}

/* --- the client ----------------------------------------------------------- */

int mcpi_step_find_redirect(mcpi_flow *flow, const char *wish) {
  const mcpi_flow_host *host = flow->start.host;
  mcp_error *why = &flow->result.why;
  if (flow->redirect_uri != NULL || flow->purpose != MCPI_FLOW_TO_LOG_IN ||
      flow->start.options->grant != MCP_AUTH_CODE) {
    return 0;
  }
  mcp_error_set(why, MCP_ERR_IO, "the program has no URL for the browser");
  flow->redirect_uri = host->redirect_uri(flow->start.host_object, wish, why);
  return flow->redirect_uri != NULL ? 0 : why->code;
}

mcpi_flow_next mcpi_step_after_client(const mcpi_flow *flow) {
  if (flow->purpose == MCPI_FLOW_TO_REVOKE) {
    return MCPI_FLOW_REVOKE;
  }
  if (flow->purpose == MCPI_FLOW_TO_REFRESH) {
    return MCPI_FLOW_GET_TOKEN;
  }
  switch (flow->start.options->grant) {
  case MCP_AUTH_CODE:
    return MCPI_FLOW_AGREE;
  case MCP_AUTH_ENTERPRISE:
    return MCPI_FLOW_ASSERT;
  default:
    return MCPI_FLOW_GET_TOKEN;
  }
}

/* --- answers -------------------------------------------------------------- */

int mcpi_step_is_fine(const mcp_fetch_answer *answer) {
  return answer->error == 0 && answer->status >= 200 && answer->status < 300;
}

const char *mcpi_step_header(const mcp_fetch_answer *answer, const char *name) {
  for (size_t i = 0; i < answer->header_count; i++) {
    if (mcpi_header_eq_nocase(mcpi_str_z(answer->headers[i].name),
                              mcpi_str_z(name))) {
      return answer->headers[i].value;
    }
  }
  return NULL;
}

/* The parser's error would quote the text, which may have secrets: it is not
 * written. */
mcp_doc *mcpi_step_parse(const mcpi_flow *flow, const mcp_fetch_answer *answer,
                         int *rc) {
  const mcp_allocator wiping = mcpi_wiping_allocator(flow->allocator);
  mcp_doc *doc = NULL;
  *rc =
      mcpi_doc_parse(&doc, answer->body, answer->body_len, NULL, &wiping, NULL);
  if (*rc != MCP_ERR_NOMEM) {
    *rc = MCP_ERR_PARSE;
  }
  if (mcp_json_type(mcp_doc_root(doc)) != MCP_JSON_OBJECT) {
    mcp_doc_free(doc);
    return NULL;
  }
  *rc = 0;
  return doc;
}

mcpi_flow_next mcpi_step_take_object(mcpi_flow *flow,
                                     const mcp_fetch_answer *answer,
                                     mcpi_step_take *take) {
  int rc = 0;
  mcp_doc *doc = mcpi_step_parse(flow, answer, &rc);
  mcpi_flow_next next = rc == MCP_ERR_NOMEM ? mcpi_step_no_memory(flow)
                                            : take(flow, mcp_doc_root(doc));
  mcp_doc_free(doc);
  return next;
}

/* --- copies --------------------------------------------------------------- */

int mcpi_step_copy(const mcpi_flow *flow, char **to, const char *text) {
  char *copy = mcpi_strdup(flow->allocator, text);
  if (text != NULL && copy == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcpi_strfree_wiped(flow->allocator, *to);
  *to = copy;
  return 0;
}

int mcpi_step_copy_client(const mcpi_flow *flow, mcpi_registration *to,
                          const mcpi_registration *from) {
  mcpi_registration_deinit(to, flow->allocator);
  to->method = from->method;
  to->is_registered = from->is_registered;
  to->expires_ms = from->expires_ms;
  int rc = mcpi_step_copy(flow, &to->issuer, from->issuer);
  if (rc == 0) {
    rc = mcpi_step_copy(flow, &to->client_id, from->client_id);
  }
  if (rc == 0) {
    rc = mcpi_step_copy(flow, &to->client_secret, from->client_secret);
  }
  if (rc == 0) {
    rc = mcpi_step_copy(flow, &to->redirect_uri, from->redirect_uri);
  }
  if (rc != 0) {
    mcpi_registration_deinit(to, flow->allocator);
  }
  return rc;
}
