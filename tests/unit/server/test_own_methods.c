/* SPDX-License-Identifier: MIT */
/* Methods of the program that have one name in several revisions. */
#include "support/server_bench.h"

static int on_method(mcp_call *call, void *userdata) {
  return mcp_call_reply_json(call, userdata);
}

static int add(server_bench *b, const char *first, const char *last,
               const char *answer) {
  const mcp_method method = {.size = sizeof(mcp_method),
                             .name = "example/it",
                             .first_revision = first,
                             .last_revision = last,
                             .handler = on_method,
                             .userdata = (void *)(uintptr_t)answer};
  return mcp_server_add_method(b->rig.server, &method, NULL);
}

BENCH_TEST(each_revision_has_its_own_handler) {
  server_bench *b = *state;
  assert_int_equal(add(b, "2026-07-28", NULL, "{\"is\":\"new\"}"), 0);
  assert_int_equal(add(b, NULL, "2025-06-18", "{\"is\":\"old\"}"), 0);
  exchange(&b->wire, "{$J,'id':1,'method':'example/it','params':{$M{}}}",
           "{$J,'id':1,'result':{'is':'new',$C}}");
  wire_initialize(&b->wire, "2025-06-18", "{}");
  exchange(&b->wire, "{$J,'id':2,'method':'example/it'}",
           "{$J,'id':2,'result':{'is':'old'}}");
}

BENCH_TEST(a_revision_without_one_does_not_know_the_method) {
  server_bench *b = *state;
  assert_int_equal(add(b, "2026-07-28", NULL, "{}"), 0);
  assert_int_equal(add(b, NULL, "2025-06-18", "{}"), 0);
  wire_initialize(&b->wire, "2025-11-25", "{}");
  exchange(&b->wire, "{$J,'id':2,'method':'example/it'}",
           "{$J,'id':2,'error':{'code':-32601,'message':'unknown method: "
           "\\\"example/it\\\"'}}");
}

BENCH_TEST(in_one_revision_there_is_one_handler) {
  server_bench *b = *state;
  assert_int_equal(add(b, "2025-06-18", "2025-11-25", "{}"), 0);
  assert_int_equal(add(b, "2025-11-25", NULL, "{}"), MCP_ERR_EXISTS);
  assert_int_equal(add(b, NULL, "2025-06-18", "{}"), MCP_ERR_EXISTS);
  assert_int_equal(add(b, NULL, NULL, "{}"), MCP_ERR_EXISTS);
  assert_int_equal(add(b, "2025-06-18", "2025-06-18", "{}"), MCP_ERR_EXISTS);
  assert_int_equal(add(b, "2026-07-28", NULL, "{}"), 0);
  assert_int_equal(add(b, NULL, "2025-03-26", "{}"), 0);
  assert_int_equal(add(b, "2026-07-28", NULL, "{}"), MCP_ERR_EXISTS);
}

BENCH_TEST(a_name_member_is_a_name_of_a_request) {
  server_bench *b = *state;
  mcp_method method = {.size = sizeof(mcp_method),
                       .name = "example/it",
                       .handler = on_method,
                       .name_member = ""};
  mcp_error err;
  assert_int_equal(mcp_server_add_method(b->rig.server, &method, &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message,
                      "method \"example/it\": name_member is empty");
  method.name_member = "\xff";
  assert_int_equal(mcp_server_add_method(b->rig.server, &method, &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message,
                      "method: name_member is not UTF-8 at byte 0");
  method.name_member = "id";
  method.is_notification = 1;
  assert_int_equal(mcp_server_add_method(b->rig.server, &method, &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message,
                      "method \"example/it\": a notification has no "
                      "name_member: HTTP repeats the name of requests alone");
}

/* A program that was built with older headers has something else there. */
BENCH_TEST(an_older_program_s_method_has_no_name_member) {
  server_bench *b = *state;
  mcp_method method = {.size = offsetof(mcp_method, name_member),
                       .name = "example/it",
                       .handler = on_method,
                       .userdata = (void *)(uintptr_t) "{}",
                       .name_member = "\xff"};
  assert_int_equal(mcp_server_add_method(b->rig.server, &method, NULL), 0);
  exchange(&b->wire, "{$J,'id':1,'method':'example/it','params':{$M{}}}",
           "{$J,'id':1,'result':{$C}}");
}
