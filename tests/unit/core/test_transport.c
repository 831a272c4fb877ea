/* SPDX-License-Identifier: MIT */
#include "core/transport.h"

#include "support/cm.h"
#include <string.h>

static int starts;

static int fake_start(mcp_transport *transport, mcp_error *err) {
  starts++;
  return MCP_ERR_IO;
}

static int fake_send(mcp_transport *transport, const char *message, size_t len,
                     const mcp_send_info *info) {
  return 0;
}

static void fake_close(mcp_transport *transport) {
}

static void fake_on_message(mcp_transport *transport, const char *message,
                            size_t len) {
}

TEST(an_inner_transport_gets_owner_and_callbacks) {
  const mcp_transport events = {.on_message = fake_on_message};
  mcp_transport inner = {.size = sizeof(mcp_transport),
                         .start = fake_start,
                         .send = fake_send,
                         .close = fake_close};
  int owner;
  starts = 0;
  assert_int_equal(mcpi_transport_start_inner(&inner, &owner, &events, NULL),
                   MCP_ERR_IO);
  assert_int_equal(starts, 1);
  assert_ptr_equal(inner.owner, &owner);
  assert_true(inner.on_message == fake_on_message);
  assert_null(inner.on_open);
}

TEST(an_incomplete_inner_transport_is_not_started) {
  const mcp_transport events = {.size = 0};
  mcp_transport inner = {.size = sizeof(mcp_transport), .start = fake_start};
  mcp_error err;
  starts = 0;
  assert_int_equal(mcpi_transport_start_inner(&inner, NULL, &events, &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message, "the transport lacks start, send or close");
  assert_int_equal(starts, 0);
  assert_int_equal(mcpi_transport_start_inner(NULL, NULL, &events, &err),
                   MCP_ERR_INVALID);
}

static uint64_t fake_identity(mcp_transport *transport) {
  return 7;
}

static int waits;

static void fake_on_waiting(mcp_transport *transport, int32_t is_waiting) {
  waits += is_waiting ? 1 : -1;
}

TEST(a_table_of_an_older_program_has_no_newer_members) {
  mcp_transport table = {.size = offsetof(mcp_transport, identity),
                         .identity = fake_identity};
  assert_false(mcpi_transport_has_identity(&table));
  assert_int_equal(mcpi_transport_identity(&table), 0);
  mcpi_transport_set_on_waiting(&table, fake_on_waiting);
  assert_null(table.on_waiting);
  table.size = sizeof(table);
  assert_true(mcpi_transport_has_identity(&table));
  assert_int_equal(mcpi_transport_identity(&table), 7);
  table.identity = NULL;
  assert_int_equal(mcpi_transport_identity(&table), 0);
}

TEST(a_transport_reports_that_it_waits_if_the_owner_listens) {
  mcp_transport table = {.size = sizeof(table)};
  waits = 0;
  mcpi_transport_report_waiting(&table, 1);
  assert_int_equal(waits, 0);
  mcpi_transport_set_on_waiting(&table, fake_on_waiting);
  mcpi_transport_report_waiting(&table, 1);
  assert_int_equal(waits, 1);
  mcpi_transport_report_waiting(&table, 0);
  assert_int_equal(waits, 0);
}
