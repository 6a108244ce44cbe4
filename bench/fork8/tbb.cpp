// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// fork8 by tbb::parallel_invoke() of eight functions.
#include <oneapi/tbb/parallel_invoke.h>

#include "bench/fork8/workload.hpp"
#include "bench/support/inside_tbb.hpp"

namespace bench::fork8 {

template <class Work>
Figures on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers, [] {
    return Figures{call_ns<Work>([](Slots& slots) {
      tbb::parallel_invoke([&slots] { run<Work>(slots, 0); }, [&slots] { run<Work>(slots, 1); },
                           [&slots] { run<Work>(slots, 2); }, [&slots] { run<Work>(slots, 3); },
                           [&slots] { run<Work>(slots, 4); }, [&slots] { run<Work>(slots, 5); },
                           [&slots] { run<Work>(slots, 6); }, [&slots] { run<Work>(slots, 7); });
    })};
  });
}
template Figures on_tbb<Short>(const Conditions&);
template Figures on_tbb<Empty>(const Conditions&);

}  // namespace bench::fork8
