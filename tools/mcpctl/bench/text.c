/* SPDX-License-Identifier: MIT */
/* Prints the measurement as text, for people. */
#include "bench/report.h"
#include "bench/rows.h"
#include "common/exit.h"
#include "common/json.h"
#include "common/table.h"
#include "common/term.h"
#include "show/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BAR_COLUMNS = 40, FIELD = 256 };

/* ---- what was done ----------------------------------------------------- */

static void print_server(const ctl_bench *bench) {
  const mcp_json *info = mcp_client_server_info(bench->session->client);
  const char *version = ctl_json_member(info, "version");
  char text[FIELD];
  snprintf(text, sizeof(text), "%s%s%s",
           ctl_session_server_name(bench->session), version != NULL ? " " : "",
           version != NULL ? version : "");
  ctl_show_field("Server", text);
  ctl_show_field("At", bench->session->options->target);
  ctl_show_field("Protocol", ctl_bench_protocol(bench));
}

static void print_call(const ctl_bench *bench) {
  const ctl_options *options = bench->session->options;
  char text[FIELD];
  snprintf(text, sizeof(text), "%s%s%s", ctl_bench_method(bench),
           options->arg_count > 0 ? " " : "",
           options->arg_count > 0 ? options->args[0] : "");
  ctl_show_field("Call", text);
  snprintf(text, sizeof(text), "%zu connection%s, %g s", bench->connections,
           bench->connections == 1 ? "" : "s", bench->duration_s);
  ctl_show_field("Load", text);
}

static void print_counts(const ctl_bench *bench) {
  char text[FIELD];
  snprintf(text, sizeof(text), "%" PRIu64 " in %.2f s, %" PRIu64 " failed",
           ctl_bench_calls(bench), bench->seconds, bench->load.faults.count);
  ctl_show_field("Calls", text);
  snprintf(text, sizeof(text), "%.1f calls/s", ctl_bench_rate(bench));
  ctl_show_field("Rate", text);
  snprintf(text, sizeof(text), "%.0f %% of a processor for mcpctl itself",
           bench->cpu_percent);
  ctl_show_field("Client", text);
}

/* ---- how long it took -------------------------------------------------- */

static int print_percentiles(const ctl_histogram *latencies) {
  static const char *const headings[] = {"P50",   "P90", "P99",
                                         "P99.9", "MAX", NULL};
  ctl_table table;
  char text[CTL_TIME_TEXT];
  ctl_table_init(&table, headings);
  for (size_t i = 0; i < CTL_PERCENTILE_COUNT; i++) {
    uint64_t ns =
        ctl_histogram_percentile(latencies, ctl_percentiles[i].percent);
    ctl_table_add(&table, ctl_time_text(text, (double)ns));
  }
  return ctl_table_print(&table);
}

/* Rounds up, so that a row with few calls still has a bar. */
static void print_bar(uint64_t count, uint64_t highest) {
  uint64_t columns = (count * BAR_COLUMNS + highest - 1) / highest;
  ctl_term_style(stdout, CTL_GREEN);
  for (uint64_t i = 0; i < columns; i++) {
    fputs("█", stdout);
  }
  ctl_term_style(stdout, CTL_PLAIN);
}

static void print_histogram_row(const ctl_row *row, uint64_t highest) {
  char from[CTL_TIME_TEXT];
  char to[CTL_TIME_TEXT];
  ctl_time_text(from, (double)row->from_ns);
  ctl_time_text(to, (double)row->to_ns);
  /* The sign of a micrometre is one column of two bytes. */
  int from_width = 8 + (strstr(from, "µ") != NULL);
  int to_width = 8 + (strstr(to, "µ") != NULL);
  printf("%*s - %*s  %9" PRIu64 " ", from_width, from, to_width, to,
         row->count);
  if (row->count > 0) {
    print_bar(row->count, highest);
  }
  putchar('\n');
}

static void print_histogram(const ctl_histogram *latencies) {
  ctl_row rows[CTL_ROWS_MAX];
  size_t count = ctl_rows_make(latencies, rows);
  uint64_t highest = ctl_rows_highest(rows, count);
  for (size_t i = 0; i < count; i++) {
    print_histogram_row(&rows[i], highest);
  }
}

/* ---- what went wrong --------------------------------------------------- */

static int print_faults(const ctl_faults *faults) {
  static const char *const headings[] = {"FAILED", "KIND", "FIRST", NULL};
  ctl_table table;
  char text[CTL_FAULT_KIND];
  ctl_table_init(&table, headings);
  table.is_wrapped = 1;
  for (size_t i = 0; i < faults->len; i++) {
    snprintf(text, sizeof(text), "%" PRIu64, faults->list[i].count);
    ctl_table_add(&table, text);
    ctl_table_add(&table, ctl_fault_kind(text, &faults->list[i]));
    ctl_table_add(&table, faults->list[i].first.message);
  }
  putchar('\n');
  return ctl_table_print(&table);
}

int ctl_bench_print_text(const ctl_bench *bench) {
  const ctl_histogram *latencies = &bench->load.latencies;
  int code = CTL_OK;
  print_server(bench);
  print_call(bench);
  print_counts(bench);
  if (latencies->count > 0) {
    putchar('\n');
    code = print_percentiles(latencies);
    putchar('\n');
    print_histogram(latencies);
  }
  if (code == CTL_OK && bench->load.faults.len > 0) {
    code = print_faults(&bench->load.faults);
  }
  return code;
}
