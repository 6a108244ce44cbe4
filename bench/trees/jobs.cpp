// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The trees by jobs::fork_join().
#include "bench/support/inside_jobs.hpp"
#include "bench/support/stopwatch.hpp"
#include "bench/trees/workload.hpp"

namespace bench::trees {
namespace {

struct Both {
  template <class F, class G>
  std::int64_t operator()(F&& f, G&& g) const {
    const auto [a, b] = jobs::fork_join(f, g);
    return a + b;
  }
};

}  // namespace

template <class Tree>
Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return Figures{checked_ns(Tree::kExpected, [] { return Tree::run(Both{}); }) /
                   static_cast<double>(Tree::kNodes)};
  });
}
template Figures on_jobs<Integrate>(const Conditions&);
template Figures on_jobs<Uts>(const Conditions&);
template Figures on_jobs<Skynet>(const Conditions&);

}  // namespace bench::trees
