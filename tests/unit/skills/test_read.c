/* SPDX-License-Identifier: MIT */
/* `resources/read` of files of skills. */
#include "support/cm.h"

#include "skills/skills.h"
#include "support/server_rig.h"
#include "unit/skills/skills_bench.h"

typedef struct read_bench {
  const skills_bench *files;
  server_rig rig;
  rig_wire wire;
} read_bench;

static void open_bench(read_bench *b, void **state) {
  *b = (read_bench){.files = *state};
  assert_int_equal(rig_init(&b->rig, NULL, NULL), 0);
  assert_int_equal(
      mcp_server_add_skills(b->rig.server, b->files->dir, NULL, NULL), 0);
  wire_connect(&b->wire, &b->rig, NULL);
}

static void close_bench(read_bench *b) {
  wire_deinit(&b->wire);
  rig_deinit(&b->rig);
}

/* Reads, as the pool would, and checks what comes. */
static void check_read(read_bench *b, const char *uri, const char *expected) {
  char text[300];
  snprintf(text, sizeof(text),
           "{$J,'id':1,'method':'resources/read','params':{'uri':'%s',$M{}}}",
           uri);
  wire_send(&b->wire, text);
  rig_turn(&b->rig);
  if (b->rig.work != NULL) {
    rig_work(&b->rig);
  }
  rig_turn(&b->rig);
  wire_expect(&b->wire, __FILE__, __LINE__, expected);
}

#define CONTENT(more)                                                          \
  "{$J,'id':1,'result':{'contents':[{" more                                    \
  "}],'resultType':'complete','ttlMs':0,'cacheScope':'private',$I}}"
#define MISSING(uri)                                                           \
  "{$J,'id':1,'error':{'code':-32602,'message':'there is no resource "         \
  "\\'" uri "\\'','data':{'uri':'" uri "'}}}"

BENCH_TEST(a_main_file_is_read_as_markdown) {
  read_bench b;
  bench_skill(*state, "a");
  open_bench(&b, state);
  check_read(&b, "skill://a/SKILL.md",
             CONTENT("'uri':'skill://a/SKILL.md','mimeType':'text/markdown',"
                     "'text':'---\\nname: a\\ndescription: About a\\n---\\n# "
                     "T'"));
  close_bench(&b);
}

BENCH_TEST(bytes_that_are_not_text_are_read_as_data) {
  read_bench b;
  bench_skill(*state, "a");
  bench_write(*state, "a/d/x.png", "\xff\xfe");
  open_bench(&b, state);
  check_read(&b, "skill://a/d/x.png",
             CONTENT("'uri':'skill://a/d/x.png','mimeType':'image/png',"
                     "'blob':'//4='"));
  close_bench(&b);
}

BENCH_TEST(an_empty_file_is_read) {
  read_bench b;
  bench_skill(*state, "a");
  bench_write(*state, "a/empty", "");
  open_bench(&b, state);
  check_read(&b, "skill://a/empty",
             CONTENT("'uri':'skill://a/empty','mimeType':'text/plain',"
                     "'text':''"));
  close_bench(&b);
}

BENCH_TEST(only_listed_files_are_read) {
  static const char *const uris[] = {
      "skill://a/.hidden", "skill://a/link",    "skill://a/../b/SKILL.md",
      "skill://a/d",       "skill://bad/x",     "skill://a/./SKILL.md",
      "skill://a",         "skill://c/SKILL.md"};
  read_bench b;
  char expected[300];
  bench_skill(*state, "a");
  bench_write(*state, "a/d/x", "1");
  bench_write(*state, "a/.hidden", "1");
  bench_write(*state, "bad/x", "1");
  bench_link(*state, "/etc/passwd", "a/link");
  open_bench(&b, state);
  for (size_t i = 0; i < sizeof(uris) / sizeof(uris[0]); i++) {
    snprintf(expected, sizeof(expected),
             "{$J,'id':1,'error':{'code':-32602,'message':'there is no "
             "resource \\'%s\\'','data':{'uri':'%s'}}}",
             uris[i], uris[i]);
    check_read(&b, uris[i], expected);
  }
  close_bench(&b);
}

BENCH_TEST(a_file_that_became_a_link_is_not_served) {
  read_bench b;
  bench_skill(*state, "a");
  bench_write(*state, "a/f", "1");
  open_bench(&b, state);
  bench_remove(*state, "a/f");
  bench_link(*state, "/etc/passwd", "a/f");
  check_read(&b, "skill://a/f", MISSING("skill://a/f"));
  close_bench(&b);
}

BENCH_TEST(a_folder_that_became_a_link_is_not_served) {
  read_bench b;
  bench_skill(*state, "a");
  bench_write(*state, "a/d/passwd", "1");
  open_bench(&b, state);
  bench_remove(*state, "a/d/passwd");
  bench_remove(*state, "a/d");
  bench_link(*state, "/etc", "a/d");
  check_read(&b, "skill://a/d/passwd", MISSING("skill://a/d/passwd"));
  close_bench(&b);
}

BENCH_TEST(a_file_that_has_changed_is_read_as_it_is_now) {
  read_bench b;
  bench_skill(*state, "a");
  bench_write(*state, "a/f", "1");
  open_bench(&b, state);
  bench_write(*state, "a/f", "2");
  check_read(&b, "skill://a/f",
             CONTENT("'uri':'skill://a/f','mimeType':'text/plain',"
                     "'text':'2'"));
  close_bench(&b);
}

BENCH_TEST(a_file_that_has_become_too_long_is_not_served) {
  read_bench b;
  bench_skill(*state, "a");
  bench_write(*state, "a/f", "1");
  open_bench(&b, state);
  bench_write_sparse(*state, "a/f", (off_t)MCPI_SKILL_MAX_BYTES + 1);
  check_read(&b, "skill://a/f",
             "{$J,'id':1,'error':{'code':-32603,'message':'the file cannot be "
             "read'}}");
  close_bench(&b);
}
