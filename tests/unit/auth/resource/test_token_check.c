/* SPDX-License-Identifier: MIT */
#include "auth/resource/token_check.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/libmcp/resource_rig.h"
#include <stdio.h>
#include <stdlib.h>

/* What the program was asked, and what it answers at once. */
typedef struct program {
  resource_rig *rig;
  mcp_token_check *check; /* the last one */
  char token[64];
  int calls;
  enum { LATER, ACCEPT, REFUSE, TWICE, FREE, FREE_AND_ACCEPT } plan;
  int rc;
} program;

static const mcp_token_facts ann = {
    .size = sizeof(mcp_token_facts), .principal = "ann", .scopes = "read"};

static void on_token(mcp_token_check *check, const char *token,
                     void *userdata) {
  program *p = userdata;
  p->check = check;
  p->calls++;
  snprintf(p->token, sizeof(p->token), "%s", token);
  if (p->plan == FREE || p->plan == FREE_AND_ACCEPT) {
    mcpi_verifier_free(p->rig->verifier);
    p->rig->verifier = NULL;
  }
  if (p->plan == ACCEPT || p->plan == TWICE || p->plan == FREE_AND_ACCEPT) {
    p->rc = mcp_token_accept(check, &ann, NULL);
  }
  if (p->plan == REFUSE) {
    mcp_token_refuse(check, "go \"away\"\r\n");
  }
  if (p->plan == TWICE) {
    mcp_token_refuse(check, "second");
    p->rc = mcp_token_accept(check, &ann, NULL);
  }
}

static program the_program;

static int open_rig(void **state) {
  resource_rig *rig = resource_rig_new(NULL);
  the_program = (program){.rig = rig};
  rig->options.check_token = on_token;
  rig->options.userdata = &the_program;
  *state = rig;
  return resource_rig_open(rig);
}

static int close_rig(void **state) {
  resource_rig_free(*state);
  return 0;
}

TEST_WITH(the_program_may_answer_at_once, open_rig, close_rig) {
  the_program.plan = ACCEPT;
  resource_rig_check(*state, "Bearer", "secret", NULL);
  assert_string_equal(resource_rig_result(*state), "ann: read");
  assert_string_equal(the_program.token, "secret");
  assert_int_equal(the_program.rc, 0);
}

TEST_WITH(the_program_may_refuse, open_rig, close_rig) {
  the_program.plan = REFUSE;
  rig_check *check = resource_rig_check(*state, "Bearer", "secret", NULL);
  assert_memory_equal(check->text, "401 invalid_token: go \"away\"", 28);
  for (const char *c = check->header; *c != '\0'; c++) {
    assert_true(*c >= 0x20 && *c < 0x7F);
  }
  the_program.plan = LATER;
  resource_rig_check(*state, "Bearer", "secret", NULL);
  mcp_token_refuse(the_program.check, NULL);
  assert_string_equal(resource_rig_result(*state),
                      "401 invalid_token: the token is not valid");
}

TEST_WITH(the_program_may_answer_later, open_rig, close_rig) {
  resource_rig *rig = *state;
  rig_check *first = resource_rig_check(rig, "Bearer", "secret", NULL);
  rig_check *second = resource_rig_check(rig, "Bearer", "secret", NULL);
  assert_int_equal(the_program.calls, 1);
  assert_string_equal(second->text, "waits");
  assert_int_equal(mcp_token_accept(the_program.check, &ann, NULL), 0);
  assert_string_equal(first->text, "ann: read");
  assert_string_equal(second->text, "ann: read");
  resource_rig_pass(rig, 9999);
  resource_rig_check(rig, "Bearer", "secret", NULL);
  assert_int_equal(the_program.calls, 1);
  resource_rig_pass(rig, 1);
  resource_rig_check(rig, "Bearer", "secret", NULL);
  assert_int_equal(the_program.calls, 2);
  mcp_token_refuse(the_program.check, NULL);
}

TEST_WITH(a_second_answer_has_no_effect, open_rig, close_rig) {
  the_program.plan = TWICE;
  resource_rig_check(*state, "Bearer", "secret", NULL);
  assert_string_equal(resource_rig_result(*state), "ann: read");
  assert_int_equal(the_program.rc, MCP_ERR_GONE);
  assert_int_equal(((resource_rig *)*state)->checks[0].calls, 1);
}

TEST_WITH(an_answer_may_come_too_late, open_rig, close_rig) {
  resource_rig *rig = *state;
  mcp_error err;
  rig_check *check = resource_rig_check(rig, "Bearer", "secret", NULL);
  mcpi_verifier_cancel(&check->wait);
  assert_int_equal(mcp_token_accept(the_program.check, &ann, &err),
                   MCP_ERR_GONE);
  assert_int_equal(err.code, MCP_ERR_GONE);
  assert_int_equal(check->calls, 0);
  resource_rig_check(rig, "Bearer", "secret", NULL);
  mcpi_verifier_free(rig->verifier);
  rig->verifier = NULL;
  mcp_token_refuse(the_program.check, "late");
  assert_int_equal(rig->checks[1].calls, 0);
}

/* A client that leaves and comes again with another token makes the program
 * check no more tokens than one that waits. */
TEST(checks_that_the_program_has_not_answered_are_limited) {
  resource_rig *rig = resource_rig_new(NULL);
  mcp_token_check *checks[16];
  the_program = (program){.rig = rig};
  rig->options.check_token = on_token;
  rig->options.userdata = &the_program;
  rig->options.max_checks = 20;
  assert_int_equal(resource_rig_open(rig), 0);
  for (int i = 0; i < 16; i++) {
    const char token[] = {(char)('a' + i), '\0'};
    mcpi_verifier_cancel(&resource_rig_check(rig, "Bearer", token, NULL)->wait);
    checks[i] = the_program.check;
  }
  resource_rig_check(rig, "Bearer", "z", NULL);
  assert_string_equal(resource_rig_result(rig),
                      "503 too many tokens wait for a check");
  rig->peer = "192.0.2.2:5000";
  resource_rig_check(rig, "Bearer", "y", NULL);
  assert_string_equal(resource_rig_result(rig), "waits");
  mcp_token_refuse(the_program.check, NULL);
  rig->peer = "192.0.2.1:5000";
  mcp_token_refuse(checks[0], NULL);
  resource_rig_check(rig, "Bearer", "z", NULL);
  assert_string_equal(resource_rig_result(rig), "waits");
  mcp_token_refuse(the_program.check, NULL);
  for (int i = 1; i < 16; i++) {
    mcp_token_refuse(checks[i], NULL);
  }
  resource_rig_free(rig);
}

/* The loop frees the check; the leak checker looks. */
TEST_WITH(an_answer_may_never_come, open_rig, close_rig) {
  resource_rig_check(*state, "Bearer", "secret", NULL);
}

TEST_WITH(the_program_may_free_the_verifier_when_asked, open_rig, close_rig) {
  the_program.plan = FREE;
  resource_rig_check(*state, "Bearer", "secret", NULL);
  assert_int_equal(mcp_token_accept(the_program.check, &ann, NULL),
                   MCP_ERR_GONE);
  assert_int_equal(((resource_rig *)*state)->checks[0].calls, 0);
}

TEST_WITH(the_program_may_free_the_verifier_and_answer, open_rig, close_rig) {
  the_program.plan = FREE_AND_ACCEPT;
  resource_rig_check(*state, "Bearer", "secret", NULL);
  assert_int_equal(the_program.rc, MCP_ERR_GONE);
}

TEST_WITH(facts_have_an_expiry, open_rig, close_rig) {
  resource_rig *rig = *state;
  mcp_token_facts facts = ann;
  facts.expires_ms = rig->wall_ms + 60000;
  rig_check *check = resource_rig_check(rig, "Bearer", "secret", NULL);
  assert_int_equal(mcp_token_accept(the_program.check, &facts, NULL), 0);
  assert_int_equal(check->grant->stream_ms, INT64_MAX);
  resource_rig_pass(rig, 59999);
  resource_rig_check(rig, "Bearer", "secret", NULL);
  assert_int_equal(the_program.calls, 1);
  resource_rig_pass(rig, 1);
  resource_rig_check(rig, "Bearer", "secret", NULL);
  assert_int_equal(the_program.calls, 2);
  mcp_token_refuse(the_program.check, NULL);
}

TEST_WITH(without_an_expiry_streams_are_limited, open_rig, close_rig) {
  rig_check *check = resource_rig_check(*state, "Bearer", "secret", NULL);
  assert_int_equal(mcp_token_accept(the_program.check, &ann, NULL), 0);
  assert_int_equal(check->grant->expires_ms, INT64_MAX);
  assert_int_equal(check->grant->stream_ms, 900000);
}

TEST_WITH(facts_have_claims, open_rig, close_rig) {
  resource_rig *rig = *state;
  mcp_token_facts facts = ann;
  facts.claims = "{\"team\":\"a\"}";
  rig_check *check = resource_rig_check(rig, "Bearer", "secret", NULL);
  assert_int_equal(mcp_token_accept(the_program.check, &facts, NULL), 0);
  assert_string_equal(
      mcp_json_string(mcp_json_get(mcp_doc_root(check->grant->claims), "team")),
      "a");
  char *cnf = resource_rig_cnf(rig);
  char claims[200];
  snprintf(claims, sizeof(claims), "{\"cnf\":%s}", cnf);
  facts.claims = claims;
  resource_rig_check(rig, "Bearer", "bound", NULL);
  assert_int_equal(mcp_token_accept(the_program.check, &facts, NULL), 0);
  assert_string_equal(resource_rig_result(rig),
                      "401 invalid_token: the token is bound to a key; use the "
                      "scheme DPoP");
  free(cnf);
}

TEST_WITH(wrong_facts_refuse_the_token, open_rig, close_rig) {
  resource_rig *rig = *state;
  const mcp_token_facts wrong[] = {
      {.size = 0, .principal = "ann"},
      {.size = sizeof(mcp_token_facts)},
      {.size = sizeof(mcp_token_facts), .principal = ""},
      {.size = sizeof(mcp_token_facts), .principal = "a", .claims = "[]"},
      {.size = sizeof(mcp_token_facts), .principal = "a", .claims = "{\"a"},
      {.size = sizeof(mcp_token_facts),
       .principal = "a",
       .claims = "{\"cnf\":{}}"},
      {.size = sizeof(mcp_token_facts), .principal = "a", .expires_ms = 1}};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    mcp_error err;
    resource_rig_check(rig, "Bearer", "secret", NULL);
    assert_int_equal(mcp_token_accept(the_program.check, &wrong[i], &err),
                     MCP_ERR_INVALID);
    assert_int_equal(err.code, MCP_ERR_INVALID);
    assert_memory_equal(err.message, "mcp_token_facts", 15);
    assert_string_equal(resource_rig_result(rig),
                        "401 invalid_token: the token is not valid");
  }
  resource_rig_check(rig, "Bearer", "secret", NULL);
  assert_int_equal(mcp_token_accept(the_program.check, NULL, NULL),
                   MCP_ERR_INVALID);
}

TEST(null_is_no_check) {
  mcp_error err;
  assert_int_equal(mcp_token_accept(NULL, &ann, &err), MCP_ERR_INVALID);
  mcp_token_refuse(NULL, "x");
}

TEST(without_memory_a_token_is_refused_for_now) {
  for (size_t i = 1; i < 60; i++) {
    failing_alloc alloc;
    failing_alloc_init(&alloc);
    alloc.fail_at = i;
    resource_rig *rig = resource_rig_new(&alloc.allocator);
    if (rig == NULL) {
      continue;
    }
    the_program = (program){.rig = rig, .plan = ACCEPT};
    rig->options.check_token = on_token;
    rig->options.userdata = &the_program;
    if (resource_rig_open(rig) == 0) {
      const char *text =
          resource_rig_check(rig, "Bearer", "secret", NULL)->text;
      assert_true(strcmp(text, "ann: read") == 0 ||
                  strncmp(text, "503 ", 4) == 0);
    }
    resource_rig_free(rig);
    assert_int_equal(alloc.live_blocks, 0);
  }
}
