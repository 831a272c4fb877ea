/* SPDX-License-Identifier: MIT */
#include "ext/tasks/task_data.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/scratch.h"
#include <string.h>

static const mcpi_revision *modern(void) {
  return mcpi_revision_find(mcpi_str_z("2026-07-28"));
}

static mcpi_task_data task_in(mcpi_task_status status) {
  return (mcpi_task_data){.revision = modern(),
                          .status = status,
                          .created_ms = INT64_C(1700000000123),
                          .updated_ms = INT64_C(1700000001000),
                          .ttl_ms = 60000,
                          .poll_ms = 500};
}

static const char *record_of(const mcpi_task_data *task) {
  mcpi_buf *out = scratch_buf();
  mcpi_task_data_put(out, task);
  return scratch_str(out);
}

static const char *core_of(const mcpi_task_data *task) {
  mcpi_buf *out = scratch_buf();
  mcpi_buf_putc(out, '{');
  mcpi_task_put_core(out, "id", task);
  mcpi_buf_putc(out, '}');
  return scratch_str(out);
}

static const char *details_of(const mcpi_task_data *task) {
  mcpi_buf *out = scratch_buf();
  mcpi_buf_putc(out, '{');
  mcpi_task_put_details(out, "id", task);
  mcpi_buf_putc(out, '}');
  return scratch_str(out);
}

/* Reads a record and writes it again. */
static void comes_back(const char *text) {
  mcpi_task_data task = {.created_ms = 1};
  mcp_doc *doc;
  assert_int_equal(mcpi_task_data_read(&task, mcpi_str_z(text),
                                       mcp_allocator_default(), &doc),
                   0);
  assert_string_equal(record_of(&task), text);
  assert_true(task.created_ms == 1);
  mcp_doc_free(doc);
}

SCRATCH_TEST(a_record_has_what_is_known) {
  mcpi_task_data task = task_in(MCPI_TASK_WORKING);
  assert_string_equal(record_of(&task),
                      "{\"revision\":\"2026-07-28\",\"status\":\"working\","
                      "\"updated\":1700000001000,\"ttl\":60000,\"poll\":500}");
  task.message = MCPI_STR("a \"quoted\" word");
  task.ttl_ms = -1;
  assert_string_equal(record_of(&task),
                      "{\"revision\":\"2026-07-28\",\"status\":\"working\","
                      "\"message\":\"a \\\"quoted\\\" word\","
                      "\"updated\":1700000001000,\"ttl\":-1,\"poll\":500}");
}

SCRATCH_TEST(a_record_comes_back) {
  comes_back(
      "{\"revision\":\"2025-11-25\",\"status\":\"completed\","
      "\"updated\":2,\"ttl\":-1,\"poll\":0,\"result\":{\"content\":[]}}");
  comes_back("{\"revision\":\"2026-07-28\",\"status\":\"input_required\","
             "\"message\":\"m\",\"updated\":1,\"ttl\":3,\"poll\":4,\"params\":{"
             "\"name\":\"t\"},\"capabilities\":{\"elicitation\":{}},\"client\":"
             "{\"name\":\"c\"},\"scopes\":\"a "
             "b\",\"questions\":{\"k\":{\"method\":\"m\"}},"
             "\"answers\":{\"l\":{}},\"failures\":{\"m\":\"timed out\"},"
             "\"state\":{\"round\":1}}");
  comes_back("{\"revision\":\"2026-07-28\",\"status\":\"failed\",\"updated\":1,"
             "\"ttl\":3,\"poll\":4,\"error\":{\"code\":-32603}}");
  comes_back("{\"revision\":\"2026-07-28\",\"status\":\"cancelled\","
             "\"updated\":1,\"ttl\":3,\"poll\":4}");
}

TEST(other_texts_are_refused) {
  static const char *const bad[] = {
      "",
      "[]",
      "{}",
      "{\"revision\":\"2026-07-28\"}",
      "{\"revision\":\"2020-01-01\",\"status\":\"working\"}",
      "{\"revision\":\"2026-07-28\",\"status\":\"Working\"}",
      "{\"revision\":\"2026-07-28\",\"status\":1}",
      "{\"revision\":\"2026-07-28\",\"status\":\"working\"",
      "{\"revision\":\"2026-07-28\",\"status\":\"working\"}",
      "{\"revision\":\"2026-07-28\",\"status\":\"working\",\"params\":{}}",
      "{\"revision\":\"2026-07-28\",\"status\":\"input_required\","
      "\"params\":{\"name\":7}}",
      "{\"revision\":\"2026-07-28\",\"status\":\"input_required\","
      "\"params\":{\"name\":\"t\"}}",
      "{\"revision\":\"2026-07-28\",\"status\":\"input_required\","
      "\"params\":{\"name\":\"t\"},\"questions\":{}}",
      "{\"revision\":\"2026-07-28\",\"status\":\"input_required\","
      "\"params\":{\"name\":\"t\"},\"questions\":{\"k\":{}}}",
      "{\"revision\":\"2026-07-28\",\"status\":\"working\",\"params\":{"
      "\"name\":\"t\",\"arguments\":[]}}",
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    mcpi_task_data task = {.created_ms = 1};
    mcp_doc *doc = NULL;
    assert_int_equal(mcpi_task_data_read(&task, mcpi_str_z(bad[i]),
                                         mcp_allocator_default(), &doc),
                     MCP_ERR_PARSE);
    assert_null(doc);
    assert_null(task.revision);
  }
}

SCRATCH_TEST(the_two_generations_name_limits_differently) {
  mcpi_task_data task = task_in(MCPI_TASK_WORKING);
  assert_string_equal(details_of(&task),
                      "{\"taskId\":\"id\",\"status\":\"working\","
                      "\"createdAt\":\"2023-11-14T22:13:20.123Z\","
                      "\"lastUpdatedAt\":\"2023-11-14T22:13:21.000Z\","
                      "\"ttlMs\":60000,\"pollIntervalMs\":500}");
  task.ttl_ms = -1;
  task.message = MCPI_STR("m");
  assert_string_equal(
      core_of(&task),
      "{\"taskId\":\"id\",\"status\":\"working\",\"statusMessage\":\"m\","
      "\"createdAt\":\"2023-11-14T22:13:20.123Z\","
      "\"lastUpdatedAt\":\"2023-11-14T22:13:21.000Z\","
      "\"ttl\":null,\"pollInterval\":500}");
}

SCRATCH_TEST(times_are_those_of_the_calendar) {
  static const struct {
    int64_t ms;
    const char *text;
  } times[] = {{0, "1970-01-01T00:00:00.000Z"},
               {INT64_C(951782399999), "2000-02-28T23:59:59.999Z"},
               {INT64_C(951782400000), "2000-02-29T00:00:00.000Z"},
               {INT64_C(951868800000), "2000-03-01T00:00:00.000Z"},
               {INT64_C(1709164800000), "2024-02-29T00:00:00.000Z"},
               {INT64_C(1735689599000), "2024-12-31T23:59:59.000Z"},
               {INT64_C(1735689600000), "2025-01-01T00:00:00.000Z"},
               {INT64_C(4107542400000), "2100-03-01T00:00:00.000Z"},
               {INT64_C(253402300799999), "9999-12-31T23:59:59.999Z"}};
  for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
    mcpi_task_data task = task_in(MCPI_TASK_WORKING);
    task.created_ms = times[i].ms;
    if (strstr(core_of(&task), times[i].text) == NULL) {
      fail_msg("%s: %s", times[i].text, core_of(&task));
    }
  }
}

SCRATCH_TEST(details_belong_to_the_status) {
  mcpi_task_data task = {.created_ms = 1};
  mcp_doc *doc;
  const char *all = "{\"revision\":\"2026-07-28\",\"status\":\"completed\","
                    "\"questions\":{\"q\":1},\"result\":{\"r\":1},"
                    "\"error\":{\"e\":1}}";
  static const char *const details[MCPI_TASK_STATUS_COUNT] = {
      [MCPI_TASK_INPUT_REQUIRED] = "\"inputRequests\":{\"q\":1}}",
      [MCPI_TASK_COMPLETED] =
          "\"result\":{\"r\":1,\"resultType\":\"complete\"}}",
      [MCPI_TASK_FAILED] = "\"error\":{\"e\":1}}"};
  assert_int_equal(mcpi_task_data_read(&task, mcpi_str_z(all),
                                       mcp_allocator_default(), &doc),
                   0);
  for (int status = 0; status < MCPI_TASK_STATUS_COUNT; status++) {
    task.status = (mcpi_task_status)status;
    const char *seen = details_of(&task);
    const char *expected =
        details[status] != NULL ? details[status] : "\"pollIntervalMs\":0}";
    assert_string_equal(seen + strlen(seen) - strlen(expected), expected);
    assert_int_equal(mcpi_task_has_ended(&task), status >= MCPI_TASK_COMPLETED);
  }
  mcp_doc_free(doc);
}

static int read_record(const mcp_allocator *allocator, void *userdata) {
  static const char text[] =
      "{\"revision\":\"2026-07-28\",\"status\":\"completed\",\"params\":{}}";
  mcpi_task_data task;
  mcp_doc *doc;
  (void)userdata;
  int rc = mcpi_task_data_read(&task, mcpi_str_z(text), allocator, &doc);
  if (rc == 0) {
    mcp_doc_free(doc);
  }
  return rc;
}

TEST(a_lack_of_memory_is_reported) {
  failing_alloc_rerun_least(1, read_record, NULL);
}
