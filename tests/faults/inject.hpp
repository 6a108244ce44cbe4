// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes the n-th call of one kind that the library makes of the system fail, in whatever thread it is. For one test at a time.
#pragma once

#include <cstdint>

namespace jobs::test {

enum class Fault : std::uint8_t {
  kMemory,   // operator new
  kMap,      // mmap
  kAdvise,   // madvise
  kProtect,  // mprotect
  kThread,   // pthread_create, by way of std::thread
  kSleep,    // a futex wait, which returns at once: EINTR
  kBarrier,  // membarrier: ENOMEM
};
inline constexpr Fault kFaults[] = {Fault::kMemory, Fault::kMap,   Fault::kAdvise, Fault::kProtect,
                                    Fault::kThread, Fault::kSleep, Fault::kBarrier};
const char* name_of(Fault fault) noexcept;

enum class Failing : std::uint8_t {
  kOne,       // the n-th
  kAllSince,  // that and all after it, until disarm()
};

// Counts from here on. n: from 1.
void arm(Fault fault, Failing failing, std::uint64_t n) noexcept;
// post: all calls succeed.
void disarm() noexcept;
// Calls that have failed since arm().
std::uint64_t failures() noexcept;

// Bytes that mmap() has granted the library and munmap() has not taken back.
std::int64_t mapped_bytes() noexcept;

}  // namespace jobs::test
