/* SPDX-License-Identifier: MIT */
/* The verbs `skills` and `skill`. */
#ifndef CTL_SKILL_H
#define CTL_SKILL_H

#include <mcp/client.h>

struct ctl_session;

/* A skill that `skill` shows or saves. */
typedef struct ctl_skill ctl_skill;
void ctl_skill_free(ctl_skill *skill); /* NULL is accepted */

/* For ctl_verb. */
int ctl_skills_start(struct ctl_session *session,
                     const mcp_request_options *options);
/* Says that the server has no skills. Also for ctl_skill_start. */
int ctl_skills_explain(struct ctl_session *session);
int ctl_skills_show(struct ctl_session *session, const mcp_result *result);
int ctl_skill_start(struct ctl_session *session,
                    const mcp_request_options *options);
int ctl_skill_follow(struct ctl_session *session);
int ctl_skill_show(struct ctl_session *session, const mcp_result *result);

#endif
