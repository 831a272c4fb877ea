/* SPDX-License-Identifier: MIT */
/* Fuzzes the checks of a resource server. The input is steps with a line "%"
 * between them:
 *
 *     A text   a request with this header Authorization
 *     D text   the header DPoP of the requests that follow
 *     S text   answers the oldest request for keys or about a token: 200
 *     F        lets it fail
 *     T        lets 30 s pass
 *     C        ends the first check that waits
 *
 * In texts "$t" is a good token, "$b" one that is bound to a key, "$p" a proof
 * for that, "$k" the issuer's keys and "$m" its metadata. A JWT is only
 * accepted for the user whom the issuer has named, and a check ends at most
 * once. */
#include "fuzz/steps.h"
#include "support/libmcp/resource_rig.h"

typedef struct scene {
  resource_rig *rig;
  char *token;
  char *bound;
  char *proof;
  char *jwks;
} scene;

static int put_mark(const void *of, mcpi_buf *out, char mark, mcpi_str rest) {
  const scene *s = of;
  const char *text = NULL;
  (void)rest;
  switch (mark) {
  case 't':
    text = s->token;
    break;
  case 'b':
    text = s->bound;
    break;
  case 'p':
    text = s->proof;
    break;
  case 'k':
    text = s->jwks;
    break;
  case 'm':
    text = resource_rig_metadata();
    break;
  default:
    return MARK_UNKNOWN;
  }
  put_text(out, text);
  return MARK_DONE;
}

/* A JWT of the issuer is for "ann" alone. The introspection endpoint may name
 * anybody; its names do not count here. */
static void check_all(const resource_rig *rig, int is_trusted) {
  for (size_t i = 0; i < rig->check_count; i++) {
    const rig_check *at = &rig->checks[i];
    check(at->calls <= 1);
    for (const char *c = at->header; *c != '\0'; c++) {
      check(*c >= 0x20 && *c < 0x7F);
    }
    if (at->grant != NULL) {
      check(!is_trusted || strcmp(at->grant->principal, "ann") == 0);
    }
  }
}

static void run_step(scene *s, char kind, mcpi_str text, mcpi_buf *dpop) {
  resource_rig *rig = s->rig;
  mcpi_buf out;
  mcpi_buf_init(&out, mcp_allocator_default(), SIZE_MAX);
  expand(&out, text, put_mark, s);
  if (kind == 'A' && rig->check_count < RIG_CHECKS) {
    const mcpi_token_request request = {.authorization = mcpi_buf_str(&out),
                                        .dpop = mcpi_buf_str(dpop),
                                        .method = "POST",
                                        .resource = MCPI_STR(RIG_RESOURCE)};
    resource_rig_check_request(rig, &request);
  } else if (kind == 'D') {
    mcpi_buf_clear(dpop);
    mcpi_buf_puts(dpop, mcpi_buf_str(&out));
  } else if (kind == 'S' && resource_rig_fetch(rig) != NULL) {
    mcpi_buf_putc(&out, '\0');
    resource_rig_answer(rig, 200, out.data);
  } else if (kind == 'F' && resource_rig_fetch(rig) != NULL) {
    resource_rig_fail(rig, MCP_ERR_IO, "down");
  } else if (kind == 'T') {
    resource_rig_pass(rig, 30000);
  } else if (kind == 'C') {
    for (size_t i = 0; i < rig->check_count; i++) {
      mcpi_verifier_cancel(&rig->checks[i].wait);
    }
  }
  mcpi_buf_deinit(&out);
}

static void play(scene *s, mcpi_str rest, int is_trusted) {
  mcpi_buf dpop;
  mcpi_str step;
  size_t steps = 0;
  mcpi_buf_init(&dpop, mcp_allocator_default(), SIZE_MAX);
  /* each step makes at most two requests */
  while (steps++ < RIG_FETCHES / 3 && next_step(&rest, &step)) {
    if (step.len > 0) {
      char kind = *mcpi_str_take(&step, 1).ptr;
      mcpi_str_take_char(&step, ' ');
      run_step(s, kind, step, &dpop);
      check_all(s->rig, is_trusted);
    }
  }
  mcpi_buf_deinit(&dpop);
}

/* The keys of the input count only in the second run: in the first, whose keys
 * are fixed, nobody else can be accepted. */
static void run(mcpi_str input, int is_trusted) {
  scene s = {.rig = resource_rig_new(NULL)};
  resource_rig *rig = s.rig;
  char *cnf = resource_rig_cnf(rig);
  s.token = resource_rig_token(rig, resource_rig_claims(NULL, NULL));
  s.bound = resource_rig_token(rig, resource_rig_claims("cnf", cnf));
  s.proof = resource_rig_proof(rig, s.bound, NULL);
  s.jwks = resource_rig_jwks(rig, rig->key, "k1");
  rig->options.issuer = RIG_ISSUER;
  if (is_trusted) {
    rig->options.jwks = s.jwks;
  } else {
    rig->options.introspection_endpoint = "https://as.example/i";
  }
  check(resource_rig_open(rig) == 0);
  play(&s, input, is_trusted);
  resource_rig_free(rig);
  free(cnf);
  free(s.token);
  free(s.bound);
  free(s.proof);
  free(s.jwks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  mcpi_str input = mcpi_str_n((const char *)data, len);
  run(input, 1);
  run(input, 0);
  return 0;
}
