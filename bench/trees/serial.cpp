// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The trees without a runtime: one child after the other.
#include "bench/support/stopwatch.hpp"
#include "bench/trees/workload.hpp"

namespace bench::trees {
namespace {

struct Both {
  template <class F, class G>
  std::int64_t operator()(F&& f, G&& g) const {
    return f() + g();
  }
};

}  // namespace

template <class Tree>
Figures serial(const Conditions&) {
  return {checked_ns(Tree::kExpected, [] { return Tree::run(Both{}); }) /
          static_cast<double>(Tree::kNodes)};
}
template Figures serial<Integrate>(const Conditions&);
template Figures serial<Uts>(const Conditions&);
template Figures serial<Skynet>(const Conditions&);

}  // namespace bench::trees
