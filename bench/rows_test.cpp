// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The forms, names and gates that in_both_forms() gives to a row.
#include "bench/rows.hpp"

#include <gtest/gtest.h>

namespace bench {
namespace {

Figures ours(const Conditions&) { return {1, 1}; }
Figures theirs(const Conditions&) { return {2, 2}; }
Figures alone(const Conditions&) { return {3, 3}; }

Comparison a_row() {
  Comparison row = against_tbb("loop", Gate::tie(), 1, 2, ours, theirs, alone);
  row.rows.push_back({"loop_cpu", "cores", Gate::at_most(2)});
  return row;
}

TEST(Rows, ComeFirstInTheFormThatProgramsUse) {
  const Comparison first = in_both_forms(a_row()).all().at(0);
  EXPECT_EQ(first.rows.at(0).workload, "loop");
  EXPECT_EQ(first.jobs.form, Form::kExternal);
  EXPECT_EQ(first.peer.measure, &theirs);
  EXPECT_EQ(first.serial, &alone);
  EXPECT_EQ(first.rows.at(0).gate.describe(), Gate::tie().describe());
  EXPECT_TRUE(first.is_quick);
}

TEST(Rows, CompareBothFormsWithTheirOwnGate) {
  const Comparison forms = in_both_forms(a_row(), Gate::faster(0.9)).all().at(1);
  EXPECT_EQ(forms.jobs.form, Form::kExternal);
  EXPECT_EQ(forms.peer.form, Form::kBound);
  EXPECT_EQ(forms.peer.measure, &ours);
  EXPECT_EQ(forms.peer.runtime, "bound");
  EXPECT_EQ(forms.rows.at(0).gate.describe(), "ratio >= 0.9");
  EXPECT_EQ(forms.rows.at(1).gate.describe(), "reported");
}

TEST(Rows, KeepTheGatesOfTheBoundForm) {
  const Comparison bound = in_both_forms(a_row()).all().at(2);
  EXPECT_EQ(bound.rows.at(0).workload, "loop_bound");
  EXPECT_EQ(bound.rows.at(1).workload, "loop_cpu_bound");
  EXPECT_EQ(bound.jobs.form, Form::kBound);
  EXPECT_EQ(bound.peer.measure, &theirs);
  EXPECT_EQ(bound.rows.at(1).gate.describe(), Gate::at_most(2).describe());
  EXPECT_FALSE(bound.is_quick);
}

}  // namespace
}  // namespace bench
