/* SPDX-License-Identifier: MIT */
/* The choice of a proxy. The address of a connection is the server's only if
 * there is no proxy, but libcurl does not say before 8.7 whether it uses one.
 * So this file chooses as libcurl does, and libcurl must follow.
 * There are two differences: ranges of addresses in no_proxy ("10.0.0.0/8") are
 * ignored, and servers on the loopback interface have no proxy. */
#include "fetch/curl/url.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

/* --- no_proxy ------------------------------------------------------------- */

/* Whether the host is the entry, or ends with a dot and the entry. */
static int is_within(const char *host, size_t host_len, const char *entry,
                     size_t len) {
  if (len > 0 && entry[0] == '.') {
    entry++;
    len--;
  }
  if (len > 0 && entry[len - 1] == '.') {
    len--;
  }
  if (len == 0 || len > host_len ||
      !curl_strnequal(host + host_len - len, entry, len)) {
    return 0;
  }
  return len == host_len || host[host_len - len - 1] == '.';
}

/* Whether a list such as "localhost, .example.com" names the host. */
static int is_listed(const char *list, const char *host, size_t len) {
  static const char separators[] = ", \t";
  if (strcmp(list, "*") == 0) {
    return 1;
  }
  list += strspn(list, separators);
  while (*list != '\0') {
    size_t entry_len = strcspn(list, separators);
    if (is_within(host, len, list, entry_len)) {
      return 1;
    }
    list += entry_len;
    list += strspn(list, separators);
  }
  return 0;
}

/* Returns the first of two variables that is set, or NULL. */
static const char *variable(const char *name, const char *other) {
  const char *value = getenv(name);
  return value != NULL && value[0] != '\0' ? value : getenv(other);
}

/* The list has IPv6 addresses without brackets. */
static int is_excluded(const char *host) {
  const char *list = variable("no_proxy", "NO_PROXY");
  size_t len = strlen(host);
  if (list == NULL) {
    return 0;
  }
  if (len > 2 && host[0] == '[') {
    host++;
    len -= 2;
  } else if (len > 0 && host[len - 1] == '.') {
    len--;
  }
  return is_listed(list, host, len);
}

/* --- the choice ----------------------------------------------------------- */

/* HTTP_PROXY is not asked for: in a CGI program, the peer sets it. */
static const char *named_proxy(const char *scheme) {
  const char *value = strcmp(scheme, "https") == 0
                          ? variable("https_proxy", "HTTPS_PROXY")
                          : getenv("http_proxy");
  if (value == NULL || value[0] == '\0') {
    value = variable("all_proxy", "ALL_PROXY");
  }
  return value != NULL ? value : "";
}

static const char *choose(const char *proxy, CURLU *url) {
  char *scheme = NULL;
  char *host = NULL;
  curl_url_get(url, CURLUPART_SCHEME, &scheme, 0);
  curl_url_get(url, CURLUPART_HOST, &host, 0);
  if (scheme == NULL || host == NULL) {
    proxy = "";
  } else if (proxy == NULL) {
    proxy = named_proxy(scheme);
  }
  if (host != NULL && is_excluded(host)) {
    proxy = "";
  }
  curl_free(scheme);
  curl_free(host);
  return proxy;
}

const char *mcpi_fetch_choose_proxy(const char *proxy, const char *url) {
  CURLU *read = curl_url();
  if (read == NULL || curl_url_set(read, CURLUPART_URL, url, 0) != CURLUE_OK ||
      mcpi_fetch_is_loopback(url)) {
    proxy = "";
  } else {
    proxy = choose(proxy, read);
  }
  curl_url_cleanup(read);
  return proxy;
}
