/* SPDX-License-Identifier: MIT */
/* Where the certificates are that a client trusts. */
#ifndef CTL_CONNECTION_CERTIFICATES_H
#define CTL_CONNECTION_CERTIFICATES_H

#include "line/options.h"

/* Returns the file of --cacert, or else a file that libcurl would not find by
 * itself (MCP_FIND_CERTIFICATES). NULL leaves the choice to libcurl. The path
 * lives as long as the options. */
const char *ctl_certificates(const ctl_options *options);

#endif
