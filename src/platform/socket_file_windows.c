/* SPDX-License-Identifier: MIT */
/* Windows is not given Unix sockets here (mcpi_sock_has_files). */
#include "platform/socket_file.h"

int mcpi_socket_file_is_socket(const mcpi_socket_file *file) {
  (void)file;
  return 0;
}

int mcpi_socket_file_is_other(const mcpi_socket_file *file) {
  (void)file;
  return 0;
}

int mcpi_socket_file_replace(const mcpi_socket_file *file) {
  (void)file;
  return -1;
}

void mcpi_socket_file_limit(const mcpi_socket_file *file, int fd) {
  (void)file;
  (void)fd;
}

void mcpi_socket_file_note(mcpi_socket_file *file) {
  (void)file;
}

int mcpi_socket_file_open(const mcpi_socket_file *file) {
  (void)file;
  return 0;
}

void mcpi_socket_file_remove(const mcpi_socket_file *file) {
  (void)file;
}
