/* SPDX-License-Identifier: MIT */
#include "fetch/curl/url.h"

#include "fetch/curl/system.h"

#include <string.h>

/* Gets a part of a URL, which curl_free frees; NULL: the URL has none. */
static char *url_part(CURLU *url, CURLUPart part) {
  char *text = NULL;
  return curl_url_get(url, part, &text, CURLU_DEFAULT_PORT) == CURLUE_OK ? text
                                                                         : NULL;
}

static int url_has_part(CURLU *url, CURLUPart part) {
  char *text = url_part(url, part);
  int has = text != NULL;
  curl_free(text);
  return has;
}

static int url_is_of_web(CURLU *url) {
  char *scheme = url_part(url, CURLUPART_SCHEME);
  int is_of_web = scheme != NULL &&
                  (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
  curl_free(scheme);
  return is_of_web;
}

/* Returns NULL if it is not a URL of a web server without user, or there is no
 * memory. */
static CURLU *url_read(const char *text) {
  CURLU *url = curl_url();
  if (url != NULL && curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK &&
      url_is_of_web(url) && url_has_part(url, CURLUPART_HOST) &&
      !url_has_part(url, CURLUPART_USER) &&
      !url_has_part(url, CURLUPART_PASSWORD)) {
    return url;
  }
  curl_url_cleanup(url);
  return NULL;
}

/* libcurl would also read one slash, or three. */
static int has_two_slashes(const char *url) {
  const char *rest = strchr(url, ':');
  return rest != NULL && strncmp(rest, "://", 3) == 0 && rest[3] != '/';
}

int mcpi_fetch_is_url(const char *url) {
  CURLU *read = has_two_slashes(url) ? url_read(url) : NULL;
  int is_url = read != NULL && !url_has_part(read, CURLUPART_FRAGMENT);
  curl_url_cleanup(read);
  return is_url;
}

/* --- origins -------------------------------------------------------------- */

/* Hosts may differ in case. */
static int is_same_part(CURLU *a, CURLU *b, CURLUPart part) {
  char *x = url_part(a, part);
  char *y = url_part(b, part);
  int is_same = x != NULL && y != NULL && curl_strequal(x, y);
  curl_free(x);
  curl_free(y);
  return is_same;
}

int mcpi_fetch_is_same_origin(const char *a, const char *b) {
  CURLU *x = url_read(a);
  CURLU *y = url_read(b);
  int is_same =
      x != NULL && y != NULL && is_same_part(x, y, CURLUPART_SCHEME) &&
      is_same_part(x, y, CURLUPART_HOST) && is_same_part(x, y, CURLUPART_PORT);
  curl_url_cleanup(x);
  curl_url_cleanup(y);
  return is_same;
}

/* --- addresses ------------------------------------------------------------ */

/* Reads "1.2.3.4" or "[::1]". */
static int host_address(char *host, uint8_t out[16]) {
  size_t len = strlen(host);
  if (len > 2 && host[0] == '[' && host[len - 1] == ']') {
    host[len - 1] = '\0';
    return inet_pton(AF_INET6, host + 1, out) == 1;
  }
  memset(out, 0, 10);
  memset(out + 10, 0xff, 2);
  return inet_pton(AF_INET, host, out + 12) == 1;
}

int mcpi_fetch_url_address(const char *url, uint8_t out[16]) {
  CURLU *read = url_read(url);
  char *host = read != NULL ? url_part(read, CURLUPART_HOST) : NULL;
  int is_address = host != NULL && host_address(host, out);
  curl_free(host);
  curl_url_cleanup(read);
  return is_address;
}

/* IPv4 is mapped: ::ffff:127.0.0.0/104. */
static int is_loopback_address(const uint8_t address[16]) {
  static const uint8_t v4[13] = {[10] = 0xff, [11] = 0xff, [12] = 127};
  static const uint8_t v6[16] = {[15] = 1};
  return memcmp(address, v4, sizeof(v4)) == 0 ||
         memcmp(address, v6, sizeof(v6)) == 0;
}

static int is_loopback_name(const char *host) {
  static const char local[] = "localhost";
  size_t len = strlen(host);
  if (len > 0 && host[len - 1] == '.') {
    len--;
  }
  if (len < strlen(local)) {
    return 0;
  }
  size_t begin = len - strlen(local);
  return curl_strnequal(host + begin, local, strlen(local)) &&
         (begin == 0 || host[begin - 1] == '.');
}

int mcpi_fetch_is_loopback(const char *url) {
  uint8_t address[16];
  if (mcpi_fetch_url_address(url, address)) {
    return is_loopback_address(address);
  }
  CURLU *read = url_read(url);
  char *host = read != NULL ? url_part(read, CURLUPART_HOST) : NULL;
  int is_loopback = host != NULL && is_loopback_name(host);
  curl_free(host);
  curl_url_cleanup(read);
  return is_loopback;
}
