/* SPDX-License-Identifier: MIT */
#include "core/context.h"

#include "support/cm.h"
#include "support/revisions.h"
#include <mcp/server.h>
#include <stdio.h>
#include <string.h>

#define VERSION "\"" MCPI_META_VERSION "\":\"" NEWEST_REVISION "\""
#define CAPABILITIES "\"" MCPI_META_CLIENT_CAPABILITIES "\":{\"roots\":{}}"

/* --- a request and its class -------------------------------------------- */

typedef struct look {
  mcp_doc *doc;
  mcpi_envelope envelope;
  mcpi_context context;
  mcpi_refusal refusal;
  int class;
} look;

static void classify(look *l, uint32_t eras, const char *text) {
  static const uint64_t seed[2] = {1, 2};
  memset(l, 0xEE, sizeof(*l));
  l->doc = mcp_doc_parse(text, strlen(text), NULL, NULL, NULL);
  assert_non_null(l->doc);
  assert_int_equal(mcpi_envelope_read(&l->envelope, mcp_doc_root(l->doc),
                                      mcp_allocator_default(), seed),
                   0);
  assert_int_not_equal(l->envelope.kind, MCPI_INVALID);
  l->class = mcpi_classify(&l->envelope, eras, &l->context, &l->refusal);
}

/* A request of that method whose _meta has these members. */
static void classify_meta(look *l, uint32_t eras, const char *method,
                          const char *meta) {
  mcp_builder *b = mcp_builder_new(NULL, NULL);
  mcp_builder_object(b, NULL);
  mcp_builder_string(b, "jsonrpc", "2.0");
  if (strncmp(method, "notifications/", 14) != 0) {
    mcp_builder_int(b, "id", 1);
  }
  mcp_builder_string(b, "method", method);
  mcp_builder_object(b, "params");
  mcp_builder_json(b, "_meta", meta);
  mcp_builder_end(b);
  mcp_builder_end(b);
  const char *text = mcp_builder_text(b, NULL);
  assert_non_null(text);
  classify(l, eras, text);
  mcp_builder_free(b);
}

static void refused(uint32_t eras, const char *method, const char *meta,
                    int code, const char *message) {
  look l;
  classify_meta(&l, eras, method, meta);
  assert_int_equal(l.class, MCPI_CLASS_REFUSED);
  assert_int_equal(l.refusal.code, code);
  assert_string_equal(l.refusal.err.message, message);
  mcp_doc_free(l.doc);
}

static void is_class(int class, uint32_t eras, const char *method,
                     const char *meta) {
  look l;
  classify_meta(&l, eras, method, meta);
  assert_int_equal(l.class, class);
  mcp_doc_free(l.doc);
}

/* --- modern ------------------------------------------------------------- */

TEST(a_modern_request_fills_the_context) {
  look l;
  classify_meta(&l, MCP_ERA_BOTH, "tools/call",
                "{" VERSION "," CAPABILITIES ",\"" MCPI_META_CLIENT_INFO
                "\":{\"name\":\"n\"}"
                ",\"" MCPI_META_LOG_LEVEL "\":\"warning\""
                ",\"progressToken\":\"t\",\"com.example/more\":1}");
  assert_int_equal(l.class, MCPI_CLASS_MODERN);
  assert_string_equal(l.context.revision->name, NEWEST_REVISION);
  assert_non_null(mcp_json_get(l.context.client_capabilities, "roots"));
  assert_string_equal(
      mcp_json_string(mcp_json_get(l.context.client_info, "name")), "n");
  assert_int_equal(l.context.log_level, MCP_LOG_WARNING);
  assert_int_equal(l.context.progress_token.kind, MCPI_ID_STRING);
  mcp_doc_free(l.doc);
}

TEST(the_rest_of_the_envelope_is_optional) {
  look l;
  classify_meta(&l, MCP_ERA_MODERN, "tools/call",
                "{" VERSION "," CAPABILITIES "}");
  assert_int_equal(l.class, MCPI_CLASS_MODERN);
  assert_null(l.context.client_info);
  assert_int_equal(l.context.log_level, 0);
  assert_int_equal(l.context.progress_token.kind, MCPI_ID_NONE);
  mcp_doc_free(l.doc);
}

TEST(a_notification_needs_no_capabilities) {
  is_class(MCPI_CLASS_MODERN, MCP_ERA_BOTH, "notifications/x", "{" VERSION "}");
  is_class(MCPI_CLASS_REFUSED, MCP_ERA_BOTH, "notifications/x",
           "{" VERSION ",\"" MCPI_META_CLIENT_CAPABILITIES "\":1}");
}

/* --- malformed envelopes ------------------------------------------------ */

TEST(a_malformed_envelope_names_the_key) {
  static const char *const versions[] = {"1", "null", "{}", "[]", "true"};
  char meta[200];
  for (size_t i = 0; i < 5; i++) {
    snprintf(meta, sizeof(meta), "{\"%s\":%s,%s}", MCPI_META_VERSION,
             versions[i], CAPABILITIES);
    refused(MCP_ERA_BOTH, "tools/call", meta, -32602,
            "params._meta[\"io.modelcontextprotocol/protocolVersion\"] must be "
            "a string");
  }
  refused(MCP_ERA_BOTH, "tools/call", "{" VERSION "}", -32602,
          "params._meta[\"io.modelcontextprotocol/clientCapabilities\"] must "
          "be an object");
  refused(MCP_ERA_BOTH, "tools/call",
          "{" VERSION ",\"" MCPI_META_CLIENT_CAPABILITIES "\":[]}", -32602,
          "params._meta[\"io.modelcontextprotocol/clientCapabilities\"] must "
          "be an object");
  refused(MCP_ERA_BOTH, "tools/call",
          "{" VERSION "," CAPABILITIES ",\"" MCPI_META_CLIENT_INFO "\":\"me\"}",
          -32602,
          "params._meta[\"io.modelcontextprotocol/clientInfo\"] must be an "
          "object");
}

TEST(bad_wishes_are_refused) {
  static const char *const levels[] = {"\"loud\"", "\"\"", "3", "null"};
  static const char *const tokens[] = {"null", "1.5", "{}", "true", "[]"};
  char meta[300];
  for (size_t i = 0; i < 4; i++) {
    snprintf(meta, sizeof(meta), "{%s,%s,\"%s\":%s}", VERSION, CAPABILITIES,
             MCPI_META_LOG_LEVEL, levels[i]);
    refused(MCP_ERA_BOTH, "tools/call", meta, -32602,
            "params._meta[\"io.modelcontextprotocol/logLevel\"] must be a "
            "logging level");
  }
  for (size_t i = 0; i < 5; i++) {
    snprintf(meta, sizeof(meta), "{%s,%s,\"progressToken\":%s}", VERSION,
             CAPABILITIES, tokens[i]);
    refused(MCP_ERA_BOTH, "tools/call", meta, -32602,
            "params._meta[\"progressToken\"] must be a string or an integer");
  }
}

/* --- versions ----------------------------------------------------------- */

#define ENVELOPE(version)                                                      \
  "{\"" MCPI_META_VERSION "\":\"" version "\"," CAPABILITIES "}"

TEST(versions_not_served_are_refused) {
  static const char *const metas[] = {
      ENVELOPE("2031-01-01"), ENVELOPE("v999.0.0"), ENVELOPE("2025-11-25"),
      ENVELOPE("2024-11-05")};
  static const char *const names[] = {"2031-01-01", "v999.0.0", "2025-11-25",
                                      "2024-11-05"};
  for (size_t i = 0; i < 4; i++) {
    look l;
    classify_meta(&l, MCP_ERA_BOTH, "tools/list", metas[i]);
    assert_int_equal(l.class, MCPI_CLASS_REFUSED);
    assert_int_equal(l.refusal.code, MCP_RPC_UNSUPPORTED_VERSION);
    assert_int_equal(l.refusal.err.code, MCP_ERR_VERSION);
    assert_true(mcpi_str_eq(l.refusal.requested, mcpi_str_z(names[i])));
    mcp_doc_free(l.doc);
  }
  refused(MCP_ERA_BOTH, "tools/list", ENVELOPE(""), -32022,
          "the request names no protocol version");
  refused(MCP_ERA_BOTH, "tools/list", ENVELOPE("2031\\n-01"), -32022,
          "protocol version \"2031?-01\" is not served here");
}

TEST(a_legacy_server_refuses_modern_requests) {
  refused(MCP_ERA_LEGACY, "server/discover", ENVELOPE(NEWEST_REVISION), -32022,
          "protocol version \"" NEWEST_REVISION "\" is not served here");
}

/* What an envelope of a later version may hold cannot be known. */
TEST(the_version_is_judged_before_wishes) {
  refused(MCP_ERA_BOTH, "tools/list",
          "{\"" MCPI_META_VERSION "\":\"2031-01-01\"," CAPABILITIES
          ",\"" MCPI_META_LOG_LEVEL "\":\"loud\"}",
          -32022, "protocol version \"2031-01-01\" is not served here");
}

/* --- legacy ------------------------------------------------------------- */

TEST(without_the_key_it_is_legacy) {
  is_class(MCPI_CLASS_LEGACY, MCP_ERA_BOTH, "tools/list", "{}");
  is_class(MCPI_CLASS_LEGACY, MCP_ERA_LEGACY, "tools/list", "{}");
  /* The other keys alone are no claim. */
  is_class(MCPI_CLASS_LEGACY, MCP_ERA_BOTH, "tools/list", "{" CAPABILITIES "}");
  look l;
  classify(&l, MCP_ERA_BOTH,
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
  assert_int_equal(l.class, MCPI_CLASS_LEGACY);
  assert_null(l.context.revision);
  mcp_doc_free(l.doc);
}

TEST(legacy_tokens_are_read_and_bad_ones_ignored) {
  static const struct {
    const char *meta;
    int kind;
  } cases[] = {{"{\"progressToken\":5}", MCPI_ID_NUMBER},
               {"{\"progressToken\":\"t\"}", MCPI_ID_STRING},
               {"{\"progressToken\":null}", MCPI_ID_NONE},
               {"{\"progressToken\":{}}", MCPI_ID_NONE},
               {"{\"progressToken\":0.5}", MCPI_ID_NONE},
               {"{}", MCPI_ID_NONE}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    look l;
    classify_meta(&l, MCP_ERA_BOTH, "tools/call", cases[i].meta);
    assert_int_equal(l.class, MCPI_CLASS_LEGACY);
    assert_int_equal(l.context.progress_token.kind, cases[i].kind);
    mcp_doc_free(l.doc);
  }
}

TEST(initialize_is_legacy_unless_its_envelope_is_valid) {
  is_class(MCPI_CLASS_LEGACY, MCP_ERA_BOTH, "initialize", "{}");
  is_class(MCPI_CLASS_LEGACY, MCP_ERA_BOTH, "initialize", "{" VERSION "}");
  is_class(MCPI_CLASS_LEGACY, MCP_ERA_BOTH, "initialize",
           ENVELOPE("2025-11-25"));
  is_class(MCPI_CLASS_LEGACY, MCP_ERA_LEGACY, "initialize",
           ENVELOPE(NEWEST_REVISION));
  /* There it is an unknown method. */
  is_class(MCPI_CLASS_MODERN, MCP_ERA_BOTH, "initialize",
           ENVELOPE(NEWEST_REVISION));
  look l;
  classify_meta(&l, MCP_ERA_BOTH, "initialize", "{" VERSION "}");
  assert_int_equal(l.refusal.code, 0);
  assert_null(l.context.client_capabilities);
  mcp_doc_free(l.doc);
}

TEST(a_modern_server_names_its_versions) {
  look l;
  refused(MCP_ERA_MODERN, "tools/list", "{}", -32022,
          "the request names no protocol version");
  refused(MCP_ERA_MODERN, "initialize", "{" VERSION "}", -32602,
          "params._meta[\"io.modelcontextprotocol/clientCapabilities\"] must "
          "be an object");
  classify(&l, MCP_ERA_MODERN,
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
           "\"params\":{\"protocolVersion\":\"2025-06-18\"}}");
  assert_int_equal(l.refusal.code, MCP_RPC_UNSUPPORTED_VERSION);
  assert_true(mcpi_str_eq(l.refusal.requested, MCPI_STR("2025-06-18")));
  mcp_doc_free(l.doc);
  classify(&l, MCP_ERA_MODERN,
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}");
  assert_int_equal(l.refusal.code, MCP_RPC_UNSUPPORTED_VERSION);
  assert_int_equal(l.refusal.requested.len, 0);
  mcp_doc_free(l.doc);
}

static void version_data(uint32_t eras, mcpi_str requested,
                         const char *expected) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), 1000);
  mcpi_put_version_data(&buf, eras, requested);
  mcpi_buf_putc(&buf, '\0');
  assert_int_equal(buf.error, 0);
  assert_string_equal(buf.data, expected);
  mcpi_buf_deinit(&buf);
}

TEST(version_data_lists_what_is_served) {
  version_data(MCP_ERA_BOTH, MCPI_STR("2031-01-01"),
               "{\"supported\":[" MODERN_NAMES ",\"2025-11-25\",\"2025-06-18\","
               "\"2025-03-26\",\"2024-11-05\"],\"requested\":\"2031-01-01\"}");
  version_data(MCP_ERA_MODERN, mcpi_str_n(NULL, 0),
               "{\"supported\":[" MODERN_NAMES "],\"requested\":\"\"}");
  version_data(MCP_ERA_LEGACY, MCPI_STR("a\"b"),
               "{\"supported\":[\"2025-11-25\",\"2025-06-18\",\"2025-03-26\","
               "\"2024-11-05\"],\"requested\":\"a\\\"b\"}");
}

/* --- capabilities ------------------------------------------------------- */

static int has(const char *tree, const char *path) {
  mcp_doc *doc = mcp_doc_parse(tree, strlen(tree), NULL, NULL, NULL);
  assert_non_null(doc);
  int found = mcpi_capability_has(mcp_doc_root(doc), path);
  mcp_doc_free(doc);
  return found;
}

TEST(capabilities_by_path) {
  assert_true(has("{\"roots\":{}}", "roots"));
  assert_true(has("{\"tools\":[]}", "tools")); /* PHP's empty object */
  assert_true(has("{\"tools\":true}", "tools"));
  assert_false(has("{\"tools\":false}", "tools"));
  assert_false(has("{\"tools\":null}", "tools"));
  assert_false(has("{}", "tools"));
  assert_false(has("[]", "tools"));
  assert_false(mcpi_capability_has(NULL, "tools"));
  assert_true(
      has("{\"resources\":{\"subscribe\":true}}", "resources.subscribe"));
  assert_false(
      has("{\"resources\":{\"subscribe\":false}}", "resources.subscribe"));
  assert_false(has("{\"resources\":{}}", "resources.subscribe"));
  assert_false(has("{\"resources\":true}", "resources.subscribe"));
  assert_true(has("{\"tasks\":{\"requests\":{\"tools\":{\"call\":{}}}}}",
                  "tasks.requests.tools.call"));
  assert_false(has("{\"tasks\":{\"requests\":{\"tools\":{}}}}",
                   "tasks.requests.tools.call"));
}

TEST(extensions_have_dots_in_their_names) {
  assert_true(has("{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}",
                  "extensions.io.modelcontextprotocol/tasks"));
  assert_false(
      has("{\"extensions\":{}}", "extensions.io.modelcontextprotocol/tasks"));
  assert_true(has("{\"experimental\":{\"a.b\":{}}}", "experimental.a.b"));
  assert_true(has("{\"extensions\":{}}", "extensions"));
}

TEST(an_elicitation_that_names_no_mode_has_forms) {
  assert_true(has("{\"elicitation\":{}}", "elicitation.form"));
  assert_true(has("{\"elicitation\":{\"form\":{}}}", "elicitation.form"));
  assert_true(
      has("{\"elicitation\":{\"form\":{},\"url\":{}}}", "elicitation.form"));
  assert_false(has("{\"elicitation\":{\"url\":{}}}", "elicitation.form"));
  assert_false(has("{\"elicitation\":{\"form\":false}}", "elicitation.form"));
  assert_false(has("{\"elicitation\":{}}", "elicitation.url"));
  assert_false(has("{\"elicitation\":null}", "elicitation.form"));
  assert_false(has("{}", "elicitation.form"));
}
