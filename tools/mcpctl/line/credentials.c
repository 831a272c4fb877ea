/* SPDX-License-Identifier: MIT */
#include "line/credentials.h"
#include "line/target.h"

#include <string.h>
#include <strings.h>

static int has_authorization(const ctl_options *options) {
  static const char name[] = "Authorization:";
  for (size_t i = 0; options->headers[i] != NULL; i++) {
    if (strncasecmp(options->headers[i], name, strlen(name)) == 0) {
      return 1;
    }
  }
  return 0;
}

int ctl_credentials(const ctl_options *options) {
  if (has_authorization(options)) {
    return CTL_CREDENTIALS_HEADER;
  }
  if (ctl_target_has_user(options->url)) {
    return CTL_CREDENTIALS_USER;
  }
  if (options->token_env != NULL) {
    return CTL_CREDENTIALS_TOKEN;
  }
  if (options->identity != NULL) {
    return CTL_CREDENTIALS_IDENTITY;
  }
  return options->is_machine ? CTL_CREDENTIALS_CLIENT : CTL_CREDENTIALS_LOGIN;
}
