/* SPDX-License-Identifier: MIT */
/* Completes a line of mcpctl's shell, or a command line: verbs, options, names
 * that the server lists, arguments, and values. */
#ifndef CTL_COMPLETE_H
#define CTL_COMPLETE_H

#include "common/words.h"
#include "shell/reader.h"

/* What the server has listed; it is asked again when a list has changed. */
typedef struct ctl_names {
  ctl_session *session; /* whose event_userdata this is */
  mcp_result *tools;    /* owned, as are the others; NULL: not asked yet */
  mcp_result *prompts;
  mcp_result *resources;
  const struct ctl_value *asked; /* for the request of a prompt's values */
  /* Connects the session before the first request. Returns 0, or another number
   * on failure. NULL: the session is connected. */
  int (*connect)(struct ctl_names *names);
  int has_failed; /* connecting */
} ctl_names;

/* For ctl_reader_options, with a ctl_names as userdata. */
void ctl_complete(ctl_choices *choices, const char *line, size_t len,
                  void *userdata);

/* A line without its options, and the word at its end, which is completed. */
typedef struct ctl_typing {
  char **words; /* borrowed from a ctl_words; the array is owned */
  size_t count; /* with the word that is completed, if it is not an option */
  const char *typed; /* of that word; may be empty */
} ctl_typing;

/* Reads a line. If its last word is an option or the value of one, this offers
 * what it can be, and there is nothing else to complete. `is_line`: the line is
 * one of a shell. Returns 1: there is a word to complete; 0: there is not. The
 * caller calls ctl_typing_deinit in both cases. */
int ctl_typing_read(ctl_typing *typing, const ctl_words *words, int is_new,
                    int is_line, ctl_choices *choices);
void ctl_typing_deinit(ctl_typing *typing);

/* Completes an argument: words[0] is a verb, and the last of the words is the
 * one that is completed. */
void ctl_complete_argument(ctl_choices *choices, const ctl_typing *typing,
                           ctl_names *names);

/* Whether the word begins with what is typed, and can be a word of a line as it
 * is. */
int ctl_complete_fits(const char *word, const char *typed);

/* Forgets a list: "tools", "prompts" or "resources"; NULL: all. */
void ctl_names_forget(ctl_names *names, const char *list);

#endif
