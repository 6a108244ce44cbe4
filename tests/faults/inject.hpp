// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes the library's n-th system call of one kind fail, in any thread. One test at a time may use
// it.
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
  kAllSince,  // the n-th and all after it, until disarm()
};

// Counts calls from this point. n starts at 1.
void arm(Fault fault, Failing failing, std::uint64_t n) noexcept;
// post: all calls succeed.
void disarm() noexcept;
// Number of calls that have failed since arm().
std::uint64_t failures() noexcept;

// Bytes that the library has mapped by mmap() and not yet unmapped by munmap().
std::int64_t mapped_bytes() noexcept;

}  // namespace jobs::test
