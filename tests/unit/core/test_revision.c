/* SPDX-License-Identifier: MIT */
#include "core/revision.h"

#include "support/cm.h"
#include <stdio.h>

/* The differences of the revisions (MCP, Key Changes): one line a feature, one
 * character a published revision. */
static const struct {
  uint32_t feature;
  const char *has;
} matrix[] = {
    {MCPI_HAS_BATCH, "xx---"},
    {MCPI_HAS_AUDIO, "-xxxx"},
    {MCPI_HAS_TOOL_ANNOTATIONS, "-xxxx"},
    {MCPI_HAS_COMPLETIONS_CAPABILITY, "-xxxx"},
    {MCPI_HAS_PROGRESS_MESSAGE, "-xxxx"},
    {MCPI_HAS_TITLE, "--xxx"},
    {MCPI_HAS_RESOURCE_LINK, "--xxx"},
    {MCPI_HAS_STRUCTURED, "--xxx"},
    {MCPI_HAS_STRUCTURED_ANY, "----x"},
    {MCPI_HAS_COMPLETE_CONTEXT, "--xxx"},
    {MCPI_HAS_ELICIT_FORM, "--xxx"},
    {MCPI_HAS_ELICIT_URL, "---xx"},
    {MCPI_HAS_ELICIT_ID, "---x-"},
    {MCPI_HAS_ELICIT_RICH, "---xx"},
    {MCPI_HAS_ICONS, "---xx"},
    {MCPI_HAS_SAMPLING_TOOLS, "---xx"},
    {MCPI_HAS_NOT_FOUND_CODE, "xxxx-"},
    {MCPI_HAS_EXTENSIONS, "----x"},
    {MCPI_HAS_BOOLEAN_SCHEMAS, "----x"},
    {MCPI_HAS_SAMPLING_CONTEXT, "---xx"},
    {MCPI_HAS_RESERVED_CODES, "----x"},
    {MCPI_HAS_POLLING, "---x-"},
    {MCPI_HAS_VERSION_HEADER, "--xxx"},
    {MCPI_HAS_TASKS, "---x-"},
};

enum { PUBLISHED_COUNT = 5 };

TEST(every_cell_is_as_published) {
  uint32_t known = 0;
  for (size_t i = 0; i < sizeof(matrix) / sizeof(matrix[0]); i++) {
    for (size_t r = 0; r < PUBLISHED_COUNT; r++) {
      if (mcpi_revision_has(&mcpi_revisions[r], matrix[i].feature) !=
          (matrix[i].has[r] == 'x')) {
        fail_msg("feature %zu in %s", i, mcpi_revisions[r].name);
      }
    }
    known |= matrix[i].feature;
  }
  for (size_t r = 0; r < PUBLISHED_COUNT; r++) {
    assert_int_equal(mcpi_revisions[r].features & ~known, 0);
  }
}

TEST(eras_are_as_published) {
  for (int r = 0; r < MCPI_REVISION_COUNT; r++) {
    const mcpi_revision *row = &mcpi_revisions[r];
    int is_modern = r >= MCPI_REVISION_2026_07_28;
    char verdict[32];
    snprintf(verdict, sizeof(verdict), "%s %s", is_modern ? "modern" : "legacy",
             row->name);
    assert_int_equal(mcpi_revision_is_modern(row), is_modern);
    assert_int_equal(row->era, is_modern ? MCP_ERA_MODERN : MCP_ERA_LEGACY);
    assert_string_equal(row->verdict, verdict);
  }
}

TEST(rows_are_found_by_name) {
  for (int r = 0; r < MCPI_REVISION_COUNT; r++) {
    const mcpi_revision *row = &mcpi_revisions[r];
    assert_int_equal(row->index, r);
    assert_ptr_equal(mcpi_revision_find(mcpi_str_z(row->name)), row);
  }
  assert_null(mcpi_revision_find(MCPI_STR("")));
  assert_null(mcpi_revision_find(mcpi_str_n(NULL, 0)));
  assert_null(mcpi_revision_find(MCPI_STR("2025-06-1")));
  assert_null(mcpi_revision_find(MCPI_STR("2025-06-18 ")));
  assert_null(mcpi_revision_find(MCPI_STR("2025-06-18\0")));
  assert_null(mcpi_revision_find(MCPI_STR("2999-01-01")));
  assert_true(mcpi_revision_is_modern_name(MCPI_STR("2026-07-28")));
  assert_true(mcpi_revision_is_modern_name(MCPI_STR("2999-01-01")));
  assert_false(mcpi_revision_is_modern_name(MCPI_STR("2025-11-25")));
  assert_false(mcpi_revision_is_modern_name(MCPI_STR("2025-04-01")));
  assert_false(mcpi_revision_is_modern_name(MCPI_STR("2999-01-1")));
  assert_false(mcpi_revision_is_modern_name(MCPI_STR("2999/01/01")));
  assert_false(mcpi_revision_is_modern_name(MCPI_STR("tomorrow..")));
  assert_false(mcpi_revision_is_modern_name(mcpi_str_n(NULL, 0)));
}

TEST(versions_have_a_nearest_revision) {
  static const struct {
    const char *version;
    int index; /* -1: none */
  } cases[] = {
      {"2024-11-05", MCPI_REVISION_2024_11_05},
      {"2025-06-18", MCPI_REVISION_2025_06_18},
      {"2025-11-25", MCPI_REVISION_2025_11_25},
      {"2024-10-07", MCPI_REVISION_2024_11_05},
      {"2024-11-06", MCPI_REVISION_2024_11_05},
      {"2025-06-17", MCPI_REVISION_2025_03_26},
      {"2025-08-01", MCPI_REVISION_2025_06_18},
      {"2025-11-24", MCPI_REVISION_2025_06_18},
      {"2025-11-26", -1},
      {"2026-07-28", -1},
      {"2025-6-18", -1},
      {"DRAFT", -1},
      {"", -1},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const mcpi_revision *nearest =
        mcpi_revision_nearest(mcpi_str_z(cases[i].version));
    if ((nearest != NULL ? nearest->index : -1) != cases[i].index) {
      fail_msg("%s is taken for %s", cases[i].version,
               nearest != NULL ? nearest->name : "none");
    }
  }
}

TEST(programs_can_list_revisions) {
  for (size_t i = 0; i < MCPI_REVISION_COUNT; i++) {
    const mcpi_revision *row = &mcpi_revisions[i];
    assert_string_equal(mcp_revision_name(i), row->name);
    assert_int_equal(mcp_revision_era(row->name), row->era);
  }
  assert_null(mcp_revision_name(MCPI_REVISION_COUNT));
  assert_null(mcp_revision_name(SIZE_MAX));
  assert_int_equal(mcp_revision_era("2999-01-01"), 0);
  assert_int_equal(mcp_revision_era("legacy"), 0);
  assert_int_equal(mcp_revision_era(NULL), 0);
}

TEST(the_newest_of_an_era) {
  assert_string_equal(mcpi_revision_newest(MCP_ERA_LEGACY)->name, "2025-11-25");
  assert_ptr_equal(mcpi_revision_newest(MCP_ERA_MODERN),
                   &mcpi_revisions[MCPI_REVISION_COUNT - 1]);
  assert_ptr_equal(mcpi_revision_newest(MCP_ERA_BOTH),
                   mcpi_revision_newest(MCP_ERA_MODERN));
  assert_null(mcpi_revision_newest(0));
}

TEST(requests_without_the_header_are_of_2025_03_26) {
  assert_string_equal(mcpi_revision_without_header()->name, "2025-03-26");
}

/* The names of some eras are the table from the last to the first. */
static void assert_names(uint32_t eras, int last, int first) {
  size_t count;
  const char *const *names = mcpi_revision_names(eras, &count);
  assert_int_equal(count, last - first + 1);
  for (size_t i = 0; i < count; i++) {
    assert_string_equal(names[i], mcpi_revisions[last - (int)i].name);
  }
}

TEST(names_come_newest_first) {
  size_t count;
  assert_names(MCP_ERA_BOTH, MCPI_REVISION_NEWEST, 0);
  assert_names(MCP_ERA_LEGACY, MCPI_REVISION_2025_11_25, 0);
  assert_names(MCP_ERA_MODERN, MCPI_REVISION_NEWEST, MCPI_REVISION_2026_07_28);
  mcpi_revision_names(0, &count);
  assert_int_equal(count, 0);
}

TEST(names_are_written_as_an_array) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  mcpi_revision_put_names(&buf, 0);
  mcpi_revision_put_names(&buf, MCP_ERA_LEGACY);
  mcpi_buf_putc(&buf, '\0');
  assert_string_equal(
      buf.data,
      "[][\"2025-11-25\",\"2025-06-18\",\"2025-03-26\",\"2024-11-05\"]");
  mcpi_buf_deinit(&buf);
}

TEST(the_first_modern_name_of_a_list) {
  static const char *const list[] = {"2999-01-01", "2025-11-25", "2026-07-28"};
  assert_ptr_equal(mcpi_revision_first_modern(list, 3),
                   &mcpi_revisions[MCPI_REVISION_2026_07_28]);
  assert_null(mcpi_revision_first_modern(list, 2));
  assert_null(mcpi_revision_first_modern(NULL, 0));
}
