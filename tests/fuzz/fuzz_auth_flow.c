/* SPDX-License-Identifier: MIT */
/* A login whose peers are hostile: a server, an authorization server, an
 * identity provider, a browser. The first byte chooses the options. The rest is
 * steps, with a line "%" between them. A step is an answer (its status on a
 * line, perhaps with a header after a blank, and then its body) or begins with
 * "@":
 *
 *     @bQUERY  the browser returns        @aTEXT  the program's assertion
 *     @cID     the program's client id    @cID\nSECRET  and its secret
 *     @e-17    the request fails          @x  the login is abandoned
 *     @r       another login begins, which knows what the first has brought
 *
 * In each step $S is the login's state, and $V its verifier. */
#include "steps.h"
#include "support/flow_rig.h"

#include <stdio.h>

/* The bits of the first byte. The lowest two are the grant. */
enum { GRANT = 3, GIVEN = 4, SECRET = 8, DPOP = 16, ASKS = 32 };

typedef struct scene {
  flow_rig rig;
  mcpi_token *token; /* that the last login has brought */
  mcpi_registration client;
} scene;

static int put_mark(const void *of, mcpi_buf *out, char mark, mcpi_str rest) {
  const scene *s = of;
  (void)rest;
  if (mark == 'S') {
    put_text(out, s->rig.flow->state_text);
  } else if (mark == 'V') {
    put_text(out, s->rig.flow->verifier);
  } else {
    return MARK_UNKNOWN;
  }
  return MARK_DONE;
}

/* --- the login ------------------------------------------------------------ */

static void choose_options(scene *s, unsigned bits) {
  mcp_auth_options *options = &s->rig.options;
  options->grant = bits & GRANT;
  options->client_id = (bits & GIVEN) != 0 ? "me" : NULL;
  options->client_secret = (bits & SECRET) != 0 ? "the-secret" : NULL;
  options->private_key = (bits & (GIVEN | SECRET)) == GIVEN ? "key 2" : NULL;
  options->prefers_dpop = (bits & DPOP) != 0;
  options->idp_token_endpoint = "https://idp.test/token";
  options->idp_client_id = "at-idp";
  options->client_metadata_url = "https://program.test/client.json";
  s->rig.start.server_is_public = (bits & DPOP) == 0;
  s->rig.client_result = (bits & ASKS) != 0 ? 0 : MCPI_FLOW_NOT_ASKED;
}

/* What a login has brought is well formed. */
static void check_result(const flow_rig *rig) {
  const mcpi_token *token = rig->token;
  check(rig->ends <= 1);
  if (token != NULL) {
    check(token->access[0] != '\0' && token->issuer != NULL);
    check(strlen(token->access) <= MCPI_FLOW_MAX_TOKEN);
    for (const char *c = token->access; *c != '\0'; c++) {
      check(*c > 0x20 && *c < 0x7f);
    }
    check(token->expires_ms > 1700000000000);
  }
  if (rig->registered.client_id != NULL) {
    check(rig->registered.issuer != NULL && rig->registered.method != 0);
  }
}

static void begin(scene *s) {
  check(flow_rig_new(&s->rig) == 0);
  if (s->token == NULL) {
    mcpi_flow_log_in(s->rig.flow);
  } else if (s->token->refresh != NULL) {
    mcpi_flow_refresh(s->rig.flow, s->token);
  } else {
    mcpi_flow_revoke(s->rig.flow, s->token);
  }
}

/* Keeps what the login has brought, and begins another one. */
static void begin_again(scene *s) {
  flow_rig *rig = &s->rig;
  const mcp_allocator *allocator = &rig->loop->allocator;
  mcpi_token_free(s->token, allocator);
  s->token = rig->token;
  rig->token = NULL;
  if (rig->registered.client_id != NULL) {
    mcpi_registration_deinit(&s->client, allocator);
    s->client = rig->registered;
    rig->registered = (mcpi_registration){.expires_ms = INT64_MAX};
    rig->start.known_client = &s->client;
  }
  uint8_t random = rig->random;
  flow_rig_free(rig);
  rig->random = random;
  begin(s);
}

/* --- the steps ------------------------------------------------------------ */

static void answer(flow_rig *rig, mcpi_str text) {
  char head[200];
  const char *end = text.len > 0 ? memchr(text.ptr, '\n', text.len) : NULL;
  size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;
  mcpi_str line = mcpi_str_take(&text, len);
  mcpi_str_take_char(&text, '\n');
  snprintf(head, sizeof(head), "%.*s", (int)line.len, line.ptr);
  int status = atoi(head);
  char *header = strchr(head, ' ');
  if (header != NULL && strstr(++header, ": ") == NULL) {
    header = NULL;
  }
  if (rig->done != NULL) {
    status = status >= 100 && status < 600 ? status : 200;
    flow_rig_answer_n(rig, status, header, text.ptr, text.len);
  }
}

static void give_client(flow_rig *rig, char *text) {
  char *secret = strchr(text, '\n');
  if (secret != NULL) {
    *secret++ = '\0';
  }
  mcpi_flow_give_client(rig->flow, text[0] != '\0' ? text : NULL, secret);
}

static void act(scene *s, char *text) {
  flow_rig *rig = &s->rig;
  mcp_error err;
  switch (text[0]) {
  case 'b':
    if (mcpi_flow_redirected(rig->flow, text + 1, &err) != 0) {
      check(strstr(err.message, rig->flow->state_text) == NULL ||
            rig->flow->state_text[0] == '\0');
    }
    break;
  case 'a':
    mcpi_flow_assert(rig->flow, text + 1);
    break;
  case 'c':
    give_client(rig, text + 1);
    break;
  case 'e':
    if (rig->done != NULL) {
      flow_rig_fail(rig, MCP_ERR_IO, text + 1);
    }
    break;
  case 'x':
    mcpi_flow_abandon(rig->flow, MCP_ERR_REFUSED, "no");
    break;
  case 'r':
    begin_again(s);
    break;
  default:
    break;
  }
}

static void run_step(scene *s, mcpi_str step) {
  mcpi_buf text;
  mcpi_buf_init(&text, mcp_allocator_default(), SIZE_MAX);
  expand(&text, step, put_mark, s);
  if (text.len > 0 && text.data[0] == '@') {
    mcpi_buf_putc(&text, '\0');
    act(s, text.data + 1);
  } else {
    answer(&s->rig, mcpi_buf_str(&text));
  }
  mcpi_buf_deinit(&text);
  check_result(&s->rig);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  scene s = {.token = NULL, .client = {.expires_ms = INT64_MAX}};
  mcpi_str rest = mcpi_str_n((const char *)data, size);
  mcpi_str step;
  if (size == 0) {
    return 0;
  }
  unsigned bits = (unsigned char)mcpi_str_take(&rest, 1).ptr[0];
  mcpi_str_take_char(&rest, '\n');
  check(flow_rig_init(&s.rig, NULL) == 0);
  s.rig.is_fuzzed = 1;
  s.rig.random = 0x5d;
  choose_options(&s, bits);
  begin(&s);
  while (next_step(&rest, &step)) {
    run_step(&s, step);
  }
  const mcp_allocator *allocator = mcp_allocator_default();
  mcpi_token_free(s.token, allocator);
  mcpi_registration_deinit(&s.client, allocator);
  flow_rig_deinit(&s.rig);
  return 0;
}
