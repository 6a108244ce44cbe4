// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// allocate: two workers allocate 10,000 blocks of 16 to 512 bytes each through a std::pmr::memory_resource, write to them, and free
// them in another order: each its own, or (allocate_afar) each those of the other. Both do it at the same time, and meet in between;
// the resource is what differs: jobs::memory_resource(), malloc (std::pmr::new_delete_resource), or std::pmr::synchronized_pool_resource.
// Unit: ns for one block, by one worker.
#pragma once

#include <cstdint>

#include "bench/support/contender.hpp"

namespace bench::allocate {

inline constexpr std::int64_t kBlocks = 10'000;  // of each worker
inline constexpr std::int64_t kRounds = 20;
inline constexpr std::int64_t kOperations = kBlocks * kRounds;

enum class FreedBy : std::uint8_t { kOwner, kOther };

template <FreedBy kBy>
Figures on_jobs(const Conditions&);
template <FreedBy kBy>
Figures on_malloc(const Conditions&);
template <FreedBy kBy>
Figures on_std_pool(const Conditions&);

}  // namespace bench::allocate
