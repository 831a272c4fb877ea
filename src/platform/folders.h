/* SPDX-License-Identifier: MIT */
/* Folders and what is in them, without following a link. A folder is a
 * descriptor, which mcpi_fd_close closes; so are the files in it. Names are
 * UTF-8 on Windows, and bytes elsewhere. Each function that can fail returns a
 * negative errno value. */
#ifndef MCPI_PLATFORM_FOLDERS_H
#define MCPI_PLATFORM_FOLDERS_H

#include <stdint.h>

typedef enum mcpi_entry_kind {
  MCPI_ENTRY_FILE,
  MCPI_ENTRY_FOLDER,
  MCPI_ENTRY_LINK,
  MCPI_ENTRY_OTHER
} mcpi_entry_kind;

typedef struct mcpi_entry {
  mcpi_entry_kind kind;
  uint64_t device;
  uint64_t node;
  uint64_t size;
  int64_t modified_ns;
  int64_t changed_ns;
} mcpi_entry;

/* The path may be a link. */
int mcpi_folder_open_path(const char *path);
/* Opens one entry of a folder, to be read. Opening a pipe does not wait for its
 * other end, and a terminal does not become the process's own. */
int mcpi_entry_open_folder(int folder, const char *name);
int mcpi_entry_open_file(int folder, const char *name);
/* Returns 0. */
int mcpi_entry_look(int folder, const char *name, mcpi_entry *out);
int mcpi_entry_look_fd(int fd, mcpi_entry *out);
/* Calls `each` with each name, without "." and "..", until it returns a value
 * other than 0. Returns that value, which is positive, or 0. */
int mcpi_folder_each(int folder, int (*each)(const char *name, void *userdata),
                     void *userdata);

#endif
