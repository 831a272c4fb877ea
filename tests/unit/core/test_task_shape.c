/* SPDX-License-Identifier: MIT */
#include "core/task_shape.h"

#include "support/cm.h"
#include "support/scratch.h"
#include <string.h>

static const char *members_of(const mcpi_task_shape *task, int is_modern) {
  mcpi_buf *out = scratch_buf();
  mcpi_buf_putc(out, '{');
  mcpi_task_shape_put(out, task, is_modern);
  mcpi_buf_putc(out, '}');
  return scratch_str(out);
}

SCRATCH_TEST(each_generation_has_its_names) {
  mcpi_task_shape task = {.id = "a\"b",
                          .status = MCPI_TASK_WORKING,
                          .created_ms = INT64_C(1700000000123),
                          .updated_ms = INT64_C(1700000001000),
                          .ttl_ms = -1,
                          .poll_ms = 500};
  assert_string_equal(
      members_of(&task, 0),
      "{\"taskId\":\"a\\\"b\",\"status\":\"working\",\"createdAt\":"
      "\"2023-11-14T22:13:20.123Z\",\"lastUpdatedAt\":"
      "\"2023-11-14T22:13:21.000Z\",\"ttl\":null,\"pollInterval\":500}");
  task.message = MCPI_STR("m");
  task.ttl_ms = 60000;
  assert_string_equal(
      members_of(&task, 1),
      "{\"taskId\":\"a\\\"b\",\"status\":\"working\",\"statusMessage\":\"m\","
      "\"createdAt\":\"2023-11-14T22:13:20.123Z\",\"lastUpdatedAt\":"
      "\"2023-11-14T22:13:21.000Z\",\"ttlMs\":60000,\"pollIntervalMs\":500}");
}

SCRATCH_TEST(a_leap_day_is_a_day) {
  mcpi_task_shape task = {.id = "a",
                          .created_ms = INT64_C(951782400000),
                          .updated_ms = INT64_C(951868800000)};
  assert_non_null(strstr(members_of(&task, 0),
                         "\"createdAt\":\"2000-02-29T00:00:00.000Z\","
                         "\"lastUpdatedAt\":\"2000-03-01T00:00:00.000Z\""));
}

TEST(a_status_is_found_by_its_name) {
  for (int i = 0; i < MCPI_TASK_STATUS_COUNT; i++) {
    mcpi_task_status status = (mcpi_task_status)i;
    mcpi_str name = mcpi_str_z(mcpi_task_status_name(status));
    assert_int_equal(mcpi_task_status_find(name), status);
  }
  assert_int_equal(mcpi_task_status_find(MCPI_STR("Working")),
                   MCPI_TASK_STATUS_COUNT);
  assert_int_equal(mcpi_task_status_find(MCPI_STR("")), MCPI_TASK_STATUS_COUNT);
}

TEST(only_three_statuses_are_ends) {
  assert_false(mcpi_task_status_is_end(MCPI_TASK_WORKING));
  assert_false(mcpi_task_status_is_end(MCPI_TASK_INPUT_REQUIRED));
  assert_true(mcpi_task_status_is_end(MCPI_TASK_COMPLETED));
  assert_true(mcpi_task_status_is_end(MCPI_TASK_FAILED));
  assert_true(mcpi_task_status_is_end(MCPI_TASK_CANCELLED));
}

/* A task is looked at again when it wants, but not too soon or too late. */
SCRATCH_TEST(a_task_says_how_often_it_is_looked_at) {
  static const struct {
    const char *task;
    uint32_t ms;
  } cases[] = {{"{'pollIntervalMs':2000}", 2000},
               {"{'pollInterval':2000}", 2000},
               {"{'pollInterval':150.5}", 150},
               {"{'pollIntervalMs':3,'pollInterval':2000}", 50},
               {"{'pollInterval':49}", 50},
               {"{'pollInterval':3600001}", 3600000},
               {"{'pollInterval':1e300}", 3600000},
               {"{'pollInterval':0}", MCPI_TASK_POLL_MS},
               {"{'pollInterval':-1}", MCPI_TASK_POLL_MS},
               {"{'pollInterval':'5'}", MCPI_TASK_POLL_MS},
               {"{'pollInterval':null}", MCPI_TASK_POLL_MS},
               {"{}", MCPI_TASK_POLL_MS}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const mcp_json *task = scratch_json(cases[i].task);
    assert_int_equal(mcpi_task_poll_ms(task, 50), cases[i].ms);
  }
}

static int high_bytes(void *userdata, void *bytes, size_t len) {
  memset(bytes, *(int *)userdata, len);
  return 0;
}

TEST(an_id_is_made_of_random_bytes) {
  int byte = 0xff;
  mcp_platform platform = {
      .size = sizeof(platform), .userdata = &byte, .random = high_bytes};
  mcp_loop *loop = mcp_loop_new_manual(&platform, NULL, NULL);
  char id[MCPI_TASK_NEW_ID_LEN + 1];
  assert_int_equal(mcpi_task_make_id(loop, id, NULL), 0);
  assert_string_equal(id, "f______________________________");
  byte = 0x40;
  assert_int_equal(mcpi_task_make_id(loop, id, NULL), 0);
  assert_string_equal(id, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
  mcp_loop_free(loop);
}

TEST(without_random_bytes_there_is_no_id) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  char id[MCPI_TASK_NEW_ID_LEN + 1] = "as before";
  mcp_error err;
  assert_int_equal(mcpi_task_make_id(loop, id, &err), MCP_ERR_PLATFORM);
  assert_string_equal(err.message, "the platform gives no random bytes for the "
                                   "id of a task");
  assert_string_equal(id, "as before");
  mcp_loop_free(loop);
}
