/* SPDX-License-Identifier: MIT */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include <dirent.h>
#include <mcp/auth.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEY "https://example.com/mcp"

static mcp_loop *loop;
static mcp_auth_store store;
static char folder[] = "/tmp/mcp-test-store-XXXXXX";

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

static int set_up(void **state) {
  strcpy(folder + strlen(folder) - 6, "XXXXXX");
  assert_non_null(mkdtemp(folder));
  loop = mcp_loop_new(NULL, NULL);
  store = (mcp_auth_store)MCP_AUTH_STORE_INIT;
  return mcp_auth_store_files(&store, loop, folder, NULL);
}

static int tear_down(void **state) {
  char command[100];
  store.release(store.userdata);
  mcp_loop_free(loop);
  snprintf(command, sizeof(command), "rm -rf %s", folder);
  return system(command);
}

#define STORE_TEST(name) TEST_WITH(name, set_up, tear_down)

static void take(const mcp_auth_store *from, taking *to, const char *key) {
  mcp_error err;
  assert_int_equal(from->take(from->userdata, key, on_record, to, &err), 0);
}

static void give(const mcp_auth_store *to, const char *key, const char *text) {
  mcp_error err;
  assert_int_equal(
      to->give(to->userdata, key, text, text != NULL ? strlen(text) : 0, &err),
      0);
}

static void wait_for(const taking *self) {
  for (int i = 0; i < 1000 && self->count == 0; i++) {
    mcp_loop_wait(loop, 10);
  }
  assert_int_equal(self->count, 1);
}

STORE_TEST(a_record_is_kept_replaced_and_removed) {
  static const char *const steps[][2] = {{"(none)", "one"},
                                         {"one", "two"},
                                         {"two", NULL},
                                         {"two", ""},
                                         {"(none)", NULL}};
  for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
    taking self = {0};
    take(&store, &self, KEY);
    wait_for(&self);
    assert_string_equal(self.text, steps[i][0]);
    give(&store, KEY, steps[i][1]);
  }
}

STORE_TEST(servers_have_records_of_their_own) {
  static const char *const keys[] = {KEY, "https://example.com/mcp2",
                                     "https://example.com:444/mcp",
                                     "http://example.com/mcp"};
  for (size_t i = 0; i < 4; i++) {
    taking self = {0};
    take(&store, &self, keys[i]);
    assert_string_equal(self.text, "(none)");
    give(&store, keys[i], keys[i]);
  }
  for (size_t i = 0; i < 4; i++) {
    taking self = {0};
    take(&store, &self, keys[i]);
    assert_string_equal(self.text, keys[i]);
    give(&store, keys[i], NULL);
  }
}

STORE_TEST(a_taken_record_waits_for_its_return) {
  mcp_auth_store other = MCP_AUTH_STORE_INIT;
  taking first = {0};
  taking second = {0};
  assert_int_equal(mcp_auth_store_files(&other, loop, folder, NULL), 0);
  take(&store, &first, KEY);
  wait_for(&first);
  take(&other, &second, KEY);
  for (int i = 0; i < 5; i++) {
    mcp_loop_wait(loop, 20);
  }
  assert_int_equal(second.count, 0);
  give(&store, KEY, "new");
  wait_for(&second);
  assert_string_equal(second.text, "new");
  give(&other, KEY, NULL);
  other.release(other.userdata);
}

STORE_TEST(a_wait_can_be_cancelled) {
  taking first = {0};
  taking second = {0};
  taking third = {0};
  take(&store, &first, KEY);
  take(&store, &second, KEY);
  take(&store, &third, KEY);
  store.cancel(store.userdata, KEY, &second);
  give(&store, KEY, "x");
  wait_for(&third);
  assert_int_equal(second.count, 0);
  give(&store, KEY, NULL);
}

STORE_TEST(two_processes_never_have_a_record_at_once) {
  enum { ROUNDS = 30 };
  pid_t child = fork();
  mcp_loop *own = child == 0 ? mcp_loop_new(NULL, NULL) : loop;
  mcp_auth_store mine = store;
  if (child == 0) {
    loop = own;
    mcp_auth_store_files(&mine, own, folder, NULL);
  }
  for (int i = 0; i < ROUNDS; i++) {
    taking self = {0};
    char next[20];
    take(&mine, &self, KEY);
    wait_for(&self);
    snprintf(next, sizeof(next), "%d",
             self.text[0] == '(' ? 1 : atoi(self.text) + 1);
    give(&mine, KEY, next);
  }
  if (child == 0) {
    _exit(0);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  taking self = {0};
  take(&mine, &self, KEY);
  assert_int_equal(atoi(self.text), 2 * ROUNDS);
  give(&mine, KEY, NULL);
}

static void note_key(void *argument, const char *key) {
  char *keys = argument;
  strcat(keys, key);
  strcat(keys, "\n");
}

STORE_TEST(list_finds_the_servers_of_records) {
  mcp_error err;
  char keys[200] = "";
  taking self = {0};
  assert_int_equal(store.list(store.userdata, note_key, keys, &err), 0);
  assert_string_equal(keys, "");
  take(&store, &self, KEY);
  give(&store, KEY, "{\"server\":\"" KEY "\"}");
  assert_int_equal(store.list(store.userdata, note_key, keys, &err), 0);
  assert_string_equal(keys, KEY "\n");
}

STORE_TEST(a_record_that_is_not_valid_is_reported_beside_the_others) {
  static const char *const texts[] = {"rubbish", "{}", "[]", "{\"server\":1}"};
  static const char other[] = "https://other.example/mcp";
  mcp_error err;
  taking self = {0};
  take(&store, &self, KEY);
  give(&store, KEY, "{\"server\":\"" KEY "\"}");
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
    char keys[200] = "";
    take(&store, &self, other);
    give(&store, other, texts[i]);
    assert_int_equal(store.list(store.userdata, note_key, keys, &err),
                     MCP_ERR_PARSE);
    assert_non_null(strstr(err.message, "/other.example-mcp-"));
    assert_non_null(strstr(err.message, "is not the record of a login"));
    assert_string_equal(keys, KEY "\n");
    assert_int_equal(store.list(store.userdata, note_key, keys, NULL),
                     MCP_ERR_PARSE);
  }
}

STORE_TEST(a_record_that_others_can_read_is_reported_beside_the_others) {
  static const char other[] = "https://other.example/mcp";
  char keys[200] = "";
  char command[120];
  mcp_error err;
  taking self = {0};
  take(&store, &self, KEY);
  give(&store, KEY, "{\"server\":\"" KEY "\"}");
  take(&store, &self, other);
  give(&store, other, "{\"server\":\"https://other.example/mcp\"}");
  snprintf(command, sizeof(command), "chmod 644 %s/other*.json", folder);
  assert_int_equal(system(command), 0);
  assert_int_equal(store.list(store.userdata, note_key, keys, &err),
                   MCP_ERR_IO);
  assert_non_null(strstr(err.message, "chmod 600"));
  assert_string_equal(keys, KEY "\n");
}

STORE_TEST(list_leaves_no_secret_in_memory) {
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  alloc.secret = "hidden";
  mcp_loop_options options = MCP_LOOP_OPTIONS_INIT;
  options.allocator = &alloc.allocator;
  mcp_loop *own = mcp_loop_new(&options, NULL);
  mcp_auth_store seen = MCP_AUTH_STORE_INIT;
  char keys[200] = "";
  mcp_error err;
  taking self = {0};
  take(&store, &self, KEY);
  give(&store, KEY,
       "{\"server\":\"" KEY "\",\"token\":{\"access_token\":\"hidden\"}}");
  take(&store, &self, "https://rubbish.example");
  give(&store, "https://rubbish.example", "{\"access_token\":\"hidden\",");
  assert_int_equal(mcp_auth_store_files(&seen, own, folder, NULL), 0);
  assert_int_equal(seen.list(seen.userdata, note_key, keys, &err),
                   MCP_ERR_PARSE);
  assert_null(strstr(err.message, "hidden"));
  assert_string_equal(keys, KEY "\n");
  seen.release(seen.userdata);
  mcp_loop_free(own);
  assert_int_equal(alloc.left_secrets, 0);
}

STORE_TEST(file_names_are_plain) {
  taking self = {0};
  take(&store, &self, "https://../../etc/passwd\n<>");
  give(&store, "https://../../etc/passwd\n<>", "x");
  DIR *found = opendir(folder);
  int count = 0;
  for (struct dirent *entry = readdir(found); entry != NULL;
       entry = readdir(found)) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      assert_int_equal(
          strspn(entry->d_name, "abcdefghijklmnopqrstuvwxyz0123456789.-"),
          strlen(entry->d_name));
      assert_int_not_equal(entry->d_name[0], '.');
      count++;
    }
  }
  closedir(found);
  assert_int_equal(count, 2);
}

STORE_TEST(a_record_that_others_can_read_is_not_taken) {
  taking self = {0};
  char command[120];
  take(&store, &self, KEY);
  give(&store, KEY, "x");
  snprintf(command, sizeof(command), "chmod 644 %s/*.json", folder);
  assert_int_equal(system(command), 0);
  self.count = 0;
  take(&store, &self, KEY);
  assert_int_equal(self.count, 1);
  assert_int_equal(self.err.code, MCP_ERR_IO);
  assert_non_null(strstr(self.err.message, "chmod 600"));
  mcp_error err;
  assert_int_equal(store.give(store.userdata, KEY, "y", 1, &err),
                   MCP_ERR_INVALID);
}

STORE_TEST(an_error_of_writing_leaves_the_old_record) {
  taking self = {0};
  mcp_error err;
  char command[160];
  take(&store, &self, KEY);
  give(&store, KEY, "old");
  take(&store, &self, KEY);
  snprintf(command, sizeof(command),
           "for f in %s/*.json; do mkdir -p \"${f%%.json}.new/x\"; done",
           folder);
  assert_int_equal(system(command), 0);
  assert_int_equal(store.give(store.userdata, KEY, "new", 3, &err), MCP_ERR_IO);
  self.count = 0;
  take(&store, &self, KEY);
  assert_string_equal(self.text, "old");
  give(&store, KEY, NULL);
}

TEST(the_default_folder_is_in_the_users_state) {
  mcp_error err;
  char home[] = "/tmp/mcp-test-home-XXXXXX";
  char wanted[80];
  char command[100];
  assert_non_null(mkdtemp(home));
  mcp_loop *own = mcp_loop_new(NULL, NULL);
  mcp_auth_store found = MCP_AUTH_STORE_INIT;
  unsetenv("XDG_STATE_HOME");
  setenv("HOME", home, 1);
  assert_int_equal(mcp_auth_store_files(&found, own, NULL, &err), 0);
  snprintf(wanted, sizeof(wanted), "%s/.local/state/mcp/auth", home);
  assert_int_equal(access(wanted, F_OK), 0);
  found.release(found.userdata);
  snprintf(wanted, sizeof(wanted), "%s/state", home);
  setenv("XDG_STATE_HOME", wanted, 1);
  assert_int_equal(mcp_auth_store_files(&found, own, NULL, &err), 0);
  snprintf(wanted, sizeof(wanted), "%s/state/mcp/auth", home);
  assert_int_equal(access(wanted, F_OK), 0);
  found.release(found.userdata);
  mcp_loop_free(own);
  snprintf(command, sizeof(command), "rm -rf %s", home);
  assert_int_equal(system(command), 0);
}

TEST(wrong_parameters_are_refused) {
  mcp_error err;
  mcp_auth_store found = MCP_AUTH_STORE_INIT;
  mcp_loop *own = mcp_loop_new(NULL, NULL);
  assert_int_equal(mcp_auth_store_files(NULL, own, NULL, &err),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_auth_store_files(&found, NULL, NULL, &err),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_auth_store_files(&found, own, "/dev/null/x", &err),
                   MCP_ERR_IO);
  found.size = 0;
  assert_int_equal(mcp_auth_store_files(&found, own, folder, &err),
                   MCP_ERR_INVALID);
  assert_non_null(strstr(err.message, "mcp_auth_store has no size"));
  mcp_loop_free(own);
}
