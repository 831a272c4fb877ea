/* SPDX-License-Identifier: MIT */
/* Windows opens files by whole paths only. So each folder on the way is looked
 * at before: it must be one, and not a link (a reparse point). */
#include "platform/files.h"
#include "platform/paths.h"
#include "platform/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* Owned; NULL with errno. */
static char *join(const char *folder, const char *name) {
  size_t size = strlen(folder) + strlen(name) + 2;
  char *path = malloc(size);
  if (path == NULL) {
    errno = ENOMEM;
    return NULL;
  }
  snprintf(path, size, "%s/%s", folder, name);
  return path;
}

static DWORD attributes_of(const char *path) {
  int count = MultiByteToWideChar(CP_UTF8, 0, path, -1, NULL, 0);
  wchar_t *wide = count > 0 ? calloc((size_t)count, sizeof(*wide)) : NULL;
  DWORD attributes = INVALID_FILE_ATTRIBUTES;
  if (wide != NULL) {
    MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, count);
    attributes = GetFileAttributesW(wide);
  }
  free(wide);
  return attributes;
}

/* The folder may be there already, unless `is_new`. 0, or -1 with errno. */
static int make_folder(const char *path, int is_new) {
  if (ctl_folder_make(path, 0777) == 0) {
    return 0;
  }
  if (errno != EEXIST || is_new) {
    return -1;
  }
  DWORD attributes = attributes_of(path);
  if (attributes == INVALID_FILE_ATTRIBUTES ||
      (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0 ||
      (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) {
    errno = ENOTDIR;
    return -1;
  }
  return 0;
}

static int refuse_name(void) {
  errno = EINVAL;
  return -1;
}

int ctl_tree_open(ctl_tree *tree, const char *dir, const char *name,
                  int overwrites) {
  if (!ctl_path_is_plain_name(name)) {
    return refuse_name();
  }
  if (ctl_folder_make_above(dir, 0777) != 0 ||
      (ctl_folder_make(dir, 0777) != 0 && errno != EEXIST)) {
    return -1;
  }
  char *path = join(dir, name);
  if (path == NULL || make_folder(path, !overwrites) != 0) {
    free(path);
    return -1;
  }
  *tree = (ctl_tree){.fd = -1, .path = path, .overwrites = overwrites};
  return 0;
}

void ctl_tree_close(ctl_tree *tree) {
  free(tree->path);
}

/* Makes the folders of a file, whose names are in `parts`, which is changed. In
 * *path is the file's path then; owned, also on failure. */
static int make_folders(const ctl_tree *tree, char *parts, char **path) {
  char *part = parts;
  char *slash = NULL;
  *path = strdup(tree->path);
  while (*path != NULL) {
    slash = strchr(part, '/');
    if (slash != NULL) {
      *slash = '\0';
    }
    if (!ctl_path_is_plain_name(part)) {
      return refuse_name();
    }
    char *longer = join(*path, part);
    free(*path);
    *path = longer;
    if (slash == NULL || longer == NULL) {
      break;
    }
    if (make_folder(longer, 0) != 0) {
      return -1;
    }
    part = slash + 1;
  }
  return *path != NULL ? 0 : -1;
}

/* Makes a new file. An old one is removed, and never opened: it could be a
 * link. */
static int make_file(const ctl_tree *tree, const char *path) {
  int fd = ctl_file_create_private(path, CTL_FILE_OLD_FAILS);
  if (fd < 0 && errno == EEXIST && tree->overwrites &&
      ctl_file_remove(path) == 0) {
    fd = ctl_file_create_private(path, CTL_FILE_OLD_FAILS);
  }
  return fd;
}

static int write_file(const ctl_tree *tree, const char *path, const void *bytes,
                      size_t len) {
  int fd = make_file(tree, path);
  if (fd < 0) {
    return -1;
  }
  int rc = ctl_file_write(fd, bytes, len);
  int error = errno;
  if (ctl_file_close(fd) != 0 && rc == 0) {
    return -1;
  }
  errno = error;
  return rc;
}

int ctl_tree_write(const ctl_tree *tree, const char *path, const void *bytes,
                   size_t len, unsigned mode) {
  (void)mode; /* Windows has none */
  char *whole = NULL;
  char *parts = strdup(path);
  int rc = parts != NULL ? make_folders(tree, parts, &whole) : -1;
  if (rc == 0) {
    rc = write_file(tree, whole, bytes, len);
  }
  int error = errno;
  free(parts);
  free(whole);
  errno = error;
  return rc;
}
