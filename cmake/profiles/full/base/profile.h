/* SPDX-License-Identifier: MIT */
/* How much memory the library takes before it knows that it needs it, on
 * computers: enough that a usual call allocates nothing. CMake's MCP_PROFILE
 * chooses between this file and the one for devices (../../small). */
#ifndef MCPI_BASE_PROFILE_H
#define MCPI_BASE_PROFILE_H

enum {
  /* Bytes of a buffer's first allocation: most replies fit. */
  MCPI_PROFILE_BUFFER = 256,
  /* 1: a buffer that grows doubles, so that appending is cheap on average. 0:
   * it grows to what it needs, rounded up to the first allocation. */
  MCPI_PROFILE_DOUBLES = 1,
  /* Slots of a map's first allocation. */
  MCPI_PROFILE_SLOTS = 16,
  /* The idle blocks that a loop keeps: a hundred messages of usual size, and
   * yet little for an idle process. */
  MCPI_PROFILE_IDLE_BYTES = 512 * 1024,
  /* Idle calls of a shard: enough for a client that keeps many in flight. */
  MCPI_PROFILE_IDLE_CALLS = 64,
  /* The memory of buffers for one message that is kept for the next. */
  MCPI_PROFILE_SCRATCH = 64 * 1024,
  /* 1: the entries of a list are serialised once, and kept. */
  MCPI_PROFILE_KEEPS_LISTS = 1,
  /* Bytes that a call allocates at its start, so that "out of memory" can be
   * reported later. */
  MCPI_PROFILE_REPLY = 512,
  /* The most levels of arrays and objects in a text. Functions that walk over
   * values have so many places on the stack. */
  MCPI_PROFILE_DEPTH = 128,
  /* Bytes of the longest sentence about a value, which is on the stack. */
  MCPI_PROFILE_SENTENCE = 1024,
  /* The most arguments of a tool that HTTP headers repeat. */
  MCPI_PROFILE_HEADERS = 64,
  /* Bytes on the stack for checking a JSON text of the program: most texts are
   * short, and replying with one should not allocate. */
  MCPI_PROFILE_TEXT = 1024,
  /* 1: yyjson gets only the memory that its values need (json/parse.c). */
  MCPI_PROFILE_EXACT_VALUES = 0
};

/* Bytes of the longest id that is accepted, as a number in messages. An id is
 * kept while its request runs, and echoed. Some peers put tokens of several KB
 * into ids. */
#define MCPI_PROFILE_ID_MAX 65536

#endif
