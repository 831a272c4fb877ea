/* SPDX-License-Identifier: MIT */
#include "posix.h"

#include "fnmatch.h"
#include "glob.h"
#include "sys/mman.h"

#include <direct.h>
#include <errno.h>
#include <stdint.h>
#include <windows.h>

const char *posix_program_name(void) {
  static char name[128];
  char path[MAX_PATH];
  DWORD len = GetModuleFileNameA(NULL, path, sizeof(path) - 1);
  path[len] = '\0';
  const char *last = strrchr(path, '\\');
  snprintf(name, sizeof(name), "%.120s", last != NULL ? last + 1 : path);
  return name;
}

/* --- strings -------------------------------------------------------------- */

void *memmem(const void *text, size_t len, const void *part, size_t part_len) {
  const char *from = text;
  for (size_t i = 0; part_len <= len && i <= len - part_len; i++) {
    if (memcmp(from + i, part, part_len) == 0) {
      return (char *)(uintptr_t)(from + i);
    }
  }
  return NULL;
}

char *strndup(const char *text, size_t len) {
  size_t used = strnlen(text, len);
  char *copy = malloc(used + 1);
  if (copy != NULL) {
    memcpy(copy, text, used);
    copy[used] = '\0';
  }
  return copy;
}

ssize_t getdelim(char **line, size_t *size, int end, FILE *file) {
  size_t len = 0;
  for (int c = getc(file); c != EOF; c = getc(file)) {
    if (len + 2 > *size) {
      size_t larger = *size > 0 ? *size * 2 : 256;
      char *grown = realloc(*line, larger);
      if (grown == NULL) {
        return -1;
      }
      *line = grown;
      *size = larger;
    }
    (*line)[len++] = (char)c;
    if (c == end) {
      break;
    }
  }
  if (len == 0) {
    return -1;
  }
  (*line)[len] = '\0';
  return (ssize_t)len;
}

ssize_t getline(char **line, size_t *size, FILE *file) {
  return getdelim(line, size, '\n', file);
}

int fnmatch(const char *pattern, const char *name, int flags) {
  (void)flags;
  if (*pattern == '*') {
    return fnmatch(pattern + 1, name, 0) == 0 ||
                   (*name != '\0' && fnmatch(pattern, name + 1, 0) == 0)
               ? 0
               : 1;
  }
  if (*pattern == '\0' || *name == '\0') {
    return *pattern == *name ? 0 : 1;
  }
  return *pattern == '?' || *pattern == *name
             ? fnmatch(pattern + 1, name + 1, 0)
             : 1;
}

/* --- the environment ------------------------------------------------------ */

int setenv(const char *name, const char *value, int replaces) {
  return replaces || getenv(name) == NULL ? _putenv_s(name, value) : 0;
}

int unsetenv(const char *name) {
  return _putenv_s(name, "");
}

/* --- files ---------------------------------------------------------------- */

/* The pattern begins with /tmp, which Windows takes for \tmp. */
char *mkdtemp(char *pattern) {
  static unsigned next;
  char *end = pattern + strlen(pattern) - 6;
  CreateDirectoryA("\\tmp", NULL);
  for (int i = 0; i < 1000; i++) {
    unsigned number = (unsigned)GetCurrentProcessId() * 37u + next++;
    snprintf(end, 7, "%06u", number % 1000000u);
    if (CreateDirectoryA(pattern, NULL)) {
      return pattern;
    }
  }
  return NULL;
}

static int compare_paths(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int glob_add(glob_t *out, const char *pattern, size_t folder_len,
                    const char *name) {
  size_t size = folder_len + strlen(name) + 1;
  char *path = malloc(size);
  char **larger =
      realloc(out->gl_pathv, (out->gl_pathc + 1) * sizeof(*out->gl_pathv));
  if (path == NULL || larger == NULL) {
    return -1;
  }
  snprintf(path, size, "%.*s%s", (int)folder_len, pattern, name);
  out->gl_pathv = larger;
  out->gl_pathv[out->gl_pathc++] = path;
  return 0;
}

int glob(const char *pattern, int flags, int (*on_error)(const char *, int),
         glob_t *out) {
  const char *slash = strrchr(pattern, '/');
  size_t folder_len = slash != NULL ? (size_t)(slash + 1 - pattern) : 0;
  WIN32_FIND_DATAA found;
  (void)flags;
  (void)on_error;
  *out = (glob_t){0};
  HANDLE listing = FindFirstFileA(pattern, &found);
  if (listing == INVALID_HANDLE_VALUE) {
    return -1;
  }
  do {
    if (glob_add(out, pattern, folder_len, found.cFileName) != 0) {
      break;
    }
  } while (FindNextFileA(listing, &found));
  FindClose(listing);
  qsort(out->gl_pathv, out->gl_pathc, sizeof(char *), compare_paths);
  return 0;
}

void globfree(glob_t *found) {
  for (size_t i = 0; i < found->gl_pathc; i++) {
    free(found->gl_pathv[i]);
  }
  free(found->gl_pathv);
}

/* --- pages ---------------------------------------------------------------- */

long sysconf(int name) {
  SYSTEM_INFO info;
  (void)name;
  GetSystemInfo(&info);
  return (long)info.dwPageSize;
}

void *mmap(void *at, size_t len, int access, int flags, int fd,
           long long from) {
  (void)access;
  (void)flags;
  (void)fd;
  (void)from;
  return VirtualAlloc(at, len, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
}

int mprotect(void *at, size_t len, int access) {
  DWORD before;
  DWORD wanted = access == PROT_NONE ? PAGE_NOACCESS : PAGE_READWRITE;
  return VirtualProtect(at, len, wanted, &before) ? 0 : -1;
}

int munmap(void *at, size_t len) {
  (void)len;
  return VirtualFree(at, 0, MEM_RELEASE) ? 0 : -1;
}
