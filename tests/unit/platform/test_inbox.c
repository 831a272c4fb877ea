/* SPDX-License-Identifier: MIT */
/* Letters to a loop, from many threads at once: run it under the thread
 * sanitizer. */
#include "support/cm.h"

#include "base/list.h"
#include "platform/inbox.h"
#include <mcp/mcp.h>
#include <string.h>

enum { THREADS = 4, LETTERS = 5000 };

typedef struct note {
  mcpi_letter letter;
  int thread;
  int number;
} note;

typedef struct bench {
  mcp_loop *loop;
  mcpi_inbox inbox;
  int opened[THREADS];
  int is_closed;
  note notes[THREADS][LETTERS];
} bench;

static bench b;

static void on_open(mcpi_letter *letter) {
  const note *n = MCPI_CONTAINER(letter, note, letter);
  assert_int_equal(n->number, b.opened[n->thread]); /* in their order */
  b.opened[n->thread]++;
}

static note *note_at(int thread, int number) {
  note *n = &b.notes[thread][number];
  *n = (note){.letter.on_open = on_open, .thread = thread, .number = number};
  return n;
}

static void on_closed(mcpi_inbox *inbox) {
  assert_ptr_equal(inbox, &b.inbox);
  b.is_closed = 1;
}

static void begin(void) {
  memset(&b, 0, sizeof(b));
  b.loop = mcp_loop_new(NULL, NULL);
  assert_int_equal(mcpi_inbox_open(&b.inbox, mcpi_uv_of(b.loop)), 0);
}

static void end(void) {
  mcpi_inbox_close(&b.inbox, on_closed);
  mcp_loop_free(b.loop);
  assert_true(b.is_closed);
}

static void put_many(void *argument) {
  int thread = *(const int *)argument;
  for (int i = 0; i < LETTERS; i++) {
    mcpi_inbox_put(&b.inbox, &note_at(thread, i)->letter);
  }
}

static int count_opened(void) {
  int count = 0;
  for (int i = 0; i < THREADS; i++) {
    count += b.opened[i];
  }
  return count;
}

TEST(threads_put_at_once) {
  uv_thread_t threads[THREADS];
  int numbers[THREADS];
  begin();
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    assert_int_equal(uv_thread_create(&threads[i], put_many, &numbers[i]), 0);
  }
  while (count_opened() < THREADS * LETTERS) {
    mcp_loop_wait(b.loop, 1000);
  }
  for (int i = 0; i < THREADS; i++) {
    uv_thread_join(&threads[i]);
  }
  end();
}

TEST(nothing_is_opened_twice) {
  begin();
  assert_false(mcpi_inbox_read(&b.inbox));
  mcpi_inbox_put(&b.inbox, &note_at(0, 0)->letter);
  mcpi_inbox_put(&b.inbox, &note_at(0, 1)->letter);
  assert_true(mcpi_inbox_read(&b.inbox));
  assert_int_equal(b.opened[0], 2);
  assert_false(mcpi_inbox_read(&b.inbox));
  mcp_loop_step(b.loop); /* it had been woken */
  assert_int_equal(b.opened[0], 2);
  end();
}

static void on_open_again(mcpi_letter *letter) {
  if (++b.opened[0] < 3) {
    mcpi_inbox_put(&b.inbox, letter);
  }
}

TEST(a_letter_may_be_put_as_it_is_opened) {
  begin();
  note *n = note_at(0, 0);
  n->letter.on_open = on_open_again;
  mcpi_inbox_put(&b.inbox, &n->letter);
  while (b.opened[0] < 3) {
    mcp_loop_wait(b.loop, 1000);
  }
  end();
}

static void on_open_stop(mcpi_letter *letter) {
  mcp_loop_stop(b.loop);
}

static void put_stop(void *argument) {
  mcpi_inbox_put(&b.inbox, argument);
}

TEST(it_keeps_a_loop_going) {
  uv_thread_t thread;
  begin();
  note *n = note_at(0, 0);
  n->letter.on_open = on_open_stop;
  assert_int_equal(uv_thread_create(&thread, put_stop, &n->letter), 0);
  assert_int_equal(mcp_loop_run(b.loop), 0);
  uv_thread_join(&thread);
  end();
}
