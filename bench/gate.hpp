// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Gate: the promise of a row. A missed gate is reported and does not fail the run; a wrong result
// does.
#pragma once

#include <string>

#include "bench/support/statistics.hpp"

namespace bench {

class Gate {
 public:
  enum class Verdict { kNone, kPass, kMiss };

  // No promise: the figure is only reported.
  static Gate reported() { return {Kind::kReported, 0}; }
  // The median ratio is at least `times`.
  static Gate faster(double times) { return {Kind::kFaster, times}; }
  // As fast as the peer, within the noise.
  static Gate tie() { return {Kind::kSurely, 0.97}; }
  // The whole interval is above 1.
  static Gate ahead() { return {Kind::kSurely, 1}; }
  // The figure of jobs, in the unit of the row, is at most `figure`.
  static Gate at_most(double figure) { return {Kind::kAtMost, figure}; }

  Verdict judge(double figure, double ratio, Interval interval) const;
  // Returns true if the gate judges the interval, which many rounds make narrow.
  bool needs_interval() const { return kind_ == Kind::kSurely; }
  std::string describe() const;

 private:
  enum class Kind { kReported, kFaster, kSurely, kAtMost };
  Gate(Kind kind, double bound) : kind_(kind), bound_(bound) {}

  Kind kind_;
  double bound_;
};

}  // namespace bench
