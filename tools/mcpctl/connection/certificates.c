/* SPDX-License-Identifier: MIT */
/* Finds the system's certificates when mcpctl runs, for a libcurl that was not
 * built for the system that it runs on. Such a libcurl leaves the search to
 * OpenSSL, which knows the variables SSL_CERT_FILE and SSL_CERT_DIR, and the
 * folder /etc/ssl/certs with a name for each certificate's hash. Not every
 * distribution has such names. */
#include "connection/certificates.h"
#include "platform/environment.h"
#include "platform/files.h"

#include <stdlib.h>

static const char *const places[] = {
    "/etc/ssl/certs/ca-certificates.crt", /* Debian, Arch, Gentoo, NixOS */
    "/etc/pki/tls/certs/ca-bundle.crt",   /* Fedora, RHEL */
    "/etc/ssl/ca-bundle.pem",             /* openSUSE */
    "/etc/ssl/cert.pem",                  /* Alpine */
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"};

const char *ctl_certificates(const ctl_options *options) {
  if (options->cacert != NULL) {
    return options->cacert;
  }
  if (ctl_env("SSL_CERT_FILE") != NULL || ctl_env("SSL_CERT_DIR") != NULL) {
    return NULL;
  }
  for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
    if (ctl_path_can_be_read(places[i])) {
      return places[i];
    }
  }
  return NULL;
}
