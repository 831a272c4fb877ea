/* SPDX-License-Identifier: MIT */
/* Names of files: see paths.h. */
#include "paths.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* --- paths --------------------------------------------------------------- */

static int is_skipped(const char *component, size_t len) {
  return len == 0 || (len == 1 && component[0] == '.');
}

static int append(char out[PATH_SIZE], const char *component, size_t len) {
  size_t used = strlen(out);
  if (component[0] == '.') {
    return -EPERM;
  }
  if (len >= PATH_SIZE - used - 1) {
    return -ENAMETOOLONG;
  }
  if (used > 0) {
    out[used++] = '/';
  }
  memcpy(out + used, component, len);
  out[used + len] = '\0';
  return 0;
}

static int normalise(const char *text, char out[PATH_SIZE]) {
  int rc = 0;
  out[0] = '\0';
  while (rc == 0 && *text != '\0') {
    size_t len = strcspn(text, "/");
    if (!is_skipped(text, len)) {
      rc = append(out, text, len);
    }
    text += len;
    text += *text == '/';
  }
  return rc;
}

int path_resolve(const char *root, const char *text, char out[PATH_SIZE]) {
  if (text[0] == '/') {
    size_t len = strlen(root);
    if (strncmp(text, root, len) != 0 ||
        (text[len] != '/' && text[len] != '\0')) {
      return -EPERM;
    }
    text += len;
  }
  return normalise(text, out);
}

/* --- URIs ---------------------------------------------------------------- */

static int hex_digit(char digit) {
  static const char digits[] = "0123456789abcdef";
  char lower = digit >= 'A' && digit <= 'F' ? (char)(digit + 32) : digit;
  const char *found = lower != '\0' ? strchr(digits, lower) : NULL;
  return found != NULL ? (int)(found - digits) : -1;
}

/* Decodes one character of a URI. Returns 0 when no path can contain it. */
static char decode(const char **text) {
  const char *at = *text;
  if (*at == '?' || *at == '#') {
    return '\0';
  }
  if (*at != '%') {
    *text = at + 1;
    return *at;
  }
  int high = hex_digit(at[1]);
  int low = high >= 0 ? hex_digit(at[2]) : -1;
  *text = at + 3;
  return low >= 0 ? (char)(high * 16 + low) : '\0';
}

/* Decodes once, before any check: %2e%2e is "..", and %252e stays "%2e", an odd
 * but legal file name. */
static int decode_all(const char *text, char out[PATH_SIZE]) {
  size_t len = 0;
  while (*text != '\0') {
    char decoded = decode(&text);
    if (decoded == '\0') {
      return -EINVAL;
    }
    if (len == PATH_SIZE - 1) {
      return -ENAMETOOLONG;
    }
    out[len++] = decoded;
  }
  out[len] = '\0';
  return 0;
}

static const char *skip(const char *text, const char *prefix) {
  size_t len = strlen(prefix);
  return strncmp(text, prefix, len) == 0 ? text + len : NULL;
}

int path_from_uri(const char *root, const char *uri, char out[PATH_SIZE]) {
  char decoded[PATH_SIZE];
  const char *path = skip(uri, "file:///");
  if (path == NULL) {
    path = skip(uri, "file://localhost/");
  }
  if (path == NULL) {
    return -EINVAL;
  }
  int rc = decode_all(path - 1, decoded);
  return rc == 0 ? path_resolve(root, decoded, out) : rc;
}

static int is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || (c != '\0' && strchr("-._~/", c) != NULL);
}

static char *encode(const char *text, char *out) {
  static const char digits[] = "0123456789ABCDEF";
  for (; *text != '\0'; text++) {
    unsigned char byte = (unsigned char)*text;
    if (is_plain(*text)) {
      *out++ = *text;
    } else {
      *out++ = '%';
      *out++ = digits[byte >> 4];
      *out++ = digits[byte & 15];
    }
  }
  *out = '\0';
  return out;
}

void path_to_uri(const char *root, const char *relative, char out[URI_SIZE]) {
  memcpy(out, "file://", sizeof("file://"));
  char *end = encode(root, out + strlen(out));
  *end++ = '/';
  encode(relative, end);
}
