// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The switch of raw boost::context: only the registers and the control words of the floating-point
// units.
#include <boost/context/detail/fcontext.hpp>

#include <array>

#include "bench/support/stopwatch.hpp"
#include "bench/switch/workload.hpp"

namespace bench::switching {
namespace {

namespace context = boost::context::detail;

template <FpFlags kFlags>
void partner(context::transfer_t from) {
  raise_flags(kFlags);
  auto& switches = *static_cast<std::int64_t*>(from.data);
  for (;;) {
    ++switches;
    from = context::jump_fcontext(from.fctx, nullptr);
  }
}

}  // namespace

template <FpFlags kFlags>
Figures on_fcontext(const Conditions&) {
  alignas(64) static std::array<std::byte, 64 * 1024> stack;
  return {checked_ns(kSwitches / 2,
                     [] {
                       std::int64_t switches = 0;
                       clear_flags();
                       context::transfer_t to{context::make_fcontext(stack.data() + stack.size(),
                                                                     stack.size(), partner<kFlags>),
                                              nullptr};
                       for (std::int64_t i = 0; i < kSwitches / 2; ++i)
                         to = context::jump_fcontext(to.fctx, &switches);
                       clear_flags();
                       return switches;
                     }) /
          kSwitches};
}
template Figures on_fcontext<FpFlags::kEqual>(const Conditions&);
template Figures on_fcontext<FpFlags::kDiffering>(const Conditions&);

}  // namespace bench::switching
