/* SPDX-License-Identifier: MIT */
#include "web/easy.h"

#include <string.h>

/* libcurl's limits are of type long, which has 32 bits here and there. */
static long limit_ms(uint32_t ms) {
  return ms < INT32_MAX ? (long)ms : INT32_MAX;
}

int mcpi_easy_set_string(CURL *easy, CURLoption option, const char *value) {
  return value == NULL || curl_easy_setopt(easy, option, value) == CURLE_OK
             ? 0
             : MCP_ERR_NOMEM;
}

static void set_protocols(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS,
                   (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static int set_strings(CURL *easy, const mcpi_web_options *options) {
  const struct {
    CURLoption option;
    const char *value;
  } strings[] = {
      {CURLOPT_USERAGENT, "libmcp"},
      {CURLOPT_USERNAME, options->user},
      {CURLOPT_PASSWORD, options->password},
      {CURLOPT_CAINFO, options->ca_file},
      {CURLOPT_SSLCERT, options->cert_file},
      {CURLOPT_SSLKEY,
       options->key_file != NULL ? options->key_file : options->cert_file},
      {CURLOPT_PROXY, options->proxy},
  };
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < sizeof(strings) / sizeof(strings[0]); i++) {
    rc = mcpi_easy_set_string(easy, strings[i].option, strings[i].value);
  }
  return rc;
}

int mcpi_easy_set_connection(CURL *easy, const mcpi_web_options *options) {
  long verify = !options->given.insecure;
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, verify);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, verify ? 2L : 0L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   limit_ms(options->given.connect_timeout_ms));
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set_protocols(easy);
  return set_strings(easy, options);
}

void mcpi_easy_set_timeout(CURL *easy, uint32_t timeout_ms) {
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, limit_ms(timeout_ms));
}

int mcpi_easy_copy_list(struct curl_slist **to, const struct curl_slist *from) {
  for (; from != NULL; from = from->next) {
    struct curl_slist *longer = curl_slist_append(*to, from->data);
    if (longer == NULL) {
      return MCP_ERR_NOMEM;
    }
    *to = longer;
  }
  return 0;
}

const char *mcpi_easy_trouble(CURLcode result, const char *trouble) {
  int is_fit = trouble[0] != '\0' && strchr(trouble, '@') == NULL;
  return is_fit ? trouble : curl_easy_strerror(result);
}

int mcpi_easy_code_of(long status) {
  switch (status) {
  case 401:
  case 403:
    return MCP_ERR_REFUSED;
  case 408:
  case 429:
    return MCP_ERR_IO;
  default:
    return status >= 500 ? MCP_ERR_IO : MCP_ERR_PROTOCOL;
  }
}

int mcpi_easy_is_error(const mcp_json *error) {
  int64_t code;
  return mcp_json_try_int(mcp_json_get(error, "code"), &code) == 0 &&
         mcp_json_string(mcp_json_get(error, "message")) != NULL;
}
