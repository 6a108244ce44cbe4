// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// fork8 without a runtime.
#include "bench/fork8/workload.hpp"

namespace bench::fork8 {

template <class Work>
Figures serial(const Conditions&) {
  return {call_ns<Work>([](Slots& slots) {
    for (std::size_t i = 0; i < slots.size(); ++i) run<Work>(slots, i);
  })};
}
template Figures serial<Short>(const Conditions&);
template Figures serial<Empty>(const Conditions&);

}  // namespace bench::fork8
