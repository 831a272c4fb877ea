/* SPDX-License-Identifier: MIT */
/* Time that a fuzzer or a transcript skips: waits of a loop, of libuv and of
 * libcurl end at once. */
#ifndef TESTS_FUZZ_SKIP_TIME_H
#define TESTS_FUZZ_SKIP_TIME_H

#include <mcp/loop.h>

/* Does what the loop has to do now. 1: it rests, and waits for descriptors or
 * for time to pass; 0: there is more to do. */
int loop_rests(mcp_loop *loop);

/* Lets time pass until the loop's next deadline, at most so many
 * milliseconds. */
void skip_time(mcp_loop *loop, int max_ms);

/* From now on time passes only by skip_time. */
void stop_time(void);

#endif
