/* SPDX-License-Identifier: MIT */
/* Leaves the choice to a libcurl that was built for its system. */
#include "connection/certificates.h"

const char *ctl_certificates(const ctl_options *options) {
  return options->cacert;
}
