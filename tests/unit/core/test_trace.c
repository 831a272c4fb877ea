/* SPDX-License-Identifier: MIT */
#include "core/transport.h"
#include <mcp/loop.h>

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <mcp/transport.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a traced end of a memory pair -------------------------------------- */

typedef struct scene {
  mcp_loop *loop;
  mcp_transport *traced;
  mcp_transport *far;
  char shown[4096]; /* each with < or > before and a newline behind it */
  char got[256];    /* by the traced side */
  int closes;
  int frees;    /* in the next on_trace */
  int sends;    /* likewise */
  char *reused; /* the sender's buffer, which sending again overwrites */
} scene;

static void on_trace(mcp_transport *transport,
                     const mcp_traced_message *message, void *userdata) {
  scene *s = userdata;
  size_t used = strlen(s->shown);
  const char *text = message->text;
  size_t len = message->len;
  assert_ptr_equal(transport, s->traced);
  assert_int_equal(message->size, sizeof(mcp_traced_message));
  assert_null(message->peer);
  assert_null(message->session);
  snprintf(s->shown + used, sizeof(s->shown) - used, "%c%.*s\n",
           message->is_sent ? '>' : '<', (int)len, text);
  if (s->sends > 0) {
    s->sends--;
    s->traced->send(s->traced, "{\"log\":1}", 9, NULL);
    if (s->reused != NULL) {
      memset(s->reused, '#', strlen(s->reused));
    }
    assert_memory_equal(s->shown + used + 1, text, len); /* still there */
  }
  if (s->frees) {
    s->frees = 0;
    mcp_transport_free(s->traced);
  }
}

static void on_message(mcp_transport *transport, const char *message,
                       size_t len) {
  scene *s = transport->owner;
  snprintf(s->got, sizeof(s->got), "%.*s", (int)len, message);
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
  scene *s = transport->owner;
  s->closes++;
}

static void ignore_message(mcp_transport *transport, const char *message,
                           size_t len) {
}

static void ignore_close(mcp_transport *transport, const mcp_error *err) {
}

static int begin(scene *s, const mcp_allocator *allocator) {
  mcp_transport *inner = NULL;
  memset(s, 0, sizeof(*s));
  s->loop = mcp_loop_new_manual(NULL, allocator, NULL);
  if (s->loop == NULL || mcp_memory_pair(s->loop, &inner, &s->far, NULL) != 0) {
    return MCP_ERR_NOMEM;
  }
  s->far->on_message = ignore_message;
  s->far->on_close = ignore_close;
  mcp_error err = {0};
  s->traced = mcp_transport_trace(s->loop, inner, on_trace, s, &err);
  if (s->traced == NULL) {
    assert_int_equal(err.code, MCP_ERR_NOMEM);
    assert_string_equal(err.message, "out of memory");
    return err.code;
  }
  s->traced->owner = s;
  s->traced->on_message = on_message;
  s->traced->on_close = on_close;
  assert_int_equal(s->traced->start(s->traced, NULL), 0);
  assert_int_equal(s->far->start(s->far, NULL), 0);
  return 0;
}

static void end(scene *s) {
  mcp_transport_free(s->traced);
  mcp_transport_free(s->far);
  mcp_loop_free(s->loop);
}

static int sent(scene *s, const char *text) {
  return s->traced->send(s->traced, text, strlen(text), NULL);
}

/* --- what is shown ------------------------------------------------------ */

static void shows(const char *message, const char *expected) {
  scene s;
  char line[1024];
  assert_int_equal(begin(&s, NULL), 0);
  assert_int_equal(sent(&s, message), 0);
  snprintf(line, sizeof(line), ">%s\n", expected);
  assert_string_equal(s.shown, line);
  end(&s);
}

TEST(characters_that_mislead_are_escaped) {
  shows("{\"a\u202E\":\"\xC2\x9B"
        "2J\x7f\u2066\u00E9\"}",
        "{\"a\\u202e\":\"\\u009b2J\\u007f\\u2066\u00E9\"}");
}

TEST(messages_are_shown_both_ways) {
  scene s;
  assert_int_equal(begin(&s, NULL), 0);
  assert_int_equal(sent(&s, "{ \"a\" : [1, 2.50, true, null, {}, []] }"), 0);
  assert_int_equal(s.far->send(s.far, "{\"b\":\"x\\ny\"}", 12, NULL), 0);
  mcp_loop_advance(s.loop, 1, 1);
  assert_string_equal(s.shown, ">{\"a\":[1,2.5,true,null,{},[]]}\n"
                               "<{\"b\":\"x\\ny\"}\n");
  assert_string_equal(s.got, "{\"b\":\"x\\ny\"}"); /* untouched */
  s.traced->close(s.traced);
  mcp_loop_advance(s.loop, 2, 2);
  assert_int_equal(s.closes, 1);
  end(&s);
}

TEST(what_is_not_json_is_only_counted) {
  shows("password=hunter2", "[16 bytes that are not JSON]");
  shows("", "[0 bytes that are not JSON]");
  shows("{\"a\":1", "[6 bytes that are not JSON]");
  char deep[300];
  memset(deep, '[', 150);
  memset(deep + 150, ']', 149);
  deep[299] = '\0';
  shows(deep, "[299 bytes that are too much to show]");
}

/* --- secrets ------------------------------------------------------------ */

TEST(secret_names_in_every_spelling) {
  static const char *const names[] = {
      "password",
      "Password",
      "dbPassword",
      "pass_word",
      "passwd",
      "secret",
      "client_secret",
      "clientSecret",
      "token",
      "accessToken",
      "access_token",
      "ACCESS-TOKEN",
      "Authorization",
      "proxy-authorization",
      "apiKey",
      "api_key",
      "X-Api-Key",
      "api key",
      "api.key",
      "APIKEY",
      "cookie",
      "Set-Cookie",
      "credential",
      "awsCredentials",
      "privateKey",
      "private_key_pem",
      "requestState",
      "request_state",
      "__token__",
      "t-o-k-e-n",
      "progressTokenSecret",
      "maxTokensToken",
  };
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    char message[100];
    char expected[100];
    snprintf(message, sizeof(message), "{\"%s\":\"hunter2\"}", names[i]);
    snprintf(expected, sizeof(expected), "{\"%s\":\"[redacted]\"}", names[i]);
    shows(message, expected);
  }
}

TEST(names_that_only_sound_like_secrets) {
  static const char *const names[] = {
      "progressToken",
      "progress_token",
      "maxTokens",
      "max_tokens",
      "inputTokens",
      "pass",
      "word",
      "key",
      "name",
      "",
      "_",
      "toke",
      "api",
      "primaryKey",
      "secre",
      "cooki",
  };
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    char message[100];
    snprintf(message, sizeof(message), "{\"%s\":\"shown\"}", names[i]);
    shows(message, message);
  }
}

TEST(secrets_are_found_at_any_depth) {
  shows("{\"params\":{\"arguments\":{\"list\":[{\"token\":\"t\",\"a\":1}]}}}",
        "{\"params\":{\"arguments\":{\"list\":[{\"token\":\"[redacted]\","
        "\"a\":1}]}}}");
  shows("[{\"secret\":\"s\"},[[{\"secret\":\"s\"}]]]",
        "[{\"secret\":\"[redacted]\"},[[{\"secret\":\"[redacted]\"}]]]");
}

TEST(whole_values_are_hidden) {
  shows("{\"credentials\":{\"user\":\"u\",\"key\":\"k\"}}",
        "{\"credentials\":\"[redacted]\"}");
  shows("{\"cookies\":[\"a\",\"b\"]}", "{\"cookies\":\"[redacted]\"}");
  shows("{\"password\":1234}", "{\"password\":\"[redacted]\"}");
  /* These give nothing away. */
  shows("{\"password\":null,\"hasToken\":true}",
        "{\"password\":null,\"hasToken\":true}");
}

TEST(secrets_within_strings) {
  static const char *const texts[][2] = {
      {"https://example.com/a?id=1&access_token=t&x=2",
       "https://example.com/a?id=1&access_token=[redacted]&x=2"},
      {"see https://user:pass@example.com/?a=b.",
       "see https://[redacted]@example.com/?a=b."},
      {"https://t0ken@example.com", "https://[redacted]@example.com"},
      {"https://example.com/@user", "https://example.com/@user"},
      {"file:///home/a@b", "file:///home/a@b"},
      {"://", "://"},
      {"Authorization: Bearer t", "Authorization: [redacted]"},
      {"X-Api-Key: a b\\r\\nAccept: c", "X-Api-Key: [redacted]\\r\\nAccept: c"},
      {"Bearer t.t-t", "Bearer [redacted]"},
      {"sent dpop t.t-t, no", "sent dpop [redacted], no"},
      {"DPoP: t.t-t", "DPoP: [redacted]"},
      {"dpop_bound", "dpop_bound"},
      {"use basic dXNlcg==, or not", "use basic [redacted], or not"},
      {"--token=t", "--token=[redacted]"},
      {"API_KEY='a b' x", "API_KEY='[redacted]' x"},
      {"{\\\"token\\\": \\\"t\\\",\\\"a\\\":1}",
       "{\\\"token\\\": \\\"[redacted]\\\",\\\"a\\\":1}"},
      {"{\\\"password\\\":\\\"p\\\\\\\"q\\\"}",
       "{\\\"password\\\":\\\"[redacted]\\\"}"},
      {"{\\\"tokens\\\":[\\\"t\\\"]}", "{\\\"tokens\\\":[redacted]"},
      {"password=", "password="},
      {"no token here, a bearer", "no token here, a bearer"},
      {"maxTokens=5 name=b", "maxTokens=5 name=b"},
      {"token", "token"},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    char message[200];
    char expected[200];
    snprintf(message, sizeof(message), "{\"text\":\"%s\"}", texts[i][0]);
    snprintf(expected, sizeof(expected), "{\"text\":\"%s\"}", texts[i][1]);
    shows(message, expected);
  }
}

TEST(a_name_with_a_nul_in_it) {
  shows("{\"x\\u0000token\":\"t\"}", "{\"x\\u0000token\":\"[redacted]\"}");
}

/* To look from each joint for the next word would take minutes. */
TEST(a_name_of_many_joints) {
  scene s;
  enum { JOINTS = 300000 };
  char *message = malloc(JOINTS + 20);
  memcpy(message, "{\"", 2);
  memset(message + 2, '_', JOINTS);
  memcpy(message + 2 + JOINTS, "token\":1}", 10);
  assert_int_equal(begin(&s, NULL), 0);
  assert_int_equal(sent(&s, message), 0);
  end(&s);
  free(message);
}

/* --- life --------------------------------------------------------------- */

TEST(what_the_callback_sends_is_not_shown) {
  scene s;
  assert_int_equal(begin(&s, NULL), 0);
  s.sends = 1;
  assert_int_equal(sent(&s, "{\"a\":1}"), 0);
  assert_string_equal(s.shown, ">{\"a\":1}\n");
  assert_int_equal(sent(&s, "{\"a\":2}"), 0);
  assert_string_equal(s.shown, ">{\"a\":1}\n>{\"a\":2}\n");
  end(&s);
}

TEST(what_the_callback_sends_may_reuse_the_buffer) {
  scene s;
  char buffer[] = "{\"a\":1}";
  assert_int_equal(begin(&s, NULL), 0);
  s.far->owner = &s;
  s.far->on_message = on_message;
  s.sends = 1;
  s.reused = buffer;
  assert_int_equal(sent(&s, buffer), 0);
  mcp_loop_advance(s.loop, 1, 1);
  assert_string_equal(s.got, "{\"a\":1}"); /* the second one to come */
  end(&s);
}

TEST(the_callback_may_free_the_transport) {
  scene s;
  assert_int_equal(begin(&s, NULL), 0);
  s.frees = 1;
  assert_int_equal(sent(&s, "{\"a\":1}"), MCP_ERR_CLOSED);
  s.traced = NULL;
  end(&s);

  assert_int_equal(begin(&s, NULL), 0);
  s.frees = 1;
  s.far->send(s.far, "{\"b\":1}", 7, NULL);
  mcp_loop_advance(s.loop, 1, 1);
  assert_string_equal(s.got, "");
  s.traced = NULL;
  end(&s);
}

/* --- what is handed through --------------------------------------------- */

static char calls[200];

static void call(const char *word) {
  strcat(calls, word);
}

static int fake_start(mcp_transport *transport, mcp_error *err) {
  call("start ");
  return MCP_ERR_IO;
}

static int fake_send(mcp_transport *transport, const char *message, size_t len,
                     const mcp_send_info *info) {
  call("send ");
  return MCP_ERR_LIMIT;
}

static void fake_close(mcp_transport *transport) {
  call("close ");
}

static void fake_release(mcp_transport *transport) {
  call("release ");
}

static void fake_version(mcp_transport *transport, const char *version) {
  call(version);
}

static void fake_versions(mcp_transport *transport, const char *const *versions,
                          size_t count) {
  assert_int_equal(count, 1);
  call(versions[0]);
}

static const char *fake_session(mcp_transport *transport) {
  return "session ";
}

static void fake_abort(mcp_transport *transport, uint64_t request) {
  assert_int_equal(request, 7);
  call("abort ");
}

static const char *fake_origin(mcp_transport *transport) {
  return "origin ";
}

static size_t fake_queued(mcp_transport *transport) {
  return 11;
}

static uint64_t fake_identity(mcp_transport *transport) {
  return 12;
}

static void on_waiting(mcp_transport *transport, int32_t is_waiting) {
  call(is_waiting ? "waits " : "goes on ");
}

static void on_error(mcp_transport *transport, const mcp_error *err) {
  call(err->message);
}

static void on_end(mcp_transport *transport) {
  call("end ");
}

static void on_open(mcp_transport *transport) {
  call("open ");
}

static void on_restart(mcp_transport *transport) {
  call("restart ");
}

TEST(all_functions_are_handed_through) {
  static const char *const versions[] = {"list "};
  mcp_transport inner = {.size = sizeof(mcp_transport),
                         .flags = MCP_TRANSPORT_PER_REQUEST_STREAM |
                                  MCP_TRANSPORT_OPENS_LATER,
                         .start = fake_start,
                         .send = fake_send,
                         .close = fake_close,
                         .release = fake_release,
                         .set_protocol_version = fake_version,
                         .set_supported_versions = fake_versions,
                         .session_id = fake_session,
                         .abort = fake_abort,
                         .queued = fake_queued,
                         .origin = fake_origin,
                         .identity = fake_identity};
  mcp_error err;
  scene s = {.loop = mcp_loop_new_manual(NULL, NULL, NULL)};
  mcp_transport *t = mcp_transport_trace(s.loop, &inner, on_trace, &s, NULL);
  s.traced = t;
  calls[0] = '\0';
  t->on_error = on_error;
  t->on_open = on_open;
  t->on_restart = on_restart;
  t->on_end = on_end;
  t->on_waiting = on_waiting;
  assert_int_equal(t->flags, inner.flags);
  t->set_supported_versions(t, versions, 1);
  assert_int_equal(t->start(t, NULL), MCP_ERR_IO);
  assert_int_equal(t->send(t, "{}", 2, NULL), MCP_ERR_LIMIT);
  t->set_protocol_version(t, "version ");
  call(t->session_id(t));
  call(t->origin(t));
  t->abort(t, 7);
  assert_int_equal(t->queued(t), 11);
  assert_int_equal(t->identity(t), 12);
  inner.on_waiting(&inner, 1);
  inner.on_waiting(&inner, 0);
  t->on_waiting = NULL;
  inner.on_waiting(&inner, 1);
  inner.on_open(&inner);
  t->on_open = NULL;
  inner.on_open(&inner); /* there is no callback */
  mcp_error_set(&err, MCP_ERR_IO, "error ");
  inner.on_error(&inner, &err);
  inner.on_restart(&inner);
  inner.on_end(&inner);
  t->on_end = NULL;
  inner.on_end(&inner); /* closes */
  t->close(t);
  mcp_transport_free(t);
  assert_string_equal(
      calls, "list start send version session origin abort "
             "waits goes on open error restart end close close release ");
  mcp_loop_free(s.loop);
}

TEST(what_the_inner_one_lacks_is_lacking) {
  mcp_transport inner = {.size = sizeof(mcp_transport)};
  scene s = {.loop = mcp_loop_new_manual(NULL, NULL, NULL)};
  mcp_transport *t = mcp_transport_trace(s.loop, &inner, on_trace, &s, NULL);
  s.traced = t;
  assert_null(t->set_protocol_version);
  assert_null(t->set_supported_versions);
  assert_null(t->session_id);
  assert_null(t->abort);
  assert_null(t->queued);
  assert_null(t->origin);
  assert_null(t->identity);
  assert_int_equal(t->start(t, NULL), MCP_ERR_INVALID);
  mcp_transport_free(t);
  mcp_loop_free(s.loop);
}

TEST(bad_arguments_free_the_inner_one) {
  mcp_transport inner = {.size = sizeof(mcp_transport),
                         .release = fake_release};
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  calls[0] = '\0';
  mcp_error err = {0};
  assert_null(mcp_transport_trace(loop, NULL, on_trace, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message, "loop, inner or on_trace is NULL");
  assert_null(mcp_transport_trace(loop, &inner, NULL, NULL, NULL));
  assert_null(mcp_transport_trace(NULL, &inner, on_trace, NULL, NULL));
  assert_string_equal(calls, "release release ");
  mcp_loop_free(loop);
}

/* --- memory ------------------------------------------------------------- */

static int trace_one(const mcp_allocator *allocator, void *userdata) {
  scene s;
  int rc = begin(&s, allocator);
  if (rc == 0) {
    rc = sent(&s, "{\"token\":\"t\"}");
    /* Shown without its secret, or by its length, or not at all. */
    assert_null(strstr(s.shown, "\"t\""));
  }
  if (s.loop != NULL) {
    end(&s);
  }
  return rc;
}

TEST(every_allocation_may_fail) {
  assert_true(failing_alloc_rerun(trace_one, NULL) >= 6);
}

TEST(a_steady_stream_asks_for_no_memory) {
  failing_alloc alloc;
  scene s;
  failing_alloc_init(&alloc);
  assert_int_equal(begin(&s, &alloc.allocator), 0);
  size_t before = 0;
  for (int i = 0; i < 200; i++) {
    assert_int_equal(sent(&s, "{\"token\":\"t\"}"), 0);
    mcp_loop_advance(s.loop, i, i);
    s.shown[0] = '\0';
    before = i == 0 ? alloc.calls : before;
  }
  assert_int_equal(alloc.calls, before);
  end(&s);
  assert_int_equal(alloc.live_blocks, 0);
}

/* --- an owner that takes parsed messages ---------------------------------- */

static int parsed;

static void on_parsed(mcp_transport *transport, mcpi_message *message) {
  parsed++;
  assert_int_equal(mcp_json_type(message->root), MCP_JSON_OBJECT);
}

/* The owner is given the bytes of what breaks its limits. */
TEST(a_message_is_handed_on_as_it_was_parsed) {
  static const mcpi_transport_owner owner = {{24, 8, 100}, on_parsed};
  static const char too_long[] = "{\"aaaaaaaaaaaa\":\"bbbbbbbb\"}";
  scene s;
  parsed = 0;
  assert_int_equal(begin(&s, NULL), 0);
  mcpi_transport_set_owner(s.traced, &owner);
  s.far->send(s.far, "{\"token\":1}", 11, NULL);
  mcp_loop_advance(s.loop, 1, 1);
  assert_string_equal(s.shown, "<{\"token\":\"[redacted]\"}\n");
  assert_int_equal(parsed, 1);
  assert_string_equal(s.got, "");
  s.far->send(s.far, too_long, strlen(too_long), NULL);
  mcp_loop_advance(s.loop, 2, 2);
  assert_int_equal(parsed, 1);
  assert_string_equal(s.got, too_long);
  end(&s);
}
