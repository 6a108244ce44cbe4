// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Main program of a mutant: models with a mutated copy of the source. Exits with 0 if a model
// detects the mutant.
#include <cstdio>

#include "tests/model/support/find_failure.hpp"

int main() {
  const auto [model, result] = jobs::model::find_failure();
  if (model == nullptr) {
    std::puts("no model finds this mutant");
    return 1;
  }
  std::printf("%s: %s\n", model->name.c_str(), result.summary().c_str());
  return 0;
}
