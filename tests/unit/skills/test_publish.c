/* SPDX-License-Identifier: MIT */
/* What `resources/list` shows, what is reported, what a new list changes. */
#include "support/cm.h"

#include "skills/skills.h"
#include "support/server_rig.h"
#include "unit/skills/skills_bench.h"

typedef struct publish_bench {
  const skills_bench *files;
  server_rig rig;
  rig_wire wire;
  mcpi_skills skills; /* as mcp_server_add_skills makes it, without methods */
} publish_bench;

static mcpi_skill_list *scan(publish_bench *b) {
  mcpi_skill_list *list;
  mcpi_skill_scan how = {.dir = b->files->dir,
                         .before = b->skills.list,
                         .quiet_since_ns = INT64_MAX};
  assert_int_equal(
      mcpi_skill_list_scan(&list, &how, &b->skills.allocator, NULL), 0);
  return list;
}

static void open_bench(publish_bench *b, void **state) {
  *b = (publish_bench){.files = *state};
  assert_int_equal(rig_init(&b->rig, NULL, NULL), 0);
  b->skills = (mcpi_skills){.refs = 1,
                            .allocator = *mcp_allocator_default(),
                            .dir = ((skills_bench *)*state)->dir,
                            .server = b->rig.server};
  uv_mutex_init(&b->skills.lock);
  b->skills.list = calloc(1, sizeof(mcpi_skill_list));
  atomic_init(&b->skills.list->refs, 1);
  b->skills.list->allocator = *mcp_allocator_default();
  assert_int_equal(mcpi_skills_publish(&b->skills, scan(b)), 0);
  wire_connect(&b->wire, &b->rig, NULL);
}

static void close_bench(publish_bench *b) {
  wire_deinit(&b->wire);
  rig_deinit(&b->rig);
  assert_int_equal(atomic_load(&b->skills.refs), 1); /* all are released */
  mcpi_skill_list_unref(b->skills.list);
  uv_mutex_destroy(&b->skills.lock);
}

static void publish(publish_bench *b) {
  assert_int_equal(mcpi_skills_publish(&b->skills, scan(b)), 0);
  rig_turn(&b->rig);
}

#define LIST "{$J,'id':9,'method':'resources/list'}"
#define LISTED(resources) "{$J,'id':9,'result':{'resources':[" resources "]}}"
#define MAIN_A                                                                 \
  "{'uri':'skill://a/SKILL.md','name':'a','description':'About a',"            \
  "'mimeType':'text/markdown','size':40}"
#define FILE_F(size)                                                           \
  "{'uri':'skill://a/f','name':'f','mimeType':'text/plain','size':" size "}"
#define CHANGED "{$J,'method':'notifications/resources/list_changed'}"
#define UPDATED(uri)                                                           \
  "{$J,'method':'notifications/resources/updated','params':{'uri':'" uri "'}}"

static void open_session(publish_bench *b) {
  wire_initialize(&b->wire, "2025-11-25", "{}");
  exchange(&b->wire, LIST, LISTED(MAIN_A "," FILE_F("1")));
  wire_send(&b->wire, "{$J,'id':2,'method':'resources/subscribe','params':{"
                      "'uri':'skill://a/f'}}");
  rig_turn(&b->rig);
  wire_forget(&b->wire);
}

BENCH_TEST(files_are_listed_and_a_main_file_by_its_head) {
  publish_bench b;
  bench_skill(*state, "a");
  bench_write(*state, "a/f", "1");
  open_bench(&b, state);
  open_session(&b);
  close_bench(&b);
}

BENCH_TEST(a_list_that_is_the_same_notifies_nobody) {
  publish_bench b;
  bench_skill(*state, "a");
  bench_write(*state, "a/f", "1");
  open_bench(&b, state);
  open_session(&b);
  publish(&b);
  expect(&b.wire, "");
  close_bench(&b);
}

BENCH_TEST(a_file_that_has_changed_notifies_its_subscribers) {
  publish_bench b;
  bench_skill(*state, "a");
  bench_write(*state, "a/f", "1");
  open_bench(&b, state);
  open_session(&b);
  bench_write(*state, "a/f", "22");
  publish(&b);
  expect(&b.wire, UPDATED("skill://a/f") "\n" CHANGED);
  exchange(&b.wire, LIST, LISTED(MAIN_A "," FILE_F("2")));
  close_bench(&b);
}

BENCH_TEST(a_file_of_the_same_size_changes_the_list_too) {
  publish_bench b;
  bench_skill(*state, "a");
  bench_write(*state, "a/f", "1");
  open_bench(&b, state);
  open_session(&b);
  bench_write(*state, "a/f", "2");
  atomic_store(&b.skills.list->skills[0]->is_stale, 1);
  publish(&b);
  expect(&b.wire, UPDATED("skill://a/f") "\n" CHANGED);
  close_bench(&b);
}

BENCH_TEST(files_and_skills_come_and_go) {
  publish_bench b;
  bench_skill(*state, "a");
  bench_write(*state, "a/f", "1");
  open_bench(&b, state);
  open_session(&b);
  bench_remove(*state, "a/f");
  bench_skill(*state, "b");
  publish(&b);
  expect(&b.wire, CHANGED);
  exchange(&b.wire, LIST,
           LISTED(MAIN_A ",{'uri':'skill://b/SKILL.md','name':'b',"
                         "'description':'About b','mimeType':"
                         "'text/markdown','size':40}"));
  bench_write(*state, "b/SKILL.md", "no head");
  publish(&b);
  expect(&b.wire, CHANGED);
  exchange(&b.wire, LIST, LISTED(MAIN_A));
  close_bench(&b);
}

static void expect_report(publish_bench *b, const char *path,
                          const char *part) {
  const char *text = b->rig.reports.bytes;
  assert_true(b->rig.reports.len > 0);
  assert_non_null(strstr(text, b->files->dir));
  assert_non_null(strstr(text, path));
  if (strstr(text, part) == NULL) {
    fail_msg("\"%s\" lacks \"%s\"", text, part);
  }
  rig_text_clear(&b->rig.reports);
}

BENCH_TEST(a_skill_that_is_not_valid_is_reported_once) {
  publish_bench b;
  bench_skill(*state, "a");
  bench_write(*state, "bad/SKILL.md", "---\nname: bad\n---\n");
  open_bench(&b, state);
  expect_report(&b, "/bad", "no description");
  publish(&b);
  assert_int_equal(b.rig.reports.len, 0);
  close_bench(&b);
}

BENCH_TEST(a_link_that_is_left_out_is_reported) {
  publish_bench b;
  bench_skill(*state, "a");
  bench_link(*state, "/etc/passwd", "a/secrets");
  open_bench(&b, state);
  expect_report(&b, "/a/secrets", "link");
  close_bench(&b);
}

BENCH_TEST(a_resource_that_the_program_has_already_is_an_error) {
  publish_bench b;
  bench_skill(*state, "a");
  open_bench(&b, state);
  bench_skill(*state, "b");
  assert_int_equal(
      mcp_server_add_resource(b.rig.server,
                              &(mcp_resource){.size = sizeof(mcp_resource),
                                              .uri = "skill://b/SKILL.md",
                                              .name = "mine",
                                              .text = "x"},
                              NULL),
      0);
  assert_int_equal(mcpi_skills_publish(&b.skills, scan(&b)), MCP_ERR_EXISTS);
  expect_report(&b, "/b/SKILL.md", "not served");
  close_bench(&b);
}
