/* SPDX-License-Identifier: MIT */
/* What a peer says of its refusal. A peer may repeat what it was sent, and that
 * has secrets: they are hidden before a text is cut, so that no part of one is
 * left. */
#include "auth/client/step.h"

#include "auth/form.h"

/* --- hiding secrets ------------------------------------------------------- */

enum {
  MAX_SECRETS = 10,
  /* A shorter text is found in other words, and is not a secret. */
  SHORTEST_SECRET = 4
};

static size_t list_secrets(const mcpi_flow *flow,
                           const char *secrets[MAX_SECRETS]) {
  const mcp_auth_options *options = flow->start.options;
  const mcpi_token *token = flow->token;
  size_t count = 0;
  secrets[count++] = flow->state_text;
  secrets[count++] = flow->verifier;
  secrets[count++] = flow->code;
  secrets[count++] = flow->assertion;
  secrets[count++] = flow->client.client_secret;
  secrets[count++] = options->client_secret;
  secrets[count++] = options->idp_client_secret;
  if (token != NULL) {
    secrets[count++] = token->access;
    secrets[count++] = token->refresh;
  }
  return count;
}

/* Replaces each occurrence of a secret. */
static void hide(mcpi_buf *text, mcpi_str secret) {
  static const char mask[SHORTEST_SECRET] = {'.', '.', '.', '.'};
  size_t kept = 0;
  if (secret.len < SHORTEST_SECRET) {
    return;
  }
  for (size_t at = 0; at < text->len;) {
    if (text->len - at >= secret.len &&
        memcmp(text->data + at, secret.ptr, secret.len) == 0) {
      memcpy(text->data + kept, mask, sizeof(mask));
      kept += sizeof(mask);
      at += secret.len;
    } else {
      text->data[kept++] = text->data[at++];
    }
  }
  mcpi_buf_rewind(text, kept);
}

/* Hides a secret as it is, and as a form has it. */
static void hide_both(mcpi_buf *text, mcpi_buf *form, mcpi_str secret) {
  mcpi_buf_clear(form);
  mcpi_form_put(form, 0, "", secret);
  if (form->error != 0) {
    mcpi_buf_clear(text); /* nothing is better than a secret */
    return;
  }
  hide(text, secret);
  hide(text, mcpi_str_n(form->data + 1, form->len - 1)); /* after "=" */
}

/* Hides a member of the form that was sent. */
static void hide_member(mcpi_buf *text, mcpi_buf *value, const mcpi_flow *flow,
                        const char *name) {
  mcpi_buf_clear(value);
  int rc = mcpi_form_get(value, mcpi_buf_str(&flow->ask.body), name);
  if (rc == 0) {
    hide(text, mcpi_buf_str(value));
  } else if (rc == MCP_ERR_NOMEM) {
    mcpi_buf_clear(text);
  }
}

/* The header has a NUL at its end once it is sent. */
static void hide_header(mcpi_buf *text, const mcpi_buf *header) {
  const char *blank =
      header->len > 0 ? memchr(header->data, ' ', header->len) : NULL;
  const char *value = blank != NULL ? blank + 1 : header->data;
  if (value != NULL) {
    hide(text, mcpi_str_z(value));
  }
}

static void hide_all(const mcpi_flow *flow, mcpi_buf *text) {
  const char *secrets[MAX_SECRETS];
  size_t count = list_secrets(flow, secrets);
  mcpi_buf scratch;
  mcpi_buf_init_secret(&scratch, flow->allocator, SIZE_MAX);
  hide_member(text, &scratch, flow, "client_assertion");
  hide_header(text, &flow->ask.authorization);
  hide_header(text, &flow->ask.proof);
  for (size_t i = 0; i < count; i++) {
    hide_both(text, &scratch, mcpi_str_z(secrets[i]));
  }
  mcpi_buf_deinit(&scratch);
}

const char *mcpi_step_show(const mcpi_flow *flow, mcpi_str text,
                           char out[MCPI_SHOWN_SIZE]) {
  mcpi_buf shown;
  mcpi_buf_init_secret(&shown, flow->allocator, SIZE_MAX);
  mcpi_buf_puts(&shown, text);
  hide_all(flow, &shown);
  size_t len = shown.error == 0 ? shown.len : 0;
  len = len < MCPI_SHOWN_SIZE ? len : MCPI_SHOWN_SIZE - 1;
  for (size_t i = 0; i < len; i++) {
    char c = shown.data[i];
    out[i] = c;
    if (c < 0x20 || c > 0x7e) {
      out[i] = '?';
    }
  }
  out[len] = '\0';
  mcpi_buf_deinit(&shown);
  return out;
}

/* --- refusals ------------------------------------------------------------- */

int mcpi_step_may_pass(mcpi_str error) {
  return mcpi_str_eq(error, MCPI_STR("temporarily_unavailable")) ||
         mcpi_str_eq(error, MCPI_STR("server_error"));
}

int mcpi_step_is_trouble(const mcp_fetch_answer *answer) {
  int status = answer->status;
  return answer->error != 0 || status >= 500 || status == 408 || status == 429;
}

/* Appends the error of OAuth that the answer has. Other text is not shown: it
 * is a page, or anything else. */
static void quote_error(mcpi_flow *flow, const mcp_fetch_answer *answer) {
  char shown[MCPI_SHOWN_SIZE];
  char more[MCPI_SHOWN_SIZE];
  int rc = 0;
  mcp_doc *doc = mcpi_step_parse(flow, answer, &rc);
  const mcp_json *root = mcp_doc_root(doc);
  const char *error = mcp_json_string(mcp_json_get(root, "error"));
  const char *text = mcp_json_string(mcp_json_get(root, "error_description"));
  mcp_error *why = &flow->result.why;
  const mcp_error before = *why;
  if (error != NULL) {
    int code = before.code;
    if (mcpi_step_may_pass(mcpi_str_z(error))) {
      code = MCP_ERR_IO;
    }
    mcp_error_set(why, code, "%s: %s%s%s", before.message,
                  mcpi_step_show(flow, mcpi_str_z(error), shown),
                  text != NULL ? ": " : "",
                  mcpi_step_show(flow, mcpi_str_z(text), more));
    why->status = before.status;
  }
  mcp_doc_free(doc);
}

/* Metadata that were kept may be the reason: the next login fetches them
 * again. */
static void drop_metadata(mcpi_flow *flow) {
  if (flow->server.issuer != NULL) {
    mcpi_issuers_drop(flow->start.issuers, mcpi_str_z(flow->issuer));
  }
}

/* A name that stands for a private address, as in the network of a hotel, does
 * not mean that a refresh token is gone. */
static int fetch_error(const mcpi_flow *flow, int code) {
  if (code == MCP_ERR_REFUSED && flow->purpose == MCPI_FLOW_TO_REFRESH) {
    return MCP_ERR_IO;
  }
  return code;
}

/* Which option is the reason of the platform's error. */
static const char *option_of_error(const mcpi_flow *flow, int code) {
  return code == MCP_ERR_REFUSED &&
                 mcpi_step_is_public_only(flow, flow->ask.url.data)
             ? " (allows_private_addresses is 0)"
             : "";
}

mcpi_flow_next mcpi_step_refuse(mcpi_flow *flow,
                                const mcp_fetch_answer *answer) {
  char shown[MCPI_SHOWN_SIZE];
  const char *url = flow->ask.url.data;
  int len = mcpi_step_shown_len(url);
  int code = MCP_ERR_REFUSED;
  drop_metadata(flow);
  if (answer->error != 0) {
    return mcpi_step_fail(flow, fetch_error(flow, answer->error), "%.*s: %s%s",
                          len, url,
                          mcpi_step_show(flow, mcpi_str_z(answer->why), shown),
                          option_of_error(flow, answer->error));
  }
  if (mcpi_step_is_trouble(answer)) {
    code = MCP_ERR_IO;
  }
  mcpi_step_fail(flow, code, "%.*s answered HTTP %d", len, url,
                 (int)answer->status);
  flow->result.why.status = answer->status;
  quote_error(flow, answer);
  return MCPI_FLOW_FAILED;
}

int mcpi_step_drop_client(mcpi_flow *flow, mcpi_str error) {
  int is_about_client = mcpi_str_eq(error, MCPI_STR("invalid_client")) ||
                        mcpi_str_eq(error, MCPI_STR("unauthorized_client"));
  if (!is_about_client || !flow->uses_known_client) {
    return 0;
  }
  flow->result.drops_registration = 1;
  return flow->purpose == MCPI_FLOW_TO_LOG_IN;
}
