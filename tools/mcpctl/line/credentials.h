/* SPDX-License-Identifier: MIT */
/* What the command line gives to show a server who the user is. */
#ifndef CTL_CREDENTIALS_H
#define CTL_CREDENTIALS_H

#include "line/options.h"

enum {
  CTL_CREDENTIALS_LOGIN,    /* nothing: a stored login counts */
  CTL_CREDENTIALS_HEADER,   /* --header with an Authorization */
  CTL_CREDENTIALS_USER,     /* a user in the URL */
  CTL_CREDENTIALS_TOKEN,    /* --token-env */
  CTL_CREDENTIALS_IDENTITY, /* --identity */
  CTL_CREDENTIALS_CLIENT    /* --client-credentials */
};

/* The options have a URL. Returns CTL_CREDENTIALS_*. */
int ctl_credentials(const ctl_options *options);

#endif
