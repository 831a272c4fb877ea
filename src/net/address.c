/* SPDX-License-Identifier: MIT */
/* Socket addresses as texts. */
#include "net/address.h"

#include "platform/sockets.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 256 };

static int address_refuse(mcp_error *err, const char *text, const char *why) {
  return mcp_error_set(err, MCP_ERR_INVALID, "\"%.200s\": %s", text, why);
}

/* --- from text ----------------------------------------------------------- */

static int parse_unix(mcpi_address *address, const char *text, mcp_error *err) {
  struct sockaddr_un *un = (struct sockaddr_un *)&address->storage;
  const char *path = text + strlen("unix:");
  size_t len = strlen(path);
  if (!mcpi_sock_has_files()) {
    return address_refuse(err, text,
                          "there are no Unix sockets here; use "
                          "HOST:PORT, such as 127.0.0.1:8000");
  }
  if (len == 0 || len >= sizeof(un->sun_path)) {
    return address_refuse(err, text, "a socket's path has 1 to 107 bytes");
  }
  un->sun_family = AF_UNIX;
  memcpy(un->sun_path, path, len + 1);
  address->len = sizeof(*un);
  return 0;
}

/* Returns -1 if it is not a port. */
static int parse_port(const char *text) {
  int port = 0;
  if (*text == '\0') {
    return -1;
  }
  for (; *text >= '0' && *text <= '9'; text++) {
    port = 10 * port + (*text - '0');
    if (port > 65535) {
      return -1;
    }
  }
  return *text == '\0' ? port : -1;
}

static void set_v4(mcpi_address *address, struct in_addr host, int port) {
  struct sockaddr_in *in = (struct sockaddr_in *)&address->storage;
  *in = (struct sockaddr_in){.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr = host};
  address->len = sizeof(*in);
}

static void set_v6(mcpi_address *address, const struct in6_addr *host,
                   int port) {
  struct sockaddr_in6 *in = (struct sockaddr_in6 *)&address->storage;
  *in = (struct sockaddr_in6){.sin6_family = AF_INET6,
                              .sin6_port = htons((uint16_t)port),
                              .sin6_addr = *host};
  address->len = sizeof(*in);
}

static int is_loopback(const struct addrinfo *found) {
  if (found->ai_family == AF_INET) {
    const struct sockaddr_in *in = (const void *)found->ai_addr;
    return ntohl(in->sin_addr.s_addr) >> 24 == 127;
  }
  const struct sockaddr_in6 *in = (const void *)found->ai_addr;
  return found->ai_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&in->sin6_addr);
}

/* Finds the first address of the family that belongs to the loopback
 * interface. */
static int address_look_up(mcpi_address *address, const char *name, int family,
                           int port) {
  struct addrinfo hints = {.ai_family = family, .ai_socktype = SOCK_STREAM};
  struct addrinfo *list = NULL;
  int rc = MCP_ERR_INVALID;
  if (getaddrinfo(name, NULL, &hints, &list) != 0) {
    return rc;
  }
  const struct addrinfo *found = list;
  while (found != NULL && !is_loopback(found)) {
    found = found->ai_next;
  }
  if (found != NULL && family == AF_INET) {
    set_v4(address, ((struct sockaddr_in *)(void *)found->ai_addr)->sin_addr,
           port);
    rc = 0;
  } else if (found != NULL) {
    set_v6(address, &((struct sockaddr_in6 *)(void *)found->ai_addr)->sin6_addr,
           port);
    rc = 0;
  }
  freeaddrinfo(list);
  return rc;
}

/* A name may stand for several addresses, and for others tomorrow. The
 * interface that a server listens on must not depend on it, so only names of
 * this machine are accepted. */
static int parse_host(mcpi_address *address, const char *host, int port) {
  struct in_addr v4;
  struct in6_addr v6;
  if (inet_pton(AF_INET, host, &v4) == 1) {
    set_v4(address, v4, port);
    return 0;
  }
  if (inet_pton(AF_INET6, host, &v6) == 1) {
    set_v6(address, &v6, port);
    return 0;
  }
  int rc = address_look_up(address, host, AF_INET, port);
  return rc == 0 ? 0 : address_look_up(address, host, AF_INET6, port);
}

/* Copies the host without brackets. Returns NULL, or what is wrong. */
static const char *read_host(const char *text, size_t len, char *host,
                             size_t size) {
  int has_brackets = len >= 2 && text[0] == '[' && text[len - 1] == ']';
  if (has_brackets) {
    text++;
    len -= 2;
  }
  if (len >= size) {
    return "its host is too long";
  }
  if ((memchr(text, ':', len) != NULL) != has_brackets) {
    return has_brackets ? "no IPv6 address in the brackets"
                        : "write an IPv6 address in brackets: [::1]:8000";
  }
  memcpy(host, text, len);
  host[len] = '\0';
  return NULL;
}

const char *mcpi_address_split(const char *text, char *host, size_t size,
                               mcp_error *err) {
  const char *colon = strrchr(text, ':');
  const char *why = "not HOST:PORT or unix:PATH, such as 127.0.0.1:8000";
  if (strstr(text, "://") != NULL) {
    why = "not a URL but HOST:PORT or unix:PATH, such as 127.0.0.1:8000";
  } else if (colon != NULL) {
    why = read_host(text, (size_t)(colon - text), host, size);
  }
  if (why == NULL && parse_port(colon + 1) < 0) {
    why = "its port is not a number from 0 to 65535";
  }
  if (why != NULL) {
    address_refuse(err, text, why);
    return NULL;
  }
  return colon + 1;
}

int mcpi_address_parse(mcpi_address *address, const char *text,
                       mcp_error *err) {
  char host[NAME_SIZE];
  *address = (mcpi_address){0};
  if (strncmp(text, "unix:", 5) == 0) {
    return parse_unix(address, text, err);
  }
  const char *port = mcpi_address_split(text, host, sizeof(host), err);
  if (port == NULL) {
    return MCP_ERR_INVALID;
  }
  if (parse_host(address, host, parse_port(port)) != 0) {
    return address_refuse(
        err, text,
        "its host is not an IPv4 address, an [IPv6 address] or a name "
        "of the loopback interface; 0.0.0.0 is every interface");
  }
  return 0;
}

/* --- to text ------------------------------------------------------------- */

/* An IPv4 address that came over an IPv6 socket is shown as IPv4. */
static void format_v6(const struct sockaddr_in6 *in, char *text, size_t size) {
  char host[INET6_ADDRSTRLEN];
  const struct in6_addr *from = &in->sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(from)) {
    inet_ntop(AF_INET, &from->s6_addr[12], host, sizeof(host));
    snprintf(text, size, "%s:%d", host, ntohs(in->sin6_port));
  } else {
    inet_ntop(AF_INET6, from, host, sizeof(host));
    snprintf(text, size, "[%s]:%d", host, ntohs(in->sin6_port));
  }
}

static void format_v4(const struct sockaddr_in *in, char *text, size_t size) {
  char host[INET_ADDRSTRLEN];
  inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host));
  snprintf(text, size, "%s:%d", host, ntohs(in->sin_port));
}

const char *mcpi_address_path(const mcpi_address *address) {
  const struct sockaddr_un *un = (const void *)&address->storage;
  size_t unnamed = offsetof(struct sockaddr_un, sun_path);
  return un->sun_family == AF_UNIX && (size_t)address->len > unnamed
             ? un->sun_path
             : NULL;
}

void mcpi_address_format(const mcpi_address *address,
                         char text[MCPI_ADDRESS_TEXT]) {
  const void *storage = &address->storage;
  const char *path = mcpi_address_path(address);
  if (address->storage.ss_family == AF_INET) {
    format_v4(storage, text, MCPI_ADDRESS_TEXT);
  } else if (address->storage.ss_family == AF_INET6) {
    format_v6(storage, text, MCPI_ADDRESS_TEXT);
  } else if (path != NULL) {
    snprintf(text, MCPI_ADDRESS_TEXT, "unix:%s", path);
  } else {
    snprintf(text, MCPI_ADDRESS_TEXT, "unix");
  }
}
