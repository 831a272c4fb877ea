/* SPDX-License-Identifier: MIT */
#include "common/replace.h"
#include "common/json.h"
#include "platform/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* What a file gets. */
typedef struct content {
  const char *bytes;
  size_t len;
  int is_json; /* compact text, which is written indented */
} content;

static void content_write(const content *what, FILE *out) {
  if (what->is_json) {
    ctl_json_write(out, what->bytes);
  } else {
    fwrite(what->bytes, 1, what->len, out);
  }
}

/* Takes the descriptor. */
static int write_draft(int fd, const content *what, int flags) {
  int is_private = (flags & CTL_REPLACE_PRIVATE) != 0;
  FILE *out = ctl_stream_of(fd);
  if (out == NULL) {
    return -1;
  }
  int has_failed = !is_private && ctl_file_open_to_others(fd) != 0;
  content_write(what, out);
  has_failed |= ferror(out);
  return fclose(out) == 0 && !has_failed ? 0 : -1;
}

static int write_beside(const char *target, const content *what, int flags) {
  char *draft = NULL;
  if (asprintf(&draft, "%s.XXXXXX", target) < 0) {
    return -1;
  }
  int fd = ctl_file_create_draft(draft);
  int rc = fd >= 0 ? write_draft(fd, what, flags) : -1;
  if (rc == 0) {
    rc = (flags & CTL_REPLACE_OLD) != 0 ? ctl_file_rename(draft, target)
                                        : ctl_file_rename_new(draft, target);
  }
  if (rc != 0 && fd >= 0) {
    int error = errno;
    ctl_file_remove(draft);
    errno = error;
  }
  free(draft);
  return rc;
}

static int replace(const char *path, const content *what, int flags) {
  char *real = ctl_path_real(path);
  int rc = write_beside(real != NULL ? real : path, what, flags);
  int error = errno;
  free(real);
  errno = error;
  return rc;
}

int ctl_replace_json(const char *path, const char *text, int flags) {
  const content what = {.bytes = text, .is_json = 1};
  return replace(path, &what, flags);
}

int ctl_replace_bytes(const char *path, const char *bytes, size_t len,
                      int flags) {
  const content what = {.bytes = bytes, .len = len};
  return replace(path, &what, flags);
}
