// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// find_failure: whether some model of the subject fails. For the mains, which run mutants and weakened orders.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tests/model/support/models.hpp"

namespace jobs::model {

// The first model that fails, and how; `model` is null if none does.
struct Finding {
  const Model* model = nullptr;
  Result result;
};

// All of them briefly first: what is broken shows soon in one of them, though not in the first.
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
