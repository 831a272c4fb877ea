/* SPDX-License-Identifier: MIT */
/* A client that lists the skills of a server, and reads one of them. Try it:
 *
 *     build/bin/skills-client refunds build/bin/workbench-server \
 *         --skills examples/skills examples/data
 */
#include <mcp/mcp.h>
#include <stdio.h>
#include <string.h>

/* Shows a model what it can choose from. Returns the skill of this name. */
static mcp_skill *choose(const mcp_result *skills, const char *name) {
  mcp_skill *chosen = NULL;
  mcp_error err;
  for (size_t i = 0; i < mcp_result_count(skills); i++) {
    mcp_skill *skill = mcp_skill_new(mcp_result_item(skills, i), NULL, &err);
    if (skill == NULL) {
      fprintf(stderr, "left out: %s\n", err.message);
      continue;
    }
    printf("%s: %s\n", mcp_skill_name(skill), mcp_skill_description(skill));
    if (chosen == NULL && strcmp(mcp_skill_name(skill), name) == 0) {
      chosen = skill;
    } else {
      mcp_skill_free(skill);
    }
  }
  return chosen;
}

/* Gives a file of the skill to the model. */
static int show(mcp_client *client, const mcp_skill *skill, const char *file,
                mcp_error *err) {
  mcp_result *result = NULL;
  int rc = mcp_sync_read_skill(client, skill, file, NULL, &result, err);
  if (rc == 0) {
    size_t len;
    const void *bytes = mcp_result_bytes(result, &len);
    printf("--- %s\n", mcp_skill_find(skill, file)->path);
    fwrite(bytes, 1, len, stdout);
  }
  mcp_result_unref(result);
  return rc;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: skills-client NAME COMMAND [ARGUMENT]...\n");
    return 1;
  }
  mcp_error err = {0};
  mcp_result *skills = NULL;
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  mcp_client *client =
      mcp_client_new(loop, "skills-client", "1.0.0", NULL, NULL);

  if (mcp_sync_connect_command(client, (const char *const *)argv + 2, &err) ==
          0 &&
      mcp_sync_list_skills(client, NULL, &skills, &err) == 0) {
    mcp_skill *skill = choose(skills, argv[1]);
    if (skill == NULL) {
      mcp_error_set(&err, MCP_ERR_NOT_FOUND, "no skill %s", argv[1]);
    } else if (show(client, skill, NULL, &err) == 0 &&
               mcp_skill_find(skill, "references/LIMITS.md") != NULL) {
      show(client, skill, "references/LIMITS.md", &err);
    }
    mcp_skill_free(skill);
  }
  if (err.code != 0) {
    fprintf(stderr, "skills-client: %s\n", err.message);
  }

  mcp_result_unref(skills);
  mcp_sync_close(client);
  mcp_client_free(client);
  mcp_loop_free(loop);
  return err.code == 0 ? 0 : 1;
}
