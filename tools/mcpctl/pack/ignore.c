/* SPDX-License-Identifier: MIT */
#include "pack/ignore.h"

#include <stddef.h>
#include <string.h>

static const char always[] = ".git\n.gitignore\n.mcpbignore\n.DS_Store\n"
                             "Thumbs.db\n.env*\n.npmrc\n.npm\n*.log\n*.mcpb\n"
                             "*.dxt\nnode_modules/.cache\nnode_modules/.bin\n"
                             "__pycache__\n";

/* `*` matches within a part of the path, `**` across parts. The text ends with
 * NUL, the pattern at `end`. */
static int match(const char *pattern, const char *end, const char *text) {
  for (; pattern < end; pattern++, text++) {
    if (*pattern == '*') {
      int is_deep = pattern + 1 < end && pattern[1] == '*';
      const char *rest = pattern + 1 + is_deep;
      /* A slash after ** may be there or not: a / ** / b is a/b, too. */
      if (is_deep && rest < end && *rest == '/' && match(rest + 1, end, text)) {
        return 1;
      }
      for (;; text++) {
        if (match(rest, end, text)) {
          return 1;
        }
        if (*text == '\0' || (*text == '/' && !is_deep)) {
          return 0;
        }
      }
    }
    if (*text == '\0' || (*pattern == '?' ? *text == '/' : *pattern != *text)) {
      return 0;
    }
  }
  return *text == '\0';
}

/* A pattern with a slash in it is a path; another one is a name in any
 * folder. */
static int match_line(const char *line, const char *end, const char *path,
                      int is_folder) {
  const char *name = strrchr(path, '/');
  if (end > line && end[-1] == '/') {
    if (!is_folder) {
      return 0;
    }
    end--;
  }
  if (line < end && memchr(line, '/', (size_t)(end - line)) != NULL) {
    line += *line == '/';
    return match(line, end, path);
  }
  return line < end && match(line, end, name != NULL ? name + 1 : path);
}

/* What the lines say, after what was decided before. */
static int decide(const char *lines, const char *path, int is_folder,
                  int decided) {
  while (lines != NULL && *lines != '\0') {
    size_t len = strcspn(lines, "\n");
    const char *begin = lines;
    const char *end = lines + len;
    while (end > begin && (end[-1] == '\r' || end[-1] == ' ')) {
      end--;
    }
    int is_kept = begin < end && *begin == '!';
    if (begin < end && *begin != '#' &&
        match_line(begin + is_kept, end, path, is_folder)) {
      decided = !is_kept;
    }
    lines += len + (lines[len] == '\n');
  }
  return decided;
}

int ctl_ignore(const char *lines, const char *path, int is_folder) {
  return decide(lines, path, is_folder, decide(always, path, is_folder, 0));
}
