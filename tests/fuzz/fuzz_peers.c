/* SPDX-License-Identifier: MIT */
/* Whole lines to a server ('s' is the first byte) or to a client with requests of
 * every kind in flight ('c': either era, 'm': modern, 'l': legacy), each with an
 * end in memory as its peer. A line "@" and a number lets that many milliseconds
 * pass. All that the server or the client sends is JSON in one line, and each
 * request of the client's completes once. */
#include "codec/message.h"
#include "support/server_rig.h"
#include <mcp/mcp.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KEPT = 8, MAX_REQUESTS = 12 };

static void check(int condition) {
  if (!condition) {
    abort();
  }
}

typedef struct scene {
  server_rig rig; /* of a client: its loop's platform alone */
  mcp_transport *far;
  mcp_client *client;
  mcp_call *kept[MAX_KEPT];
  size_t kept_count;
  int started;
  int completed;
  int has_asked;
} scene;

/* --- the end in memory ---------------------------------------------------- */

static void far_message(mcp_transport *far, const char *text, size_t len) {
  mcp_doc *doc = NULL;
  (void)far;
  check(memchr(text, '\n', len) == NULL);
  check(mcp_doc_parse(&doc, text, len, NULL, NULL, NULL) == 0);
  mcp_doc_free(doc);
}

static void far_error(mcp_transport *far, const mcp_error *err) {
  (void)far;
  check(err->code != 0);
}

static void far_close(mcp_transport *far, const mcp_error *err) {
  (void)far;
  (void)err;
}

static mcp_transport *make_pair(scene *s) {
  mcp_transport *near = NULL;
  check(mcp_memory_pair(s->rig.loop, &near, &s->far) == 0);
  s->far->owner = s;
  s->far->on_message = far_message;
  s->far->on_error = far_error;
  s->far->on_close = far_close;
  check(s->far->start(s->far, NULL) == 0);
  return near;
}

static void say(scene *s, mcpi_str line) {
  char number[8] = "";
  const mcp_send_info info = {.size = sizeof(info)};
  if (line.len > 1 && line.ptr[0] == '@') {
    memcpy(number, line.ptr + 1, line.len < 8 ? line.len - 1 : 7);
    rig_pass(&s->rig, strtoul(number, NULL, 10) % 1000000);
  } else if (line.len > 0) {
    s->far->send(s->far, line.ptr, line.len, &info);
  }
  rig_turn(&s->rig);
}

static void say_lines(scene *s, mcpi_str text) {
  while (text.len > 0) {
    const char *feed = memchr(text.ptr, '\n', text.len);
    size_t len = feed != NULL ? (size_t)(feed - text.ptr) : text.len;
    say(s, mcpi_str_n(text.ptr, len));
    len += feed != NULL;
    text = mcpi_str_n(text.ptr + len, text.len - len);
  }
}

/* --- a server ------------------------------------------------------------- */

static int on_echo(mcp_call *call, void *userdata) {
  const char *text = mcp_call_string(call, "text");
  (void)userdata;
  mcp_call_progress(call, 1, 2, "half");
  mcp_call_log(call, MCP_LOG_ERROR, NULL, "\"careful\"");
  return mcp_call_reply_text(call, text != NULL ? text : "nothing");
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *name;
  const mcp_json *roots;
  const mcp_elicit question = {MCP_ELICIT_INIT, .message = "Who?",
                               .form = MCP_OBJECT(MCP_STRING("name", "Yours"))};
  (void)userdata;
  int rc = mcp_call_ask_elicit(call, "name", &question, &name);
  rc = rc == 0 ? mcp_call_ask_roots(call, "roots", &roots) : rc;
  return rc != 0 ? rc
                 : mcp_call_reply_textf(call, "%d %d", mcp_answer_action(name),
                                        (int)mcp_json_size(roots));
}

static int on_keep(mcp_call *call, void *userdata) {
  scene *s = userdata;
  int rc = s->kept_count < MAX_KEPT ? mcp_call_defer(call) : MCP_ERR_LIMIT;
  if (rc == 0) {
    s->kept[s->kept_count++] = call;
  }
  return rc;
}

static int on_read(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, "a note");
}

static void fill_server(scene *s) {
  static const mcp_prompt_argument arguments[] = {{.name = "who"}};
  mcp_server *server = s->rig.server;
  const mcp_tool tools[] = {
      {MCP_TOOL_INIT, .name = "echo", .handler = on_echo,
       .input = MCP_OBJECT(MCP_STRING("text", "any", .optional = 1))},
      {MCP_TOOL_INIT, .name = "ask", .handler = on_ask},
      {MCP_TOOL_INIT, .name = "keep", .handler = on_keep, .userdata = s}};
  const mcp_prompt prompt = {.size = MCP_PROMPT_INIT,
                             .name = "p",
                             .arguments = arguments,
                             .argument_count = 1,
                             .handler = on_read};
  const mcp_resource resource = {.size = MCP_RESOURCE_INIT,
                                 .uri = "note://a",
                                 .name = "a",
                                 .handler = on_read};
  for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
    check(mcp_server_add_tool(server, &tools[i]) == 0);
  }
  check(mcp_server_add_prompt(server, &prompt) == 0);
  check(mcp_server_add_resource(server, &resource) == 0);
  mcp_server_enable_logging(server);
}

static void try_server(scene *s, mcpi_str lines) {
  fill_server(s);
  check(mcp_server_connect(s->rig.server, s->rig.loop, make_pair(s), NULL, NULL,
                           NULL) == 0);
  say_lines(s, lines);
  mcp_server_resource_updated(s->rig.server, "note://a");
  mcp_server_remove_tool(s->rig.server, "echo");
  rig_turn(&s->rig);
  while (s->kept_count > 0) {
    mcp_call_reply_text(s->kept[--s->kept_count], "kept");
  }
  rig_turn(&s->rig);
}

/* --- a client ------------------------------------------------------------- */

static void on_question(mcp_question *question, void *userdata) {
  (void)userdata;
  if (strcmp(mcp_question_method(question), "elicitation/create") == 0) {
    if (mcp_question_accept(question, "{\"name\":\"Ann\"}", NULL) != 0) {
      mcp_question_decline(question);
    }
  } else if (mcp_question_answer(question, "{\"roots\":[]}") != 0) {
    mcp_question_fail(question, MCP_RPC_INTERNAL_ERROR, "no model");
  }
}

static void on_done(mcp_client *client, const mcp_outcome *outcome,
                    void *userdata) {
  scene *s = userdata;
  (void)client;
  check(outcome->status == 0 || outcome->error->message[0] != '\0');
  s->completed++;
}

static void count(scene *s, int rc) {
  s->started += rc == 0;
}

static void ask_all(scene *s) {
  mcp_client *c = s->client;
  const mcp_listen filter = {MCP_LISTEN_INIT, .tools = 1};
  count(s, mcp_client_list_tools(c, NULL, on_done, s));
  count(s,
        mcp_client_call_tool(c, "echo", "{\"text\":\"x\"}", NULL, on_done, s));
  count(s, mcp_client_read_resource(c, "note://a", NULL, on_done, s));
  count(s, mcp_client_get_prompt(c, "p", NULL, NULL, on_done, s));
  count(s, mcp_client_complete(c, "ref/prompt", "p", "who", "A", NULL, NULL,
                               on_done, s));
  count(s, mcp_client_listen(c, &filter, NULL, NULL, on_done, s));
}

static void on_connected(mcp_client *client, const mcp_outcome *outcome,
                         void *userdata) {
  scene *s = userdata;
  on_done(client, outcome, userdata);
  if (outcome->status == 0 && !s->has_asked) {
    s->has_asked = 1;
    ask_all(s);
  }
}

static void try_client(scene *s, uint32_t policy, mcpi_str lines) {
  const mcp_client_options options = {.size = MCP_CLIENT_OPTIONS_INIT,
                                      .policy = policy,
                                      .userdata = s,
                                      .can_elicit_url = 1,
                                      .can_sample_tools = 1,
                                      .on_elicit = on_question,
                                      .on_sample = on_question,
                                      .on_roots = on_question};
  s->client = mcp_client_new(s->rig.loop, "c", "1");
  check(mcp_client_configure(s->client, &options, NULL) == 0);
  count(s, mcp_client_connect(s->client, make_pair(s), on_connected, s, NULL));
  rig_turn(&s->rig);
  say_lines(s, lines);
  mcp_client_close(s->client);
  rig_turn(&s->rig);
  rig_pass(&s->rig, 100000);
  mcp_client_free(s->client);
  rig_turn(&s->rig);
  check(s->completed == s->started);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  scene s = {0};
  if (len < 1 || len > 16384) {
    return 0;
  }
  mcpi_str lines = mcpi_str_n((const char *)data + 1, len - 1);
  check(rig_init(&s.rig, NULL, NULL) == 0);
  switch (data[0]) {
  case 's':
    try_server(&s, lines);
    break;
  case 'c':
    try_client(&s, MCP_POLICY_AUTO, lines);
    break;
  case 'm':
    try_client(&s, MCP_POLICY_MODERN, lines);
    break;
  case 'l':
    try_client(&s, MCP_POLICY_LEGACY, lines);
    break;
  default:
    break;
  }
  mcp_transport_free(s.far);
  rig_deinit(&s.rig);
  return 0;
}
