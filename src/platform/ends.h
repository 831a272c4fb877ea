/* SPDX-License-Identifier: MIT */
/* One end of a byte stream, which is read or written without waiting.
 *
 *     POSIX    a descriptor that libuv polls
 *     Windows  a pipe or console that libuv reads and writes; a socket that it
 *              polls; or a file, which is always ready
 *
 * On Windows only a started read tells that a pipe has bytes, so the bytes are
 * in the end's own buffer when it is ready. And a write goes on after the call:
 * one is under way at a time. */
#ifndef MCPI_PLATFORM_ENDS_H
#define MCPI_PLATFORM_ENDS_H

#include "platform/ends_system.h"
#include "platform/fd_write.h"
#include "platform/uv_loop.h"

typedef enum mcpi_end_kind { MCPI_END_READ, MCPI_END_WRITE } mcpi_end_kind;

/* The caller's storage, zero before init, which must live until on_closed. */
typedef struct mcpi_end {
  mcpi_uv *uv;
  int fd;     /* -1: not ours any more */
  int before; /* the descriptor's flags before they were changed */
  mcpi_end_kind kind;
  int is_socket;
  int is_open; /* it has a handle of libuv's */
  int is_closed;
  int is_polled; /* 0: it is always ready, and cannot be watched */
  /* The end may be ready. `failed`: libuv has stopped to watch. */
  void (*on_ready)(struct mcpi_end *end, int failed);
  /* The end's handle is closed, and its memory no longer used. */
  void (*on_closed)(struct mcpi_end *end);
  mcpi_end_system system;
} mcpi_end;

/* Takes the descriptor, and changes nothing. Returns 0 or an errno value: then
 * the descriptor still belongs to the caller. */
int mcpi_end_init(mcpi_end *end, mcpi_uv *uv, int fd, int is_socket,
                  mcpi_end_kind kind);
/* Begins to use the descriptor. Returns 0 or an errno value. If is_open is set
 * afterwards, on_closed follows the end's close. */
int mcpi_end_open(mcpi_end *end);
/* Calls on_ready whenever the end may be ready, from the next turn on. */
void mcpi_end_watch(mcpi_end *end);
void mcpi_end_unwatch(mcpi_end *end);
/* As read(2). */
ssize_t mcpi_end_read(mcpi_end *end, void *buffer, size_t size);
/* Sets up the writer that writes to this end. */
void mcpi_end_init_writer(mcpi_end *end, mcpi_fd_writer *writer);
/* Bytes that were accepted by the writer and are still under way. */
size_t mcpi_end_unwritten(const mcpi_end *end);
/* Why such bytes could not be written: an errno value, from then on. 0: all
 * were written, or are under way. */
int mcpi_end_write_error(const mcpi_end *end);
/* Closes the descriptor, and restores its flags: other processes may share it,
 * such as the shell behind a terminal, and do not expect O_NONBLOCK. Bytes
 * under way are lost. Does nothing the second time. */
void mcpi_end_close(mcpi_end *end);
/* After another end of the same open file was closed, which has restored the
 * flags. */
void mcpi_end_set_again(mcpi_end *end);

#endif
