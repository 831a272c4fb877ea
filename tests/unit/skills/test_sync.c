/* SPDX-License-Identifier: MIT */
/* The requests that wait, with a server that is this program, too, when it is
 * called with "serve" and a folder. */
#include "support/libmcp/recorder.h"
#include "unit/skills/skills_bench.h"
#include <mcp/mcp.h>

static int serve(const char *dir) {
  char *argv[] = {(char *)"serve", NULL};
  mcp_server *server = mcp_server_new("tested", "1", NULL, NULL);
  mcp_server_add_skills(
      server, dir,
      &(mcp_skills_options){.size = sizeof(mcp_skills_options),
                            .directory_read = 1},
      NULL);
  return mcp_main(server, 1, argv);
}

typedef struct sync_bench {
  mcp_loop *loop;
  mcp_client *client;
  mcp_result *result;
  mcp_error err;
} sync_bench;

static void open_bench(sync_bench *b, const skills_bench *files) {
  const char *const argv[] = {"/proc/self/exe", "serve", files->dir, NULL};
  *b = (sync_bench){.loop = loop_begin()};
  b->client = mcp_client_new(b->loop, "test", "1", NULL, NULL);
  if (mcp_sync_connect_command(b->client, argv, &b->err) != 0) {
    fail_msg("%s", b->err.message);
  }
}

static void close_bench(sync_bench *b) {
  mcp_result_unref(b->result);
  mcp_client_free(b->client);
  loop_end(b->loop);
}

/* Keeps the result that a request stored in `found`. */
static mcp_result *bench_take(sync_bench *b, int rc, mcp_result *found) {
  if (rc != 0) {
    fail_msg("%s", b->err.message);
  }
  mcp_result_unref(b->result);
  b->result = found;
  return found;
}

BENCH_TEST(a_skill_of_our_server_is_read) {
  sync_bench b;
  mcp_result *found = NULL;
  size_t len;
  bench_skill(*state, "a");
  bench_write(*state, "a/b/c d.bin", "\xff");
  open_bench(&b, *state);
  int rc = mcp_sync_list_skills(b.client, NULL, &found, &b.err);
  mcp_skill *skill = mcp_skill_new(
      mcp_result_item(bench_take(&b, rc, found), 0), NULL, &b.err);
  assert_non_null(skill);
  rc = mcp_sync_read_skill(b.client, skill, NULL, NULL, &found, &b.err);
  assert_string_equal(mcp_result_text(bench_take(&b, rc, found)),
                      "---\nname: a\ndescription: About a\n---\n# T");
  rc = mcp_sync_read_skill(b.client, skill, "b/c d.bin", NULL, &found, &b.err);
  assert_string_equal(mcp_result_bytes(bench_take(&b, rc, found), &len),
                      "\xff");
  rc = mcp_sync_list_skill_folder(b.client, skill, "b", NULL, &found, &b.err);
  assert_int_equal(mcp_result_count(bench_take(&b, rc, found)), 1);
  rc = mcp_sync_get_skill(b.client, mcp_skill_uri(skill), NULL, &found, &b.err);
  assert_int_equal(mcp_result_count(bench_take(&b, rc, found)), 1);
  mcp_skill_free(skill);
  close_bench(&b);
}

/* The server reads the folder once, and the file then changes. */
BENCH_TEST(a_file_that_changed_after_it_was_listed_is_refused) {
  sync_bench b;
  mcp_result *found = NULL;
  bench_skill(*state, "a");
  bench_write(*state, "a/f", "first");
  open_bench(&b, *state);
  int rc = mcp_sync_list_skills(b.client, NULL, &found, &b.err);
  mcp_skill *skill = mcp_skill_new(
      mcp_result_item(bench_take(&b, rc, found), 0), NULL, &b.err);
  bench_write(*state, "a/f", "other");
  found = NULL;
  assert_int_equal(
      mcp_sync_read_skill(b.client, skill, "f", NULL, &found, &b.err),
      MCP_ERR_MISMATCH);
  assert_null(found);
  mcp_skill_free(skill);
  close_bench(&b);
}

int main(int argc, char **argv) {
  if (argc > 2 && strcmp(argv[1], "serve") == 0) {
    return serve(argv[2]);
  }
  return tests_run(NULL, NULL);
}
