/* SPDX-License-Identifier: MIT */
#include "line/target.h"
#include "common/find.h"

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
  return ctl_find_last(authority, '@', strcspn(authority, "/?#"));
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

/* ---- logins ------------------------------------------------------------ */

const char *ctl_target_web(const char *url) {
  static const char sse[] = "sse+";
  return begins(url, sse) ? url + strlen(sse) : url;
}

/* The parts of a URL that name the server. */
typedef struct place {
  int is_secure;
  const char *host; /* with the port, if that is not the scheme's own */
  size_t host_len;
  const char *path;
  size_t path_len;
} place;

static size_t without_ending(const char *text, size_t len, const char *end) {
  size_t end_len = strlen(end);
  int has_end =
      len > end_len && memcmp(text + len - end_len, end, end_len) == 0;
  return has_end ? len - end_len : len;
}

static place find_place(const char *url) {
  const char *web = ctl_target_web(url);
  const char *host = strstr(web, "://");
  place found = {.is_secure = begins(web, "https:") || begins(web, "wss:")};
  host = host != NULL ? host + 3 : web;
  const char *at = find_at(host);
  found.host = at != NULL ? at + 1 : host;
  found.path = found.host + strcspn(found.host, "/?#");
  found.path_len = strcspn(found.path, "?#");
  found.path_len = found.path_len == 1 ? 0 : found.path_len; /* "/" */
  found.host_len = (size_t)(found.path - found.host);
  found.host_len = without_ending(found.host, found.host_len,
                                  found.is_secure ? ":443" : ":80");
  found.host_len = without_ending(found.host, found.host_len, ":");
  return found;
}

int ctl_target_is_same(const char *a, const char *b) {
  place one = find_place(a);
  place other = find_place(b);
  return one.is_secure == other.is_secure && one.host_len == other.host_len &&
         strncasecmp(one.host, other.host, one.host_len) == 0 &&
         one.path_len == other.path_len &&
         strncmp(one.path, other.path, one.path_len) == 0;
}
