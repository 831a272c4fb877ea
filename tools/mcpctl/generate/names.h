/* SPDX-License-Identifier: MIT */
/* Identifiers of C and C++ for a server's names. */
#ifndef CTL_NAMES_H
#define CTL_NAMES_H

#include <stddef.h>

/* Bytes of the longest identifier that is made of one name, with its NUL. */
enum { CTL_NAME_SIZE = 64 };

/* What is known of an identifier. */
typedef struct ctl_named {
  char *name; /* owned; NULL: the slot is free */
  int is_taken;
  unsigned number; /* the last one that was offered after it */
} ctl_named;

/* Identifiers that are taken. */
typedef struct ctl_names {
  ctl_named *slots; /* a hash table; owned */
  size_t size;      /* a power of two, or 0 */
  size_t count;
} ctl_names;

void ctl_names_deinit(ctl_names *names);
int ctl_names_has(const ctl_names *names, const char *name);
/* Copies the name. Returns 0 or MCP_ERR_NOMEM. */
int ctl_names_add(ctl_names *names, const char *name);
/* Returns the number to try after a name that cannot be had as it is: 2, and
 * one more each time, so that the search for many names that are the same does
 * not begin again. 0: out of memory. */
unsigned ctl_names_number(ctl_names *names, const char *name);

/* Makes a part of an identifier: letters, digits and single underscores, none
 * at the ends; empty if the name has no letter and no digit. A long name is
 * cut. */
void ctl_name_part(char out[CTL_NAME_SIZE], const char *name);
/* The same with capitals. */
void ctl_name_upper(char out[CTL_NAME_SIZE], const char *name);
/* The same with small letters and an underscore before a capital: getUser
 * becomes get_user. */
void ctl_name_lower(char out[CTL_NAME_SIZE], const char *name);

/* Makes the name of a structure's member. A name that is one already stays. */
void ctl_name_member(char out[CTL_NAME_SIZE], const char *name);
/* Whether a name is a valid identifier, and not a word of C or C++, nor
 * reserved for compilers and their libraries. */
int ctl_name_is_usable(const char *name);
/* Whether a name is a word of C or C++, or may be a type of theirs: POSIX
 * reserves all names that end with _t. */
int ctl_name_is_reserved(const char *name);

#endif
