/* SPDX-License-Identifier: MIT */
#include "base/list.h"

#include "support/cm.h"

typedef struct item {
  int number;
  mcpi_list link;
} item;

static int read_numbers(const mcpi_list *head) {
  int all = 0;
  for (const mcpi_list *at = head->next; at != head; at = at->next) {
    all = all * 10 + MCPI_CONTAINER(at, const item, link)->number;
  }
  return all;
}

TEST(links_keep_their_order) {
  mcpi_list head;
  item items[3] = {{1, {0}}, {2, {0}}, {3, {0}}};
  mcpi_list_init(&head);
  assert_true(mcpi_list_is_empty(&head));
  for (int i = 0; i < 3; i++) {
    mcpi_list_append(&head, &items[i].link);
  }
  assert_false(mcpi_list_is_empty(&head));
  assert_int_equal(read_numbers(&head), 123);
  mcpi_list_remove(&items[1].link);
  assert_int_equal(read_numbers(&head), 13);
  mcpi_list_remove(&items[1].link);
  assert_int_equal(read_numbers(&head), 13);
  mcpi_list_append(&head, &items[1].link);
  assert_int_equal(read_numbers(&head), 132);
  for (int i = 0; i < 3; i++) {
    mcpi_list_remove(&items[i].link);
  }
  assert_true(mcpi_list_is_empty(&head));
}
