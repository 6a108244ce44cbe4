// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Pages of simulations: kept from one run to the next, as thousands of runs a second would otherwise spend their time in the system. For jobs/testing alone.
#pragma once

#include <cstddef>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail::simulated_pages {

// Never null: the process ends if there is no memory.
std::byte* take(std::size_t size) noexcept;
void give_back(std::byte* base, std::size_t size) noexcept;
// Bytes that the library has reserved just now.
std::size_t reserved() noexcept;

}  // namespace jobs::inline JOBS_ABI::detail::simulated_pages
