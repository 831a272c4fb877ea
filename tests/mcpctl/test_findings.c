/* SPDX-License-Identifier: MIT */
#include "bundle/findings.h"

#include "support/cm.h"

TEST(a_fault_is_counted) {
  ctl_findings findings = {0};
  ctl_findings_add(&findings, CTL_WARNING, "version", "'%s'", "x");
  assert_false(ctl_findings_have_fault(&findings));
  ctl_findings_add(&findings, CTL_FAULT, "archive", "%d", 1);
  assert_true(ctl_findings_have_fault(&findings));
  assert_int_equal(ctl_findings_count(&findings, CTL_FAULT), 1);
  assert_string_equal(findings.list[0].text, "'x'");
  ctl_findings_deinit(&findings);
}

/* A bundle is not used if its faults are not known. */
TEST(a_lost_finding_may_be_a_fault) {
  ctl_findings findings = {.is_broken = 1};
  assert_true(ctl_findings_have_fault(&findings));
  ctl_findings_deinit(&findings);
}
