/* SPDX-License-Identifier: MIT */
/* The store, with a keyring that is a folder of files. tests/keyring has real
 * ones. */
#include "login/store_keyring.h"

#include "login/record_file.h"
#include "support/cm.h"
#include "support/failing_alloc.h"
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEY "https://example.com/mcp"
#define OTHER "https://other.example/mcp"

/* --- the double ----------------------------------------------------------- */

static char folder[] = "/tmp/mcp-test-keyring-XXXXXX";

static struct {
  atomic_int is_shut; /* reading waits, as for a user */
  atomic_int begun;
  atomic_int running;
  atomic_int most; /* jobs that ran at once */
  atomic_int stopped;
  pthread_t thread; /* of the last job */
  uint32_t unlock_ms;
  uint32_t limit_ms;
  int error; /* what each job ends with */
  size_t long_len;
} fake;

static void fake_path(char path[200], const char *key) {
  snprintf(path, 200, "%s/items/%s", folder, key);
  for (char *at = path + strlen(folder) + 7; *at != '\0'; at++) {
    *at = *at == '/' ? '_' : *at;
  }
}

static void fake_read(const mcpi_keyring_job *job, mcpi_keyring_outcome *out) {
  char path[200];
  static char text[1024 * 1024];
  fake_path(path, job->key);
  FILE *file = fopen(path, "r");
  if (file == NULL) {
    out->error = MCP_ERR_NOT_FOUND;
    return;
  }
  size_t len = fread(text, 1, sizeof(text), file);
  fclose(file);
  if (fake.long_len > 0) {
    len = fake.long_len;
  }
  out->error = job->on_text(job->owner, text, len);
}

static void fake_write(const mcpi_keyring_job *job) {
  char path[200];
  fake_path(path, job->key);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fwrite(job->text, 1, job->len, file);
  fclose(file);
}

static void fake_list(const mcpi_keyring_job *job) {
  assert_null(job->key);
  job->on_key(job->owner, KEY);
  job->on_key(job->owner, OTHER);
}

static void fake_do(const mcpi_keyring_job *job, mcpi_keyring_outcome *out) {
  char path[200];
  if (fake.error != 0) {
    out->error = fake.error;
    snprintf(out->why, sizeof(out->why), "the keyring is ill");
  } else if (job->verb == MCPI_KEYRING_READ) {
    fake_read(job, out);
  } else if (job->verb == MCPI_KEYRING_WRITE) {
    fake_write(job);
  } else if (job->verb == MCPI_KEYRING_REMOVE) {
    fake_path(path, job->key);
    unlink(path);
  } else {
    fake_list(job);
  }
}

static void fake_run(const mcpi_keyring_job *job, mcpi_keyring_outcome *out) {
  *out = (mcpi_keyring_outcome){.error = 0};
  fake.thread = pthread_self();
  fake.unlock_ms = job->unlock_ms;
  fake.limit_ms = job->limit_ms;
  int running = atomic_fetch_add(&fake.running, 1) + 1;
  if (running > atomic_load(&fake.most)) {
    atomic_store(&fake.most, running);
  }
  atomic_fetch_add(&fake.begun, 1);
  while (job->is_stopped != NULL && atomic_load(&fake.is_shut)) {
    if (job->is_stopped(job->owner)) {
      atomic_fetch_add(&fake.stopped, 1);
      out->error = MCP_ERR_CANCELLED;
      break;
    }
    usleep(1000);
  }
  if (out->error == 0) {
    fake_do(job, out);
  }
  atomic_fetch_sub(&fake.running, 1);
}

static const mcpi_keyring_engine engine = {.run = fake_run};

/* --- the rig -------------------------------------------------------------- */

static mcp_loop *loop;
static mcp_auth_store store;

static void make_store(mcp_auth_store *to) {
  mcp_error err;
  *to = (mcp_auth_store)MCP_AUTH_STORE_INIT;
  assert_int_equal(mcpi_store_keyring_fill(to, loop, &engine, &err), 0);
}

static int set_up(void **state) {
  char items[60];
  strcpy(folder + strlen(folder) - 6, "XXXXXX");
  assert_non_null(mkdtemp(folder));
  setenv("XDG_STATE_HOME", folder, 1);
  snprintf(items, sizeof(items), "%s/items", folder);
  mkdir(items, 0700);
  memset(&fake, 0, sizeof(fake));
  loop = mcp_loop_new(NULL, NULL);
  make_store(&store);
  return 0;
}

static void remove_folder(void) {
  char command[100];
  snprintf(command, sizeof(command), "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
}

static int tear_down(void **state) {
  if (loop != NULL) {
    store.release(store.userdata);
    mcp_loop_free(loop);
  }
  remove_folder();
  return 0;
}

#define STORE_TEST(name) TEST_WITH(name, set_up, tear_down)

/* What one `take` has brought. */
typedef struct taking {
  int count;
  mcp_error err;  /* code 0: none */
  char text[100]; /* "(none)": there was no record */
} taking;

static void on_record(void *argument, const mcp_error *err, const char *text,
                      size_t len) {
  taking *self = argument;
  self->count++;
  self->err.code = 0;
  if (err != NULL) {
    self->err = *err;
  }
  snprintf(self->text, sizeof(self->text), "%.*s", (int)len,
           text != NULL ? text : "");
  if (text == NULL) {
    snprintf(self->text, sizeof(self->text), "(none)");
  }
}

static void take(const mcp_auth_store *from, taking *to, const char *key) {
  mcp_error err;
  *to = (taking){.count = 0};
  assert_int_equal(from->take(from->userdata, key, on_record, to, &err), 0);
  assert_int_equal(to->count, 0); /* never at once */
}

static void wait_for(const taking *self) {
  for (int i = 0; i < 1000 && self->count == 0; i++) {
    mcp_loop_wait(loop, 10);
  }
  assert_int_equal(self->count, 1);
}

static void take_and_wait(const mcp_auth_store *from, taking *to,
                          const char *key) {
  take(from, to, key);
  wait_for(to);
}

static void give(const mcp_auth_store *to, const char *key, const char *text) {
  mcp_error err;
  assert_int_equal(
      to->give(to->userdata, key, text, text != NULL ? strlen(text) : 0, &err),
      0);
}

static void wait_for_jobs(int count) {
  for (int i = 0; i < 1000 && atomic_load(&fake.begun) < count; i++) {
    mcp_loop_wait(loop, 10);
  }
  assert_int_equal(atomic_load(&fake.begun), count);
}

/* --- two processes -------------------------------------------------------- */

/* This test comes first: the thread sanitizer does not bear threads in the
 * child of a process that had threads. */
STORE_TEST(two_processes_never_have_a_record_at_once) {
  enum { ROUNDS = 30 };
  mcp_loop *parents = loop;
  store.release(store.userdata);
  pid_t child = fork();
  loop = child == 0 ? mcp_loop_new(NULL, NULL) : parents;
  make_store(&store);
  for (int i = 0; i < ROUNDS; i++) {
    taking self;
    char next[20];
    take_and_wait(&store, &self, KEY);
    snprintf(next, sizeof(next), "%d",
             self.text[0] == '(' ? 1 : atoi(self.text) + 1);
    give(&store, KEY, next);
  }
  if (child == 0) {
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  taking self;
  take_and_wait(&store, &self, KEY);
  assert_int_equal(atoi(self.text), 2 * ROUNDS);
  give(&store, KEY, NULL);
}

/* --- records -------------------------------------------------------------- */

STORE_TEST(a_record_is_kept_replaced_and_removed) {
  static const char *const steps[][2] = {{"(none)", "one"},
                                         {"one", "two"},
                                         {"two", NULL},
                                         {"two", ""},
                                         {"(none)", NULL}};
  for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
    taking self;
    take_and_wait(&store, &self, KEY);
    assert_int_equal(self.err.code, 0);
    assert_string_equal(self.text, steps[i][0]);
    give(&store, KEY, steps[i][1]);
  }
}

STORE_TEST(servers_have_records_of_their_own) {
  taking self;
  take_and_wait(&store, &self, KEY);
  give(&store, KEY, "one");
  take_and_wait(&store, &self, OTHER);
  assert_string_equal(self.text, "(none)");
  give(&store, OTHER, "two");
  take_and_wait(&store, &self, KEY);
  assert_string_equal(self.text, "one");
  give(&store, KEY, NULL);
}

STORE_TEST(files_have_no_secrets) {
  taking self;
  char path[400];
  struct stat found;
  int count = 0;
  take_and_wait(&store, &self, KEY);
  give(&store, KEY, "one");
  snprintf(path, sizeof(path), "%s/mcp/auth", folder);
  DIR *locks = opendir(path);
  assert_non_null(locks);
  for (struct dirent *entry = readdir(locks); entry != NULL;
       entry = readdir(locks)) {
    if (entry->d_name[0] != '.') {
      snprintf(path, sizeof(path), "%s/mcp/auth/%s", folder, entry->d_name);
      assert_int_equal(stat(path, &found), 0);
      assert_int_equal(found.st_size, 0);
      count++;
    }
  }
  closedir(locks);
  assert_int_equal(count, 1);
}

static void note_key(void *argument, const char *key) {
  strcat(argument, key);
  strcat(argument, "\n");
}

STORE_TEST(list_asks_the_keyring) {
  mcp_error err;
  char keys[200] = "";
  assert_int_equal(store.list(store.userdata, note_key, keys, &err), 0);
  assert_string_equal(keys, KEY "\n" OTHER "\n");
  assert_int_equal(fake.unlock_ms, 0);
  fake.error = MCP_ERR_IO;
  keys[0] = '\0';
  assert_int_equal(store.list(store.userdata, note_key, keys, &err),
                   MCP_ERR_IO);
  assert_string_equal(err.message, "the keyring is ill");
  assert_string_equal(keys, "");
}

/* --- the user and the loop ------------------------------------------------ */

STORE_TEST(only_reading_waits_for_the_user_and_not_on_the_loops_thread) {
  taking self;
  take_and_wait(&store, &self, KEY);
  assert_false(pthread_equal(fake.thread, pthread_self()));
  assert_true(fake.unlock_ms >= 30000);
  give(&store, KEY, "one");
  assert_true(pthread_equal(fake.thread, pthread_self()));
  assert_int_equal(fake.unlock_ms, 0);
  assert_true(fake.limit_ms <= 5000);
}

STORE_TEST(the_user_is_asked_for_one_record_at_a_time) {
  taking first;
  taking second;
  fake.is_shut = 1;
  take(&store, &first, KEY);
  take(&store, &second, OTHER);
  wait_for_jobs(1);
  for (int i = 0; i < 5; i++) {
    mcp_loop_wait(loop, 10);
  }
  assert_int_equal(atomic_load(&fake.begun), 1);
  fake.is_shut = 0;
  wait_for(&first);
  wait_for(&second);
  assert_int_equal(atomic_load(&fake.most), 1);
  give(&store, KEY, NULL);
  give(&store, OTHER, NULL);
}

/* --- errors --------------------------------------------------------------- */

STORE_TEST(a_record_that_cannot_be_read_is_not_taken) {
  taking self;
  mcp_error err;
  fake.error = MCP_ERR_IO;
  take_and_wait(&store, &self, KEY);
  assert_int_equal(self.err.code, MCP_ERR_IO);
  assert_string_equal(self.err.message, "the keyring is ill");
  assert_int_equal(store.give(store.userdata, KEY, "x", 1, &err),
                   MCP_ERR_INVALID);
  fake.error = 0;
  take_and_wait(&store, &self, KEY);
  assert_int_equal(self.err.code, 0);
  give(&store, KEY, NULL);
}

STORE_TEST(an_error_of_writing_leaves_the_old_record) {
  taking self;
  mcp_error err;
  take_and_wait(&store, &self, KEY);
  give(&store, KEY, "old");
  take_and_wait(&store, &self, KEY);
  fake.error = MCP_ERR_TIMEOUT;
  assert_int_equal(store.give(store.userdata, KEY, "new", 3, &err),
                   MCP_ERR_TIMEOUT);
  assert_string_equal(err.message, "the keyring is ill");
  fake.error = 0;
  take_and_wait(&store, &self, KEY);
  assert_string_equal(self.text, "old");
  give(&store, KEY, NULL);
}

STORE_TEST(an_item_that_is_too_long_is_no_record) {
  taking self;
  take_and_wait(&store, &self, KEY);
  give(&store, KEY, "one");
  fake.long_len = MCPI_RECORD_MAX + 1;
  take_and_wait(&store, &self, KEY);
  assert_int_equal(self.err.code, MCP_ERR_LIMIT);
}

STORE_TEST(a_lock_that_cannot_be_made_is_an_error) {
  taking self;
  mcp_error err;
  char path[100];
  snprintf(path, sizeof(path), "%s/mcp/auth", folder);
  assert_int_equal(rmdir(path), 0);
  assert_int_equal(store.take(store.userdata, KEY, on_record, &self, &err),
                   MCP_ERR_IO);
  assert_non_null(strstr(err.message, "cannot lock "));
}

STORE_TEST(wrong_parameters_are_refused) {
  mcp_error err;
  mcp_auth_store found = MCP_AUTH_STORE_INIT;
  assert_int_equal(mcp_auth_store_keyring(&found, NULL, &err), MCP_ERR_INVALID);
  assert_int_equal(mcpi_store_keyring_fill(NULL, loop, &engine, &err),
                   MCP_ERR_INVALID);
  found.size = 0;
  assert_int_equal(mcpi_store_keyring_fill(&found, loop, &engine, &err),
                   MCP_ERR_INVALID);
  assert_non_null(strstr(err.message, "mcp_auth_store has no size"));
  found.size = sizeof(found);
  setenv("XDG_STATE_HOME", "/dev/null", 1);
  assert_int_equal(mcpi_store_keyring_fill(&found, loop, &engine, &err),
                   MCP_ERR_IO);
}

/* Whether a keyring is there is known only when a record is taken. */
STORE_TEST(without_libsecret_the_error_says_what_to_do) {
  mcp_error err;
  mcp_auth_store found = MCP_AUTH_STORE_INIT;
  int rc = mcp_auth_store_keyring(&found, loop, &err);
  if (rc == 0) {
    found.release(found.userdata);
  } else {
    assert_int_equal(rc, MCP_ERR_UNSUPPORTED);
    assert_int_equal(err.code, MCP_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "libsecret"));
    assert_non_null(strstr(err.message, "keep tokens in files"));
  }
}

/* --- taking together ------------------------------------------------------ */

STORE_TEST(a_taken_record_waits_for_its_return) {
  mcp_auth_store other;
  taking first;
  taking second;
  make_store(&other);
  take_and_wait(&store, &first, KEY);
  take(&other, &second, KEY);
  for (int i = 0; i < 5; i++) {
    mcp_loop_wait(loop, 20);
  }
  assert_int_equal(second.count, 0);
  assert_int_equal(atomic_load(&fake.begun), 1);
  give(&store, KEY, "new");
  wait_for(&second);
  assert_string_equal(second.text, "new");
  give(&other, KEY, NULL);
  other.release(other.userdata);
}

/* --- ending early --------------------------------------------------------- */

STORE_TEST(reading_can_be_cancelled) {
  taking first;
  taking second;
  fake.is_shut = 1;
  take(&store, &first, KEY);
  wait_for_jobs(1);
  store.cancel(store.userdata, KEY, &first);
  for (int i = 0; i < 1000 && atomic_load(&fake.stopped) == 0; i++) {
    mcp_loop_wait(loop, 10);
  }
  fake.is_shut = 0;
  take_and_wait(&store, &second, KEY);
  assert_int_equal(first.count, 0);
  give(&store, KEY, NULL);
}

STORE_TEST(a_wait_can_be_cancelled_in_each_state) {
  taking held;
  taking locking;
  taking reading;
  taking ready;
  take_and_wait(&store, &held, KEY);
  fake.is_shut = 1;
  take(&store, &locking, KEY);
  take(&store, &reading, OTHER);
  take(&store, &ready, "https://third.example");
  store.cancel(store.userdata, KEY, &locking);
  store.cancel(store.userdata, "https://third.example", &ready);
  fake.is_shut = 0;
  wait_for(&reading);
  give(&store, KEY, NULL);
  give(&store, OTHER, NULL);
  assert_int_equal(locking.count, 0);
  assert_int_equal(ready.count, 0);
}

STORE_TEST(releasing_ends_what_is_read) {
  taking first;
  taking second;
  fake.is_shut = 1;
  take(&store, &first, KEY);
  take(&store, &second, OTHER);
  wait_for_jobs(1);
  store.release(store.userdata);
  mcp_loop_free(loop);
  loop = NULL;
  assert_int_equal(first.count, 0);
  assert_int_equal(second.count, 0);
  assert_int_equal(atomic_load(&fake.stopped), 1);
}

static void release_inside(void *argument, const mcp_error *err,
                           const char *text, size_t len) {
  taking *self = argument;
  self->count++;
  store.release(store.userdata);
}

STORE_TEST(the_store_may_be_released_inside_done) {
  taking first = {.count = 0};
  taking second;
  mcp_error err;
  assert_int_equal(
      store.take(store.userdata, KEY, release_inside, &first, &err), 0);
  take(&store, &second, OTHER);
  wait_for(&first);
  mcp_loop_free(loop);
  loop = NULL;
  assert_int_equal(second.count, 0);
}

/* --- without memory ------------------------------------------------------- */

static int use_store(const mcp_allocator *allocator, void *userdata) {
  mcp_error err = {.code = 0};
  mcp_auth_store own = MCP_AUTH_STORE_INIT;
  taking self = {.count = 0};
  mcp_loop_options options = MCP_LOOP_OPTIONS_INIT;
  options.allocator = allocator;
  loop = mcp_loop_new(&options, &err);
  if (loop == NULL) {
    return err.code;
  }
  int rc = mcpi_store_keyring_fill(&own, loop, &engine, &err);
  if (rc == 0) {
    rc = own.take(own.userdata, KEY, on_record, &self, &err);
    if (rc == 0) {
      wait_for(&self);
      rc = self.err.code;
    }
    if (rc == 0) {
      rc = own.give(own.userdata, KEY, "one", 3, &err);
    }
    own.release(own.userdata);
  }
  mcp_loop_free(loop);
  assert_int_equal(err.code, rc == 0 || self.err.code != 0 ? 0 : rc);
  return rc;
}

static int set_up_folder(void **state) {
  int rc = set_up(state);
  store.release(store.userdata);
  mcp_loop_free(loop);
  loop = NULL;
  return rc;
}

static int tear_down_folder(void **state) {
  remove_folder();
  return 0;
}

TEST_WITH(nothing_is_left_without_memory, set_up_folder, tear_down_folder) {
  failing_alloc_rerun_least(5, use_store, NULL);
}
