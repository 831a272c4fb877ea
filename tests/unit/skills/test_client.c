/* SPDX-License-Identifier: MIT */
/* What a client sends about skills, and what it makes of the answers.
 * test_verify.c has the files. */
#include "unit/skills/client_bench.h"

/* --- lists and entries ---------------------------------------------------- */

KIT_TEST(a_list_has_the_entries_of_all_pages) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_to(k, HELLO(CAN("{}")));
  assert_int_equal(mcp_client_list_skills(k->client, NULL, on_done, e, NULL),
                   0);
  expect(k, REQUEST("2", "skills/list", "{" META "}"));
  say(k, RESULT("2", "{\"skills\":[{\"n\":1}],\"nextCursor\":\"x\"}"));
  expect(k, REQUEST("3", "skills/list", "{\"cursor\":\"x\"," META "}"));
  say(k, RESULT("3", "{\"skills\":[{\"n\":2},{\"n\":3}]" CACHED));
  assert_int_equal(e->status, 0);
  assert_int_equal(e->count, 1);
}

KIT_TEST(nothing_is_fetched_ahead) {
  kit *k = *state;
  char entry[1000];
  char answer[2000];
  put_entry(entry, HEAD, TEXT, strlen(TEXT));
  snprintf(answer, sizeof(answer), RESULT("2", "{\"skills\":[%s]}"), entry);
  connect_to(k, HELLO(CAN("{\"directoryRead\":true}")));
  assert_int_equal(
      mcp_client_list_skills(k->client, NULL, keep_result, k, NULL), 0);
  expect(k, REQUEST("2", "skills/list", "{" META "}"));
  say(k, answer);
  mcp_skill *skill = mcp_skill_new(mcp_result_item(k->kept, 0), NULL, NULL);
  assert_string_equal(mcp_skill_name(skill), "a");
  mcp_skill_free(skill);
  expect_nothing(k);
}

KIT_TEST(an_answer_without_a_list_is_refused) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_to(k, HELLO(CAN("{}")));
  mcp_client_list_skills(k->client, NULL, on_done, e, NULL);
  expect(k, REQUEST("2", "skills/list", "{" META "}"));
  say(k, RESULT("2", "{\"skills\":{}}"));
  assert_int_equal(e->status, MCP_ERR_PROTOCOL);
  assert_string_equal(e->message,
                      "result.skills must be an array, not an object");
}

KIT_TEST(a_server_without_the_extension_is_not_asked) {
  kit *k = *state;
  mcp_skill *skill = dynamic_skill();
  ending *ends[] = {new_ending(k), new_ending(k), new_ending(k)};
  connect_to(k, HELLO("{\"resources\":{}}"));
  mcp_client_list_skills(k->client, NULL, on_done, ends[0], NULL);
  mcp_client_get_skill(k->client, MAIN_URI, NULL, on_done, ends[1], NULL);
  mcp_client_list_skill_folder(k->client, skill, NULL, NULL, on_done, ends[2],
                               NULL);
  expect_nothing(k);
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(ends[i]->count, 1);
    assert_int_equal(ends[i]->status, MCP_ERR_UNSUPPORTED);
    assert_string_equal(ends[i]->message,
                        "the server does not offer "
                        "\"extensions." MCP_SKILLS_EXTENSION "\"");
  }
  mcp_skill_free(skill);
}

KIT_TEST(an_entry_is_the_item_of_its_result) {
  kit *k = *state;
  connect_to(k, HELLO(CAN("{}")));
  mcp_client_get_skill(k->client, MAIN_URI, NULL, keep_result, k, NULL);
  expect(k, REQUEST("2", "skills/get", "{\"uri\":\"" MAIN_URI "\"," META "}"));
  say(k,
      RESULT("2", "{\"skill\":{\"uri\":\"" MAIN_URI "\",\"frontmatter\":" HEAD
                  ",\"resources\":\"dynamic\"}}"));
  assert_int_equal(mcp_result_count(k->kept), 1);
  mcp_skill *skill = mcp_skill_new(mcp_result_item(k->kept, 0), NULL, NULL);
  assert_int_equal(mcp_skill_is_dynamic(skill), 1);
  mcp_skill_free(skill);
}

KIT_TEST(the_entry_of_another_skill_is_refused) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_to(k, HELLO(CAN("{}")));
  mcp_client_get_skill(k->client, MAIN_URI, NULL, on_done, e, NULL);
  k->got[0] = '\0';
  turn(k);
  say(k, RESULT("2", "{\"skill\":{\"uri\":\"skill://b/SKILL.md\"}}"));
  assert_int_equal(e->status, MCP_ERR_PROTOCOL);
  assert_string_equal(e->message,
                      "skills/get of skill://a/SKILL.md: the server sent the "
                      "skill skill://b/SKILL.md");
  assert_int_equal(e->was_sent, 1);
  mcp_client_get_skill(k->client, MAIN_URI, NULL, on_done, e, NULL);
  turn(k);
  say(k, RESULT("3", "{\"skill\":{}}"));
  assert_string_equal(e->message,
                      "skills/get of skill://a/SKILL.md: the server sent the "
                      "skill without uri");
  mcp_client_get_skill(k->client, MAIN_URI, NULL, on_done, e, NULL);
  turn(k);
  say(k, ERROR("4", "-32602", ""));
  assert_int_equal(e->status, MCP_ERR_REMOTE);
  assert_int_equal(e->count, 3);
}

/* --- which file ----------------------------------------------------------- */

static mcp_error why;

static void expect_not_started(int rc, int code, const char *message) {
  assert_string_equal(why.message, message);
  assert_int_equal(rc, code);
}

KIT_TEST(a_file_that_is_not_listed_is_not_read) {
  kit *k = *state;
  mcp_client *c = k->client;
  mcp_skill *skill = right_skill();
#define CANNOT_READ(file, code, message)                                       \
  expect_not_started(                                                          \
      mcp_client_read_skill(c, skill, file, NULL, NULL, NULL, &why), code,     \
      message)
#define NOT_BELOW(path) "\"" path "\" is not below the folder of the skill a"
  CANNOT_READ("f", MCP_ERR_CLOSED, "not connected");
  connect_to(k, HELLO(CAN("{}")));
  c = k->client;
  CANNOT_READ("g", MCP_ERR_NOT_FOUND, "the skill a does not list a file g");
  CANNOT_READ("skill://a/g", MCP_ERR_NOT_FOUND,
              "the skill a does not list a file skill://a/g");
  CANNOT_READ("skill://a/%66", MCP_ERR_NOT_FOUND,
              "the skill a does not list a file skill://a/%66");
  CANNOT_READ("../b/SKILL.md", MCP_ERR_INVALID, NOT_BELOW("../b/SKILL.md"));
  CANNOT_READ("skill://b/f", MCP_ERR_INVALID, NOT_BELOW("skill://b/f"));
  CANNOT_READ("/etc/passwd", MCP_ERR_INVALID, NOT_BELOW("/etc/passwd"));
  CANNOT_READ("", MCP_ERR_INVALID, NOT_BELOW(""));
  expect_nothing(k);
  mcp_skill_free(skill);
}

/* --- dynamic skills ------------------------------------------------------- */

KIT_TEST(files_of_a_dynamic_skill_are_read_without_a_digest) {
  kit *k = *state;
  ending *e = new_ending(k);
  mcp_skill *skill = dynamic_skill();
  connect_to(k, HELLO(CAN("{}")));
  start_read(k, skill, "b/c d", e);
  expect(k, READ("2", "skill://a/b/c%20d"));
  say(k, RESULT("2", CONTENTS(FILE_TEXT("skill://a/b/c%20d", "anything"))));
  assert_int_equal(e->status, 0);
  start_read(k, skill, "skill://a/b/c+d", e);
  expect(k, READ("3", "skill://a/b/c+d"));
  say(k, RESULT("3", CONTENTS(FILE_TEXT("skill://a/b/c%2Bd", "anything"))));
  assert_int_equal(e->status, MCP_ERR_PROTOCOL);
  assert_int_equal(e->count, 2);
  mcp_skill_free(skill);
}

KIT_TEST(a_dynamic_file_is_below_the_folder) {
  kit *k = *state;
  mcp_skill *skill = dynamic_skill();
  connect_to(k, HELLO(CAN("{}")));
  mcp_client *c = k->client;
  CANNOT_READ("skill://a", MCP_ERR_INVALID, "the skill's folder is not a file");
  CANNOT_READ("../f", MCP_ERR_INVALID, NOT_BELOW("../f"));
  CANNOT_READ("skill://b/f", MCP_ERR_INVALID, NOT_BELOW("skill://b/f"));
  expect_nothing(k);
  mcp_skill_free(skill);
}

/* --- folders -------------------------------------------------------------- */

#define FOLDER(id, more)                                                       \
  REQUEST(id, "resources/directory/read", "{\"uri\":\"skill://a" more META "}")
#define CHILD(uri) "{\"uri\":\"" uri "\",\"name\":\"x\"}"

KIT_TEST(a_folder_lists_what_is_directly_in_it) {
  kit *k = *state;
  ending *e = new_ending(k);
  mcp_skill *skill = right_skill();
  connect_to(k, HELLO(CAN("{\"directoryRead\":true}")));
  mcp_client_list_skill_folder(k->client, skill, NULL, NULL, on_done, e, NULL);
  expect(k, FOLDER("2", "\","));
  say(k, RESULT("2", "{\"resources\":[" CHILD(
                         "skill://a/f") "],"
                                        "\"nextCursor\":\"x\"}"));
  expect(k, FOLDER("3", "\",\"cursor\":\"x\","));
  say(k, RESULT("3", "{\"resources\":[" CHILD("skill://a/b%20c") "]}"));
  assert_int_equal(e->status, 0);
  mcp_client_list_skill_folder(k->client, skill, "b c", NULL, on_done, e, NULL);
  expect(k, FOLDER("4", "/b%20c\","));
  say(k, RESULT("4", "{\"resources\":[]}"));
  mcp_client_list_skill_folder(k->client, skill, "skill://a/b", NULL, on_done,
                               e, NULL);
  expect(k, FOLDER("5", "/b\","));
  say(k, RESULT("5", "{\"resources\":[]}"));
  assert_int_equal(e->status, 0);
  assert_int_equal(e->count, 3);
  mcp_skill_free(skill);
}

static void expect_no_folder(kit *k, const mcp_skill *skill, int id,
                             const char *child, const char *message) {
  char answer[1000];
  ending e = {0};
  snprintf(answer, sizeof(answer),
           RESULT("%d", "{\"resources\":[" CHILD("skill://a/f") ",%s]}"), id,
           child);
  mcp_client_list_skill_folder(k->client, skill, NULL, NULL, on_done, &e, NULL);
  turn(k);
  say(k, answer);
  assert_string_equal(e.message, message);
  assert_int_equal(e.status, MCP_ERR_PROTOCOL);
}

KIT_TEST(a_folder_with_other_things_is_refused) {
  kit *k = *state;
  mcp_skill *skill = right_skill();
  connect_to(k, HELLO(CAN("{\"directoryRead\":true}")));
#define STRANGER(id, uri)                                                      \
  expect_no_folder(k, skill, id, CHILD(uri),                                   \
                   "skill://a: the server lists " uri                          \
                   ", which is not directly in this folder")
  STRANGER(2, "skill://b/f");
  STRANGER(3, "skill://a");
  STRANGER(4, "skill://a/b/c");
  STRANGER(5, "skill://a/..");
  STRANGER(6, "skill://a/%2e%2e");
  STRANGER(7, "skill://a/b%2Fc");
  expect_no_folder(k, skill, 8, "{\"name\":\"f\"}",
                   "skill://a: the server lists a resource without uri, which "
                   "is not directly in this folder");
  mcp_skill_free(skill);
}

KIT_TEST(a_folder_is_not_asked_for_without_the_setting) {
  kit *k = *state;
  static const char *const settings[] = {
      CAN("{}"), CAN("{\"directoryRead\":false}"), CAN("{\"directoryRead\":1}"),
      CAN("[]")};
  mcp_skill *skill = right_skill();
  for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
    char hello[1000];
    snprintf(hello, sizeof(hello), HELLO("%s"), settings[i]);
    connect_to(k, hello);
    expect_not_started(
        mcp_client_list_skill_folder(k->client, skill, NULL, NULL, NULL, NULL,
                                     &why),
        MCP_ERR_UNSUPPORTED,
        "the server does not list folders of skills: it has not declared "
        "directoryRead");
    expect_nothing(k);
    mcp_transport_free(k->far);
    k->far = NULL;
    memset(&k->connected, 0, sizeof(k->connected));
  }
  mcp_skill_free(skill);
}

KIT_TEST(a_folder_is_below_that_of_the_skill) {
  kit *k = *state;
  mcp_skill *skill = right_skill();
  connect_to(k, HELLO(CAN("{\"directoryRead\":true}")));
  expect_not_started(mcp_client_list_skill_folder(k->client, skill, "..", NULL,
                                                  NULL, NULL, &why),
                     MCP_ERR_INVALID, NOT_BELOW(".."));
  expect_not_started(mcp_client_list_skill_folder(k->client, skill, "skill://",
                                                  NULL, NULL, NULL, &why),
                     MCP_ERR_INVALID, NOT_BELOW("skill://"));
  mcp_skill_free(skill);
}

/* --- the cache ------------------------------------------------------------ */

static void list_again(kit *k, ending *e) {
  assert_int_equal(mcp_client_list_skills(k->client, NULL, on_done, e, NULL),
                   0);
  turn(k);
}

KIT_TEST(a_list_is_cached_until_a_resource_changes) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_to(k, HELLO(CAN("{}")));
  list_again(k, e);
  expect(k, REQUEST("2", "skills/list", "{" META "}"));
  say(k, RESULT("2", "{\"skills\":[]" CACHED));
  list_again(k, e);
  expect_nothing(k);
  assert_int_equal(e->count, 2);
  say(k, NOTE("notifications/resources/list_changed", "{}"));
  list_again(k, e);
  expect(k, REQUEST("3", "skills/list", "{" META "}"));
  say(k, RESULT("3", "{\"skills\":[]" CACHED));
  say(k, NOTE("notifications/resources/updated", "{\"uri\":\"skill://a/f\"}"));
  list_again(k, e);
  expect(k, REQUEST("4", "skills/list", "{" META "}"));
}

/* Otherwise the program could not get the right file before it expires. */
KIT_TEST(a_file_that_was_refused_is_not_cached) {
  kit *k = *state;
  ending *e = new_ending(k);
  mcp_skill *skill = right_skill();
  connect_to(k, HELLO(CAN("{}")));
  list_again(k, e);
  expect(k, REQUEST("2", "skills/list", "{" META "}"));
  say(k, RESULT("2", "{\"skills\":[]" CACHED));
  start_read(k, skill, "f", e);
  expect(k, READ("3", "skill://a/f"));
  say(k,
      RESULT("3", "{\"contents\":[" FILE_TEXT("skill://a/f", "xy") "]" CACHED));
  assert_int_equal(e->status, MCP_ERR_MISMATCH);
  start_read(k, skill, "f", e);
  expect(k, READ("4", "skill://a/f"));
  say(k, RESULT("4", "{\"contents\":[{\"uri\":\"skill://a/f\",\"blob\":"
                     "\"AHg=\"}]" CACHED));
  assert_int_equal(e->status, 0);
  start_read(k, skill, "f", e);
  expect_nothing(k);
  assert_int_equal(e->count, 4);
  assert_int_equal(e->status, 0);
  list_again(k, e);
  expect(k, REQUEST("5", "skills/list", "{" META "}"));
  mcp_skill_free(skill);
}

/* --- ends ----------------------------------------------------------------- */

KIT_TEST(a_client_that_is_freed_completes_its_reads) {
  kit *k = *state;
  ending *e = new_ending(k);
  mcp_skill *skill = right_skill();
  connect_to(k, HELLO(CAN("{}")));
  start_read(k, skill, NULL, e);
  mcp_skill_free(skill);
  mcp_client_free(k->client);
  k->client = NULL;
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
}

static void free_client(mcp_client *client, const mcp_outcome *outcome,
                        void *userdata) {
  kit *k = userdata;
  assert_int_equal(outcome->status, MCP_ERR_MISMATCH);
  mcp_client_free(client);
  k->client = NULL;
}

KIT_TEST(a_completion_may_free_the_client) {
  kit *k = *state;
  mcp_skill *skill = right_skill();
  connect_to(k, HELLO(CAN("{}")));
  mcp_client_read_skill(k->client, skill, "f", NULL, free_client, k, NULL);
  expect(k, READ("2", "skill://a/f"));
  say(k, RESULT("2", CONTENTS(FILE_TEXT("skill://a/f", "xy"))));
  assert_null(k->client);
  mcp_skill_free(skill);
}

KIT_TEST(what_is_missing_is_named) {
  kit *k = *state;
  mcp_skill *skill = right_skill();
  expect_not_started(
      mcp_client_get_skill(k->client, NULL, NULL, NULL, NULL, &why),
      MCP_ERR_INVALID, "uri is NULL");
  assert_int_equal(
      mcp_client_read_skill(k->client, NULL, NULL, NULL, NULL, NULL, &why),
      MCP_ERR_INVALID);
  assert_int_equal(
      mcp_client_read_skill(NULL, skill, NULL, NULL, NULL, NULL, &why),
      MCP_ERR_INVALID);
  assert_int_equal(
      mcp_client_list_skill_folder(NULL, skill, NULL, NULL, NULL, NULL, NULL),
      MCP_ERR_INVALID);
  mcp_skill_free(skill);
}
