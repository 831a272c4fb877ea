/* SPDX-License-Identifier: MIT */
/* The verb `bench`.
 *
 * The session first makes one call, as `call` or `ping` would, so that an error
 * ends the run with the same message as there. Then the connections of the load
 * make the calls that are measured; the session's own stays open. */
#include "bench/bench.h"
#include "bench/report.h"
#include "common/exit.h"
#include "common/progress.h"
#include "common/report.h"
#include "platform/clock.h"
#include "platform/files.h"
#include "platform/interrupt.h"
#include "platform/limits.h"
#include "show/show.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* The warm-up takes a tenth of the duration, but at most WARM_UP_MAX_S.
 * Progress is shown at most once in PROGRESS_NS. */
#define WARM_UP_MAX_S 1.0
#define PROGRESS_NS INT64_C(100000000)
#define NS_PER_S 1e9

enum { DURATION_S = 10 };

/* For a command each connection costs a process, for a URL only a socket. */
enum { URL_CONNECTIONS = 10, COMMAND_CONNECTIONS = 1 };

int ctl_bench_start(ctl_session *session, const mcp_request_options *options) {
  return ctl_load_call(session, session->client, options, ctl_session_done,
                       session);
}

/* ---- running ----------------------------------------------------------- */

static double seconds_between(int64_t from_ns, int64_t to_ns) {
  return (double)(to_ns - from_ns) / NS_PER_S;
}

static int must_end(const ctl_bench *bench) {
  return ctl_interrupt_has_come() || bench->load.given_up == bench->load.count;
}

static void show_progress(const ctl_bench *bench, double seconds) {
  char message[64];
  snprintf(message, sizeof(message), "s, %" PRIu64 " calls",
           ctl_bench_calls(bench));
  ctl_progress_show((double)(int64_t)(seconds * 10) / 10, bench->duration_s,
                    message, bench->session->options->is_verbose);
}

static void turn(ctl_bench *bench, int64_t until_ns) {
  int64_t soon_ns = ctl_now_ns() + PROGRESS_NS;
  ctl_load_turn(&bench->load, until_ns < soon_ns ? until_ns : soon_ns);
}

static void warm_up(ctl_bench *bench) {
  while (bench->load.began_ns == 0 && !must_end(bench)) {
    turn(bench, INT64_MAX);
  }
}

static void bench_measure(ctl_bench *bench) {
  int64_t shown_ns = 0;
  int64_t began_ns = bench->load.began_ns;
  int64_t end_ns = began_ns + (int64_t)(bench->duration_s * NS_PER_S);
  int64_t now_ns = began_ns;
  while (now_ns < end_ns && !must_end(bench)) {
    turn(bench, end_ns);
    now_ns = ctl_now_ns();
    if (now_ns - shown_ns >= PROGRESS_NS) {
      shown_ns = now_ns;
      show_progress(bench, seconds_between(began_ns, now_ns));
    }
  }
  ctl_progress_clear();
}

/* Waits for all calls that count. Without this the slowest ones would be
 * missing. */
static void drain(ctl_bench *bench) {
  bench->load.is_ending = 1;
  while (bench->load.under_way > 0 && !must_end(bench)) {
    turn(bench, INT64_MAX);
  }
}

static void bench_run(ctl_bench *bench) {
  const ctl_load *load = &bench->load;
  warm_up(bench);
  int64_t before_ns = ctl_now_ns();
  double cpu_before = ctl_cpu_seconds();
  bench_measure(bench);
  drain(bench);
  int64_t after_ns = ctl_now_ns();
  bench->cpu_percent = 100 * (ctl_cpu_seconds() - cpu_before) /
                       seconds_between(before_ns, after_ns);
  if (load->last_answer_ns != 0) {
    bench->seconds = seconds_between(load->began_ns, load->last_answer_ns);
  }
}

/* ---- the end ----------------------------------------------------------- */

static int bench_report(const ctl_bench *bench, FILE *html, const char *path) {
  int code = bench->session->options->is_json ? ctl_bench_print_json(bench)
                                              : ctl_bench_print_text(bench);
  if (html == NULL) {
    return code;
  }
  ctl_bench_write_html(bench, html);
  int is_written = !ferror(html);
  if (fclose(html) != 0 || !is_written) {
    return ctl_report(CTL_USAGE, "cannot write %s: %s", path, strerror(errno));
  }
  return code;
}

/* Reports calls that failed. Returns the exit code. */
static int bench_judge(const ctl_bench *bench) {
  const ctl_faults *faults = &bench->load.faults;
  if (ctl_interrupt_has_come()) {
    return ctl_report(CTL_INTERRUPTED,
                      "interrupted: these are the figures so far");
  }
  if (faults->count == 0 && bench->load.given_up == 0) {
    return CTL_OK;
  }
  int code = faults->tool_count < faults->count ? CTL_FAILED : CTL_TOOL_ERROR;
  ctl_report(code, "%" PRIu64 " of %" PRIu64 " calls failed", faults->count,
             ctl_bench_calls(bench));
  if (bench->load.given_up > 0) {
    code = ctl_report(CTL_FAILED,
                      "%zu of %zu connections were abandoned after repeated "
                      "failures: is the server still running?",
                      bench->load.given_up, bench->load.count);
  }
  if (code == CTL_FAILED && !bench->session->options->is_verbose) {
    ctl_tail_print(&bench->session->tail);
  }
  return code;
}

/* ---- all --------------------------------------------------------------- */

static int bench_with(ctl_session *session, FILE *html) {
  const ctl_options *options = session->options;
  ctl_bench bench = {
      .session = session,
      .duration_s = options->duration_s > 0 ? options->duration_s : DURATION_S,
      .connections = options->connections,
      .date = time(NULL),
  };
  double warm_s = bench.duration_s / 10;
  warm_s = warm_s < WARM_UP_MAX_S ? warm_s : WARM_UP_MAX_S;
  if (bench.connections == 0) {
    bench.connections =
        options->url != NULL ? URL_CONNECTIONS : COMMAND_CONNECTIONS;
  }
  ctl_limits_raise_files(); /* thousands of connections need more */
  if (ctl_load_start(&bench.load, session, bench.connections,
                     (int64_t)(warm_s * NS_PER_S)) != 0) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  bench_run(&bench);
  int code = bench_report(&bench, html, options->html);
  fflush(stdout); /* the servers may take long to end */
  int verdict = bench_judge(&bench);
  ctl_load_stop(&bench.load);
  return code != CTL_OK ? code : verdict;
}

int ctl_bench_show(ctl_session *session, const mcp_result *result) {
  const char *path = session->options->html;
  FILE *html = NULL;
  if (mcp_result_is_failure(result)) {
    return ctl_show_call(session, result);
  }
  /* Open the file first: a failure afterwards would lose the measurement. */
  if (path != NULL && (html = ctl_stream_to_write(path)) == NULL) {
    return ctl_report(CTL_USAGE, "cannot write %s: %s", path, strerror(errno));
  }
  return bench_with(session, html);
}
