// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ProgramNames: the copy by the kernel.
#include "jobs/trace/format/program_names.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "jobs/base/message.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

// Divides the size of a page on each machine. A part of a name lies within one page, because a copy
// that crosses a page without memory may fail as a whole.
constexpr std::size_t kPart = 4096;

void* memory_at(std::uint64_t address) noexcept {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

// Returns false if the memory is gone. A sandbox may refuse the call of the kernel; then a plain
// read takes its place.
bool copy_memory(std::uint64_t address, char* to, std::size_t size) noexcept {
  const iovec local = {.iov_base = to, .iov_len = size};
  const iovec remote = {.iov_base = memory_at(address), .iov_len = size};
  const ssize_t copied = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  if (copied == -1 && errno != EFAULT) {
    const char* const from = static_cast<const char*>(memory_at(address));
    const std::size_t length = strnlen(from, size);
    std::memcpy(to, from, length);
    if (length < size) to[length] = '\0';
    return true;
  }
  return copied == static_cast<ssize_t>(size);
}

std::string read_name(std::uint64_t address) {
  std::array<char, kPart> part;
  std::string name;
  while (name.size() < kLongestProgramName) {
    const std::uint64_t from = address + name.size();
    const std::size_t size =
        std::min<std::size_t>(kPart - from % kPart, kLongestProgramName - name.size());
    if (!copy_memory(from, part.data(), size)) return std::string(kUnloadedName);
    const std::size_t length = strnlen(part.data(), size);
    name.append(part.data(), length);
    if (length < size) return name;
  }
  return std::string(jobs::detail::cut_text(name, kLongestProgramName - 1));
}

}  // namespace

const std::string& ProgramNames::of(std::uint64_t address) {
  const auto found = names_.find(address);
  return found != names_.end() ? found->second
                               : names_.emplace(address, read_name(address)).first->second;
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
