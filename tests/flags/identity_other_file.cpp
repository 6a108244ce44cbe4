// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The second file of the program.
#include "tests/flags/identity.hpp"

namespace {
struct Local {
  double value;
};
}  // namespace

Identities identities_of_other_file();
Identities identities_of_other_file() {
  return {.of_unnamed = &jobs::detail::kTypeIdentity<Local>};
}
