// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ProgramNames: the names of zones, counters and frames, which events have as addresses.
//
// The memory of a name may be gone when a file is written: dlclose() has unmapped the literals of a
// plugin. So the kernel copies the name; it reports an error for memory that is not mapped. Another
// object may lie at the address by then. Its bytes are the name in this case, and escaped like
// those of any name.
//
// Rejected: a test of the address before a plain read. Another thread may call dlclose() between
// the two. Rejected: a write to a pipe, which copies as well. It takes two descriptors, and
// AddressSanitizer reports the bytes behind the name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

inline constexpr std::size_t kLongestProgramName = 4096;  // bytes that are read; the rest is cut
// Stands for a name whose memory is gone.
inline constexpr std::string_view kUnloadedName = "(unloaded)";

// For one thread.
class ProgramNames {
 public:
  // Returns the name at that address, or kUnloadedName. Each address is read once. The text is
  // valid as long as this object. Throws std::bad_alloc.
  const std::string& of(std::uint64_t address);

 private:
  std::unordered_map<std::uint64_t, std::string> names_;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
