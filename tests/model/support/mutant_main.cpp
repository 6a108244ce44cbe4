// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Main of a model program that was built with a mutated copy of the source: exits with 0 if a model finds it.
#include <cstdio>

#include "tests/model/support/models.hpp"

int main() {
  for (const jobs::model::Model& model : jobs::model::subject().models) {
    const jobs::model::Result result = jobs::model::explore(model.body, model.options);
    std::printf("%s: %s\n", model.name.c_str(), result.summary().c_str());
    if (result.failed()) return 0;
  }
  std::puts("no model finds this mutant");
  return 1;
}
