// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The pages of simulations. Pages are kept from one run to the next: otherwise thousands of runs
// per second would spend their time in the system. Internal to jobs/testing, which runs on one OS
// thread.
#pragma once

#include <cstddef>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail::simulated_pages {

// Returns pages. Never null: the process ends if there is no memory.
std::byte* take(std::size_t size) noexcept;
// Keeps the pages for a later take() of the same size.
void give_back(std::byte* base, std::size_t size) noexcept;
// Returns the number of bytes that the library has reserved at present.
std::size_t reserved() noexcept;

}  // namespace jobs::inline JOBS_ABI::detail::simulated_pages
