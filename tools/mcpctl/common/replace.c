/* SPDX-License-Identifier: MIT */
#include "common/replace.h"
#include "common/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Gives the file the mode that a new one of the user's has. */
static int open_to_others(int fd) {
  mode_t mask = umask(0);
  umask(mask);
  return fchmod(fd, 0666 & ~mask);
}

/* Takes the descriptor. */
static int write_draft(int fd, const content *what, int flags) {
  int is_private = (flags & CTL_REPLACE_PRIVATE) != 0;
  FILE *out = fdopen(fd, "w");
  if (out == NULL) {
    close(fd);
    return -1;
  }
  int has_failed = !is_private && open_to_others(fd) != 0;
  content_write(what, out);
  has_failed |= ferror(out);
  return fclose(out) == 0 && !has_failed ? 0 : -1;
}

/* A second name for the draft cannot replace another file. Where the file
 * system has no second names, this looks first. */
static int name_new(const char *draft, const char *target) {
  if (link(draft, target) == 0) {
    return unlink(draft);
  }
  if (errno == EEXIST || access(target, F_OK) == 0) {
    errno = EEXIST;
    return -1;
  }
  return rename(draft, target);
}

static int write_beside(const char *target, const content *what, int flags) {
  char *draft = NULL;
  if (asprintf(&draft, "%s.XXXXXX", target) < 0) {
    return -1;
  }
  int fd = mkostemp(draft, O_CLOEXEC);
  int rc = fd >= 0 ? write_draft(fd, what, flags) : -1;
  if (rc == 0) {
    rc = (flags & CTL_REPLACE_OLD) != 0 ? rename(draft, target)
                                        : name_new(draft, target);
  }
  if (rc != 0 && fd >= 0) {
    int error = errno;
    unlink(draft);
    errno = error;
  }
  free(draft);
  return rc;
}

static int replace(const char *path, const content *what, int flags) {
  char *real = realpath(path, NULL);
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
