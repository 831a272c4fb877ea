/* SPDX-License-Identifier: MIT */
/* Fuzzes what a client hands back with the answers to questions: requestState
 * and inputResponses. The first byte chooses what the rest is: the state as the
 * client sends it, the text inside the seal (the platform here seals nothing,
 * so that it is reached), or the answers. */
#include <mcp/mcp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int fake_random(void *userdata, void *bytes, size_t len) {
  (void)userdata;
  memset(bytes, 7, len);
  return 0;
}

static int open_seal(void *userdata, const uint8_t key[MCP_SEAL_KEY_SIZE],
                     const void *bound, size_t bound_len, const void *text,
                     size_t len, uint8_t *out) {
  (void)userdata;
  (void)key;
  (void)bound;
  (void)bound_len;
  memcpy(out, text, len);
  memset(out + len, 0, MCP_SEAL_OVERHEAD);
  return 0;
}

static int open_unseal(void *userdata, const uint8_t key[MCP_SEAL_KEY_SIZE],
                       const void *bound, size_t bound_len, const void *sealed,
                       size_t len, uint8_t *out) {
  (void)userdata;
  (void)key;
  (void)bound;
  (void)bound_len;
  if (len < MCP_SEAL_OVERHEAD) {
    return MCP_ERR_SEAL;
  }
  memcpy(out, sealed, len - MCP_SEAL_OVERHEAD);
  return 0;
}

/* Asks two questions, keeps a state. */
static int on_ask(mcp_call *call, void *userdata) {
  (void)userdata;
  const mcp_json *name;
  const mcp_json *roots;
  const mcp_elicitation question = {
      .size = sizeof(mcp_elicitation),
      .message = "Who?",
      .form = MCP_OBJECT(MCP_STRING("name", "Your name"),
                         MCP_INTEGER("age", "In years", .optional = 1))};
  int first = mcp_call_ask_elicit(call, "who", &question, &name);
  int second = mcp_call_ask_roots(call, "roots", &roots);
  if (first != 0 || second != 0) {
    mcp_call_set_state(call, "{\"seen\":[1]}");
    return first != 0 ? first : second;
  }
  return mcp_call_reply_textf(call, "%d %d", mcp_answer_action(name),
                              (int)mcp_json_size(mcp_call_state(call)));
}

static void on_message(mcp_transport *transport, const char *message,
                       size_t len) {
  (void)transport;
  (void)message;
  (void)len;
}

static void on_error(mcp_transport *transport, const mcp_error *err) {
  (void)transport;
  (void)err;
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
  (void)transport;
  (void)err;
}

static void put_base64url(mcp_builder *out, const uint8_t *bytes, size_t len) {
  static const char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  char *text = malloc(len * 4 / 3 + 4);
  size_t at = 0;
  for (size_t i = 0; i < len; i += 3) {
    uint32_t group = (uint32_t)bytes[i] << 16;
    group |= i + 1 < len ? (uint32_t)bytes[i + 1] << 8 : 0;
    group |= i + 2 < len ? bytes[i + 2] : 0;
    size_t count = len - i >= 3 ? 4 : len - i + 1;
    for (size_t k = 0; k < count; k++) {
      text[at++] = digits[group >> (18 - 6 * k) & 63];
    }
  }
  mcp_builder_string_n(out, "requestState", text, at);
  free(text);
}

static void put_input(mcp_builder *out, const uint8_t *data, size_t size) {
  uint8_t *padded = calloc(1, size + MCP_SEAL_OVERHEAD);
  switch (data[0] % 3) {
  case 0:
    mcp_builder_string_n(out, "requestState", (const char *)data + 1, size - 1);
    break;
  case 1:
    memcpy(padded, data + 1, size - 1);
    put_base64url(out, padded, size - 1 + MCP_SEAL_OVERHEAD);
    break;
  default:
    memcpy(padded, data + 1, size - 1);
    mcp_builder_json(out, "inputResponses", (const char *)padded);
    break;
  }
  free(padded);
}

/* The whole request, or NULL when the input is not a string or not JSON. */
static const char *put_request(mcp_builder *out, const uint8_t *data,
                               size_t size) {
  mcp_builder_object(out, NULL);
  mcp_builder_string(out, "jsonrpc", "2.0");
  mcp_builder_int(out, "id", 1);
  mcp_builder_string(out, "method", "tools/call");
  mcp_builder_object(out, "params");
  mcp_builder_string(out, "name", "ask");
  put_input(out, data, size);
  mcp_builder_json(out, "_meta",
                   "{\"io.modelcontextprotocol/protocolVersion\":"
                   "\"2026-07-28\","
                   "\"io.modelcontextprotocol/clientCapabilities\":"
                   "{\"elicitation\":{},\"roots\":{}}}");
  mcp_builder_end(out);
  mcp_builder_end(out);
  return mcp_builder_text(out, NULL);
}

static void exchange(const char *request) {
  mcp_platform platform = {.size = sizeof(mcp_platform),
                           .random = fake_random,
                           .seal = open_seal,
                           .unseal = open_unseal};
  mcp_loop *loop = mcp_loop_new_manual(&platform, NULL, NULL);
  mcp_server *server = mcp_server_new("fuzz", "1", NULL, NULL);
  mcp_transport *near_end;
  mcp_transport *far_end;
  mcp_error err;
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool), .name = "ask", .handler = on_ask},
      NULL);
  mcp_memory_pair(loop, &near_end, &far_end, NULL);
  far_end->on_message = on_message;
  far_end->on_error = on_error;
  far_end->on_close = on_close;
  far_end->start(far_end, &err);
  mcp_server_connect(server, loop, near_end, NULL, NULL, &err);
  far_end->send(far_end, request, strlen(request), NULL);
  for (int i = 0; i < 10; i++) {
    mcp_loop_advance(loop, i, 0);
  }
  mcp_server_free(server);
  for (int i = 0; i < 10; i++) {
    mcp_loop_advance(loop, 10 + i, 0);
  }
  far_end->release(far_end);
  mcp_loop_free(loop);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) {
    return 0;
  }
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  const char *request = put_request(builder, data, size);
  if (request != NULL) {
    exchange(request);
  }
  mcp_builder_free(builder);
  return 0;
}
