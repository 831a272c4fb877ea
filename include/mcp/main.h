/* SPDX-License-Identifier: MIT */
/** @file
 * A whole server program in one call (libmcp).
 */
#ifndef MCP_MAIN_H
#define MCP_MAIN_H

#include <mcp/http.h>
#include <mcp/server.h>

MCP_BEGIN_DECLS

/** An option of the program. --help shows it together with the library's
 * options. */
typedef struct mcp_main_option {
  /** The long name without dashes, such as "units". mcp_main_with returns 1 if
   * two options of the program have the same name, or if a name cannot be given
   * on a command line: it is empty, begins with "-", or has "=" or a blank. An
   * option with the name of one of the library's, such as "http", replaces the
   * library's option: --help then shows only the program's.
   * NULL: the entry is a positional argument. The first argument on the
   * command line goes to the first such entry, the second argument to the
   * second entry, and so on. If value_name of the last such entry ends with
   * "...", this entry gets all further arguments. */
  const char *name;
  /** The placeholder for the value in --help, such as "DIR". NULL: the option
   * is a flag without a value. */
  const char *value_name;
  /** The text for --help. */
  const char *description;
  /** Called for each occurrence on the command line, in order, before the
   * server starts. `option` is the entry of mcp_main_options.options. `value`
   * is valid until the process ends; it is NULL for a flag. The function
   * returns 0. To refuse the value, it prints the reason and returns another
   * number; mcp_main_with then returns 2. NULL: the option is accepted and
   * ignored. */
  int (*on_value)(const struct mcp_main_option *option, const char *value,
                  void *userdata);
  /** Passed to on_value. */
  void *userdata;
  /** Room for members of later versions; must be NULL. */
  const void *reserved[2];
} mcp_main_option;

/** What the command line may open: mcp_main_options.transports. Since 0.2. */
enum {
  /** --stdio. */
  MCP_MAIN_STDIO = 1,
  /** --http, --sse and --ws. */
  MCP_MAIN_HTTP = 2,
  /** --tcp. */
  MCP_MAIN_TCP = 4,
  /** --unix. */
  MCP_MAIN_UNIX = 8
};

/** Options of mcp_main_with. Zero and NULL mean the default. */
typedef struct mcp_main_options {
  /** sizeof(mcp_main_options); MCP_MAIN_OPTIONS_INIT sets it. */
  size_t size;
  /** One line for --help; NULL: none. */
  const char *summary;
  /** The options of the program, which come before the library's in --help. */
  const mcp_main_option *options;
  size_t option_count;
  /** Called after the options were read and before the server starts. Here the
   * program registers what depends on the options, and starts threads. The
   * function returns 0. To stop, it prints the reason and returns an MCP_ERR_*;
   * mcp_main_with then returns 1. If a registration has failed, mcp_main_with
   * prints the reason (mcp_server_error). May be NULL. */
  int (*on_start)(mcp_server *server, mcp_loop *loop, void *userdata);
  /** Called when serving has ended, if on_start returned 0 or is NULL. Here the
   * program replies to all deferred calls or drops them, and joins its threads.
   * The server and the loop are freed afterwards. May be NULL. */
  void (*on_stop)(mcp_server *server, mcp_loop *loop, void *userdata);
  /** Passed to on_start and on_stop. */
  void *userdata;
  /** Options of each HTTP listener: TLS, limits and so on. The member `http` of
   * this structure has the options of the endpoint: on_request, the allowed
   * origins and so on. Borrowed until mcp_main_with returns. NULL: the
   * defaults. Since 0.2.
   *
   * These options do not open a listener: only --http, --sse and --ws on the
   * command line do. So the program must not set `address` here, and must not
   * set `wires` or `dialect` in `http`; otherwise mcp_main_with returns 1.
   * --dialect on the command line names the dialect.
   *
   * If the command line gives a value for a member, this value replaces the
   * program's:
   * - A list is replaced as a whole: if the command line has an --allow-host,
   *   the program's allowed_hosts are not used.
   * - The certificate and its key are replaced together, by --tls-cert and
   *   --tls-key.
   *
   * With --trace both the log and the program's on_trace get each message. */
  const mcp_http_listen_options *listen;
  /** What the command line may open: a combination of MCP_MAIN_*; 0: all. The
   * options of the other transports are then an error (exit code 2), and --help
   * does not show them. Without MCP_MAIN_STDIO the command line must have an
   * address. Since 0.2.
   *
   * A program that checks identities with mcp_http_options.on_request sets
   * MCP_MAIN_HTTP: other transports do not call on_request. */
  uint32_t transports;
  /** How many threads run blocking handlers (mcp_loop_options.pool_threads); 0:
   * 4. --pool-threads replaces it. Since 0.2. */
  uint32_t pool_threads;
} mcp_main_options;

#define MCP_MAIN_OPTIONS_INIT MCP_INIT_(mcp_main_options)

/**
 * Reads the command line, serves until the end of input or a signal, and frees
 * the server.
 *
 * Options, with their defaults in parentheses:
 * - --stdio: serves standard input and output (the default if the command line
 *   has no address and mcp_main_options.transports allows it);
 * - --http HOST:PORT: Streamable HTTP; --sse HOST:PORT: HTTP+SSE; --ws
 *   HOST:PORT: WebSocket. Further options set members of mcp_http_options and
 *   mcp_http_listen_options (mcp/http.h);
 * - --tcp HOST:PORT and --unix PATH: messages as lines (mcp/socket.h, with its
 *   default limits);
 * - --dialect NAME (mcp), --era ERA (both), --drain-ms N (1000);
 * - --log-level LEVEL (warning), --log-file FILE (standard error), --trace;
 * - --version, --help, which shows all options.
 *
 * An option with an address may be repeated, and all addresses are served.
 * --http, --sse and --ws with the same address share one listener. mcp_main
 * prints each address on standard error. It reads standard input only with
 * --stdio.
 *
 * A new log file can be read and written only by its owner (permissions 0600),
 * because a trace may contain private data.
 *
 * With --stdio, output that a handler writes to standard output goes to
 * standard error, so that it cannot corrupt the messages.
 *
 * At the end of standard input, or after SIGINT or SIGTERM, mcp_main stops in
 * these steps:
 * - mcp_main accepts no new requests;
 * - calls in flight have --drain-ms milliseconds to answer, then they are
 *   cancelled;
 * - all output is written, but if a client reads nothing for five seconds, the
 *   rest is dropped;
 * - mcp_main returns 0.
 *
 * A second signal ends the process at once. The process also ends at once if a
 * handler blocks the loop's thread for one second longer than --drain-ms. The
 * exit code is then 128 plus the number of the signal, or 1 if there was no
 * signal.
 *
 * If a handler still runs on a thread of the pool, or a deferred call has no
 * reply, mcp_main waits at most one more second before it returns. If that is
 * not enough, mcp_main logs a warning. It then does not free the server and the
 * loop, because the handler or the program may still use the call.
 *
 * On SIGHUP, a program that serves HTTP with TLS reads its certificate files
 * again. In any other program SIGHUP ends the process.
 *
 * mcp_main frees the server and the loop; the program must not free them. If a
 * handler frees the server, mcp_main serves nothing from then on. If on_start
 * frees the server, mcp_main_with returns 1. mcp_loop_free does nothing inside
 * on_start and on_stop.
 *
 * @param server taken; NULL: mcp_main prints that there is no server, and
 *               returns 1
 * @param argc   how many words argv has; 0: mcp_main uses the defaults
 * @param argv   the command line, as main gets it. Only the first argc words
 *               are read. The program may pass only some of its own words, if
 *               the first is its name
 * @return the exit code of the program: 0; 1: a failure (the reason is in the
 *         log or on standard error); 2: the command line is wrong
 */
MCP_API int mcp_main(mcp_server *server, int argc, char **argv);

/**
 * Does what mcp_main does, with options of the program.
 * @param options NULL: no options; borrowed until return
 */
MCP_API int mcp_main_with(mcp_server *server, int argc, char **argv,
                          const mcp_main_options *options);

MCP_END_DECLS

#endif
