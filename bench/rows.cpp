// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows in both forms.
#include "bench/rows.hpp"

namespace bench {

Comparison external(Comparison row) {
  row.jobs.form = Form::kExternal;
  return row;
}

Rows in_both_forms(Comparison row, Gate against_bound) {
  Comparison by_program = external(row);
  Comparison forms = by_program;
  forms.peer = row.jobs;
  forms.peer.runtime = "bound";
  forms.serial = nullptr;
  Comparison bound = std::move(row);
  bound.serial = nullptr;
  for (RowSpec& spec : forms.rows) spec.gate = Gate::reported();
  forms.rows.front().gate = against_bound;
  for (RowSpec& spec : bound.rows) spec.workload += "_bound";
  // Its ratio follows from the two comparisons above.
  bound.is_quick = false;
  return std::vector<Comparison>{std::move(by_program), std::move(forms), std::move(bound)};
}

}  // namespace bench
