// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The trees by oneTBB's task_group.
#include <oneapi/tbb/task_group.h>

#include "bench/support/inside_tbb.hpp"
#include "bench/support/stopwatch.hpp"
#include "bench/trees/workload.hpp"

namespace bench::trees {
namespace {

struct Both {
  template <class F, class G>
  std::int64_t operator()(F&& f, G&& g) const {
    std::int64_t a = 0;
    tbb::task_group group;
    group.run([&a, &f] { a = f(); });
    const std::int64_t b = g();
    group.wait();
    return a + b;
  }
};

}  // namespace

template <class Tree>
Figures on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers, [] {
    return Figures{checked_ns(Tree::kExpected, [] { return Tree::run(Both{}); }) /
                   static_cast<double>(Tree::kNodes)};
  });
}
template Figures on_tbb<Integrate>(const Conditions&);
template Figures on_tbb<Uts>(const Conditions&);
template Figures on_tbb<Skynet>(const Conditions&);

}  // namespace bench::trees
