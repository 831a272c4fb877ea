/* SPDX-License-Identifier: MIT */
#include "pack/ignore.h"

#include <stddef.h>
#include <string.h>

static const char always[] = ".git\n.gitignore\n.mcpbignore\n.DS_Store\n"
                             "Thumbs.db\n.env*\n.npmrc\n.npm\n*.log\n*.mcpb\n"
                             "*.dxt\nnode_modules/.cache\nnode_modules/.bin\n"
                             "__pycache__\n";

/* How a pattern compares with a text. Two kinds of failure end the search of
 * earlier stars: in *a*a*b the last star has tried all that the others could
 * still reach. Without them the time would grow exponentially with the number
 * of stars. */
typedef enum match_result {
  MATCHES,
  DIFFERS,         /* an earlier star may take more or fewer bytes */
  DIFFERS_IN_PART, /* a later * tried each place in its part of the path: only
                    * an earlier ** may still help */
  DIFFERS_FOR_GOOD /* a later ** tried each place */
} match_result;

/* The rest of the pattern after a list such as [a-z] or [!.], if it has the
 * byte; `at` is after the bracket. NULL: it does not, or does not end. */
static const char *match_list(const char *at, const char *end,
                              unsigned char byte) {
  int is_negated = at < end && (*at == '!' || *at == '^');
  int found = 0;
  at += is_negated;
  for (const char *first = at; at < end && (*at != ']' || at == first); at++) {
    at += *at == '\\' && at + 1 < end;
    unsigned char low = (unsigned char)*at;
    unsigned char high = low;
    if (at + 2 < end && at[1] == '-' && at[2] != ']') {
      at += 2;
      at += *at == '\\' && at + 1 < end;
      high = (unsigned char)*at;
    }
    found |= low <= byte && byte <= high;
  }
  return at < end && found != is_negated && byte != '/' ? at + 1 : NULL;
}

/* The rest of the pattern, if its first part is for this byte; else NULL. */
static const char *match_byte(const char *pattern, const char *end, char byte) {
  if (*pattern == '[') {
    return match_list(pattern + 1, end, (unsigned char)byte);
  }
  if (*pattern == '?') {
    return byte != '/' ? pattern + 1 : NULL;
  }
  pattern += *pattern == '\\' && pattern + 1 < end;
  return *pattern == byte ? pattern + 1 : NULL;
}

static match_result match(const char *pattern, const char *end,
                          const char *text);

/* A star tries the rest of the pattern at each place that it reaches. */
static match_result match_star(const char *pattern, const char *end,
                               const char *text) {
  int is_deep = pattern + 1 < end && pattern[1] == '*';
  const char *rest = pattern + 1 + is_deep;
  /* A slash after ** may be there or not: a / ** / b is a/b, too. */
  if (is_deep && rest < end && *rest == '/') {
    match_result found = match(rest + 1, end, text);
    if (found == MATCHES || found == DIFFERS_FOR_GOOD) {
      return found;
    }
  }
  for (;; text++) {
    match_result found = match(rest, end, text);
    if (found == MATCHES || found == DIFFERS_FOR_GOOD ||
        (found == DIFFERS_IN_PART && !is_deep)) {
      return found;
    }
    if (*text == '\0' || (*text == '/' && !is_deep)) {
      return is_deep ? DIFFERS_FOR_GOOD : DIFFERS_IN_PART;
    }
  }
}

/* `*` matches within a part of the path, `**` across parts. The text ends with
 * NUL, the pattern at `end`. */
static match_result match(const char *pattern, const char *end,
                          const char *text) {
  while (pattern < end) {
    if (*pattern == '*') {
      return match_star(pattern, end, text);
    }
    if (*text == '\0') {
      return DIFFERS;
    }
    pattern = match_byte(pattern, end, *text++);
    if (pattern == NULL) {
      return DIFFERS;
    }
  }
  return *text == '\0' ? MATCHES : DIFFERS;
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
    return match(line, end, path) == MATCHES;
  }
  return line < end &&
         match(line, end, name != NULL ? name + 1 : path) == MATCHES;
}

/* What the lines say, after what was decided before. */
static int decide(const char *lines, const char *path, int is_folder,
                  int decided) {
  while (lines != NULL && *lines != '\0') {
    size_t len = strcspn(lines, "\n");
    const char *begin = lines;
    const char *end = lines + len;
    while (end > begin && (end[-1] == '\r' || end[-1] == ' ') &&
           (end - begin < 2 || end[-2] != '\\')) {
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
