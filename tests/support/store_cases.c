/* SPDX-License-Identifier: MIT */
#include "support/store_cases.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <string.h>

#define CASE(name) static void name(void **state)

/* --- one task ------------------------------------------------------------- */

CASE(a_task_is_found_by_its_id) {
  store_rig *rig = *state;
  assert_int_equal(store_create(rig, "one", "anna", 1000, "{}"), 0);
  assert_int_equal(store_create(rig, "two", "anna", 1000, "[1]"), 0);
  assert_string_equal(store_load(rig, "one"), "one:{} ");
  assert_string_equal(store_load(rig, "two"), "two:[1] ");
  store_load(rig, "three");
  assert_int_equal(rig->status, MCP_ERR_NOT_FOUND);
  assert_int_equal(rig->count, 0);
  assert_int_equal(store_create(rig, "one", "bob", 1000, "{}"), MCP_ERR_EXISTS);
}

CASE(a_record_comes_back_as_it_was) {
  store_rig *rig = *state;
  mcp_task_record added = store_record("one", "anna", 1234, "{}");
  added.expires_ms = INT64_MAX;
  assert_int_equal(store_create_record(rig, &added), 0);
  store_load(rig, "one");
  assert_string_equal(rig->first_owner, "anna");
  assert_true(rig->first.version == 1);
  assert_true(rig->first.created_ms == 1234);
  assert_true(rig->first.expires_ms == INT64_MAX);
  assert_int_equal(rig->first.has_ended, 0);
}

CASE(only_the_next_version_replaces_a_record) {
  store_rig *rig = *state;
  assert_int_equal(store_update(rig, "one", 1, 0, "{}"), MCP_ERR_NOT_FOUND);
  store_create(rig, "one", "anna", 1000, "a");
  assert_int_equal(store_update(rig, "one", 1, 0, "b"), MCP_ERR_EXISTS);
  assert_int_equal(store_update(rig, "one", 3, 0, "b"), MCP_ERR_EXISTS);
  assert_string_equal(store_load(rig, "one"), "one:a ");
  assert_int_equal(store_update(rig, "one", 2, 0, "longer"), 0);
  assert_string_equal(store_load(rig, "one"), "one:longer ");
  assert_int_equal(store_update(rig, "one", 3, 1, ""), 0);
  assert_string_equal(store_load(rig, "one"), "one: ");
  store_load(rig, "one");
  assert_string_equal(rig->first_owner, "anna");
  assert_int_equal(rig->first.has_ended, 1);
}

/* --- lists ---------------------------------------------------------------- */

CASE(an_owner_lists_its_tasks_the_oldest_first) {
  store_rig *rig = *state;
  store_create(rig, "c", "anna", 1000, "");
  store_create(rig, "a", "anna", 2000, "");
  store_create(rig, "x", "bob", 1500, "");
  store_create(rig, "b", "anna", 1000, "");
  store_create(rig, "d", "anna", 500, "");
  assert_string_equal(store_list(rig, "anna", NULL, 10), "d: b: c: a: ");
  assert_string_equal(store_list(rig, "bob", NULL, 10), "x: ");
  assert_string_equal(store_list(rig, "carl", NULL, 10), "");
  assert_string_equal(store_list(rig, "anna", NULL, 2), "d: b: ");
  const mcp_task_record after = store_record("b", "", 1000, "");
  assert_string_equal(store_list(rig, "anna", &after, 2), "c: a: ");
  /* One that has gone meanwhile. */
  const mcp_task_record gone = store_record("bb", "", 1000, "");
  assert_string_equal(store_list(rig, "anna", &gone, 1), "c: ");
}

CASE(expired_tasks_are_not_listed) {
  store_rig *rig = *state;
  store_create(rig, "one", "anna", 1000, "");
  mcp_loop_advance(rig->loop, 0, 5000);
  assert_string_equal(store_list(rig, "anna", NULL, 10), "one: ");
  mcp_loop_advance(rig->loop, 0, 5001);
  assert_string_equal(store_list(rig, "anna", NULL, 10), "");
  assert_string_equal(store_load(rig, "one"), "one: ");
}

CASE(tasks_that_have_not_ended_are_found) {
  store_rig *rig = *state;
  store_create(rig, "one", "anna", 1000, "");
  store_create(rig, "two", "bob", 900, "");
  store_create(rig, "three", "bob", 1100, "");
  store_update(rig, "one", 2, 1, "");
  assert_string_equal(store_unfinished(rig, NULL, 10), "two: three: ");
  assert_string_equal(store_unfinished(rig, NULL, 1), "two: ");
  const mcp_task_record after = store_record("two", "", 900, "");
  assert_string_equal(store_unfinished(rig, &after, 10), "three: ");
}

CASE(expired_tasks_are_forgotten) {
  store_rig *rig = *state;
  store_create(rig, "one", "anna", 1000, "");
  store_create(rig, "two", "bob", 1000, "");
  assert_int_equal(store_expire(rig, 5000), 0);
  assert_string_equal(store_load(rig, "one"), "one: ");
  assert_int_equal(store_expire(rig, 5001), 0);
  store_load(rig, "one");
  assert_int_equal(rig->status, MCP_ERR_NOT_FOUND);
  assert_string_equal(store_list(rig, "bob", NULL, 10), "");
  assert_int_equal(store_create(rig, "one", "anna", 1000, ""), 0);
}

/* --- room ----------------------------------------------------------------- */

enum { LONG = 1000 };

static const char *long_text(void) {
  static char text[LONG + 1];
  memset(text, 'x', LONG);
  return text;
}

/* A task takes 90 to 210 bytes and its text, as pointers have 4 or 8 bytes. */
CASE(tasks_that_ended_first_make_room) {
  store_rig *rig = *state;
  assert_int_equal(store_create(rig, "1", "anna", 1000, long_text()), 0);
  assert_int_equal(store_create(rig, "2", "anna", 1000, long_text()), 0);
  assert_int_equal(store_create(rig, "3", "anna", 1000, long_text()), 0);
  assert_int_equal(store_create(rig, "4", "anna", 1000, long_text()),
                   MCP_ERR_LIMIT);
  assert_int_equal(store_update(rig, "3", 2, 1, long_text()), 0);
  assert_int_equal(store_update(rig, "1", 2, 1, long_text()), 0);
  assert_int_equal(store_create(rig, "4", "anna", 1000, long_text()), 0);
  assert_false(store_has(rig, "3"));
  assert_true(store_has(rig, "1") && store_has(rig, "2") &&
              store_has(rig, "4"));
  assert_int_equal(store_create(rig, "5", "anna", 1000, long_text()), 0);
  assert_false(store_has(rig, "1"));
  assert_int_equal(store_create(rig, "6", "anna", 1000, long_text()),
                   MCP_ERR_LIMIT);
  assert_true(store_has(rig, "2") && store_has(rig, "4") &&
              store_has(rig, "5"));
}

CASE(what_would_not_make_enough_room_stays) {
  store_rig *rig = *state;
  assert_int_equal(store_create(rig, "1", "anna", 1000, "short"), 0);
  assert_int_equal(store_create(rig, "2", "anna", 1000, "short"), 0);
  assert_int_equal(store_update(rig, "1", 2, 1, "short"), 0);
  assert_int_equal(store_create(rig, "3", "anna", 1000, long_text()),
                   MCP_ERR_LIMIT);
  assert_true(store_has(rig, "1") && store_has(rig, "2"));
}

CASE(a_result_makes_room_but_does_not_remove_its_own_task) {
  store_rig *rig = *state;
  store_create(rig, "1", "anna", 1000, "short");
  store_create(rig, "2", "anna", 1000, long_text());
  assert_int_equal(store_update(rig, "1", 2, 1, "short"), 0);
  assert_int_equal(store_update(rig, "2", 2, 1, "short"), 0);
  assert_int_equal(store_update(rig, "1", 3, 1, long_text()), 0);
  assert_int_equal(store_create(rig, "3", "anna", 1000, "short"), 0);
  assert_true(store_has(rig, "1") && store_has(rig, "2"));
  assert_int_equal(store_update(rig, "3", 2, 1, long_text()), 0);
  assert_false(store_has(rig, "1"));
  assert_true(store_has(rig, "3"));
}

/* The owner of the only task that makes room gets another one. */
CASE(an_owner_may_lose_its_last_task_for_a_new_one) {
  store_rig *rig = *state;
  store_create(rig, "1", "anna", 1000, long_text());
  assert_int_equal(store_update(rig, "1", 2, 1, long_text()), 0);
  assert_int_equal(store_create(rig, "2", "anna", 1000, long_text()), 0);
  assert_false(store_has(rig, "1"));
  assert_string_equal(store_list(rig, "anna", NULL, 1), rig->seen);
  assert_int_equal(rig->count, 1);
}

/* --- without memory ------------------------------------------------------- */

static int use_all(const mcp_allocator *allocator, void *userdata) {
  store_rig rig;
  int rc = store_rig_begin(&rig, userdata, allocator, 10000);
  if (rc != 0) {
    return rc;
  }
  rc = store_create(&rig, "one", "anna", 1000, "{}");
  if (rc == 0) {
    rc = store_create(&rig, "two", "anna", 1000, "{}");
  }
  if (rc == 0) {
    rc = store_update(&rig, "two", 2, 1, "longer");
  }
  if (rc == 0) {
    store_load(&rig, "two");
    rc = rig.status;
  }
  if (rc == 0) {
    rc = store_try_list(&rig, "anna");
  }
  if (rc == 0) {
    rc = store_expire(&rig, 5000);
  }
  store_rig_end(&rig);
  return rc;
}

CASE(a_lack_of_memory_changes_nothing) {
  failing_alloc_rerun_least(8, use_all, *state);
}

/* --- the table ------------------------------------------------------------ */

typedef struct store_case {
  const char *name;
  CMUnitTestFunction run;
  size_t max_bytes; /* of the store; 0: the case makes its own */
  const store_maker *maker;
} store_case;

#define ROOMY(name)                                                            \
  { #name, name, 100000, NULL }
#define LIMITED(name, max_bytes)                                               \
  { #name, name, max_bytes, NULL }

static store_case cases[] = {
    ROOMY(a_task_is_found_by_its_id),
    ROOMY(a_record_comes_back_as_it_was),
    ROOMY(only_the_next_version_replaces_a_record),
    ROOMY(an_owner_lists_its_tasks_the_oldest_first),
    ROOMY(expired_tasks_are_not_listed),
    ROOMY(tasks_that_have_not_ended_are_found),
    ROOMY(expired_tasks_are_forgotten),
    LIMITED(tasks_that_ended_first_make_room, 3900),
    LIMITED(what_would_not_make_enough_room_stays, 1150),
    LIMITED(a_result_makes_room_but_does_not_remove_its_own_task, 2000),
    LIMITED(an_owner_may_lose_its_last_task_for_a_new_one, 1300),
    LIMITED(a_lack_of_memory_changes_nothing, 0),
};

static int set_up(void **state) {
  static store_rig rig;
  const store_case *one = *state;
  if (one->max_bytes == 0) {
    *state = (void *)(uintptr_t)one->maker;
    return 0;
  }
  *state = &rig;
  return store_rig_begin(&rig, one->maker, mcp_allocator_default(),
                         one->max_bytes);
}

static int tear_down(void **state) {
  store_rig_end(*state);
  return 0;
}

void store_cases_add(const store_maker *maker) {
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    store_case *one = &cases[i];
    one->maker = maker;
    tests_add(&(const struct CMUnitTest){one->name, one->run, set_up,
                                         one->max_bytes > 0 ? tear_down : NULL,
                                         one});
  }
}
