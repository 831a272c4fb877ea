/* SPDX-License-Identifier: MIT */
/* Prints the measurement as JSON, for programs. */
#include "common/json.h"
#include "bench/report.h"
#include "bench/rows.h"
#include "common/exit.h"
#include "common/report.h"

#include <stdlib.h>

#define NS_PER_MS 1e6

static void json_put_settings(mcp_builder *out, const ctl_bench *bench) {
  const ctl_session *session = bench->session;
  const ctl_options *options = session->options;
  const mcp_json *info = mcp_client_server_info(session->client);
  if (info != NULL) {
    mcp_builder_value(out, "server", info);
  }
  ctl_json_put_typed(out, "target", options->target);
  mcp_builder_string(out, "protocolVersion", ctl_bench_protocol(bench));
  mcp_builder_string(out, "method", ctl_bench_method(bench));
  if (options->arg_count > 0) {
    ctl_json_put_typed(out, "tool", options->args[0]);
  }
  mcp_builder_int(out, "connections", (int64_t)bench->connections);
  mcp_builder_number(out, "duration_s", bench->duration_s);
}

static void json_put_counts(mcp_builder *out, const ctl_bench *bench) {
  mcp_builder_int(out, "calls", (int64_t)ctl_bench_calls(bench));
  mcp_builder_int(out, "failed", (int64_t)bench->load.faults.count);
  mcp_builder_number(out, "seconds", bench->seconds);
  mcp_builder_number(out, "calls_per_second", ctl_bench_rate(bench));
  mcp_builder_number(out, "client_cpu_percent", bench->cpu_percent);
}

static void json_put_latencies(mcp_builder *out,
                               const ctl_histogram *latencies) {
  mcp_builder_object(out, "latency_ms");
  mcp_builder_number(out, "min", (double)latencies->min_ns / NS_PER_MS);
  mcp_builder_number(out, "mean", ctl_histogram_mean(latencies) / NS_PER_MS);
  for (size_t i = 0; i < CTL_PERCENTILE_COUNT; i++) {
    uint64_t ns =
        ctl_histogram_percentile(latencies, ctl_percentiles[i].percent);
    mcp_builder_number(out, ctl_percentiles[i].member, (double)ns / NS_PER_MS);
  }
  mcp_builder_end(out);
}

static void json_put_histogram(mcp_builder *out,
                               const ctl_histogram *latencies) {
  ctl_row rows[CTL_ROWS_MAX];
  size_t count = ctl_rows_make(latencies, rows);
  mcp_builder_array(out, "histogram");
  for (size_t i = 0; i < count; i++) {
    mcp_builder_object(out, NULL);
    mcp_builder_number(out, "from_ms", (double)rows[i].from_ns / NS_PER_MS);
    mcp_builder_number(out, "to_ms", (double)rows[i].to_ns / NS_PER_MS);
    mcp_builder_int(out, "calls", (int64_t)rows[i].count);
    mcp_builder_end(out);
  }
  mcp_builder_end(out);
}

static void json_put_faults(mcp_builder *out, const ctl_faults *faults) {
  char kind[CTL_FAULT_KIND];
  mcp_builder_array(out, "failures");
  for (size_t i = 0; i < faults->len; i++) {
    const ctl_fault *fault = &faults->list[i];
    mcp_builder_object(out, NULL);
    mcp_builder_string(out, "kind", ctl_fault_kind(kind, fault));
    mcp_builder_int(out, "calls", (int64_t)fault->count);
    mcp_builder_string(out, "first", fault->first.message);
    mcp_builder_end(out);
  }
  mcp_builder_end(out);
}

int ctl_bench_print_json(const ctl_bench *bench) {
  const ctl_histogram *latencies = &bench->load.latencies;
  mcp_builder *out = mcp_builder_new(NULL, NULL);
  mcp_builder_object(out, NULL);
  json_put_settings(out, bench);
  json_put_counts(out, bench);
  if (latencies->count > 0) {
    json_put_latencies(out, latencies);
  }
  json_put_histogram(out, latencies);
  json_put_faults(out, &bench->load.faults);
  int code = CTL_OK;
  if (mcp_builder_end(out) == 0) {
    ctl_json_print_text(mcp_builder_text(out, NULL));
  } else {
    code = ctl_report(CTL_USAGE, "cannot print the figures: %s",
                      mcp_builder_error(out)->message);
  }
  mcp_builder_free(out);
  return code;
}
