/* SPDX-License-Identifier: MIT */
/* The file of a Unix socket, and its permissions. Every function accepts a file
 * without path, and does nothing then. */
#ifndef MCPI_PLATFORM_SOCKET_FILE_H
#define MCPI_PLATFORM_SOCKET_FILE_H

#include <stdint.h>

typedef struct mcpi_socket_file {
  const char *path; /* borrowed; NULL: not a Unix socket */
  uint32_t mode;
  /* The file that we made; another one may have taken its path since. */
  int is_made;
  uint64_t device;
  uint64_t node;
} mcpi_socket_file;

/* Whether there is a socket at the path. */
int mcpi_socket_file_is_socket(const mcpi_socket_file *file);
/* Whether there is something else. */
int mcpi_socket_file_is_other(const mcpi_socket_file *file);
/* Removes the file of another process, which has ended. Returns 0 or -1 with
 * errno. */
int mcpi_socket_file_replace(const mcpi_socket_file *file);
/* Before the socket is bound: the file is never open to more users than it
 * shall be. */
void mcpi_socket_file_limit(const mcpi_socket_file *file, int fd);
/* After that: remembers which file it is. */
void mcpi_socket_file_note(mcpi_socket_file *file);
/* Adds the permissions that the umask has removed. Returns 0 or -1 with
 * errno. */
int mcpi_socket_file_open(const mcpi_socket_file *file);
/* Removes our file. */
void mcpi_socket_file_remove(const mcpi_socket_file *file);

#endif
