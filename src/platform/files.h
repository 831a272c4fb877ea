/* SPDX-License-Identifier: MIT */
/* Files, whose paths are UTF-8 on every system. A descriptor that one of these
 * functions has opened is not inherited by children. */
#ifndef MCPI_PLATFORM_FILES_H
#define MCPI_PLATFORM_FILES_H

#include <mcp/export.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Opens a file; `flags` are UV_FS_O_*. Returns the descriptor, or a negative
 * errno value. */
MCP_API int mcpi_file_open(const char *path, int flags, int mode);
/* As read(2), without interruptions. */
MCP_API ssize_t mcpi_file_read(int fd, void *to, size_t size);
/* Writes all of it, and waits until it is on the disk. Returns 0 or an errno
 * value. */
MCP_API int mcpi_file_write_all(int fd, const char *bytes, size_t len);
/* Returns 0 or an errno value. */
MCP_API int mcpi_file_close(int fd);
/* `to` may exist, and is replaced at once. */
MCP_API int mcpi_file_rename(const char *from, const char *to);
MCP_API int mcpi_file_remove(const char *path);
MCP_API int mcpi_file_make_folder(const char *path, int mode);
/* So that a new name in the folder survives a loss of power, where the system
 * needs that. */
MCP_API void mcpi_file_sync_folder(const char *path);

/* What a file is, and which users can open it. On Windows the access list of
 * its folder decides that, and nothing here reads it: the file counts as
 * ours. */
typedef struct mcpi_file_about {
  int is_regular;
  int is_folder;
  int is_mine;  /* it belongs to this user */
  int is_roots; /* it belongs to the system's administrator */
  long owner;
  unsigned mode; /* POSIX permissions */
} mcpi_file_about;

/* Each returns 0 or an errno value. */
MCP_API int mcpi_file_look(int fd, mcpi_file_about *about);
MCP_API int mcpi_file_look_at(const char *path, mcpi_file_about *about);

/* The time in UTC, as gmtime_r. */
void mcpi_utc(time_t time, struct tm *out);

#endif
