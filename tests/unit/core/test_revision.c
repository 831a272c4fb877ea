/* SPDX-License-Identifier: MIT */
#include "core/revision.h"

#include "support/cm.h"
#include <mcp/server.h>

/* PROTOCOL 9, written as it is there: one line a feature, one character a
 * revision. */
static const struct {
  uint32_t feature;
  const char *has; /* R1 ... R5 */
} matrix[] = {
    {MCPI_HAS_MODERN, "----x"},
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
};

static void every_cell_is_as_published(void **state) {
  (void)state;
  uint32_t known = 0;
  for (size_t i = 0; i < sizeof(matrix) / sizeof(matrix[0]); i++) {
    for (size_t r = 0; r < MCPI_REVISION_COUNT; r++) {
      if (mcpi_revision_has(&mcpi_revisions[r], matrix[i].feature) !=
          (matrix[i].has[r] == 'x')) {
        fail_msg("feature %zu in %s", i, mcpi_revisions[r].name);
      }
    }
    known |= matrix[i].feature;
  }
  for (size_t r = 0; r < MCPI_REVISION_COUNT; r++) {
    assert_int_equal(mcpi_revisions[r].features & ~known, 0);
  }
}

static void rows_are_found_by_name(void **state) {
  (void)state;
  for (int r = 0; r < MCPI_REVISION_COUNT; r++) {
    const mcpi_revision *row = &mcpi_revisions[r];
    assert_int_equal(row->index, r);
    assert_ptr_equal(mcpi_revision_find(mcpi_str_z(row->name)), row);
    assert_int_equal(mcpi_revision_is_modern(row), r == MCPI_R5);
  }
  assert_null(mcpi_revision_find(MCPI_STR("")));
  assert_null(mcpi_revision_find(mcpi_str_n(NULL, 0)));
  assert_null(mcpi_revision_find(MCPI_STR("2025-06-1")));
  assert_null(mcpi_revision_find(MCPI_STR("2025-06-18 ")));
  assert_null(mcpi_revision_find(MCPI_STR("2025-06-18\0")));
  assert_null(mcpi_revision_find(MCPI_STR("2027-01-01")));
  assert_true(mcpi_revision_is_modern_name(MCPI_STR("2026-07-28")));
  assert_true(mcpi_revision_is_modern_name(MCPI_STR("2027-01-01")));
  assert_false(mcpi_revision_is_modern_name(MCPI_STR("2025-11-25")));
  assert_false(mcpi_revision_is_modern_name(MCPI_STR("2025-04-01")));
  assert_false(mcpi_revision_is_modern_name(MCPI_STR("2027-01-1")));
  assert_false(mcpi_revision_is_modern_name(MCPI_STR("2027/01/01")));
  assert_false(mcpi_revision_is_modern_name(MCPI_STR("tomorrow..")));
  assert_false(mcpi_revision_is_modern_name(mcpi_str_n(NULL, 0)));
}

static void versions_have_a_nearest_revision(void **state) {
  (void)state;
  static const struct {
    const char *version;
    int index; /* -1: none */
  } cases[] = {
      {"2024-11-05", MCPI_R1},
      {"2025-06-18", MCPI_R3},
      {"2025-11-25", MCPI_R4},
      {"2024-10-07", MCPI_R1},
      {"2024-11-06", MCPI_R1},
      {"2025-06-17", MCPI_R2},
      {"2025-08-01", MCPI_R3},
      {"2025-11-24", MCPI_R3},
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

static void the_newest_of_an_era(void **state) {
  (void)state;
  assert_string_equal(mcpi_revision_newest(MCP_ERA_LEGACY)->name, "2025-11-25");
  assert_string_equal(mcpi_revision_newest(MCP_ERA_MODERN)->name, "2026-07-28");
  assert_string_equal(mcpi_revision_newest(MCP_ERA_BOTH)->name,
                      MCP_REVISION_LATEST);
  assert_null(mcpi_revision_newest(0));
}

static void names_come_newest_first(void **state) {
  (void)state;
  const char *names[MCPI_REVISION_COUNT];
  assert_int_equal(mcpi_revision_names(MCP_ERA_BOTH, names), 5);
  assert_string_equal(names[0], "2026-07-28");
  assert_string_equal(names[1], "2025-11-25");
  assert_string_equal(names[4], "2024-11-05");
  assert_int_equal(mcpi_revision_names(MCP_ERA_LEGACY, names), 4);
  assert_string_equal(names[0], "2025-11-25");
  assert_int_equal(mcpi_revision_names(MCP_ERA_MODERN, names), 1);
  assert_string_equal(names[0], "2026-07-28");
  assert_int_equal(mcpi_revision_names(0, names), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_cell_is_as_published),
      cmocka_unit_test(rows_are_found_by_name),
      cmocka_unit_test(versions_have_a_nearest_revision),
      cmocka_unit_test(the_newest_of_an_era),
      cmocka_unit_test(names_come_newest_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
