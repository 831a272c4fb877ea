/* SPDX-License-Identifier: MIT */
#include "store/sqlite/job.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/store_rig.h"

static int copy_one(const mcp_allocator *allocator, void *userdata) {
  char id[] = "one";
  char data[] = "{\"secret\":1}";
  mcp_task_record record = store_record(id, "anna", 1000, data);
  mcpi_sqlite_job *job =
      mcpi_sqlite_job_new(allocator, MCPI_SQLITE_CREATE, NULL, &record);
  if (job == NULL) {
    return MCP_ERR_NOMEM;
  }
  id[0] = data[0] = 'x';
  assert_string_equal(job->record.id, "one");
  assert_string_equal(job->record.owner, "anna");
  assert_memory_equal(job->record.data, "{\"secret\":1}", record.data_len);
  mcpi_sqlite_job_free(job);
  return 0;
}

TEST(a_request_has_copies) {
  failing_alloc_rerun_least(1, copy_one, NULL);
}

TEST(what_a_client_has_sent_does_not_stay_in_memory) {
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  alloc.secret = "secret";
  assert_int_equal(copy_one(&alloc.allocator, NULL), 0);
  assert_int_equal(alloc.left_secrets, 0);
  assert_int_equal(alloc.live_blocks, 0);
}

static mcpi_sqlite_job *job_of(mcpi_sqlite_kind kind, int has_ended) {
  mcp_task_record record = {.id = "one", .has_ended = has_ended};
  return mcpi_sqlite_job_new(mcp_allocator_default(), kind, NULL, &record);
}

static int is_durable(mcpi_sqlite_kind kind, int has_ended) {
  mcpi_sqlite_job *job = job_of(kind, has_ended);
  int durable = mcpi_sqlite_job_is_durable(job);
  mcpi_sqlite_job_free(job);
  return durable;
}

TEST(creates_and_ends_are_durable) {
  assert_true(is_durable(MCPI_SQLITE_CREATE, 0));
  assert_true(is_durable(MCPI_SQLITE_UPDATE, 1));
  assert_false(is_durable(MCPI_SQLITE_UPDATE, 0));
  assert_false(is_durable(MCPI_SQLITE_EXPIRE, 0));
  assert_false(is_durable(MCPI_SQLITE_LOAD, 0));
}

static int seen_status;

static void on_done(void *argument, int status) {
  seen_status = status;
}

static void on_found(void *argument, int status, const mcp_task_record *records,
                     size_t count) {
  seen_status = status;
  assert_null(records);
  assert_int_equal(count, 0);
}

TEST(the_completion_gets_the_status) {
  mcpi_sqlite_job *job = job_of(MCPI_SQLITE_UPDATE, 0);
  job->done = on_done;
  assert_true(mcpi_sqlite_job_writes(job));
  job->status = MCP_ERR_BUSY;
  mcpi_sqlite_job_complete(job);
  assert_int_equal(seen_status, MCP_ERR_BUSY);
  job = job_of(MCPI_SQLITE_LOAD, 0);
  job->on_found = on_found;
  assert_false(mcpi_sqlite_job_writes(job));
  job->status = MCP_ERR_NOT_FOUND;
  mcpi_sqlite_job_complete(job);
  assert_int_equal(seen_status, MCP_ERR_NOT_FOUND);
}
