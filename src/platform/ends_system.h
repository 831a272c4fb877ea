/* SPDX-License-Identifier: MIT */
/* What an end of a byte stream has of its own on each system. */
#ifndef MCPI_PLATFORM_ENDS_SYSTEM_H
#define MCPI_PLATFORM_ENDS_SYSTEM_H

#include <stddef.h>
#include <uv.h>

#ifdef _WIN32
typedef struct mcpi_end_system {
  union {
    uv_handle_t handle;
    uv_stream_t stream;
    uv_pipe_t pipe;
    uv_tty_t tty;
    uv_poll_t poll;
  } uv;
  int is_stream; /* a pipe or a console */
  int is_watched;
  char *buffer;  /* bytes that were read, or are being written */
  size_t start;  /* those before it have been taken */
  size_t len;    /* the end of the bytes in the buffer */
  int is_busy;   /* a write is under way */
  int is_at_end; /* the input has ended */
  int error;     /* an errno value that the next call reports */
  uv_write_t write;
} mcpi_end_system;
#else
typedef struct mcpi_end_system {
  uv_poll_t poll;
} mcpi_end_system;
#endif

#endif
