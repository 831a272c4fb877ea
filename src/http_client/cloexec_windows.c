/* SPDX-License-Identifier: MIT */
/* On Windows a child inherits only the handles that its parent names for it,
 * and libuv names the three standard ones. */
#include "http_client/cloexec.h"

curl_socket_t mcpi_cloexec_socket(void *owner, curlsocktype purpose,
                                  struct curl_sockaddr *address) {
  (void)owner;
  (void)purpose;
  return WSASocketW(address->family, address->socktype, address->protocol, NULL,
                    0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
}

void mcpi_cloexec_set(curl_socket_t fd) {
  SetHandleInformation((HANDLE)fd, HANDLE_FLAG_INHERIT, 0);
}

void mcpi_cloexec_wakeup(CURLM *multi) {
  (void)multi;
}
