/* SPDX-License-Identifier: MIT */
/* The rare paths of a run. */
#include "schema/run.h"

int mcpi_run_abort_on(mcpi_run *run, const mcpi_pattern *pattern,
                      const mcp_json *source, const mcp_json *value) {
  run->slow = (mcpi_slow){pattern, source, value};
  return mcpi_run_abort(run);
}

int mcpi_run_spend_digits(mcpi_run *run, const mcp_json *number) {
  yyjson_val *val = mcp_json_to_yyjson(number);
  return !yyjson_is_raw(val) ||
         mcpi_run_spend(run, unsafe_yyjson_get_len(val) / 4);
}

MCPI_APART int mcpi_run_same_long(mcpi_run *run, mcpi_str a, mcpi_str b) {
  return mcpi_run_spend(run, a.len / 64) && memcmp(a.ptr, b.ptr, a.len) == 0;
}
