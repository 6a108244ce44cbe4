// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Work of a known length, for the programs of this folder.
#pragma once

#include <chrono>

namespace diagnosis {

// Computes for that time. A thread that the kernel interrupts computes less.
inline void compute_for(std::chrono::nanoseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) continue;
}

}  // namespace diagnosis
