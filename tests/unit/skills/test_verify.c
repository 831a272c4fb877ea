/* SPDX-License-Identifier: MIT */
/* Files that a server sends, and what the client makes of them. */
#include "unit/skills/client_bench.h"

static void read_answered(kit *k, const mcp_skill *skill, const char *file,
                          int id, const char *result, ending *e) {
  char answer[2000];
  snprintf(answer, sizeof(answer), RESULT("%d", "%s"), id, result);
  start_read(k, skill, file, e);
  turn(k);
  k->got[0] = '\0';
  say(k, answer);
}

KIT_TEST(a_file_that_is_what_was_listed_is_given) {
  kit *k = *state;
  size_t len;
  mcp_skill *skill = right_skill();
  connect_to(k, HELLO(CAN("{}")));
  mcp_client_read_skill(k->client, skill, NULL, NULL, keep_result, k, NULL);
  expect(k, READ("2", MAIN_URI));
  say(k, RESULT("2", CONTENTS(FILE_TEXT(MAIN_URI, TEXT_JSON))));
  assert_string_equal(mcp_result_bytes(k->kept, &len), TEXT);
  assert_int_equal(len, strlen(TEXT));
  /* as base64; the program no longer needs the skill */
  mcp_client_read_skill(k->client, skill, "f", NULL, keep_result, k, NULL);
  mcp_skill_free(skill);
  expect(k, READ("3", "skill://a/f"));
  say(k, RESULT("3", CONTENTS("{\"uri\":\"skill://a/f\",\"blob\":\"AHg=\"}")));
  assert_memory_equal(mcp_result_bytes(k->kept, &len), "\0x", 3);
  assert_int_equal(len, 2);
}

/* Reads `file` of the right skill, and the server sends this. */
static void expect_unread(kit *k, const mcp_skill *skill, const char *file,
                          const char *contents, int code, const char *message) {
  static int id;
  ending e = {0};
  if (k->connected.count == 0) {
    connect_to(k, HELLO(CAN("{}")));
    id = 1;
  }
  read_answered(k, skill, file, ++id, contents, &e);
  assert_int_equal(e.count, 1);
  assert_string_equal(e.message, message);
  assert_int_equal(e.status, code);
}

KIT_TEST(a_file_of_another_length_is_refused) {
  kit *k = *state;
  mcp_skill *skill = right_skill();
  expect_unread(k, skill, "f", CONTENTS(FILE_TEXT("skill://a/f", "xyz")),
                MCP_ERR_MISMATCH,
                "skill://a/f: it has 3 bytes, and 2 are listed");
  expect_unread(k, skill, NULL, CONTENTS(FILE_TEXT(MAIN_URI, "")),
                MCP_ERR_MISMATCH,
                "skill://a/SKILL.md: it has 0 bytes, and 40 are listed");
  mcp_skill_free(skill);
}

KIT_TEST(a_file_with_other_bytes_is_refused) {
  kit *k = *state;
  mcp_skill *skill = right_skill();
  expect_unread(k, skill, "f", CONTENTS(FILE_TEXT("skill://a/f", "xy")),
                MCP_ERR_MISMATCH,
                "skill://a/f: its digest is sha256:769a4e6d0003189c..., and "
                "sha256:3c7e9bc930dc93f0... is listed");
  mcp_skill_free(skill);
}

/* The program may look for the bytes at any place of the result. */
KIT_TEST(an_answer_that_could_be_read_in_two_ways_is_refused) {
  kit *k = *state;
  mcp_skill *skill = right_skill();
#define F FILE_TEXT("skill://a/f", "x")
#define NOT_ONE "skill://a/f: the server sent not one file, but several or none"
#define NOT_ALONE                                                              \
  "skill://a/f: the server sent neither a text alone nor a blob alone"
#define NO_FILE(contents, message)                                             \
  expect_unread(k, skill, "f", contents, MCP_ERR_PROTOCOL, message)
  NO_FILE("{\"contents\":[]}", NOT_ONE);
  NO_FILE(CONTENTS(F "," F), NOT_ONE);
  NO_FILE(CONTENTS(FILE_TEXT(MAIN_URI, TEXT_JSON)),
          "skill://a/f: the server sent another file");
  NO_FILE(CONTENTS("{\"text\":\"x\"}"),
          "skill://a/f: the server sent another file");
  NO_FILE(CONTENTS("7"), "skill://a/f: the server sent another file");
  NO_FILE(CONTENTS("{\"uri\":\"skill://a/f\"}"), NOT_ALONE);
  NO_FILE(CONTENTS("{\"uri\":\"skill://a/f\",\"text\":\"x\",\"blob\":\"\"}"),
          NOT_ALONE);
  NO_FILE(CONTENTS("{\"uri\":\"skill://a/f\",\"blob\":\"AHg=\",\"content\":"
                   "{\"text\":\"y\"}}"),
          NOT_ALONE);
  NO_FILE(CONTENTS("{\"uri\":\"skill://a/f\",\"blob\":\"AHg\"}"),
          "skill://a/f: the blob is not base64");
  NO_FILE(CONTENTS("{\"uri\":\"skill://a/f\",\"text\":7}"),
          "skill://a/f: the blob is not base64");
  mcp_skill_free(skill);
}

/* --- the head ------------------------------------------------------------- */

/* A skill that lists this head; its SKILL.md is `text`, whose digest fits. */
static void expect_head(kit *k, const char *head, const char *text,
                        const char *text_json, const char *message) {
  char entry[1000];
  char contents[1000];
  put_entry(entry, head, text, strlen(text));
  snprintf(contents, sizeof(contents), CONTENTS(FILE_TEXT(MAIN_URI, "%s")),
           text_json);
  mcp_skill *skill = skill_of(entry);
  expect_unread(k, skill, NULL, contents,
                message[0] != '\0' ? MCP_ERR_MISMATCH : 0, message);
  mcp_skill_free(skill);
}

#define EXPECT_HEAD(head, yaml, message)                                       \
  expect_head(k, head, "---\n" yaml "\n---\n", "---\\n" yaml "\\n---\\n",      \
              message)
#define OTHER_HEAD(head, yaml, message)                                        \
  EXPECT_HEAD(head, yaml, MAIN_URI ": " message)

KIT_TEST(the_head_is_that_of_the_entry) {
  kit *k = *state;
  EXPECT_HEAD(HEAD, "{name: a, description: About a}", "");
  EXPECT_HEAD("{\"description\":\"x\",\"m\":{\"v\":1.0},\"name\":\"a\"}",
              "{name: a, description: x, m: {v: 1}}", "");
  /* our servers refuse such a name, but another server's are its own affair */
  EXPECT_HEAD("{\"name\":\"a\",\"description\":\"x\",\"metadata\":"
              "{\"io.modelcontextprotocol/x\":null}}",
              "{name: a, description: x, metadata: "
              "{io.modelcontextprotocol/x: }}",
              "");
}

KIT_TEST(a_head_that_is_not_that_of_the_entry_is_refused) {
  kit *k = *state;
  OTHER_HEAD(HEAD, "{name: a, description: Bad}",
             "its head says \"description\": \"Bad\", and \"About a\" is "
             "listed");
  OTHER_HEAD(HEAD, "{name: a}",
             "its head does not have the listed \"description\"");
  OTHER_HEAD(HEAD, "{name: a, description: About a, allowed-tools: Bash}",
             "its head has the unlisted \"allowed-tools\"");
  OTHER_HEAD("{\"name\":\"a\",\"description\":\"x\",\"v\":true}",
             "{name: a, description: x, v: yes}",
             "its head says \"v\": \"yes\", and true is listed");
  OTHER_HEAD("{\"name\":\"a\",\"description\":\"x\",\"description\":\"x\"}",
             "{name: a, description: x}",
             "its head is not the one that is listed");
}

KIT_TEST(a_head_that_cannot_be_read_is_refused) {
  kit *k = *state;
  expect_head(k, HEAD, "# T", "# T",
              MAIN_URI ": its head cannot be compared: line 1: expected "
                       "\"---\", which begins the head");
  OTHER_HEAD(HEAD, "{name: a, name: b}",
             "its head cannot be compared: the head: the text: the member "
             "\"name\" occurs twice");
  OTHER_HEAD(HEAD, "{name: &x a, description: *x}",
             "its head cannot be compared: line 2: anchors (&) and aliases (*) "
             "are not allowed; write the value again, or quote the text");
}

KIT_TEST(a_skill_md_that_is_not_text_is_refused) {
  kit *k = *state;
  char entry[1000];
  put_entry(entry, HEAD, "\xff", 1);
  mcp_skill *skill = skill_of(entry);
  expect_unread(k, skill, NULL,
                CONTENTS("{\"uri\":\"" MAIN_URI "\",\"blob\":\"/w==\"}"),
                MCP_ERR_MISMATCH,
                MAIN_URI ": it is not UTF-8, or has a NUL, so it has no head");
  mcp_skill_free(skill);
}

/* --- dynamic skills ------------------------------------------------------- */

KIT_TEST(the_head_of_a_dynamic_skill_is_compared) {
  kit *k = *state;
  ending *e = new_ending(k);
  mcp_skill *skill = dynamic_skill();
  connect_to(k, HELLO(CAN("{}")));
  start_read(k, skill, NULL, e);
  expect(k, READ("2", MAIN_URI));
  say(k, RESULT("2", CONTENTS(FILE_TEXT(MAIN_URI, TEXT_JSON))));
  assert_int_equal(e->status, 0);
  /* also if its URI is written in another way */
  start_read(k, skill, "skill://a/SKILL%2Emd", e);
  expect(k, READ("3", MAIN_URI));
  say(k, RESULT("3", CONTENTS(FILE_TEXT(MAIN_URI, "no head"))));
  assert_int_equal(e->status, MCP_ERR_MISMATCH);
  mcp_skill_free(skill);
}

KIT_TEST(a_dynamic_file_has_a_limit) {
  kit *k = *state;
  const size_t len = 16 * 1024 * 1024 + 1;
  mcp_client_options options = options_of(k);
  ending *e = new_ending(k);
  mcp_skill *skill = dynamic_skill();
  options.max_message = 2 * len;
  connect_with(k, &options);
  expect(k, PROBE);
  say(k, HELLO(CAN("{}")));
  start_read(k, skill, "f", e);
  turn(k);
  static const char begin[] = "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":"
                              "{\"contents\":[{\"uri\":\"skill://a/f\","
                              "\"text\":\"";
  char *answer = malloc(len + 200);
  strcpy(answer, begin);
  memset(answer + strlen(begin), 'x', len);
  strcpy(answer + strlen(begin) + len, "\"}]}}");
  say(k, answer);
  free(answer);
  assert_string_equal(e->message,
                      "skill://a/f: it has more than 16777216 bytes");
  assert_int_equal(e->status, MCP_ERR_LIMIT);
  mcp_skill_free(skill);
}
