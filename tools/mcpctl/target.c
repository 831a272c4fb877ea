/* SPDX-License-Identifier: MIT */
#include "target.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char tcp[] = "tcp://";
static const char file[] = "unix:";

static int begins(const char *word, const char *with) {
  return strncasecmp(word, with, strlen(with)) == 0;
}

int ctl_target_read(char *word) {
  if (strstr(word, "://") == NULL && !begins(word, file)) {
    return 0;
  }
  for (char *c = word; *c != ':'; c++) {
    *c = (char)tolower((unsigned char)*c);
  }
  return 1;
}

int ctl_target_is_known(const char *word) {
  const char *known = CTL_TARGETS;
  while (*known != '\0') {
    size_t len = strcspn(known, ":") + 1;
    len += strspn(known + len, "/");
    if (strncasecmp(word, known, len) == 0) {
      return 1;
    }
    known += strcspn(known, " ");
    known += strspn(known, " ");
  }
  return 0;
}

const char *ctl_target_socket(const char *target) {
  if (begins(target, tcp)) {
    return target + strlen(tcp);
  }
  return begins(target, file) ? target : NULL;
}

/* The end of the user name and password of an authority; NULL: it has none. */
static const char *find_at(const char *authority) {
  return memrchr(authority, '@', strcspn(authority, "/?#"));
}

int ctl_target_has_user(const char *target) {
  const char *host = strstr(target, "://");
  return ctl_target_socket(target) == NULL && host != NULL &&
         find_at(host + 3) != NULL;
}

char *ctl_target_shown(const char *target) {
  const char *host = strstr(target, "://");
  if (ctl_target_socket(target) != NULL || host == NULL) {
    return strdup(target);
  }
  host += 3;
  size_t scheme_len = (size_t)(host - target);
  const char *at = find_at(host);
  host = at != NULL ? at + 1 : host;
  char *shown = malloc(scheme_len + strlen(host) + 1);
  if (shown != NULL) {
    memcpy(shown, target, scheme_len);
    strcpy(shown + scheme_len, host);
    shown[strcspn(shown, "?#")] = '\0';
  }
  return shown;
}
