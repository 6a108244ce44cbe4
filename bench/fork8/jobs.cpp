// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// fork8 by jobs::fork_join() of eight functions.
#include "bench/fork8/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::fork8 {

template <class Work>
Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return Figures{call_ns<Work>([](Slots& slots) {
      jobs::fork_join([&slots] { run<Work>(slots, 0); }, [&slots] { run<Work>(slots, 1); },
                      [&slots] { run<Work>(slots, 2); }, [&slots] { run<Work>(slots, 3); },
                      [&slots] { run<Work>(slots, 4); }, [&slots] { run<Work>(slots, 5); },
                      [&slots] { run<Work>(slots, 6); }, [&slots] { run<Work>(slots, 7); });
    })};
  });
}
template Figures on_jobs<Short>(const Conditions&);
template Figures on_jobs<Empty>(const Conditions&);

}  // namespace bench::fork8
