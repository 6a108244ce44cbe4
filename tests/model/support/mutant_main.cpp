// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Main of a model program that was built with a mutated copy of the source: exits with 0 if a model finds it.
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
