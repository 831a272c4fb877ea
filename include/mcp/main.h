/* SPDX-License-Identifier: MIT */
/** @file
 * A whole server program in one call (libmcp).
 */
#ifndef MCP_MAIN_H
#define MCP_MAIN_H

#include <mcp/http.h>
#include <mcp/server.h>

MCP_BEGIN_DECLS

/** An option of the program's own, shown in --help beside the library's. */
typedef struct mcp_main_option {
  /** The long name without dashes; NULL: a positional argument. The first one
   * on the command line goes to the first such entry, and so on; an entry whose
   * value_name ends in "..." takes all that are left. */
  const char *name;
  /** What stands for its value in --help, such as "DIR"; NULL: a flag without
   * value. */
  const char *value_name;
  const char *description;
  /** Called for each occurrence, in order, before anything is served. `option`
   * is the entry of mcp_main_options.options that it belongs to. `value` is
   * borrowed for the program's life, NULL for a flag. Returns 0, or anything
   * else to end the program with exit code 2, having printed why. */
  int (*on_value)(const struct mcp_main_option *option, const char *value,
                  void *userdata);
  void *userdata;
  /** Room for members of later versions; must be NULL. */
  const void *reserved[2];
} mcp_main_option;

typedef struct mcp_main_options {
  /** sizeof(mcp_main_options); MCP_MAIN_OPTIONS_INIT sets it. */
  size_t size;
  /** One line for --help; NULL: none. */
  const char *summary;
  const mcp_main_option *options;
  size_t option_count;
  /** Called once options are read and before anything is served: the place to
   * register what depends on them, and to start threads. Returns 0, or an
   * MCP_ERR_* to end the program with exit code 1, having printed why. May be
   * NULL. */
  int (*on_start)(mcp_server *server, mcp_loop *loop, void *userdata);
  /** Called once serving has ended, when on_start had returned 0 or was NULL:
   * the place to answer or drop what is still deferred, and to join threads.
   * Server and loop are freed after it. May be NULL. */
  void (*on_stop)(mcp_server *server, mcp_loop *loop, void *userdata);
  void *userdata;
  /** Options of each HTTP listener: TLS, limits and so on. Its member `http`
   * has those of the endpoint: the request hook, allowed origins and so on.
   * Borrowed until mcp_main_with returns. NULL: the defaults. Since 0.2.
   *
   * These options open no listener. The command line does, by --http, --sse or
   * --ws, and --dialect names the dialect. So the program must not set
   * `address`, or `wires` and `dialect` of the endpoint: it then ends with exit
   * code 1.
   *
   * What the command line states replaces the member of the program:
   * - A list is replaced as a whole: with one --allow-host, the program's
   *   allowed_hosts do not count.
   * - The certificate and its key are replaced together, by --tls-cert and
   *   --tls-key.
   *
   * With --trace both the log and the program's on_trace get each message. */
  const mcp_http_listen_options *http;
} mcp_main_options;

#define MCP_MAIN_OPTIONS_INIT MCP_INIT_(mcp_main_options)

/**
 * Reads the command line, serves until the end of input or a signal, frees the
 * server, and returns the program's exit code.
 *
 * Options: --stdio (what happens without an address), --http HOST:PORT, --sse
 * HOST:PORT (HTTP+SSE) and --ws HOST:PORT (WebSocket) with those that belong to
 * them (mcp/http.h), --tcp HOST:PORT and --unix PATH (mcp/socket.h, with the
 * limits that it has by default), --dialect NAME (mcp),
 * --era ERA (both), --drain-ms N (1000), --log-level LEVEL (warning),
 * --log-file FILE (standard error), --trace, --version, --help. Addresses may
 * be given several times, and all are served at once, the wires of HTTP by one
 * listener where they have the same; each is told on standard error. Standard
 * input is read only when it is served.
 *
 * A log file that is new can be read by its owner alone: a trace tells much.
 *
 * Standard output is the wire's: what a handler prints there goes to standard
 * error instead, and harms nothing.
 *
 * At the end of input, SIGINT or SIGTERM no new request is taken; calls in
 * flight get --drain-ms to answer, then they are cancelled; everything is
 * flushed, unless nothing of it is read for five seconds, and the exit code is
 * 0. A second signal, or a handler that does not return for another second,
 * ends the process at once. SIGHUP reads the files of a server with TLS again,
 * and ends one without.
 *
 * The program frees neither the server nor the loop, as mcp_main does so. A
 * server that a handler frees nevertheless serves nothing from then on, and one
 * that on_start frees ends the program with exit code 1. mcp_loop_free does
 * nothing inside on_start and on_stop.
 *
 * @param server taken; NULL (out of memory) is reported
 */
MCP_API int mcp_main(mcp_server *server, int argc, char **argv);

/** The same with options of the program's own. */
MCP_API int mcp_main_with(mcp_server *server, int argc, char **argv,
                          const mcp_main_options *options);

MCP_END_DECLS

#endif
