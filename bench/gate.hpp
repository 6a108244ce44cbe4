// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Gate: what a row must show. A missed gate is reported, it never fails the run: wrong results do.
#pragma once

#include <string>

#include "bench/support/statistics.hpp"

namespace bench {

class Gate {
 public:
  enum class Verdict { kNone, kPass, kMiss };

  static Gate reported() { return {Kind::kReported, 0}; }                 // no promise, the figure is enough
  static Gate faster(double times) { return {Kind::kFaster, times}; }     // the median ratio is at least that
  static Gate tie() { return {Kind::kSurely, 0.97}; }                     // as fast, within the noise
  static Gate ahead() { return {Kind::kSurely, 1}; }                      // the whole interval is above 1
  static Gate at_most(double figure) { return {Kind::kAtMost, figure}; }  // our own figure, in the unit of the row

  Verdict judge(double figure, double ratio, Interval interval) const;
  // Whether it is the interval that is judged, which many rounds make narrow.
  bool needs_interval() const { return kind_ == Kind::kSurely; }
  std::string describe() const;

 private:
  enum class Kind { kReported, kFaster, kSurely, kAtMost };
  Gate(Kind kind, double bound) : kind_(kind), bound_(bound) {}

  Kind kind_;
  double bound_;
};

}  // namespace bench
