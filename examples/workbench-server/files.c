/* SPDX-License-Identifier: MIT */
/* The folder that is served: see files.h. */
#define _GNU_SOURCE
#include "files.h"

#include "text.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the folder ---------------------------------------------------------- */

static int set_path(folder *root, const char *path) {
  char *real = realpath(path, NULL);
  if (real == NULL) {
    return -errno;
  }
  size_t len = strlen(real);
  int rc = len < PATH_SIZE ? 0 : -ENAMETOOLONG;
  if (rc == 0) {
    memcpy(root->path, real, len + 1);
  }
  if (rc == 0 && len == 1) {
    root->path[0] = '\0';
  }
  free(real);
  return rc;
}

int folder_open(folder *root, const char *path) {
  int rc = set_path(root, path);
  if (rc != 0) {
    return rc;
  }
  root->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return root->fd >= 0 ? 0 : -errno;
}

void folder_close(folder *root) {
  if (root->fd >= 0) {
    close(root->fd);
  }
}

/* Returns the next component of `*relative`, and moves `*relative` past it. */
static int take_component(const char **relative, char name[NAME_MAX + 1]) {
  size_t len = strcspn(*relative, "/");
  if (len > NAME_MAX) {
    return -ENAMETOOLONG;
  }
  memcpy(name, *relative, len);
  name[len] = '\0';
  *relative += len;
  *relative += **relative == '/';
  return 0;
}

/* Takes `fd`. */
static int open_in(int fd, const char *name, int flags) {
  int opened = openat(fd, name, flags | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) {
    opened = -errno;
  }
  close(fd);
  return opened;
}

/* Opens one component after the other, so that another user of the folder
 * cannot lead the server out of it by a symbolic link, not even between a check
 * and the opening. */
int folder_open_beneath(const folder *root, const char *relative, int flags) {
  char name[NAME_MAX + 1];
  /* Opens the folder again: a duplicate would share its position. */
  int fd = openat(root->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    return -errno;
  }
  while (fd >= 0 && *relative != '\0') {
    int rc = take_component(&relative, name);
    if (rc != 0) {
      close(fd);
      return rc;
    }
    fd = open_in(fd, name, *relative == '\0' ? flags : O_RDONLY | O_DIRECTORY);
  }
  return fd;
}

/* --- reading ------------------------------------------------------------- */

static int check_regular(int fd, size_t max) {
  struct stat status;
  if (fstat(fd, &status) != 0) {
    return -errno;
  }
  if (!S_ISREG(status.st_mode)) {
    return -EPERM;
  }
  return (uint64_t)status.st_size > max ? -EFBIG : 0;
}

/* The file may grow while the server reads it: the buffer has room for one byte
 * more than the limit, to notice. */
static int read_all(int fd, size_t max, file *out) {
  enum { STEP = 64 * 1024 };
  for (;;) {
    char *bytes = realloc(out->bytes, out->len + STEP + 1);
    if (bytes == NULL) {
      return -ENOMEM;
    }
    out->bytes = bytes;
    ssize_t got = read(fd, bytes + out->len, STEP);
    if (got < 0 && errno != EINTR) {
      return -errno;
    }
    out->len += got > 0 ? (size_t)got : 0;
    bytes[out->len] = '\0';
    if (got == 0 || out->len > max) {
      return got == 0 ? 0 : -EFBIG;
    }
  }
}

int file_load(const folder *root, const char *relative, size_t max, file *out) {
  /* Without O_NONBLOCK, a pipe without a writer would not open. */
  int fd = folder_open_beneath(root, relative, O_RDONLY | O_NONBLOCK);
  if (fd < 0) {
    return fd;
  }
  *out = (file){0};
  int rc = check_regular(fd, max);
  if (rc == 0) {
    rc = read_all(fd, max, out);
  }
  if (rc != 0) {
    file_free(out);
  }
  close(fd);
  return rc;
}

void file_free(file *loaded) {
  free(loaded->bytes);
  *loaded = (file){0};
}

int file_is_text(const file *loaded) {
  return text_valid_prefix(loaded->bytes, loaded->len) == loaded->len;
}

const char *file_mime_type(const char *relative) {
  static const char *const types[][2] = {
      {"c", "text/x-c"},           {"h", "text/x-c"},
      {"cpp", "text/x-c++"},       {"py", "text/x-python"},
      {"sh", "text/x-sh"},         {"js", "text/javascript"},
      {"ts", "text/x-typescript"}, {"css", "text/css"},
      {"html", "text/html"},       {"md", "text/markdown"},
      {"txt", "text/plain"},       {"log", "text/plain"},
      {"csv", "text/csv"},         {"json", "application/json"},
      {"xml", "application/xml"},  {"yaml", "application/yaml"},
      {"pdf", "application/pdf"},  {"png", "image/png"},
      {"jpg", "image/jpeg"},       {"gif", "image/gif"},
      {"svg", "image/svg+xml"},    {"wav", "audio/wav"},
  };
  const char *dot = strrchr(relative, '.');
  for (size_t i = 0; dot != NULL && i < sizeof types / sizeof types[0]; i++) {
    if (strcasecmp(dot + 1, types[i][0]) == 0) {
      return types[i][1];
    }
  }
  return NULL;
}

const char *file_error(int rc) {
  switch (-rc) {
  case EPERM:
    return "not a file that is served";
  case ELOOP:
    return "symbolic links are not followed";
  case ENOENT:
    return "no such file";
  case ENOTDIR:
    return "not a folder";
  case ENAMETOOLONG:
    return "the name is too long";
  case EINVAL:
    return "not a file: URI";
  case EFBIG:
    return "the file is too large";
  case EACCES:
    return "permission denied";
  case ENOMEM:
    return "out of memory";
  case ECANCELED:
    return "cancelled";
  default:
    return "cannot be read";
  }
}

/* --- lists --------------------------------------------------------------- */

enum {
  /* A folder of sources has a few thousand files. With more it is a file
   * system, and a list of it does not help a client. */
  MAX_LISTED = 10000,
  MAX_DEPTH = 16
};

static int grow(listing *list) {
  size_t cap = list->cap > 0 ? list->cap * 2 : 64;
  listed *items = realloc(list->items, cap * sizeof *items);
  if (items == NULL) {
    return -ENOMEM;
  }
  list->items = items;
  list->cap = cap;
  return 0;
}

static int add(listing *list, const char *relative, const struct stat *status) {
  if (list->count == list->cap && grow(list) != 0) {
    return -ENOMEM;
  }
  char *copy = strdup(relative);
  if (copy == NULL) {
    return -ENOMEM;
  }
  list->items[list->count++] = (listed){.relative = copy,
                                        .size = (uint64_t)status->st_size,
                                        .is_folder = S_ISDIR(status->st_mode)};
  return 0;
}

/* Writes `parent/name`. Returns 0 when it is too long, hidden, or not UTF-8,
 * which JSON cannot carry. */
static int join(const char *parent, const char *name, char out[PATH_SIZE]) {
  size_t len = strlen(name);
  const char *slash = parent[0] != '\0' ? "/" : "";
  if (name[0] == '.' || text_valid_prefix(name, len) < len) {
    return 0;
  }
  return snprintf(out, PATH_SIZE, "%s%s%s", parent, slash, name) < PATH_SIZE;
}

/* The position of a walk through the folders. */
typedef struct walk {
  listing *list;
  int (*should_stop)(void *userdata);
  void *userdata;
  int depth;
} walk;

static int add_folder(walk *w, int fd, const char *relative);

/* Lists a folder that the server may not read, without its contents. */
static int add_inner(walk *w, int fd, const char *name, const char *relative) {
  int inner = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inner < 0) {
    return 0;
  }
  w->depth++;
  int rc = add_folder(w, inner, relative);
  w->depth--;
  return rc;
}

/* Skips a file that vanished or that the server may not look at. */
static int add_entry(walk *w, int fd, const char *parent, const char *name) {
  char relative[PATH_SIZE];
  struct stat status;
  if (!join(parent, name, relative) ||
      fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
    return 0;
  }
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    return 0;
  }
  int rc = add(w->list, relative, &status);
  if (rc == 0 && S_ISDIR(status.st_mode) && w->depth < MAX_DEPTH) {
    rc = add_inner(w, fd, name, relative);
  }
  return rc;
}

/* Takes `fd`. */
static int add_folder(walk *w, int fd, const char *relative) {
  DIR *stream = fdopendir(fd);
  if (stream == NULL) {
    close(fd);
    return -ENOMEM;
  }
  int rc = 0;
  const struct dirent *entry;
  while (rc == 0 && w->list->count < MAX_LISTED &&
         /* cppcheck-suppress readdirCalled ; each stream has its own entry */
         (entry = readdir(stream)) != NULL) {
    rc = w->should_stop != NULL && w->should_stop(w->userdata)
             ? -ECANCELED
             : add_entry(w, fd, relative, entry->d_name);
  }
  closedir(stream);
  return rc;
}

static int by_path(const void *a, const void *b) {
  const listed *left = a;
  const listed *right = b;
  return strcmp(left->relative, right->relative);
}

/* Takes `fd`. */
static int load_opened(walk *w, int fd, const char *relative) {
  struct stat status = {0};
  if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
    return add_folder(w, fd, relative);
  }
  close(fd);
  return S_ISREG(status.st_mode) ? add(w->list, relative, &status) : -EPERM;
}

int listing_load(listing *list, const folder *root, const char *relative,
                 int (*should_stop)(void *userdata), void *userdata) {
  walk w = {.list = list, .should_stop = should_stop, .userdata = userdata};
  *list = (listing){0};
  int fd = folder_open_beneath(root, relative, O_RDONLY | O_NONBLOCK);
  if (fd < 0) {
    return fd;
  }
  int rc = load_opened(&w, fd, relative);
  if (rc != 0) {
    listing_free(list);
  } else if (list->count > 1) {
    qsort(list->items, list->count, sizeof *list->items, by_path);
  }
  return rc;
}

void listing_free(listing *list) {
  for (size_t i = 0; i < list->count; i++) {
    free(list->items[i].relative);
  }
  free(list->items);
  *list = (listing){0};
}
