// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The empty loop without a runtime.
#include "bench/for_empty/workload.hpp"

namespace bench::for_empty {

template <std::int64_t kIterations>
Figures serial(const Conditions&) {
  return {call_ns<kIterations>([](std::int64_t n, const auto& body) { body(0, opaque(n)); })};
}
template Figures serial<2>(const Conditions&);
template Figures serial<64>(const Conditions&);
template Figures serial<1000>(const Conditions&);

}  // namespace bench::for_empty
