/* SPDX-License-Identifier: MIT */
/* The checks of `doctor` on one connection. */
#ifndef CTL_DOCTOR_CHECKS_H
#define CTL_DOCTOR_CHECKS_H

#include "doctor/talk.h"

/* A list of the server: all pages, as far as they could be had. */
typedef struct ctl_doctor_list {
  const char *capability; /* "tools" */
  const char *method;     /* "tools/list" */
  const char *member;     /* "tools" */
  const char *key;        /* "name": tells entries from each other */
  mcp_doc **pages;        /* owned */
  size_t page_count;
  size_t len;               /* of the pages, in bytes */
  const mcp_json **entries; /* owned array of parts of the pages */
  size_t entry_count;
  size_t entry_room; /* for how many the array has room */
} ctl_doctor_list;

enum {
  CTL_DOCTOR_LIST_TOOLS,
  CTL_DOCTOR_LIST_PROMPTS,
  CTL_DOCTOR_LIST_RESOURCES,
  CTL_DOCTOR_LIST_TEMPLATES,
  CTL_DOCTOR_LISTS_COUNT
};

typedef struct ctl_doctor_lists {
  ctl_doctor_list list[CTL_DOCTOR_LISTS_COUNT];
} ctl_doctor_lists;

/* What the server has declared under a name, in this connection; NULL. */
const mcp_json *ctl_doctor_capability(const ctl_doctor_talk *talk,
                                      const char *name);

/* Asks for all lists, and checks their pages. The caller calls
 * ctl_doctor_lists_deinit. */
void ctl_doctor_lists_get(ctl_doctor_lists *lists, ctl_doctor_talk *talk);
void ctl_doctor_lists_deinit(ctl_doctor_lists *lists);
/* What a server answers to a wrong cursor, and to lists that it has not
 * declared. */
void ctl_doctor_check_cursors(ctl_doctor_talk *talk);

/* Requests that each connection must answer. */
void ctl_doctor_check_basics(ctl_doctor_talk *talk);
/* Ids, notifications, wrong params and lines that are not JSON. */
void ctl_doctor_check_messages(ctl_doctor_talk *talk);
/* Arrays of messages, in the one revision that has them. */
void ctl_doctor_check_batch(ctl_doctor_talk *talk);

void ctl_doctor_check_tools(ctl_doctor_talk *talk,
                            const ctl_doctor_list *tools);
void ctl_doctor_check_resources(ctl_doctor_talk *talk,
                                const ctl_doctor_list *resources,
                                const ctl_doctor_list *templates);
void ctl_doctor_check_prompts(ctl_doctor_talk *talk,
                              const ctl_doctor_list *prompts);

/* Checks that a result which clients may keep says for how long. */
void ctl_doctor_check_cache(ctl_doctor_talk *talk, const mcp_json *result,
                            const char *method);

#endif
