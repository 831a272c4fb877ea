/* SPDX-License-Identifier: MIT */
#include "fetch/curl/system.h"

curl_socket_t mcpi_fetch_socket(const struct curl_sockaddr *address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC,
                address->protocol);
}
