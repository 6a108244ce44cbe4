// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Verdicts and texts of gates.
#include "bench/gate.hpp"

#include <fmt/format.h>

namespace bench {

Gate::Verdict Gate::judge(double figure, double ratio, Interval interval) const {
  const auto verdict = [](bool met) { return met ? Verdict::kPass : Verdict::kMiss; };
  switch (kind_) {
    case Kind::kFaster:
      return verdict(ratio >= bound_);
    case Kind::kSurely:
      return verdict(interval.lo >= bound_);
    case Kind::kAtMost:
      return verdict(figure <= bound_);
    case Kind::kReported:
      break;
  }
  return Verdict::kNone;
}

std::string Gate::describe() const {
  switch (kind_) {
    case Kind::kFaster:
      return fmt::format("ratio >= {}", bound_);
    case Kind::kSurely:
      return fmt::format("lo >= {}", bound_);
    case Kind::kAtMost:
      return fmt::format("jobs <= {}", bound_);
    case Kind::kReported:
      break;
  }
  return "reported";
}

}  // namespace bench
