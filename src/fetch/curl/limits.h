/* SPDX-License-Identifier: MIT */
/* What every request over libcurl may use: HTTP, and the TLS versions and
 * ciphers that a server of this library accepts. In a header, because a module
 * calls nothing of libmcp. */
#ifndef MCPI_FETCH_CURL_LIMITS_H
#define MCPI_FETCH_CURL_LIMITS_H

#include "tls/tls.h"
#include <curl/curl.h>
#include <string.h>

static inline void mcpi_curl_limit_protocols(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS,
                   (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/* Only OpenSSL and its forks read such a list of ciphers. With another library
 * libcurl's own choice stays: NULL. */
static inline const char *mcpi_curl_ciphers(void) {
  const char *name = curl_version_info(CURLVERSION_NOW)->ssl_version;
  int is_openssl = name != NULL && (strstr(name, "OpenSSL") != NULL ||
                                    strstr(name, "LibreSSL") != NULL ||
                                    strstr(name, "BoringSSL") != NULL);
  return is_openssl ? MCPI_TLS12_CIPHERS : NULL;
}

/* Trusts the certificates of the file. NULL: those of the system, whose place
 * libcurl knows, or on Windows those that Windows keeps. Returns CURLE_OK, or
 * CURLE_OUT_OF_MEMORY. */
static inline CURLcode mcpi_curl_trust(CURL *easy, const char *ca_file) {
  if (ca_file != NULL) {
    return curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file);
  }
#if LIBCURL_VERSION_NUM >= 0x074700
  curl_easy_setopt(easy, CURLOPT_SSL_OPTIONS, (long)CURLSSLOPT_NATIVE_CA);
#endif
  return CURLE_OK;
}

/* Returns CURLE_OK, or CURLE_OUT_OF_MEMORY. */
static inline CURLcode mcpi_curl_limit(CURL *easy) {
  const char *ciphers = mcpi_curl_ciphers();
  mcpi_curl_limit_protocols(easy);
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
  curl_easy_setopt(easy, CURLOPT_PROXY_SSLVERSION,
                   (long)CURL_SSLVERSION_TLSv1_2);
  if (ciphers == NULL) {
    return CURLE_OK;
  }
  CURLcode code = curl_easy_setopt(easy, CURLOPT_SSL_CIPHER_LIST, ciphers);
  return code == CURLE_OK
             ? curl_easy_setopt(easy, CURLOPT_PROXY_SSL_CIPHER_LIST, ciphers)
             : code;
}

#endif
