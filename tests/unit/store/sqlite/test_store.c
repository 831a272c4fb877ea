/* SPDX-License-Identifier: MIT */
#include "support/cm.h"
#include "support/folder.h"
#include "support/store_cases.h"
#include <mcp/mcp.h>
#include <mcp/sqlite.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int make(mcp_task_store *out, const mcp_allocator *allocator,
                size_t max_bytes) {
  mcp_sqlite_options options = MCP_SQLITE_OPTIONS_INIT;
  mcp_error err = {0};
  options.allocator = allocator;
  options.max_bytes = max_bytes;
  int rc = mcp_task_store_sqlite(out, folder_path("tasks.db"), &options, &err);
  assert_int_equal(rc, err.code);
  return rc;
}

static const store_maker maker = {make, folder_empty};

__attribute__((constructor)) static void add_cases(void) {
  store_cases_add(&maker);
}

static int begin(void **state) {
  static store_rig rig;
  *state = &rig;
  return store_rig_begin(&rig, &maker, mcp_allocator_default(), 100000);
}

static int end(void **state) {
  store_rig_end(*state);
  return 0;
}

#define STORE_TEST(name) TEST_WITH(name, begin, end)

/* --- the file ------------------------------------------------------------- */

STORE_TEST(a_store_that_is_opened_again_has_everything) {
  store_rig *rig = *state;
  mcp_task_record added = store_record("one", "anna", 1000, "{}");
  added.expires_ms = INT64_MAX;
  store_create_record(rig, &added);
  store_create(rig, "two", "bob", 1001, "[1]");
  store_create(rig, "three", "bob", 1002, "[]");
  store_update(rig, "two", 2, 1, "[2]");
  store_rig_reopen(rig, 100000);
  assert_string_equal(store_load(rig, "one"), "one:{} ");
  assert_true(rig->first.expires_ms == INT64_MAX);
  assert_string_equal(store_list(rig, "bob", NULL, 10), "two:[2] three:[] ");
  assert_true(rig->first.version == 2);
  assert_int_equal(rig->first.has_ended, 1);
  assert_string_equal(store_unfinished(rig, NULL, 10), "one:{} three:[] ");
  assert_int_equal(store_update(rig, "three", 2, 0, "[3]"), 0);
}

STORE_TEST(a_store_that_is_opened_again_knows_its_bytes_and_the_order_of_ends) {
  store_rig *rig = *state;
  store_create(rig, "1", "anna", 1000, "short");
  store_create(rig, "2", "anna", 1000, "short");
  store_create(rig, "3", "anna", 1000, "short");
  store_update(rig, "2", 2, 1, "short");
  store_rig_reopen(rig, 850); /* room for four: 211 bytes each */
  store_update(rig, "1", 2, 1, "short");
  assert_int_equal(store_create(rig, "4", "anna", 1000, "short"), 0);
  assert_int_equal(store_create(rig, "5", "anna", 1000, "short"), 0);
  assert_false(store_has(rig, "2"));
  assert_int_equal(store_create(rig, "6", "anna", 1000, "short"), 0);
  assert_false(store_has(rig, "1"));
  assert_int_equal(store_create(rig, "7", "anna", 1000, "short"),
                   MCP_ERR_LIMIT);
}

static unsigned mode_of(const char *name) {
  struct stat found;
  assert_int_equal(stat(folder_path(name), &found), 0);
  return found.st_mode & 07777;
}

STORE_TEST(only_the_user_can_read_the_files) {
  store_rig *rig = *state;
  store_create(rig, "one", "anna", 1000, "{}");
  assert_int_equal(mode_of("tasks.db"), 0600);
  assert_int_equal(mode_of("tasks.db-wal"), 0600);
}

STORE_TEST(texts_that_look_like_sql_are_data) {
  store_rig *rig = *state;
  const char *owner = "'; DROP TABLE task; --";
  assert_int_equal(store_create(rig, "one", owner, 1000, "');--"), 0);
  assert_string_equal(store_list(rig, owner, NULL, 10), "one:');-- ");
  store_load(rig, "' OR '1'='1");
  assert_int_equal(rig->status, MCP_ERR_NOT_FOUND);
}

/* --- arguments ------------------------------------------------------------ */

TEST(arguments_are_checked) {
  mcp_error err;
  mcp_task_store store = MCP_TASK_STORE_INIT;
  const char *path = folder_path("tasks.db");
  assert_int_equal(mcp_task_store_sqlite(NULL, path, NULL, &err),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_task_store_sqlite(&store, NULL, NULL, &err),
                   MCP_ERR_INVALID);
  mcp_sqlite_options options = MCP_SQLITE_OPTIONS_INIT;
  options.reserved = 1;
  assert_int_equal(mcp_task_store_sqlite(&store, path, &options, &err),
                   MCP_ERR_INVALID);
  options = (mcp_sqlite_options){0};
  assert_int_equal(mcp_task_store_sqlite(&store, path, &options, &err),
                   MCP_ERR_INVALID);
  store.size = 0;
  assert_int_equal(mcp_task_store_sqlite(&store, path, NULL, &err),
                   MCP_ERR_INVALID);
  assert_null(store.create);
}

/* --- several threads ------------------------------------------------------ */

enum { THREADS = 4, TASKS_EACH = 100 };

typedef struct client {
  const mcp_task_store *store;
  unsigned number;
  mcp_loop *loop;
  pthread_t thread;
  int left;
  int failures;
} client;

static void client_note(client *c, int status) {
  c->failures += status != 0 || !pthread_equal(c->thread, pthread_self());
}

static void client_on_found(void *argument, int status,
                            const mcp_task_record *records, size_t count) {
  client *c = argument;
  client_note(c, status);
  c->failures += count != 1 || records[0].version != 2;
  c->left--;
}

static void client_on_done(void *argument, int status) {
  client_note(argument, status);
}

/* Creates, updates and loads without waiting: they are done in this order. */
static void client_use(client *c, int number) {
  char id[32];
  snprintf(id, sizeof(id), "%u-%d", c->number, number);
  mcp_task_record record = store_record(id, "anna", 1000, "{}");
  c->store->create(c->store->userdata, c->loop, &record, client_on_done, c);
  record.version = 2;
  record.has_ended = 1;
  c->store->update(c->store->userdata, c->loop, &record, client_on_done, c);
  c->store->load(c->store->userdata, c->loop, id, client_on_found, c);
}

static void *client_run(void *argument) {
  client *c = argument;
  c->thread = pthread_self();
  c->left = TASKS_EACH;
  for (int i = 0; i < TASKS_EACH; i++) {
    client_use(c, i);
  }
  while (c->left > 0) {
    mcp_loop_wait(c->loop, -1);
  }
  return NULL;
}

STORE_TEST(loops_on_several_threads_use_one_store) {
  store_rig *rig = *state;
  client clients[THREADS];
  pthread_t threads[THREADS];
  for (unsigned i = 0; i < THREADS; i++) {
    clients[i] = (client){
        .store = &rig->store, .number = i, .loop = mcp_loop_new(NULL, NULL)};
    assert_non_null(clients[i].loop);
    assert_int_equal(pthread_create(&threads[i], NULL, client_run, &clients[i]),
                     0);
  }
  for (unsigned i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(clients[i].left, 0);
    assert_int_equal(clients[i].failures, 0);
    mcp_loop_free(clients[i].loop);
  }
}

int main(void) {
  return tests_run(folder_make, folder_remove);
}
