// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// One measurement of one side.
#include "bench/side.hpp"

#include <fmt/format.h>

#include "bench/support/process.hpp"

namespace bench {

Figures measure(std::string_view workload, const Side& side, bool quick) {
  settle();
  try {
    return side.measure({side.workers, quick, side.form});
  } catch (const WrongResult& wrong) {
    throw WrongResult(fmt::format("{}, {} with {} workers: {}", workload, side.runtime,
                                  side.workers, wrong.what()));
  }
}

}  // namespace bench
