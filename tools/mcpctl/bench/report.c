/* SPDX-License-Identifier: MIT */
/* Figures that all reports of a measurement show. */
#include "bench/report.h"

#include <mcp/version.h>

const ctl_percentile ctl_percentiles[CTL_PERCENTILE_COUNT] = {
    {50, "p50", "p50"},       {90, "p90", "p90"},  {99, "p99", "p99"},
    {99.9, "p99.9", "p99_9"}, {100, "max", "max"},
};

uint64_t ctl_bench_calls(const ctl_bench *bench) {
  return bench->load.latencies.count + bench->load.faults.count;
}

double ctl_bench_rate(const ctl_bench *bench) {
  return bench->seconds > 0
             ? (double)bench->load.latencies.count / bench->seconds
             : 0;
}

const char *ctl_bench_protocol(const ctl_bench *bench) {
  return bench->session->options->dialect == MCP_DIALECT_MCP
             ? mcp_client_revision(bench->session->client)
             : "mcp-core";
}

/* Without a tool it is the method that mcp_client_ping sends. */
const char *ctl_bench_method(const ctl_bench *bench) {
  const char *revision = mcp_client_revision(bench->session->client);
  if (bench->session->options->arg_count > 0) {
    return "tools/call";
  }
  return mcp_revision_era(revision) == MCP_ERA_MODERN ? "server/discover"
                                                      : "ping";
}
