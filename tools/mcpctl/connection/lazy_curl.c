/* SPDX-License-Identifier: MIT */
/* libcurl, loaded when its first function is called. Loading it and the thirty
 * libraries behind it takes longer than a whole call of a local server, and
 * only URLs need it. These functions have libcurl's names and call the loaded
 * ones, so that nothing else knows of them; mcpctl is then not linked with
 * libcurl. A function that is missing here fails the link. */
#define CURL_DISABLE_TYPECHECK
#include "common/exit.h"

/* Its handle is const in later versions. */
#define curl_url_get curl_url_get_of_this_version
#include <curl/curl.h>
#undef curl_url_get
#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt

/* Several threads may call a function first; all find the same address. */
typedef _Atomic(void *) place;

/* What needs libcurl cannot go on. A package of mcpctl depends on libcurl. */
static _Noreturn void end_without_curl(void) {
  const char *why = dlerror();
  fprintf(stderr, "mcpctl: cannot load libcurl, which URLs need: %s\n",
          why != NULL ? why : "unknown reason");
  exit(CTL_USAGE);
}

static void *load(const char *name) {
  static place library; /* never closed */
  void *curl = atomic_load(&library);
  if (curl == NULL) {
    curl = dlopen(CTL_CURL_FILE, RTLD_NOW | RTLD_LOCAL);
    atomic_store(&library, curl);
  }
  void *function = curl != NULL ? dlsym(curl, name) : NULL;
  if (function == NULL) {
    end_without_curl();
  }
  return function;
}

static void *find(place *found, const char *name) {
  void *function = atomic_load_explicit(found, memory_order_relaxed);
  if (function == NULL) {
    function = load(name);
    atomic_store_explicit(found, function, memory_order_relaxed);
  }
  return function;
}

/* Sets `real` to the function of libcurl that has the name. ISO C has no
 * conversion from an object pointer to a function pointer. */
#define FIND(real, name)                                                       \
  static place found_;                                                         \
  void *function_ = find(&found_, name);                                       \
  _Static_assert(sizeof(real) == sizeof(function_), "");                       \
  memcpy(&(real), &function_, sizeof(real))

#define FORWARD(type, name, parameters, arguments)                             \
  type name parameters {                                                       \
    type(*real) parameters;                                                    \
    FIND(real, #name);                                                         \
    return real arguments;                                                     \
  }

#define FORWARD_VOID(name, parameters, arguments)                              \
  void name parameters {                                                       \
    void(*real) parameters;                                                    \
    FIND(real, #name);                                                         \
    real arguments;                                                            \
  }

CURLUcode curl_url_get(const CURLU *handle, CURLUPart what, char **part,
                       unsigned flags);

/* clang-format off */
FORWARD(CURLcode, curl_global_init, (long flags), (flags))
FORWARD(curl_version_info_data *, curl_version_info, (CURLversion age), (age))
FORWARD_VOID(curl_free, (void *p), (p))
FORWARD(int, curl_strequal, (const char *s1, const char *s2), (s1, s2))
FORWARD(int, curl_strnequal, (const char *s1, const char *s2, size_t n),
        (s1, s2, n))
FORWARD(struct curl_slist *, curl_slist_append,
        (struct curl_slist *list, const char *data), (list, data))
FORWARD_VOID(curl_slist_free_all, (struct curl_slist *list), (list))

FORWARD(CURLU *, curl_url, (void), ())
FORWARD_VOID(curl_url_cleanup, (CURLU *handle), (handle))
FORWARD(CURLUcode, curl_url_get,
        (const CURLU *handle, CURLUPart what, char **part, unsigned flags),
        (handle, what, part, flags))
FORWARD(CURLUcode, curl_url_set,
        (CURLU *handle, CURLUPart what, const char *part, unsigned flags),
        (handle, what, part, flags))
FORWARD(const char *, curl_url_strerror, (CURLUcode code), (code))

FORWARD(CURL *, curl_easy_init, (void), ())
FORWARD_VOID(curl_easy_cleanup, (CURL *curl), (curl))
FORWARD(CURLcode, curl_easy_perform, (CURL *curl), (curl))
FORWARD(CURLcode, curl_easy_recv,
        (CURL *curl, void *buffer, size_t buflen, size_t *n),
        (curl, buffer, buflen, n))
FORWARD(CURLcode, curl_easy_send,
        (CURL *curl, const void *buffer, size_t buflen, size_t *n),
        (curl, buffer, buflen, n))
FORWARD(const char *, curl_easy_strerror, (CURLcode code), (code))

FORWARD(CURLM *, curl_multi_init, (void), ())
FORWARD(CURLMcode, curl_multi_cleanup, (CURLM *multi_handle), (multi_handle))
FORWARD(CURLMcode, curl_multi_add_handle,
        (CURLM *multi_handle, CURL *curl_handle), (multi_handle, curl_handle))
FORWARD(CURLMcode, curl_multi_remove_handle,
        (CURLM *multi_handle, CURL *curl_handle), (multi_handle, curl_handle))
FORWARD(CURLMcode, curl_multi_assign,
        (CURLM *multi_handle, curl_socket_t sockfd, void *sockp),
        (multi_handle, sockfd, sockp))
FORWARD(CURLMcode, curl_multi_perform,
        (CURLM *multi_handle, int *running_handles),
        (multi_handle, running_handles))
FORWARD(CURLMcode, curl_multi_poll,
        (CURLM *multi_handle, struct curl_waitfd *extra_fds,
         unsigned extra_nfds, int timeout_ms, int *ret),
        (multi_handle, extra_fds, extra_nfds, timeout_ms, ret))
FORWARD(CURLMcode, curl_multi_wakeup, (CURLM *multi_handle), (multi_handle))
FORWARD(CURLMcode, curl_multi_socket_action,
        (CURLM *multi_handle, curl_socket_t s, int ev_bitmask,
         int *running_handles),
        (multi_handle, s, ev_bitmask, running_handles))
FORWARD(CURLMsg *, curl_multi_info_read,
        (CURLM *multi_handle, int *msgs_in_queue),
        (multi_handle, msgs_in_queue))
/* clang-format on */

/* The argument of these is a long, a curl_off_t or a pointer, as the number of
 * the option says (CURLOPTTYPE_* in curl.h). */
#define PASS_OPTION(result, real, handle, option)                              \
  do {                                                                         \
    va_list ap;                                                                \
    va_start(ap, option);                                                      \
    if ((option) < CURLOPTTYPE_OBJECTPOINT) {                                  \
      (result) = (real)(handle, option, va_arg(ap, long));                     \
    } else if ((option) >= CURLOPTTYPE_OFF_T && (option) < CURLOPTTYPE_BLOB) { \
      (result) = (real)(handle, option, va_arg(ap, curl_off_t));               \
    } else {                                                                   \
      (result) = (real)(handle, option, va_arg(ap, void *));                   \
    }                                                                          \
    va_end(ap);                                                                \
  } while (0)

CURLcode curl_easy_setopt(CURL *curl, CURLoption option, ...) {
  CURLcode (*real)(CURL *, CURLoption, ...);
  FIND(real, "curl_easy_setopt");
  CURLcode code;
  PASS_OPTION(code, real, curl, option);
  return code;
}

CURLMcode curl_multi_setopt(CURLM *multi_handle, CURLMoption option, ...) {
  CURLMcode (*real)(CURLM *, CURLMoption, ...);
  FIND(real, "curl_multi_setopt");
  CURLMcode code;
  PASS_OPTION(code, real, multi_handle, option);
  return code;
}

/* All that is asked for is stored by a pointer. */
CURLcode curl_easy_getinfo(CURL *curl, CURLINFO info, ...) {
  CURLcode (*real)(CURL *, CURLINFO, ...);
  FIND(real, "curl_easy_getinfo");
  va_list ap;
  va_start(ap, info);
  CURLcode code = real(curl, info, va_arg(ap, void *));
  va_end(ap);
  return code;
}
