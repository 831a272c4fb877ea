/* SPDX-License-Identifier: MIT */
/* `skills/list`, `skills/get` and `resources/directory/read`. */
#include "support/cm.h"

#include "support/failing_alloc.h"
#include "support/server_rig.h"
#include "unit/skills/skills_bench.h"

typedef struct methods_bench {
  skills_bench *files;
  server_rig rig;
  rig_wire wire;
} methods_bench;

static void open_bench(methods_bench *b, void **state,
                       const mcp_server_options *options) {
  const mcp_skills_options how = {
      .size = sizeof(how), .directory_read = 1, .cache_ttl_ms = 7};
  *b = (methods_bench){.files = *state};
  assert_int_equal(rig_init(&b->rig, options, NULL), 0);
  assert_int_equal(
      mcp_server_add_skills(b->rig.server, b->files->dir, &how, NULL), 0);
  wire_connect(&b->wire, &b->rig, NULL);
}

static void close_bench(methods_bench *b) {
  wire_deinit(&b->wire);
  rig_deinit(&b->rig);
}

#define CACHED "'resultType':'complete','ttlMs':7,'cacheScope':'private',$I}}"
#define REFUSED(why) "{$J,'id':1,'error':{'code':-32602,'message':'" why "'}}"
#define REFUSED_VALUE(why, value) REFUSED(why " \\'" value "\\'")
#define ASK(method, params)                                                    \
  "{$J,'id':1,'method':'" method "','params':{" params ",$M{}}}"

/* The skills that bench_skill writes. */
#define ENTRY(name, digest)                                                    \
  "{'uri':'skill://" name "/SKILL.md','frontmatter':{'name':'" name            \
  "','description':'About " name "'},'resources':[{'uri':'skill://" name       \
  "/SKILL.md','digest':'" digest "','size':40}]}"
#define ENTRY_A                                                                \
  ENTRY("a", "sha256:b0c1627811b0be823c4f860c21a10356"                         \
             "8c416b7e7f6d4ce5af0da2d89c444f06")
#define ENTRY_B                                                                \
  ENTRY("b", "sha256:598499632c63550b24278dc77a4beb88"                         \
             "a38ad24e4a5876d3c1c4a4eb81baa989")

BENCH_TEST(a_list_has_all_skills_that_are_valid) {
  methods_bench b;
  bench_skill(*state, "b");
  bench_skill(*state, "a");
  bench_write(*state, "bad/SKILL.md", "no head");
  open_bench(&b, state, NULL);
  exchange(&b.wire, "{$J,'id':1,'method':'skills/list','params':{$M{}}}",
           "{$J,'id':1,'result':{'skills':[" ENTRY_A "," ENTRY_B "]," CACHED);
  close_bench(&b);
}

BENCH_TEST(a_list_has_pages) {
  methods_bench b;
  const mcp_server_options options = {.size = sizeof(options), .page_count = 1};
  bench_skill(*state, "a");
  bench_write(*state, "aa/SKILL.md", "no head");
  bench_skill(*state, "b");
  open_bench(&b, state, &options);
  exchange(&b.wire, ASK("skills/list", "'cursor':null"),
           "{$J,'id':1,'result':{'skills':[" ENTRY_A
           "],'nextCursor':'b'," CACHED);
  exchange(&b.wire, ASK("skills/list", "'cursor':'b'"),
           "{$J,'id':1,'result':{'skills':[" ENTRY_B "]," CACHED);
  exchange(&b.wire, ASK("skills/list", "'cursor':'zzz'"),
           "{$J,'id':1,'result':{'skills':[]," CACHED);
  exchange(&b.wire, ASK("skills/list", "'cursor':'No'"),
           REFUSED_VALUE("unknown cursor", "No"));
  exchange(&b.wire, ASK("skills/list", "'cursor':5"),
           REFUSED_VALUE("unknown cursor", ""));
  close_bench(&b);
}

BENCH_TEST(a_page_has_a_limit_of_bytes_and_at_least_one_skill) {
  methods_bench b;
  const mcp_server_options options = {.size = sizeof(options), .page_bytes = 1};
  bench_skill(*state, "a");
  bench_skill(*state, "b");
  open_bench(&b, state, &options);
  exchange(&b.wire, "{$J,'id':1,'method':'skills/list','params':{$M{}}}",
           "{$J,'id':1,'result':{'skills':[" ENTRY_A
           "],'nextCursor':'b'," CACHED);
  close_bench(&b);
}

BENCH_TEST(get_returns_the_entry) {
  methods_bench b;
  bench_skill(*state, "a");
  open_bench(&b, state, NULL);
  exchange(&b.wire, ASK("skills/get", "'uri':'skill://a/SKILL.md'"),
           "{$J,'id':1,'result':{'skill':" ENTRY_A "," CACHED);
  close_bench(&b);
}

BENCH_TEST(get_refuses_what_is_not_a_skill) {
  methods_bench b;
  bench_skill(*state, "a");
  bench_write(*state, "a/f", "x");
  bench_write(*state, "bad/SKILL.md", "no head");
  open_bench(&b, state, NULL);
#define CHECK_NO_SKILL(uri)                                                    \
  exchange(&b.wire, ASK("skills/get", "'uri':'" uri "'"),                      \
           REFUSED_VALUE("there is no skill", uri))
  CHECK_NO_SKILL("skill://b/SKILL.md");
  CHECK_NO_SKILL("skill://a/f");
  CHECK_NO_SKILL("skill://a");
  CHECK_NO_SKILL("skill://bad/SKILL.md");
  CHECK_NO_SKILL("");
  exchange(&b.wire, ASK("skills/get", "'uri':5"),
           REFUSED("uri: expected a string"));
  close_bench(&b);
}

#define CHILD(uri, name, type, more)                                           \
  "{'uri':'skill://" uri "','name':'" name "','mimeType':'" type "'" more "}"

BENCH_TEST(a_folder_has_its_direct_children) {
  methods_bench b;
  bench_skill(*state, "a");
  bench_write(*state, "a/s d/x.py", "1");
  bench_write(*state, "a/s d/deep/y", "22");
  bench_write(*state, "a/s d/deep/z", "22");
  bench_write(*state, "a/s d-", "");
  open_bench(&b, state, NULL);
  exchange(&b.wire, ASK("resources/directory/read", "'uri':'skill://a'"),
           "{$J,'id':1,'result':{'resources':[" CHILD(
               "a/SKILL.md", "SKILL.md", "text/markdown",
               ",'size':40") "," CHILD("a/s%20d-", "s d-", "text/plain",
                                       ",'size':0") "," CHILD("a/s%20d", "s d",
                                                              "inode/directory",
                                                              "") "]," CACHED);
  exchange(&b.wire, ASK("resources/directory/read", "'uri':'skill://a/s%20d/'"),
           "{$J,'id':1,'result':{'resources':[" CHILD(
               "a/s%20d/deep", "deep", "inode/directory",
               "") "," CHILD("a/s%20d/x.py", "x.py", "text/x-python",
                             ",'size':1") "]," CACHED);
  close_bench(&b);
}

BENCH_TEST(a_folder_has_pages) {
  methods_bench b;
  const mcp_server_options options = {.size = sizeof(options), .page_count = 1};
  bench_skill(*state, "a");
  bench_write(*state, "a/d/x", "1");
  bench_write(*state, "a/d/y", "1");
  open_bench(&b, state, &options);
  exchange(&b.wire, ASK("resources/directory/read", "'uri':'skill://a'"),
           "{$J,'id':1,'result':{'resources':[" CHILD(
               "a/SKILL.md", "SKILL.md", "text/markdown",
               ",'size':40") "],'nextCursor':'1'," CACHED);
  exchange(&b.wire,
           ASK("resources/directory/read", "'uri':'skill://a','cursor':'1'"),
           "{$J,'id':1,'result':{'resources':[" CHILD(
               "a/d", "d", "inode/directory", "") "]," CACHED);
#define CHECK_NO_CURSOR(cursor, shown)                                         \
  exchange(                                                                    \
      &b.wire,                                                                 \
      ASK("resources/directory/read", "'uri':'skill://a','cursor':" cursor),   \
      REFUSED_VALUE("unknown cursor", shown))
  CHECK_NO_CURSOR("'0'", "0");
  CHECK_NO_CURSOR("'3'", "3");
  CHECK_NO_CURSOR("'x'", "x");
  CHECK_NO_CURSOR("'1x'", "1x");
  CHECK_NO_CURSOR("'9999999'", "9999999");
  CHECK_NO_CURSOR("5", "");
  close_bench(&b);
}

BENCH_TEST(what_is_not_a_folder_is_refused) {
  methods_bench b;
  bench_skill(*state, "a");
  bench_write(*state, "a/d/x", "1");
  open_bench(&b, state, NULL);
#define CHECK_NO_FOLDER(uri)                                                   \
  exchange(&b.wire, ASK("resources/directory/read", "'uri':'" uri "'"),        \
           REFUSED_VALUE("there is no folder", uri))
  CHECK_NO_FOLDER("skill://a/SKILL.md");
  CHECK_NO_FOLDER("skill://a/d/x");
  CHECK_NO_FOLDER("skill://a/none");
  CHECK_NO_FOLDER("skill://a/d/../d");
  CHECK_NO_FOLDER("skill://a//");
  CHECK_NO_FOLDER("skill://");
  CHECK_NO_FOLDER("file:///etc");
  CHECK_NO_FOLDER("");
  close_bench(&b);
}

BENCH_TEST(older_revisions_get_no_cache_hints) {
  methods_bench b;
  open_bench(&b, state, NULL);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  exchange(&b.wire, "{$J,'id':1,'method':'skills/list'}",
           "{$J,'id':1,'result':{'skills':[]}}");
  close_bench(&b);
}

/* After a failure the client gets a whole message or none. */
static int ask_all(const mcp_allocator *allocator, void *userdata) {
  static const char *const asked[] = {
      "{$J,'id':1,'method':'skills/list','params':{$M{}}}",
      ASK("skills/get", "'uri':'skill://a/SKILL.md'"),
      ASK("resources/directory/read", "'uri':'skill://a'")};
  const skills_bench *files = userdata;
  const mcp_skills_options how = {.size = sizeof(how), .directory_read = 1};
  server_rig rig;
  rig_wire wire = {.rig = NULL};
  int rc = rig_init(&rig, NULL, allocator);
  if (rc != 0) {
    return rc;
  }
  rc = mcp_server_add_skills(rig.server, files->dir, &how, NULL);
  if (rc == 0) {
    rc = wire_connect(&wire, &rig, NULL);
  }
  for (size_t i = 0; rc == 0 && i < sizeof(asked) / sizeof(asked[0]); i++) {
    /* A connection ends when it has no memory. */
    rc = wire_send(&wire, asked[i]) == 0 ? 0 : MCP_ERR_NOMEM;
    rig_turn(&rig);
  }
  if (wire.rig == &rig) {
    wire_forget(&wire);
    wire_deinit(&wire);
  }
  rig_deinit(&rig);
  return rc;
}

BENCH_TEST(a_lack_of_memory_is_survived) {
  bench_skill(*state, "a");
  bench_write(*state, "a/d/x", "1");
  failing_alloc_rerun_least(20, ask_all, *state);
}
