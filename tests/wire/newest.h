/* SPDX-License-Identifier: MIT */
/* Transcripts of 2026-07-28 in the newest revision. */
#ifndef TESTS_WIRE_NEWEST_H
#define TESTS_WIRE_NEWEST_H

/* A copy of the transcript, owned, in which the newest revision stands for
 * 2026-07-28. The two are one but in the build with MCP_TEST_REVISION. A JSON
 * array that began with 2026-07-28 then begins with the newest revision and
 * 2026-07-28: the lists of what is served. */
char *transcript_in_newest(const char *content);

#endif
