/* SPDX-License-Identifier: MIT */
/* A server with skills: what it declares and what it refuses. */
#include "support/cm.h"

#include "support/failing_alloc.h"
#include "support/server_rig.h"
#include "unit/skills/skills_bench.h"

#define VERSIONS                                                               \
  "['2026-07-28','2025-11-25','2025-06-18','2025-03-26','2024-11-05']"
#define CACHED "'resultType':'complete','ttlMs':0,'cacheScope':'private',$I}}"

static int add(server_rig *rig, const char *dir,
               const mcp_skills_options *options, mcp_error *err) {
  return mcp_server_add_skills(rig->server, dir, options, err);
}

BENCH_TEST(a_server_with_skills_declares_the_extension_and_resources) {
  skills_bench *bench = *state;
  server_rig rig;
  rig_wire wire;
  bench_skill(bench, "a");
  assert_int_equal(rig_init(&rig, NULL, NULL), 0);
  assert_int_equal(add(&rig, bench->dir, NULL, NULL), 0);
  wire_connect(&wire, &rig, NULL);
  exchange(&wire, "{$J,'id':1,'method':'server/discover','params':{$M{}}}",
           "{$J,'id':1,'result':{'supportedVersions':" VERSIONS ","
           "'capabilities':{'resources':{'subscribe':true,'listChanged':true},'"
           "extensions':{"
           "'io.modelcontextprotocol/skills':{}}}," CACHED);
  wire_deinit(&wire);
  rig_deinit(&rig);
}

BENCH_TEST(an_empty_folder_is_declared_too) {
  skills_bench *bench = *state;
  server_rig rig;
  rig_wire wire;
  const mcp_skills_options options = {.size = sizeof(options),
                                      .directory_read = 1};
  assert_int_equal(rig_init(&rig, NULL, NULL), 0);
  assert_int_equal(add(&rig, bench->dir, &options, NULL), 0);
  wire_connect(&wire, &rig, NULL);
  exchange(&wire, "{$J,'id':1,'method':'server/discover','params':{$M{}}}",
           "{$J,'id':1,'result':{'supportedVersions':" VERSIONS ","
           "'capabilities':{'resources':{'subscribe':true,'listChanged':true},'"
           "extensions':{"
           "'io.modelcontextprotocol/skills':{'directoryRead':true}}}," CACHED);
  exchange(&wire, "{$J,'id':2,'method':'skills/list','params':{$M{}}}",
           "{$J,'id':2,'result':{'skills':[]," CACHED);
  wire_deinit(&wire);
  rig_deinit(&rig);
}

BENCH_TEST(wrong_parameters_are_refused) {
  skills_bench *bench = *state;
  server_rig rig;
  mcp_error err;
  const mcp_skills_options no_size = {.poll_ms = 1};
  assert_int_equal(rig_init(&rig, NULL, NULL), 0);
  assert_int_equal(mcp_server_add_skills(NULL, bench->dir, NULL, &err),
                   MCP_ERR_INVALID);
  assert_int_equal(add(&rig, NULL, NULL, &err), MCP_ERR_INVALID);
  assert_int_equal(add(&rig, "", NULL, &err), MCP_ERR_INVALID);
  assert_int_equal(add(&rig, bench->dir, &no_size, &err), MCP_ERR_INVALID);
  assert_int_equal(add(&rig, "/nowhere", NULL, &err), MCP_ERR_IO);
  assert_non_null(strstr(err.message, "/nowhere"));
  assert_non_null(mcp_server_error(rig.server));
  rig_deinit(&rig);
}

BENCH_TEST(a_loop_without_a_pool_is_refused) {
  skills_bench *bench = *state;
  server_rig rig;
  mcp_error err;
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  const mcp_skills_options options = {.size = sizeof(options), .loop = loop};
  assert_int_equal(rig_init(&rig, NULL, NULL), 0);
  assert_int_equal(add(&rig, bench->dir, &options, &err), MCP_ERR_INVALID);
  assert_non_null(strstr(err.message, "mcp_loop_new"));
  rig_deinit(&rig);
  mcp_loop_free(loop);
}

BENCH_TEST(a_server_has_one_folder_of_skills) {
  skills_bench *bench = *state;
  server_rig rig;
  mcp_error err;
  bench_skill(bench, "a");
  assert_int_equal(rig_init(&rig, NULL, NULL), 0);
  assert_int_equal(add(&rig, bench->dir, NULL, NULL), 0);
  assert_int_equal(add(&rig, bench->dir, NULL, &err), MCP_ERR_EXISTS);
  rig_deinit(&rig);
}

static int add_with(const mcp_allocator *allocator, void *userdata) {
  const skills_bench *bench = userdata;
  server_rig rig;
  int rc = rig_init(&rig, NULL, allocator);
  if (rc == 0) {
    rc = add(&rig, bench->dir, NULL, NULL);
    rig_deinit(&rig);
  }
  return rc;
}

BENCH_TEST(a_lack_of_memory_is_an_error) {
  skills_bench *bench = *state;
  bench_skill(bench, "a");
  bench_write(bench, "a/b/c", "1");
  failing_alloc_rerun_least(20, add_with, bench);
}
