/* SPDX-License-Identifier: MIT */
#include "core/reports.h"

#include "support/cm.h"
#include "support/failing_alloc.h"

typedef struct scene {
  mcp_loop *loop;
  mcpi_reports reports;
  uint64_t held; /* in the last report */
  int told_count;
} scene;

static void on_held(mcpi_reports *reports, uint64_t held) {
  scene *s = MCPI_CONTAINER(reports, scene, reports);
  s->held = held;
  s->told_count++;
}

static void begin(scene *s, const mcp_allocator *allocator, uint32_t max) {
  *s = (scene){.loop = mcp_loop_new_manual(NULL, allocator, NULL)};
  mcpi_reports_init(&s->reports, s->loop, max, on_held);
  mcp_loop_advance(s->loop, 5000, 0);
}

static void end(scene *s) {
  mcpi_reports_flush(&s->reports);
  mcp_loop_free(s->loop);
}

static int admit(scene *s, int count) {
  int admitted = 0;
  for (int i = 0; i < count; i++) {
    admitted += mcpi_reports_admit(&s->reports);
  }
  return admitted;
}

TEST(reports_up_to_the_limit_pass) {
  scene s;
  begin(&s, NULL, 3);
  assert_int_equal(admit(&s, 3), 3);
  mcp_loop_advance(s.loop, 6000, 0);
  assert_int_equal(admit(&s, 3), 3);
  mcp_loop_advance(s.loop, 7000, 0);
  end(&s);
  assert_int_equal(s.told_count, 0);
}

TEST(one_past_the_limit_is_counted) {
  scene s;
  begin(&s, NULL, 3);
  assert_int_equal(admit(&s, 4), 3);
  mcp_loop_advance(s.loop, 5999, 0);
  assert_int_equal(s.told_count, 0);
  assert_int_equal(admit(&s, 1000), 0);
  mcp_loop_advance(s.loop, 6000, 0);
  assert_int_equal(s.told_count, 1);
  assert_int_equal(s.held, 1001);
  assert_int_equal(admit(&s, 4), 3); /* the next second */
  mcp_loop_advance(s.loop, 7000, 0);
  assert_int_equal(s.told_count, 2);
  assert_int_equal(s.held, 1);
  end(&s);
}

TEST(the_end_reports_the_count) {
  scene s;
  begin(&s, NULL, 1);
  admit(&s, 8);
  mcpi_reports_flush(&s.reports);
  assert_int_equal(s.held, 7);
  end(&s);
  assert_int_equal(s.told_count, 1);
}

TEST(without_memory_the_count_comes_with_a_later_second) {
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  scene s;
  begin(&s, &alloc.allocator, 1);
  alloc.fail_at = alloc.calls + 1;
  assert_int_equal(admit(&s, 2), 1);
  mcp_loop_advance(s.loop, 6000, 0);
  assert_int_equal(admit(&s, 3), 1);
  mcp_loop_advance(s.loop, 7000, 0);
  assert_int_equal(s.told_count, 1);
  assert_int_equal(s.held, 3);
  end(&s);
}

TEST(without_memory_the_count_comes_at_the_end) {
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  scene s;
  begin(&s, &alloc.allocator, 1);
  alloc.fail_at = alloc.calls + 1;
  assert_int_equal(admit(&s, 2), 1);
  mcp_loop_advance(s.loop, 6000, 0);
  assert_int_equal(s.told_count, 0);
  end(&s);
  assert_int_equal(s.held, 1);
}
