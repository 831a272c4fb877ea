/* SPDX-License-Identifier: MIT */
/* Durable creations of tasks, by the store in a file and by bare SQLite with
 * the same file: the same pragmas, table and indexes, without a thread, a queue
 * and completions.
 *
 *     bench-sqlite [FOLDER [SECONDS]]   each row takes SECONDS (1) three times
 *
 * Bare SQLite inserts one record in a transaction, or several. The store has as
 * many creations in flight as that, and puts those that wait in one
 * transaction. The rows take turns, and each shows the best of its rounds. */
#include "store/sqlite/file.h"

#include <mcp/mcp.h>
#include <mcp/sqlite.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 3, DATA_LEN = 500 };

static const int sizes[] = {1, 8, 64, 256};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static char folder[512];
static char path[600];
static char data[DATA_LEN + 1];
static double seconds = 1;
static unsigned long next_id;

static void die(const char *what) {
  fprintf(stderr, "bench-sqlite: %s\n", what);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Of all threads. */
static double cpu_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

typedef struct figures {
  double per_second;
  double cpu_us; /* for each creation */
} figures;

static void keep_best(figures *best, long count, double time, double cpu) {
  double per_second = (double)count / time;
  if (per_second > best->per_second) {
    *best = (figures){per_second, cpu / (double)count * 1e6};
  }
}

static void remove_file(void) {
  char wal[640];
  snprintf(wal, sizeof(wal), "%s-wal", path);
  unlink(wal);
  unlink(path);
}

static const char *make_id(char id[32]) {
  snprintf(id, 32, "%08lx-task-of-the-bench", next_id++ * 2654435761u);
  return id;
}

/* --- bare SQLite ---------------------------------------------------------- */

static void must(int result, int wanted, sqlite3 *db) {
  if (result != wanted) {
    die(sqlite3_errmsg(db));
  }
}

static void insert_one(sqlite3 *db, sqlite3_stmt *insert) {
  char id[32];
  sqlite3_bind_text(insert, 1, make_id(id), -1, SQLITE_STATIC);
  sqlite3_bind_int64(insert, 2, (int64_t)next_id);
  sqlite3_bind_blob(insert, 3, data, DATA_LEN, SQLITE_STATIC);
  must(sqlite3_step(insert), SQLITE_DONE, db);
  sqlite3_reset(insert);
}

static void run_bare(int size, figures *best) {
  mcp_error err;
  sqlite3 *db;
  sqlite3_stmt *insert;
  if (mcpi_sqlite_open(&db, path, &err) != 0) {
    die(err.message);
  }
  must(sqlite3_prepare_v2(
           db,
           "INSERT INTO task(id,owner,version,created_ms,expires_ms,ended,data)"
           " VALUES(?1,'anna',1,?2,?2+3600000,NULL,?3)",
           -1, &insert, NULL),
       SQLITE_OK, db);
  long count = 0;
  double begin = now(), cpu = cpu_seconds();
  while (now() - begin < seconds) {
    must(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK, db);
    for (int i = 0; i < size; i++) {
      insert_one(db, insert);
    }
    must(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK, db);
    count += size;
  }
  keep_best(best, count, now() - begin, cpu_seconds() - cpu);
  sqlite3_finalize(insert);
  sqlite3_close(db);
  remove_file();
}

/* --- the store ------------------------------------------------------------ */

typedef struct store_run {
  mcp_loop *loop;
  mcp_task_store store;
  double end;
  long count;
  int in_flight;
} store_run;

static void create_one(store_run *run);

static void on_done(void *argument, int status) {
  store_run *run = argument;
  if (status != 0) {
    die(mcp_error_text(status));
  }
  run->count++;
  run->in_flight--;
  if (now() < run->end) {
    create_one(run);
  }
}

static void create_one(store_run *run) {
  char id[32];
  make_id(id);
  const mcp_task_record record = {.id = id,
                                  .owner = "anna",
                                  .version = 1,
                                  .created_ms = (int64_t)next_id,
                                  .expires_ms = (int64_t)next_id + 3600000,
                                  .data = data,
                                  .data_len = DATA_LEN};
  run->in_flight++;
  run->store.create(run->store.userdata, run->loop, &record, on_done, run);
}

static void run_store(int size, figures *best) {
  mcp_error err;
  store_run run = {.loop = mcp_loop_new(NULL, NULL),
                   .store = MCP_TASK_STORE_INIT};
  if (run.loop == NULL ||
      mcp_task_store_sqlite(&run.store, path, NULL, &err) != 0) {
    die(run.loop == NULL ? "no loop" : err.message);
  }
  double begin = now(), cpu = cpu_seconds();
  run.end = begin + seconds;
  for (int i = 0; i < size; i++) {
    create_one(&run);
  }
  while (run.in_flight > 0) {
    mcp_loop_wait(run.loop, -1);
  }
  keep_best(best, run.count, now() - begin, cpu_seconds() - cpu);
  run.store.release(run.store.userdata);
  mcp_loop_free(run.loop);
  remove_file();
}

int main(int argc, char **argv) {
  static figures bare[SIZES], store[SIZES];
  snprintf(folder, sizeof(folder), "%s", argc > 1 ? argv[1] : "/tmp");
  seconds = argc > 2 ? atof(argv[2]) : 1;
  snprintf(path, sizeof(path), "%s/mcp-bench-%ld.db", folder, (long)getpid());
  memset(data, 'x', DATA_LEN);
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < SIZES; i++) {
      run_bare(sizes[i], &bare[i]);
      run_store(sizes[i], &store[i]);
    }
  }
  printf("durable creations of tasks with %d bytes, SQLite %s, in %s\n\n",
         DATA_LEN, sqlite3_libversion(), folder);
  printf("            bare SQLite            store\n");
  printf("together  creates/s  CPU us   creates/s  x bare  CPU us  x bare\n");
  for (int i = 0; i < SIZES; i++) {
    printf("%8d %10.0f %7.1f %11.0f %7.2f %7.1f %7.2f\n", sizes[i],
           bare[i].per_second, bare[i].cpu_us, store[i].per_second,
           store[i].per_second / bare[i].per_second, store[i].cpu_us,
           store[i].cpu_us / bare[i].cpu_us);
  }
  return 0;
}
