/* SPDX-License-Identifier: MIT */
/* The commands of skills, for a runner that has libmcp. */
#include "client_program.h"

#include <string.h>

/* Makes the skill of an entry, or returns NULL: me->why says why. */
static mcp_skill *skill_of(client_self *me, const char *entry) {
  mcp_skill *skill = NULL;
  mcp_doc *doc = mcp_doc_parse(entry, entry != NULL ? strlen(entry) : 0, NULL,
                               NULL, &me->why);
  if (doc != NULL) {
    skill = mcp_skill_new(mcp_doc_root(doc), NULL, &me->why);
  }
  mcp_doc_free(doc);
  return skill;
}

int client_skills_run(client_self *me, const char *verb, char *const words[2],
                      const mcp_request_options *options, mcp_done_cb on_done) {
  void *name = (void *)(uintptr_t)verb;
  if (strcmp(verb, "list_skills") == 0) {
    return mcp_client_list_skills(me->client, options, on_done, name, &me->why);
  }
  if (strcmp(verb, "get_skill") == 0) {
    return mcp_client_get_skill(me->client, words[0], options, on_done, name,
                                &me->why);
  }
  mcp_skill *skill = skill_of(me, words[1]);
  if (skill == NULL) {
    return me->why.code;
  }
  int rc = strcmp(verb, "read_skill") == 0
               ? mcp_client_read_skill(me->client, skill, words[0], options,
                                       on_done, name, &me->why)
               : mcp_client_list_skill_folder(me->client, skill, words[0],
                                              options, on_done, name, &me->why);
  mcp_skill_free(skill); /* the request keeps what it needs */
  return rc;
}
