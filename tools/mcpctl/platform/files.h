/* SPDX-License-Identifier: MIT */
/* Files and folders. Paths are UTF-8. The functions that return an int return
 * 0 or a descriptor, or -1 with errno. */
#ifndef CTL_PLATFORM_FILES_H
#define CTL_PLATFORM_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- paths ------------------------------------------------------------- */

/* What is at a path, after symbolic links. */
typedef enum ctl_path_kind {
  CTL_PATH_NOTHING, /* or something that may not be seen */
  CTL_PATH_FILE,
  CTL_PATH_FOLDER,
  CTL_PATH_LINK, /* for ctl_path_look alone */
  CTL_PATH_OTHER /* a device, a pipe, a socket */
} ctl_path_kind;

ctl_path_kind ctl_path_is(const char *path);

/* Whether there is something at the path, also a link that leads nowhere. */
int ctl_path_is_there(const char *path);

/* Whether this process may read it. */
int ctl_path_can_be_read(const char *path);

/* Whether this process may run it; on Windows: whether it is there. */
int ctl_path_can_be_run(const char *path);

/* The state of a path itself, which may be a symbolic link. */
typedef struct ctl_path_state {
  ctl_path_kind kind;
  uint64_t len;      /* of a file, in bytes */
  int is_executable; /* by the user; on Windows: by its ending */
} ctl_path_state;

int ctl_path_look(const char *path, ctl_path_state *state);

/* The absolute path without links; its parts are separated by "/" on each
 * system. Owned: end it with free. NULL with errno. */
char *ctl_path_real(const char *path);

/* ---- folders ----------------------------------------------------------- */

/* The current folder, with "/" on each system. Owned: end it with free. NULL
 * with errno. */
char *ctl_folder_current(void);

/* `mode`: who may enter it, such as 0700, where the system has modes. */
int ctl_folder_make(const char *path, int mode);

/* Makes the folders above the path, as far as they are missing. */
int ctl_folder_make_above(const char *path, int mode);

/* Where programs put what they need for a short time. The absolute path without
 * links, with "/" on each system. Owned: end it with free. NULL with errno. */
char *ctl_folder_temporary(void);

/* Makes a new folder that only the user may enter. `path` ends with XXXXXX,
 * which becomes another word. */
int ctl_folder_create_draft(char *path);

/* Calls `each` for all that is in a folder, except "." and "..", until it does
 * not return 0. Returns what it returned last; 0 for an empty folder; or -1
 * with errno: the folder cannot be read. */
int ctl_folder_list(const char *path,
                    int (*each)(void *userdata, const char *name),
                    void *userdata);

/* Removes a folder and all that is in it, also from folders that let nobody
 * in. Follows no links, also not one in the place of the folder: it is removed
 * itself. Programs may still run in the folder. */
int ctl_folder_remove(const char *path);

/* ---- files ------------------------------------------------------------- */

/* What ctl_file_create_private does with a file that is there already. */
typedef enum ctl_file_old {
  CTL_FILE_OLD_FAILS, /* EEXIST */
  CTL_FILE_OLD_EMPTIED
} ctl_file_old;

/* Opens a file for writing that only the user may read, also if it was there
 * already. Devices stay as they are. Windows has no modes: there the folder
 * decides who may read it. */
int ctl_file_create_private(const char *path, ctl_file_old old);

/* Makes a new file that only the user may read. `path` ends with XXXXXX, which
 * becomes another word. */
int ctl_file_create_draft(char *path);

/* Gives the file the mode that a new one of the user's has. */
int ctl_file_open_to_others(int fd);

/* Writes all of the bytes. */
int ctl_file_write(int fd, const void *bytes, size_t len);

int ctl_file_close(int fd);
int ctl_file_remove(const char *path);

/* `to` may be there already. */
int ctl_file_rename(const char *from, const char *to);

/* As ctl_file_rename, but fails with EEXIST if `to` is there already. */
int ctl_file_rename_new(const char *from, const char *to);

/* ---- streams ----------------------------------------------------------- */

/* Bytes pass unchanged on each system. NULL with errno. */
FILE *ctl_stream_to_read(const char *path);
/* A file that is there loses its text. */
FILE *ctl_stream_to_write(const char *path);
/* Takes the descriptor, also on failure. */
FILE *ctl_stream_of(int fd);

#endif
