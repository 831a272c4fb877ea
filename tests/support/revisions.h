/* SPDX-License-Identifier: MIT */
/* The newest revision, for tests that run in it. The build with
 * MCP_TEST_REVISION adds an invented one to the table (core/revisions.def),
 * which must then serve as the newest published one does. */
#ifndef TESTS_SUPPORT_REVISIONS_H
#define TESTS_SUPPORT_REVISIONS_H

/* MODERN_NAMES are the modern revisions as the items of a JSON array;
 * MODERN_NAMES_1 likewise, in single quotes for the tests that write JSON so.
 * */
#ifdef MCP_TEST_REVISION
#define NEWEST_REVISION MCP_TEST_REVISION
#define MODERN_NAMES "\"" NEWEST_REVISION "\",\"2026-07-28\""
#define MODERN_NAMES_1 "'" NEWEST_REVISION "','2026-07-28'"
#else
#define NEWEST_REVISION "2026-07-28"
#define MODERN_NAMES "\"" NEWEST_REVISION "\""
#define MODERN_NAMES_1 "'" NEWEST_REVISION "'"
#endif

#endif
