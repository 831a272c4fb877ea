/* SPDX-License-Identifier: MIT */
/* The verb `bench`: measures a server under load. */
#ifndef CTL_BENCH_H
#define CTL_BENCH_H

#include "bench/load.h"

#include <time.h>

typedef struct ctl_bench {
  ctl_session *session; /* connected; has the server's name and version */
  ctl_load load;
  size_t connections;
  double duration_s;  /* as the user chose */
  double seconds;     /* from the first call that counts to the last answer */
  double cpu_percent; /* of one processor, for this program itself */
  time_t date;
} ctl_bench;

/* For ctl_verb. */
int ctl_bench_start(ctl_session *session, const mcp_request_options *options);
int ctl_bench_show(ctl_session *session, const mcp_result *result);

#endif
