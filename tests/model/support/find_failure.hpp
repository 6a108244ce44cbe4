// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// find_failure: determines whether a model of the subject fails. The main programs use it for
// mutants and weakened orders.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tests/model/support/models.hpp"

namespace jobs::model {

// The first model that fails, and its failure; `model` is null if none fails.
struct Finding {
  const Model* model = nullptr;
  Result result;
};

// Runs all models briefly first: an error shows soon in one of them, though not necessarily in the
// first.
inline Finding find_failure(std::uint64_t max_executions = UINT64_MAX) {
  constexpr std::uint64_t kBrief = 1'000;
  for (const std::uint64_t executions : {kBrief, max_executions}) {
    for (const Model& model : subject().models) {
      Options options = model.options;
      options.max_executions = std::min(options.max_executions, executions);
      Result result = explore(model.body, options);
      if (result.failed()) return {&model, std::move(result)};
    }
  }
  return {};
}

}  // namespace jobs::model
