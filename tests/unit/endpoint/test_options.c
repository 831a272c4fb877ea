/* SPDX-License-Identifier: MIT */
/* What an endpoint is made of, and of what it is not. */
#include "support/http_bench.h"
#include <string.h>

HTTP_TEST(options_are_checked) {
  static const char *const with_port[] = {"*", "example.org:8080", NULL};
  static const char *const host_as_url[] = {"http://example.org", NULL};
  static const char *const no_scheme[] = {"*", "null", "example.org", NULL};
  static const char *const with_path[] = {"https://example.org/", NULL};
  static const struct {
    mcp_http_options options;
    const char *complaint;
  } rows[] = {
      {{.path = "mcp"}, "path: \"mcp\" must begin with a slash"},
      {{.path = "/health"}, "path: \"/health\" is the path of something else"},
      {{.health_path = "x"}, "health_path: \"x\" must begin with a slash"},
      {{.sse_path = "sse"}, "sse_path: \"sse\" must begin with a slash"},
      {{.messages_path = ""}, "messages_path: \"\" must begin with a slash"},
      {{.wires = MCP_HTTP_WEBSOCKET | MCP_HTTP_SSE, .path = "/sse"},
       "sse_path: \"/sse\" is the path of something else"},
      {{.wires = MCP_HTTP_SSE, .messages_path = "/health"},
       "messages_path: \"/health\" is the path of something else"},
      {{.legacy = 3},
       "legacy: 3 is not a way to serve the legacy era; use "
       "MCP_HTTP_SESSIONS, MCP_HTTP_STATELESS or MCP_HTTP_PLAIN"},
      {{.wires = 256},
       "wires: 256 has a bit that names no wire; use MCP_HTTP_STREAMABLE, "
       "MCP_HTTP_SSE and MCP_HTTP_WEBSOCKET"},
      {{.wires = 1u << 31},
       "wires: 2147483648 has a bit that names no wire; use "
       "MCP_HTTP_STREAMABLE, MCP_HTTP_SSE and MCP_HTTP_WEBSOCKET"},
      {{.allowed_hosts = with_port},
       "allowed_hosts: \"example.org:8080\" is not a host name, such as "
       "example.org"},
      {{.allowed_hosts = host_as_url},
       "allowed_hosts: \"http://example.org\" is not a host name, such as "
       "example.org"},
      {{.allowed_origins = no_scheme},
       "allowed_origins: \"example.org\" is not an origin, such as "
       "https://app.example.org"},
      {{.allowed_origins = with_path},
       "allowed_origins: \"https://example.org/\" is not an origin, such as "
       "https://app.example.org"},
  };
  http_bench *b = *state;
  mcp_error err;
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    mcp_http_options options = rows[i].options;
    options.size = sizeof(mcp_http_options);
    assert_null(
        mcp_http_new(b->http.rig.server, b->http.rig.loop, &options, &err));
    assert_int_equal(err.code, MCP_ERR_INVALID);
    assert_string_equal(err.message, rows[i].complaint);
  }
  assert_null(mcp_http_new(NULL, NULL, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  mcp_http_free(NULL);
}

HTTP_TEST(the_endpoint_copies_texts) {
  char setting[] = "--allow-host";
  const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                    .host_setting = setting};
  http_bench *b = *state;
  http_bench_restart(b, &options);
  memset(setting, '?', sizeof(setting) - 1);
  ask(&b->http, "GET /mcp\nHost: evil.example\n\n",
      JSON("403",
           ERROR_ALONE("-32600", "the host \\\"evil.example\\\" is not served "
                                 "here (--allow-host)")));
}

HTTP_TEST(sessions_need_random_bytes) {
  const mcp_platform platform = {.size = sizeof(mcp_platform)};
  const mcp_http_options stateless = {.size = sizeof(mcp_http_options),
                                      .legacy = MCP_HTTP_STATELESS};
  mcp_loop *loop = mcp_loop_new_manual(&platform, NULL, NULL);
  mcp_server *server = mcp_server_new("test", "1", NULL, NULL);
  mcp_error err;
  assert_null(mcp_http_new(server, loop, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_PLATFORM);
  mcp_http *http = mcp_http_new(server, loop, &stateless, &err);
  assert_non_null(http);
  mcp_http_free(http);
  mcp_server_free(server);
  mcp_loop_free(loop);
}

/* ---- requests ----------------------------------------------------------- */

static void never_respond(void *exchange, int status,
                          const mcp_http_header *headers, size_t header_count,
                          const char *body, size_t len) {
  (void)exchange, (void)status, (void)headers, (void)header_count;
  (void)body, (void)len;
  fail();
}

HTTP_TEST(a_request_without_method_or_target_is_ignored) {
  const mcp_http_responder responder = {.size = sizeof(mcp_http_responder),
                                        .respond = never_respond};
  const mcp_http_request no_method = {.size = sizeof(mcp_http_request),
                                      .target = "/mcp"};
  const mcp_http_request no_target = {.size = sizeof(mcp_http_request),
                                      .method = "GET"};
  http_bench *b = *state;
  assert_null(mcp_http_begin(b->http.http, &no_method, &responder, NULL));
  assert_null(mcp_http_begin(b->http.http, &no_target, &responder, NULL));
}

HTTP_TEST(a_body_may_be_null) {
  http_bench *b = *state;
  trip_begin(&b->trips[0], &b->http, POST("", ""));
  mcp_http_body(b->trips[0].exchange, NULL, 0);
  came(&b->trips[0], JSON("400", ERROR_ALONE("-32700", "the body is empty")));
}

static int on_who(mcp_call *call, void *userdata) {
  return mcp_call_reply_text(call, mcp_call_principal(call));
}

HTTP_TEST(the_http_server_may_know_who_asks) {
  http_bench *b = *state;
  http_bench_add_tool(b, "who", on_who, NULL);
  b->trips[0].principal = "cert:ann";
  trip_send(&b->trips[0], &b->http, CALL("1", "who"));
  came(&b->trips[0], JSON("200", RESULT_TEXT("1", "cert:ann")));
}

/* Userdata: who the hook says it is; NULL: it says nothing. */
static int on_request(mcp_server *server, const mcp_http_request *request,
                      mcp_http_decision *decision, void *userdata) {
  assert_non_null(server);
  assert_string_equal(request->principal, "cert:ann");
  assert_ptr_equal(decision->principal, request->principal);
  if (userdata != NULL) {
    decision->principal = userdata;
  }
  return 0;
}

HTTP_TEST(the_hook_sees_that_and_may_know_better) {
  static char names[][10] = {"cert:ann", "bob"};
  http_bench *b = *state;
  for (int i = 0; i < 2; i++) {
    const mcp_http_options options = {.size = sizeof(mcp_http_options),
                                      .on_request = on_request,
                                      .userdata = i == 0 ? NULL : names[i]};
    http_bench_restart(b, &options);
    http_bench_add_tool(b, "who", on_who, NULL);
    b->trips[0].principal = "cert:ann";
    trip_send(&b->trips[0], &b->http, CALL("1", "who"));
    came(&b->trips[0], i == 0 ? JSON("200", RESULT_TEXT("1", "cert:ann"))
                              : JSON("200", RESULT_TEXT("1", "bob")));
  }
}

HTTP_TEST(bytes_that_are_no_text_are_refused_as_question_marks) {
  http_bench *b = *state;
  ask(&b->http, "GET /mcp\nHost: a\xff\xc3\x28\xe2\x82\n\n",
      JSON("403", ERROR_ALONE("-32600", "the host \\\"a??"
                                        "(??\\\" is not served here "
                                        "(allowed_hosts)")));
  ask(&b->http, "GET /mcp\nHost: localhost\nOrigin: \x80\n\n",
      JSON("403", ERROR_ALONE("-32600", "pages of \\\"?\\\" may not use this "
                                        "server (allowed_origins)")));
}

static void on_trace(mcp_server *server, const mcp_traced_message *message,
                     void *userdata) {
  assert_non_null(server);
  if (!message->is_sent) {
    strncpy(userdata, message->session, 19);
  }
}

HTTP_TEST(no_header_forges_a_line_of_the_trace) {
  char name[20] = "";
  const mcp_http_options options = {
      .size = sizeof(mcp_http_options), .on_trace = on_trace, .userdata = name};
  http_bench *b = *state;
  http_bench_restart(b, &options);
  trip_send(&b->trips[0], &b->http,
            POST("Mcp-Session-Id: a\x7f"
                 "b\n",
                 "{$J,'id':1,'method':'ping'}"));
  assert_string_equal(name, "a");
}
