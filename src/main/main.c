/* SPDX-License-Identifier: MIT */
/* A whole server program in one call.
 *
 *     options -> loop, log -> on_start -> transports -> serve -> drain -> free
 *
 * The end of input and the first signal begin the draining. The transports end
 * when their calls are answered or their time is over, and the last one stops
 * the loop. */
#include "base/error.h"
#include "base/widen.h"
#include "main/log.h"
#include "main/options.h"
#include "main/signals.h"
#include "main/transports.h"
#include "net/fd.h"
#include "platform/arguments.h"
#include "platform/descriptors.h"
#include "server/shard.h"

#include <mcp/version.h>
#include <string.h>

enum { STANDARD_INPUT, STANDARD_OUTPUT };

/* Exit codes. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* How long a handler may run on after its call was dropped, in milliseconds. */
enum { HANDLER_GRACE_MS = 1000 };

typedef struct program {
  const char *name;
  mcp_main_options options;
  mcp_main_option own_options[MCPI_MAIN_OWN_COUNT];
  mcp_main_option limits[MCPI_MAIN_LIMIT_COUNT];
  /* The program's first: it may replace the library's. */
  mcpi_main_table tables[3];
  mcpi_main_settings settings;
  mcpi_main_log log;
  mcp_server *server;
  mcp_loop *loop;
  mcpi_main_transports transports;
  int has_started; /* on_stop must be called */
  int exit_code;
} program;

/* What this process serves, for callbacks that only get the server. There is
 * one at a time in a process, as there is one standard input. */
static program *serving;

/* A server and a loop that a handler still uses: they end with the process,
 * which is about to end. Kept here so that they do not count as leaks. */
static program left_behind;

/* --- the end ------------------------------------------------------------- */

static void on_signal(int signal, void *userdata) {
  program *self = userdata;
  mcpi_main_log_put(&self->log, MCP_LOG_INFO, "signal %d: ending", signal);
  mcpi_main_transports_drain(&self->transports);
}

static void on_hangup(void *userdata) {
  program *self = userdata;
  mcpi_main_transports_reload(&self->transports);
}

static void on_report(mcp_server *server, const mcp_error *err,
                      void *userdata) {
  (void)server;
  (void)userdata; /* the program's userdata */
  /* clients come and go */
  int level = err->code == MCP_ERR_CLOSED ? MCP_LOG_INFO : MCP_LOG_WARNING;
  mcpi_main_log_put(&serving->log, level, "%s", err->message);
}

/* --- serving ------------------------------------------------------------- */

static int main_fail(const program *self, const char *message) {
  fprintf(stderr, "%s: %s\n", self->name, message);
  return EXIT_FAILED;
}

/* An invalid value was given on the command line. */
static int fail_opening(const program *self, const mcp_error *err) {
  mcpi_main_refuse(&self->settings, err->message);
  return err->code == MCP_ERR_INVALID ? EXIT_USAGE : EXIT_FAILED;
}

static void main_run(program *self) {
  mcp_loop_run(self->loop);
  mcpi_main_transports_close(&self->transports);
}

/* Only HTTP uses the certificate, which the program may set for addresses that
 * the command line does not open. */
static int serves_tls(const mcpi_main_settings *settings) {
  return mcpi_main_serves_http(settings) &&
         settings->whole.listen.tls_cert != NULL;
}

static int main_serve(program *self) {
  mcp_error err = {0};
  const mcpi_main_settings *settings = &self->settings;
  mcpi_main_signal_events events = {.on_end = on_signal, .userdata = self};
  if (serves_tls(settings)) {
    events.on_hangup = on_hangup;
  }
  if (mcpi_main_signals_start(mcpi_uv_of(self->loop),
                              settings->drain_ms + HANDLER_GRACE_MS,
                              &events) != 0) {
    return main_fail(self, "cannot catch signals");
  }
  mcpi_main_log_attach(&self->log, mcpi_uv_of(self->loop));
  self->transports = (mcpi_main_transports){.server = self->server,
                                            .loop = self->loop,
                                            .settings = &self->settings,
                                            .log = &self->log};
  if (mcpi_main_transports_open(&self->transports, &err) != 0) {
    self->exit_code = fail_opening(self, &err);
    mcpi_main_transports_close(&self->transports);
  } else {
    main_run(self);
    self->exit_code = self->transports.has_failed ? EXIT_FAILED : EXIT_DONE;
  }
  mcpi_main_log_detach(&self->log);
  mcpi_main_signals_detach();
  return self->exit_code;
}

/* --- starting ------------------------------------------------------------ */

/* The program registers what depends on its options. If a registration failed,
 * here or before, the program ends. */
static int main_start(program *self) {
  int has_failed = 0;
  if (self->options.on_start != NULL) {
    self->loop->frames++; /* the program cannot free the loop there */
    int rc = self->options.on_start(self->server, self->loop,
                                    self->options.userdata);
    self->loop->frames--;
    has_failed = rc != 0;
  }
  self->has_started = !has_failed;
  const mcp_error *err = mcp_server_error(self->server);
  if (has_failed && err == NULL) {
    return EXIT_FAILED; /* on_start has printed the reason */
  }
  return err != NULL ? main_fail(self, err->message) : EXIT_DONE;
}

/* The server's reports go to the log, unless the program has set on_report.
 * Those of registrations before mcp_main do so here. */
static void take_reports(program *self) {
  serving = self;
  if (self->server->options.on_report == NULL) {
    self->server->options.on_report = on_report;
    mcpi_server_tell_held(self->server);
  }
}

/* Returns the name of the tool, the prompt or the like whose call outlived its
 * connection; the oldest call of a loop. */
static const char *name_left_call(const mcp_server *server) {
  const mcpi_list *link = server->shards.next;
  for (; link != &server->shards; link = link->next) {
    const char *name =
        mcpi_shard_left_call(MCPI_CONTAINER(link, mcpi_shard, link));
    if (name != NULL) {
      return name;
    }
  }
  return "a call";
}

static size_t count_calls(const mcp_server *server) {
  size_t count = 0;
  const mcpi_list *link = server->shards.next;
  for (; link != &server->shards; link = link->next) {
    count += MCPI_CONTAINER(link, mcpi_shard, link)->call_count;
  }
  return count;
}

/* Handlers may still use calls that were dropped, on the pool or elsewhere,
 * until they reply. Returns 0: all have replied, and everything can be
 * freed. */
static int await_handlers(const program *self) {
  int64_t limit_ms = mcpi_loop_now(self->loop) + HANDLER_GRACE_MS;
  while (count_calls(self->server) > 0) {
    int64_t left_ms = limit_ms - mcpi_loop_now(self->loop);
    if (left_ms <= 0) {
      return MCP_ERR_TIMEOUT;
    }
    mcp_loop_wait(self->loop, (int)left_ms);
  }
  return 0;
}

/* No connection waits for the tasks: they have what is left of the time to
 * drain, and are then cancelled as other calls are. */
static void end_tasks(const program *self) {
  int64_t left_ms;
  while (count_calls(self->server) > 0 &&
         (left_ms = self->transports.drained_ms - mcpi_loop_now(self->loop)) >
             0) {
    mcp_loop_wait(self->loop, (int)left_ms);
  }
  mcpi_server_cancel_left(self->server);
}

static void tear_down(program *self) {
  end_tasks(self);
  if (self->has_started && self->options.on_stop != NULL) {
    self->loop->frames++;
    self->options.on_stop(self->server, self->loop, self->options.userdata);
    self->loop->frames--;
  }
  if (await_handlers(self) == 0) {
    mcp_server_free(self->server);
    mcp_loop_free(self->loop);
  } else {
    left_behind = *self;
    mcpi_main_log_put(&self->log, MCP_LOG_WARNING,
                      "%s: the handler has not returned, or it deferred its "
                      "call and has not replied (calls left: %zu)",
                      name_left_call(self->server), count_calls(self->server));
  }
  self->server = NULL;
}

static int run_with_loop(program *self) {
  mcp_error err = {0};
  mcp_loop_options options = MCP_LOOP_OPTIONS_INIT;
  options.pool_threads = self->options.pool_threads;
  mcpi_main_limit_loop(&self->settings, &options);
  self->loop = mcp_loop_new(&options, &err);
  if (self->loop == NULL) {
    return main_fail(self, err.message);
  }
  take_reports(self);
  int exit_code = main_start(self);
  if (exit_code == EXIT_DONE) {
    exit_code = main_serve(self);
  }
  tear_down(self);
  mcpi_main_signals_stop();
  serving = NULL;
  return exit_code;
}

/* Called before anything is opened, which would take the place of a closed
 * standard descriptor. */
static int check_standard(const program *self) {
  int serves_stdio = mcpi_main_serves_stdio(&self->settings);
  if (serves_stdio && !mcpi_fd_is_open(STANDARD_INPUT)) {
    return main_fail(self, "standard input is closed, so no request can come");
  }
  if (serves_stdio && !mcpi_fd_is_open(STANDARD_OUTPUT)) {
    return main_fail(self,
                     "standard output is closed, so no answer can go out");
  }
  mcpi_fd_fill_standard(); /* nobody may read the log */
  return EXIT_DONE;
}

static int run_with_log(program *self) {
  mcp_error err;
  if (mcpi_main_log_open(&self->log, self->settings.log_file,
                         self->settings.log_level, &err) != 0) {
    return main_fail(self, err.message);
  }
  int exit_code = run_with_loop(self);
  mcpi_main_log_close(&self->log);
  return exit_code;
}

static int has_option(const mcp_main_option *options, size_t count,
                      const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (options[i].name != NULL && strcmp(options[i].name, name) == 0) {
      return 1;
    }
  }
  return 0;
}

/* Refuses an option that no command line could give. One with the name of a
 * library's option replaces that: an option that a later libmcp adds must not
 * stop a program. */
static int check_option_name(const program *self, size_t index) {
  const char *name = self->options.options[index].name;
  const char *why = NULL;
  if (name == NULL) {
    return EXIT_DONE;
  }
  if (name[0] == '-') {
    why = "write the name without dashes";
  } else if (name[0] == '\0' || strpbrk(name, "= \t") != NULL) {
    why = "a name is not empty, and has no = and no blanks";
  } else if (has_option(self->options.options, index, name)) {
    why = "two options have this name";
  }
  if (why == NULL) {
    return EXIT_DONE;
  }
  fprintf(stderr, "%s: mcp_main_options.options[%zu].name is \"%s\": %s\n",
          self->name, index, name, why);
  return EXIT_FAILED;
}

static int check_own_options(const program *self) {
  if ((self->options.transports & ~(uint32_t)MCPI_MAIN_ALL) != 0) {
    fprintf(
        stderr, "%s: mcp_main_options.transports: %#lx is not a transport\n",
        self->name, (unsigned long)(self->options.transports & ~MCPI_MAIN_ALL));
    return EXIT_FAILED;
  }
  if (self->options.options == NULL && self->options.option_count > 0) {
    fprintf(stderr, "%s: mcp_main_options.options is NULL, option_count %zu\n",
            self->name, self->options.option_count);
    return EXIT_FAILED;
  }
  for (size_t i = 0; i < self->options.option_count; i++) {
    const mcp_main_option *option = &self->options.options[i];
    if (mcpi_has_reserved(option->reserved)) {
      fprintf(stderr,
              "%s: mcp_main_options.options[%zu].reserved is not NULL\n",
              self->name, i);
      return EXIT_FAILED;
    }
    if (check_option_name(self, i) != EXIT_DONE) {
      return EXIT_FAILED;
    }
  }
  return EXIT_DONE;
}

static int run_program(program *self, int argc, char **argv) {
  mcp_error err;
  if (check_own_options(self) != EXIT_DONE) {
    return EXIT_FAILED;
  }
  if (mcpi_main_take_http(&self->settings, self->options.listen, &err) != 0) {
    return main_fail(self, err.message);
  }
  if (mcpi_main_parse(self->name, argc, argv, self->tables, 3) != 0) {
    return EXIT_USAGE;
  }
  if (self->settings.wants_help) {
    mcpi_main_help(stdout, self->name, self->options.summary, self->tables, 3);
    return EXIT_DONE;
  }
  if (self->settings.wants_version) {
    fprintf(stdout, "%s %s (libmcp %s)\n", self->server->name,
            self->server->version, mcp_version());
    return EXIT_DONE;
  }
  if (mcpi_main_check_settings(&self->settings) != 0) {
    return EXIT_USAGE;
  }
  if (self->settings.eras != 0) {
    mcpi_server_set_eras(self->server, self->settings.eras);
  }
  mcpi_main_limit_server(&self->settings, &self->server->limits);
  mcpi_main_make_whole(&self->settings);
  int exit_code = check_standard(self);
  return exit_code == EXIT_DONE ? run_with_log(self) : exit_code;
}

int mcp_main_with(mcp_server *server, int argc, char **argv,
                  const mcp_main_options *options) {
  argv = mcpi_arguments(argc, argv);
  program self = {.name = mcpi_main_program_name(argc, argv), .server = server};
  mcp_error err;
  if (server == NULL) {
    mcpi_error_null(&err, "server");
    return main_fail(&self, err.message);
  }
  if (options != NULL && mcpi_widen(&self.options, sizeof(self.options),
                                    options, "mcp_main_options", &err) != 0) {
    mcp_server_free(server);
    return main_fail(&self, err.message);
  }
  mcpi_main_own_options(self.own_options, &self.settings, self.name);
  self.tables[0] =
      (mcpi_main_table){self.options.options, self.options.option_count, 0};
  mcpi_main_limit_options(self.limits, &self.settings);
  size_t offered = mcpi_main_offer(self.own_options, &self.settings,
                                   self.options.transports);
  self.tables[1] = (mcpi_main_table){self.own_options, offered,
                                     MCPI_MAIN_OWN_COUNT - offered};
  self.tables[2] = (mcpi_main_table){self.limits, MCPI_MAIN_LIMIT_COUNT, 0};
  /* A handler may free the server, as it may anywhere. */
  mcpi_server_ref(server);
  int exit_code = run_program(&self, argc, argv);
  mcp_server_free(self.server);
  mcpi_server_unref(server);
  return exit_code;
}

int mcp_main(mcp_server *server, int argc, char **argv) {
  return mcp_main_with(server, argc, argv, NULL);
}
