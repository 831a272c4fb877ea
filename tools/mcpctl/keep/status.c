/* SPDX-License-Identifier: MIT */
#include "keep/status.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/report.h"
#include "common/table.h"
#include "common/text.h"
#include "config/server.h"
#include "keep/ask.h"
#include "keep/path.h"
#include "platform/clock.h"

#include <dirent.h>
#include <mcp/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
  ANSWER_MS = 2000,
  STOP_MS = 30000, /* a server has time to end, and is then killed */
  MOST = 1000      /* sessions */
};

/* A session that runs. */
typedef struct running {
  int fd;         /* a connection that has asked nothing but the status */
  mcp_doc *state; /* the answer */
} running;

typedef struct sessions {
  running list[MOST];
  size_t count;
} sessions;

static const mcp_json *get(const running *one, const char *name) {
  return mcp_json_get(mcp_doc_root(one->state), name);
}

static const char *get_text(const running *one, const char *name) {
  const char *text = mcp_json_string(get(one, name));
  return text != NULL ? text : "";
}

/* ---- which sessions ---------------------------------------------------- */

/* A server with a name is that of its file, with this definition or an older
 * one. */
static int is_meant(const running *one, const ctl_options *options) {
  const ctl_server *server = options->server;
  return one->state != NULL &&
         (server == NULL || (strcmp(get_text(one, "name"), server->name) == 0 &&
                             strcmp(get_text(one, "file"), server->file) == 0));
}

static void running_deinit(running *one) {
  mcp_doc_free(one->state);
  if (one->fd >= 0) {
    close(one->fd);
  }
}

/* A socket on which nobody listens is that of a process that was killed. The
 * next `start` replaces it. */
static void add_session(sessions *all, const char *folder, const char *file,
                        const ctl_options *options) {
  char path[4096];
  snprintf(path, sizeof(path), "%s/%s", folder, file);
  running one = {.fd = ctl_keep_connect(path)};
  if (one.fd >= 0) { /* one that does not answer is not shown */
    one.state = ctl_keep_ask(one.fd, CTL_KEEP_STATUS, ANSWER_MS);
  }
  if (is_meant(&one, options)) {
    all->list[all->count++] = one;
  } else {
    running_deinit(&one);
  }
}

static int by_name(const void *a, const void *b) {
  int order = strcmp(get_text(a, "name"), get_text(b, "name"));
  return order != 0
             ? order
             : strcmp(get_text(a, "startedAt"), get_text(b, "startedAt"));
}

static int is_socket_name(const char *file) {
  size_t len = strlen(file);
  return len > 5 && strcmp(file + len - 5, ".sock") == 0;
}

static int read_folder(sessions *all, const char *folder,
                       const ctl_options *options) {
  mcp_error err = {0};
  int rc = ctl_keep_folder_check(folder, 0, &err);
  DIR *dir = rc == 0 ? opendir(folder) : NULL;
  const struct dirent *entry = NULL;
  if (rc == MCP_ERR_NOT_FOUND) {
    return CTL_OK;
  }
  if (rc != 0 || dir == NULL) {
    return ctl_report(CTL_USAGE, "%s",
                      rc != 0 ? err.message : "cannot read the folder");
  }
  /* cppcheck-suppress readdirCalled ; each stream has its own entry */
  while (all->count < MOST && (entry = readdir(dir)) != NULL) {
    if (is_socket_name(entry->d_name)) {
      add_session(all, folder, entry->d_name, options);
    }
  }
  closedir(dir);
  qsort(all->list, all->count, sizeof(*all->list), by_name);
  return CTL_OK;
}

/* Finds the sessions, which the caller ends with sessions_free. NULL: *code
 * says why. */
static sessions *sessions_find(const ctl_options *options, int *code) {
  sessions *all = calloc(1, sizeof(*all));
  char *folder = ctl_keep_folder();
  *code = all != NULL && folder != NULL
              ? read_folder(all, folder, options)
              : ctl_report(CTL_USAGE, "out of memory");
  free(folder);
  return all;
}

static void sessions_free(sessions *all) {
  for (size_t i = 0; all != NULL && i < all->count; i++) {
    running_deinit(&all->list[i]);
  }
  free(all);
}

/* ---- status ------------------------------------------------------------ */

/* The time of the user, to the second. */
static void put_since(ctl_table *table, const char *started) {
  char text[32] = "";
  struct tm utc = {0};
  struct tm local;
  if (strptime(started, "%Y-%m-%dT%H:%M:%SZ", &utc) != NULL) {
    time_t at = ctl_time_of_utc(&utc);
    ctl_time_local(at, &local);
    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local);
  }
  ctl_table_add(table, text);
}

static void put_number(ctl_table *table, const mcp_json *number,
                       const char *unit) {
  char text[48];
  snprintf(text, sizeof(text), "%lld%s", (long long)mcp_json_int(number), unit);
  ctl_table_add(table, number != NULL ? text : "-");
}

static int print_table(const sessions *all) {
  static const char *const headings[] = {"NAME",    "PROCESS",  "SINCE",
                                         "CLIENTS", "REQUESTS", "IDLE LEFT",
                                         "LOG",     NULL};
  ctl_table table;
  ctl_table_init(&table, headings);
  for (size_t i = 0; i < all->count; i++) {
    const running *one = &all->list[i];
    ctl_table_add(&table, get_text(one, "name"));
    put_number(&table, get(one, "pid"), "");
    put_since(&table, get_text(one, "startedAt"));
    put_number(&table, get(one, "clients"), "");
    put_number(&table, get(one, "requests"), "");
    put_number(&table, get(one, "idleLeft"), " s");
    ctl_table_add(&table, get_text(one, "log"));
  }
  return ctl_table_print(&table);
}

/* The definition may have secrets. */
static void put_json(mcp_builder *out, const running *one) {
  static const char *const names[] = {"name",      "file",    "pid",
                                      "startedAt", "clients", "requests",
                                      "idleLeft",  "log"};
  mcp_builder_object(out, NULL);
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    if (get(one, names[i]) != NULL) {
      mcp_builder_value(out, names[i], get(one, names[i]));
    }
  }
  mcp_builder_end(out);
}

static int print_json(const sessions *all) {
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_builder_object(out, NULL);
  mcp_builder_array(out, "sessions");
  for (size_t i = 0; i < all->count; i++) {
    put_json(out, &all->list[i]);
  }
  mcp_builder_end(out);
  mcp_builder_end(out);
  return ctl_json_print_built(out);
}

static int show(const sessions *all, const ctl_options *options) {
  int code = CTL_OK;
  if (options->is_json) {
    code = print_json(all);
  } else if (all->count > 0) {
    code = print_table(all);
  } else if (options->server == NULL) {
    puts("(no sessions)");
  }
  if (code == CTL_OK && all->count == 0 && options->server != NULL) {
    code = ctl_report(CTL_FAILED,
                      "%s: no session runs; mcpctl %s start begins one",
                      options->target, options->target);
  }
  return code;
}

int ctl_keep_status(const ctl_options *options) {
  int code = CTL_OK;
  sessions *all = sessions_find(options, &code);
  if (code == CTL_OK) {
    code = show(all, options);
  }
  sessions_free(all);
  return code;
}

/* ---- stop -------------------------------------------------------------- */

static int stop_one(const running *one) {
  if (ctl_keep_stop(one->fd, STOP_MS) != 0) {
    return ctl_report(CTL_TIMEOUT,
                      "%s: the session has not ended within %d s (process "
                      "%lld)",
                      get_text(one, "name"), STOP_MS / 1000,
                      (long long)mcp_json_int(get(one, "pid")));
  }
  ctl_text_put_line(stdout, get_text(one, "name"), SIZE_MAX);
  puts(": stopped");
  return CTL_OK;
}

static int stop_all(const sessions *all, const ctl_options *options) {
  int code = CTL_OK;
  for (size_t i = 0; i < all->count; i++) {
    int one = stop_one(&all->list[i]);
    code = one != CTL_OK ? one : code;
  }
  if (all->count == 0 && options->server != NULL) {
    ctl_text_put_line(stdout, options->server->name, SIZE_MAX);
    puts(": no session runs");
  } else if (all->count == 0) {
    puts("(no sessions)");
  }
  return code;
}

int ctl_keep_stop_run(const ctl_options *options) {
  int code = CTL_OK;
  sessions *all = sessions_find(options, &code);
  if (code == CTL_OK) {
    code = stop_all(all, options);
  }
  sessions_free(all);
  return code;
}
