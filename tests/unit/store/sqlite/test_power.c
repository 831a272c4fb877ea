/* SPDX-License-Identifier: MIT */
/* A loss of power: the files are then as they were when they were last synced.
 * A layer under SQLite copies a file whenever it is synced. The copies must
 * have each task whose completion has come. */
#include "support/cm.h"
#include "support/folder.h"
#include "support/store_rig.h"
#include <mcp/sqlite.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the layer ------------------------------------------------------------ */

/* The file of the system's layer follows in the same block. */
typedef struct layer_file {
  _Alignas(8) sqlite3_file base;
  int has_synced;
  char path[300];
} layer_file;

static sqlite3_vfs *under;
static sqlite3_vfs layer;
static int sync_count;

_Static_assert(sizeof(layer_file) % 8 == 0, "the other file is aligned");

static sqlite3_file *real(sqlite3_file *file) {
  return (sqlite3_file *)(void *)((layer_file *)(void *)file + 1);
}

MCP_PRINTF(1, 2)
static void run_shell(const char *format, ...) {
  char command[1000];
  va_list args;
  va_start(args, format);
  vsnprintf(command, sizeof(command), format, args);
  va_end(args);
  assert_int_equal(system(command), 0);
}

/* Removed files stay removed. */
static void sync_folder(void) {
  run_shell("cd %s && for f in *.synced; do test -e ${f%%.synced} || rm -f $f; "
            "done",
            folder_path(""));
}

/* SQLite syncs the folder with the first sync of a journal and of a WAL. */
static int layer_sync(sqlite3_file *file, int flags) {
  layer_file *synced = (layer_file *)(void *)file;
  int rc = real(file)->pMethods->xSync(real(file), flags);
  sync_count++;
  run_shell("cp %s %s.synced", synced->path, synced->path);
  if (!synced->has_synced && strstr(synced->path, ".db-") != NULL) {
    sync_folder();
  }
  synced->has_synced = 1;
  return rc;
}

static int layer_close(sqlite3_file *file) {
  return real(file)->pMethods->xClose(real(file));
}

static int layer_read(sqlite3_file *file, void *to, int len, sqlite3_int64 at) {
  return real(file)->pMethods->xRead(real(file), to, len, at);
}

static int layer_write(sqlite3_file *file, const void *from, int len,
                       sqlite3_int64 at) {
  return real(file)->pMethods->xWrite(real(file), from, len, at);
}

static int layer_truncate(sqlite3_file *file, sqlite3_int64 size) {
  return real(file)->pMethods->xTruncate(real(file), size);
}

static int layer_size(sqlite3_file *file, sqlite3_int64 *size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}

static int layer_lock(sqlite3_file *file, int level) {
  return real(file)->pMethods->xLock(real(file), level);
}

static int layer_unlock(sqlite3_file *file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}

static int layer_check(sqlite3_file *file, int *is_reserved) {
  return real(file)->pMethods->xCheckReservedLock(real(file), is_reserved);
}

static int layer_control(sqlite3_file *file, int what, void *argument) {
  return real(file)->pMethods->xFileControl(real(file), what, argument);
}

static int layer_sector(sqlite3_file *file) {
  return real(file)->pMethods->xSectorSize(real(file));
}

static int layer_device(sqlite3_file *file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static const sqlite3_io_methods methods = {.iVersion = 1,
                                           .xClose = layer_close,
                                           .xRead = layer_read,
                                           .xWrite = layer_write,
                                           .xTruncate = layer_truncate,
                                           .xSync = layer_sync,
                                           .xFileSize = layer_size,
                                           .xLock = layer_lock,
                                           .xUnlock = layer_unlock,
                                           .xCheckReservedLock = layer_check,
                                           .xFileControl = layer_control,
                                           .xSectorSize = layer_sector,
                                           .xDeviceCharacteristics =
                                               layer_device};

static int layer_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file,
                      int flags, int *out_flags) {
  layer_file *opened = (layer_file *)(void *)file;
  int rc = under->xOpen(under, name, real(file), flags, out_flags);
  opened->base.pMethods = NULL;
  if (rc == SQLITE_OK) {
    opened->base.pMethods = &methods;
    opened->has_synced = 0;
    snprintf(opened->path, sizeof(opened->path), "%s", name);
  }
  return rc;
}

static void add_layer(void) {
  under = sqlite3_vfs_find(NULL);
  layer = *under;
  layer.zName = "layer";
  layer.szOsFile = (int)sizeof(layer_file) + under->szOsFile;
  layer.xOpen = layer_open;
  assert_int_equal(sqlite3_vfs_register(&layer, 1), SQLITE_OK);
}

/* --- the store ------------------------------------------------------------ */

static const char *file_name = "tasks.db";

static int make(mcp_task_store *out, const mcp_allocator *allocator,
                size_t max_bytes) {
  return mcp_task_store_sqlite(out, folder_path(file_name), NULL, NULL);
}

static const store_maker maker = {make, NULL};
static store_rig rig;

static int set_up(void **state) {
  folder_make(state);
  file_name = "tasks.db";
  return store_rig_begin(&rig, &maker, mcp_allocator_default(), 0);
}

static int tear_down(void **state) {
  store_rig_end(&rig);
  return folder_remove(state);
}

#define POWER_TEST(name) TEST_WITH(name, set_up, tear_down)

/* The store is then that of the files as they were synced. */
static void lose_power(void) {
  run_shell("cd %s && for f in *.synced; do cp $f after-${f%%.synced}; done && "
            "chmod 600 after-*",
            folder_path(""));
  file_name = "after-tasks.db";
  store_rig_reopen(&rig, 0);
}

POWER_TEST(a_reported_task_survives_a_loss_of_power) {
  assert_int_equal(store_create(&rig, "one", "anna", 1000, "{}"), 0);
  lose_power();
  assert_string_equal(store_load(&rig, "one"), "one:{} ");
}

POWER_TEST(a_reported_end_survives_with_all_that_came_before) {
  store_create(&rig, "one", "anna", 1000, "{}");
  store_create(&rig, "two", "anna", 1000, "{}");
  store_update(&rig, "one", 2, 0, "[1]");
  store_update(&rig, "two", 2, 1, "[2]");
  lose_power();
  assert_string_equal(store_load(&rig, "one"), "one:[1] ");
  assert_string_equal(store_load(&rig, "two"), "two:[2] ");
  assert_int_equal(rig.first.has_ended, 1);
}

/* Also across checkpoints, which copy the WAL to the file: those come every
 * 1000 pages. */
POWER_TEST(tasks_survive_at_any_time) {
  static char text[100000];
  char id[16];
  memset(text, 'x', sizeof(text) - 1);
  for (int i = 0; i < 90; i++) {
    snprintf(id, sizeof(id), "%d", i);
    assert_int_equal(store_create(&rig, id, "anna", 1000, text), 0);
  }
  lose_power();
  for (int i = 0; i < 90; i++) {
    snprintf(id, sizeof(id), "%d", i);
    assert_true(store_has(&rig, id));
  }
}

POWER_TEST(other_updates_do_not_wait_for_the_disk) {
  store_create(&rig, "one", "anna", 1000, "{}");
  int before = sync_count;
  store_update(&rig, "one", 2, 0, "[1]");
  store_load(&rig, "one");
  assert_int_equal(store_expire(&rig, 0), 0);
  assert_int_equal(sync_count, before);
}

int main(void) {
  add_layer();
  return tests_run(NULL, NULL);
}
