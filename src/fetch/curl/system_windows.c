/* SPDX-License-Identifier: MIT */
#include "fetch/curl/system.h"

curl_socket_t mcpi_fetch_socket(const struct curl_sockaddr *address) {
  return WSASocketW(address->family, address->socktype, address->protocol, NULL,
                    0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
}

int64_t mcpi_fetch_now_ms(void) {
  return (int64_t)GetTickCount64();
}
