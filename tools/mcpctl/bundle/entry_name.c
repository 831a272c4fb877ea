/* SPDX-License-Identifier: MIT */
#include "bundle/entry_name.h"

#include <string.h>
#include <strings.h>

enum { MAX_PART = 250 };

static int is_word(const char *part, size_t len, const char *word) {
  return strlen(word) == len && strncasecmp(part, word, len) == 0;
}

/* A digit, or a superscript 1, 2 or 3, which Windows takes for one. */
static int is_port_number(const char *text, size_t len) {
  return (len == 1 && text[0] >= '0' && text[0] <= '9') ||
         (len == 2 && (memcmp(text, "\xc2\xb9", 2) == 0 ||
                       memcmp(text, "\xc2\xb2", 2) == 0 ||
                       memcmp(text, "\xc2\xb3", 2) == 0));
}

/* Windows opens a device for these, with any ending. */
static int is_device(const char *part, size_t len) {
  static const char *const words[] = {"con", "prn",    "aux",
                                      "nul", "conin$", "conout$"};
  const char *dot = memchr(part, '.', len);
  size_t stem = dot != NULL ? (size_t)(dot - part) : len;
  while (stem > 0 && part[stem - 1] == ' ') {
    stem--;
  }
  for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
    if (is_word(part, stem, words[i])) {
      return 1;
    }
  }
  return stem > 3 && is_port_number(part + 3, stem - 3) &&
         (strncasecmp(part, "com", 3) == 0 || strncasecmp(part, "lpt", 3) == 0);
}

static const char *part_fault(const char *part, size_t len) {
  if (len == 0) {
    return "a part of it is empty";
  }
  if (is_word(part, len, ".") || is_word(part, len, "..")) {
    return "it leads out of the folder";
  }
  if (len > MAX_PART) {
    return "a part of it is longer than 250 bytes";
  }
  if (part[len - 1] == '.' || part[len - 1] == ' ') {
    return "Windows takes away the dot or blank at the end of a part";
  }
  return is_device(part, len) ? "it names a device of Windows" : NULL;
}

/* A colon begins another stream of the file on Windows, or ends a drive. */
static const char *character_fault(const char *name, size_t len) {
  for (size_t i = 0; i < len; i++) {
    unsigned char c = (unsigned char)name[i];
    if (c < 0x20 || c == 0x7f) {
      return "it has a control character";
    }
    if (c == '\\' || c == ':') {
      return "it has a backslash or a colon, which Windows reads as a path";
    }
    if (strchr("<>\"|?*", c) != NULL) {
      return "it has one of <>\"|?*, which Windows does not allow";
    }
  }
  return NULL;
}

const char *ctl_entry_name_fault(const char *name, size_t len) {
  if (len == 0) {
    return "it is empty";
  }
  if (len > CTL_ENTRY_NAME_MAX) {
    return "it is longer than 1000 bytes";
  }
  if (name[0] == '/') {
    return "it is an absolute path";
  }
  const char *fault = character_fault(name, len);
  len -= name[len - 1] == '/'; /* a folder */
  while (fault == NULL && name != NULL) {
    const char *slash = memchr(name, '/', len);
    size_t part = slash != NULL ? (size_t)(slash - name) : len;
    fault = part_fault(name, part);
    name = slash != NULL ? slash + 1 : NULL;
    len -= slash != NULL ? part + 1 : part;
  }
  return fault;
}

int ctl_entry_name_compare(const char *a, const char *b) {
  return strcasecmp(a, b);
}
