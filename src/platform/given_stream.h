/* SPDX-License-Identifier: MIT */
/* Copies of the descriptor of a libuv stream that is the program's. */
#ifndef MCPI_PLATFORM_GIVEN_STREAM_H
#define MCPI_PLATFORM_GIVEN_STREAM_H

#include <uv.h>

/* One for each direction. */
typedef struct mcpi_given_copies {
  int read_fd;
  int write_fd;
  int is_socket;
} mcpi_given_copies;

/* Returns 0 or UV_*. */
int mcpi_given_copy(const uv_handle_t *handle, mcpi_given_copies *out);
void mcpi_given_close(const mcpi_given_copies *copies);

#endif
