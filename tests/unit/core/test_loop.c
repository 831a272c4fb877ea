/* SPDX-License-Identifier: MIT */
#include "core/loop.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <string.h>

/* --- a platform that remembers ------------------------------------------ */

typedef struct fake {
  int64_t now_ms;
  int64_t wall_ms;
  int wakes;
  int releases;
  int away; /* not on the loop's thread */
  int random_fails;
  int posts;
  mcp_loop *loop;
  int64_t next_at_release;
} fake;

static void fake_clock(void *userdata, int64_t *now_ms, int64_t *wall_ms) {
  const fake *f = userdata;
  if (now_ms != NULL) {
    *now_ms = f->now_ms;
  }
  if (wall_ms != NULL) {
    *wall_ms = f->wall_ms;
  }
}

static int fake_random(void *userdata, void *bytes, size_t len) {
  const fake *f = userdata;
  if (f->random_fails) {
    return MCP_ERR_IO;
  }
  for (size_t i = 0; i < len; i++) {
    ((uint8_t *)bytes)[i] = (uint8_t)i;
  }
  return 0;
}

static int fake_post(void *userdata, void (*run)(void *argument),
                     void *argument) {
  fake *f = userdata;
  f->posts++;
  run(argument);
  return 0;
}

static int fake_is_loop_thread(void *userdata) {
  const fake *f = userdata;
  return !f->away;
}

static void fake_wake(void *userdata) {
  fake *f = userdata;
  f->wakes++;
}

/* The loop must still be whole here. */
static void fake_release(void *userdata) {
  fake *f = userdata;
  f->releases++;
  if (f->loop != NULL) {
    mcpi_block *block = mcpi_block_take(&f->loop->pool, 10);
    mcpi_block_unref(block);
    f->next_at_release = mcp_loop_next_deadline(f->loop);
  }
}

/* --- posting ------------------------------------------------------------ */

static char order[64];
static char letters[] = "abcx";

static void append(void *argument) {
  size_t len = strlen(order);
  order[len] = *(const char *)argument;
  order[len + 1] = '\0';
}

TEST(posts_run_in_order_at_the_next_advance) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  order[0] = '\0';
  assert_int_equal(mcp_loop_post(loop, append, &letters[0]), 0);
  assert_int_equal(mcp_loop_post(loop, append, &letters[1]), 0);
  assert_int_equal(mcp_loop_post(loop, append, &letters[2]), 0);
  assert_string_equal(order, "");
  mcp_loop_advance(loop, 1, 1);
  assert_string_equal(order, "abc");
  mcp_loop_advance(loop, 2, 2);
  assert_string_equal(order, "abc");
  mcp_loop_free(loop);
}

typedef struct chain {
  mcp_loop *loop;
  int runs;
  int rc;
} chain;

static void post_again(void *argument) {
  chain *c = argument;
  c->runs++;
  c->rc = mcp_loop_post(c->loop, post_again, c);
}

TEST(what_is_posted_meanwhile_waits) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  chain c = {loop, 0, 0};
  mcp_loop_post(loop, post_again, &c);
  for (int i = 1; i <= 5; i++) {
    assert_int_equal(mcp_loop_next_deadline(loop), i - 1);
    mcp_loop_advance(loop, i, 0);
    assert_int_equal(c.runs, i);
  }
  /* Freeing runs what waits; it cannot post any more. */
  mcp_loop_free(loop);
  assert_int_equal(c.runs, 6);
  assert_int_equal(c.rc, MCP_ERR_CLOSED);
}

static void advance_inside(void *argument) {
  chain *c = argument;
  c->runs++;
  mcp_loop_advance(c->loop, 0, 0);
}

TEST(advance_may_be_called_inside_itself) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  chain c = {loop, 0, 0};
  for (int i = 0; i < 3; i++) {
    mcp_loop_post(loop, advance_inside, &c);
  }
  mcp_loop_advance(loop, 1, 1);
  assert_int_equal(c.runs, 3);
  mcp_loop_free(loop);
}

static void free_inside(void *argument) {
  mcp_loop *loop = argument;
  mcp_loop_free(loop); /* does nothing */
  mcp_loop_post(loop, append, &letters[0]);
}

TEST(it_is_not_freed_inside_a_post) {
  order[0] = '\0';
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  mcp_loop_post(loop, free_inside, loop);
  mcp_loop_advance(loop, 1, 1);
  mcp_loop_advance(loop, 2, 2);
  assert_string_equal(order, "a");
  mcp_loop_free(loop);
}

TEST(posting_again_and_again_asks_for_no_memory) {
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  mcp_loop *loop = mcp_loop_new_manual(NULL, &alloc.allocator, NULL);
  chain c = {loop, 0, 0};
  mcp_loop_post(loop, post_again, &c);
  mcp_loop_advance(loop, 1, 1);
  size_t calls = alloc.calls;
  for (int i = 0; i < 1000; i++) {
    mcp_loop_advance(loop, i, 1);
  }
  assert_int_equal(alloc.calls, calls);
  mcp_loop_free(loop);
  assert_int_equal(alloc.live_blocks, 0);
}

TEST(the_platforms_post_is_used) {
  fake f = {0};
  mcp_platform platform = {
      .size = sizeof(mcp_platform), .userdata = &f, .post = fake_post};
  mcp_loop *loop = mcp_loop_new_manual(&platform, NULL, NULL);
  order[0] = '\0';
  assert_int_equal(mcp_loop_post(loop, append, &letters[3]), 0);
  assert_int_equal(f.posts, 1);
  assert_string_equal(order, "x");
  assert_true(mcp_loop_next_deadline(loop) == INT64_MAX);
  mcp_loop_free(loop);
}

TEST(bad_arguments_are_refused) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  assert_int_equal(mcp_loop_post(NULL, append, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_loop_post(loop, NULL, NULL), MCP_ERR_INVALID);
  mcp_loop_free(loop);
  mcp_loop_free(NULL);
}

/* --- time --------------------------------------------------------------- */

static int due_count;
static mcp_loop *current;

static void count_due(mcpi_timer *timer) {
  due_count++;
}

TEST(time_is_what_advance_says) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  mcpi_timer timer = {.on_due = count_due};
  due_count = 0;
  mcp_loop_advance(loop, 1000, 5000);
  assert_int_equal(mcpi_loop_now(loop), 1000);
  assert_int_equal(mcpi_loop_wall(loop), 5000);
  assert_int_equal(mcpi_loop_start_timer(loop, &timer, 10), 0);
  assert_int_equal(mcp_loop_next_deadline(loop), 1010);
  mcp_loop_advance(loop, 900, 4000); /* monotonic time does not go back */
  assert_int_equal(mcpi_loop_now(loop), 1000);
  assert_int_equal(mcpi_loop_wall(loop), 4000);
  mcp_loop_advance(loop, 1009, 5009);
  assert_int_equal(due_count, 0);
  mcp_loop_advance(loop, 1010, 5010);
  assert_int_equal(due_count, 1);
  assert_true(mcp_loop_next_deadline(loop) == INT64_MAX);
  mcp_loop_free(loop);
}

TEST(the_platforms_clock_wins) {
  fake f = {.now_ms = 70, .wall_ms = 80};
  mcp_platform platform = {
      .size = sizeof(mcp_platform), .userdata = &f, .clock = fake_clock};
  mcp_loop *loop = mcp_loop_new_manual(&platform, NULL, NULL);
  mcpi_timer timer = {.on_due = count_due};
  due_count = 0;
  mcp_loop_advance(loop, 1, 2);
  assert_int_equal(mcpi_loop_now(loop), 70);
  assert_int_equal(mcpi_loop_wall(loop), 80);
  mcpi_loop_start_timer(loop, &timer, 5);
  f.now_ms = 75;
  mcpi_loop_run_timers(loop);
  assert_int_equal(due_count, 1);
  mcp_loop_free(loop);
}

TEST(a_deadline_past_all_time_is_never) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  mcpi_timer timer = {.on_due = count_due};
  mcp_loop_advance(loop, INT64_MAX - 5, 0);
  mcpi_loop_start_timer(loop, &timer, 5);
  assert_true(timer.due_ms == INT64_MAX);
  mcpi_loop_start_timer(loop, &timer, 6);
  assert_true(timer.due_ms == INT64_MAX);
  mcpi_loop_start_timer(loop, &timer, 4);
  assert_true(timer.due_ms == INT64_MAX - 1);
  mcpi_loop_start_timer(loop, &timer, -100); /* at once */
  assert_true(timer.due_ms == INT64_MAX - 5);
  mcpi_loop_stop_timer(loop, &timer);
  mcp_loop_free(loop);
}

TEST(an_answer_beats_its_deadline) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  mcpi_timer timer = {.on_due = count_due};
  due_count = 0;
  order[0] = '\0';
  mcpi_loop_start_timer(loop, &timer, 10);
  mcp_loop_post(loop, append, &letters[0]);
  mcp_loop_advance(loop, 10, 0);
  assert_string_equal(order, "a");
  assert_int_equal(due_count, 1);
  mcp_loop_free(loop);
}

TEST(the_platform_is_woken_when_the_deadline_moves_up) {
  fake f = {0};
  mcp_platform platform = {
      .size = sizeof(mcp_platform), .userdata = &f, .wake = fake_wake};
  mcp_loop *loop = mcp_loop_new_manual(&platform, NULL, NULL);
  mcpi_timer a = {.on_due = count_due};
  mcpi_timer b = {.on_due = count_due};
  mcpi_loop_start_timer(loop, &a, 100);
  assert_int_equal(f.wakes, 1);
  mcpi_loop_start_timer(loop, &b, 200); /* not the next one */
  assert_int_equal(f.wakes, 1);
  mcpi_loop_start_timer(loop, &b, 50);
  assert_int_equal(f.wakes, 2);
  mcp_loop_post(loop, append, &letters[0]);
  assert_int_equal(f.wakes, 3);
  mcpi_loop_stop_timer(loop, &a);
  mcpi_loop_stop_timer(loop, &b);
  mcp_loop_free(loop);
}

static void run_at_once_again(mcpi_timer *timer) {
  due_count++;
  assert_int_equal(mcpi_loop_start_timer(current, timer, 0), 0);
}

TEST(freeing_runs_what_is_due_but_not_for_ever) {
  mcpi_timer again = {.on_due = run_at_once_again};
  mcpi_timer later = {.on_due = count_due};
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  current = loop;
  due_count = 0;
  mcpi_loop_start_timer(loop, &later, 10);
  mcp_loop_free(loop);
  assert_int_equal(due_count, 0);
  loop = mcp_loop_new_manual(NULL, NULL, NULL);
  current = loop;
  mcpi_loop_start_timer(loop, &again, 0);
  mcp_loop_free(loop);
  assert_true(due_count > 0 && due_count < 1000);
}

/* --- life --------------------------------------------------------------- */

TEST(release_comes_last_and_finds_the_loop_whole) {
  fake f = {0};
  mcp_platform platform = {
      .size = sizeof(mcp_platform), .userdata = &f, .release = fake_release};
  f.loop = mcp_loop_new_manual(&platform, NULL, NULL);
  mcp_loop_free(f.loop);
  assert_int_equal(f.releases, 1);
  assert_true(f.next_at_release == INT64_MAX);
}

TEST(a_platform_table_without_size_is_refused) {
  mcp_platform platform = {0};
  mcp_error err = {0};
  assert_null(mcp_loop_new_manual(&platform, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message, "mcp_platform has no size: set its member "
                                   "size to sizeof(mcp_platform)");
}

TEST(a_shorter_platform_table_lacks_its_end) {
  fake f = {0};
  mcp_platform platform = {.size = offsetof(mcp_platform, random),
                           .userdata = &f,
                           .clock = fake_clock,
                           .random = fake_random,
                           .release = fake_release};
  mcp_loop *loop = mcp_loop_new_manual(&platform, NULL, NULL);
  assert_non_null(loop->platform.clock);
  assert_null(loop->platform.random);
  assert_int_equal(loop->platform.size, sizeof(mcp_platform));
  mcp_loop_free(loop);
  assert_int_equal(f.releases, 0);
}

TEST(the_seed_is_random_where_that_can_be) {
  fake f = {0};
  mcp_platform platform = {
      .size = sizeof(mcp_platform), .userdata = &f, .random = fake_random};
  mcp_loop *loop = mcp_loop_new_manual(&platform, NULL, NULL);
  assert_true(loop->hash_seed[0] == UINT64_C(0x0706050403020100));
  assert_true(loop->hash_seed[1] == UINT64_C(0x0f0e0d0c0b0a0908));
  f.random_fails = 1;
  mcp_loop *one = mcp_loop_new_manual(&platform, NULL, NULL);
  mcp_loop *two = mcp_loop_new_manual(NULL, NULL, NULL);
  assert_true(one->hash_seed[0] != 0 && one->hash_seed[1] != 0);
  assert_true(one->hash_seed[0] != one->hash_seed[1]);
  assert_true(one->hash_seed[0] != two->hash_seed[0]);
  mcp_loop_free(loop);
  mcp_loop_free(one);
  mcp_loop_free(two);
}

TEST(home_is_what_the_platform_says) {
  fake f = {0};
  mcp_platform platform = {.size = sizeof(mcp_platform),
                           .userdata = &f,
                           .is_loop_thread = fake_is_loop_thread};
  mcp_loop *loop = mcp_loop_new_manual(&platform, NULL, NULL);
  assert_int_equal(mcpi_loop_is_home(loop), 1);
  f.away = 1;
  assert_int_equal(mcpi_loop_is_home(loop), 0);
  mcp_loop_free(loop);
  loop = mcp_loop_new_manual(NULL, NULL, NULL);
  assert_int_equal(mcpi_loop_is_home(loop), 1);
  mcp_loop_free(loop);
}

static int make_post_free(const mcp_allocator *allocator, void *userdata) {
  mcpi_timer timer = {.on_due = count_due};
  order[0] = '\0';
  mcp_error err = {0};
  mcp_loop *loop = mcp_loop_new_manual(NULL, allocator, &err);
  if (loop == NULL) {
    assert_string_equal(err.message, "out of memory");
    assert_int_equal(err.code, MCP_ERR_NOMEM);
    return err.code;
  }
  int rc = mcp_loop_post(loop, append, &letters[0]);
  if (rc == 0) {
    rc = mcpi_loop_start_timer(loop, &timer, 1);
  }
  mcp_loop_advance(loop, 1, 1);
  mcp_loop_free(loop);
  return rc;
}

TEST(every_allocation_may_fail) {
  assert_int_equal(failing_alloc_rerun(make_post_free, NULL), 3);
}
