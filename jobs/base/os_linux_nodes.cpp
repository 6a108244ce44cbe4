// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The contract with the operating system on Linux: memory nodes. It makes bare system calls,
// because libnuma would be one more dependency.
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::os {

namespace {

constexpr unsigned kBits = 8 * sizeof(unsigned long);
constexpr unsigned kMaxNodes = 1024;  // no kernel is built for more

bool set_policy(void* base, std::size_t size, int policy, std::span<const Node> nodes) noexcept {
  std::array<unsigned long, kMaxNodes / kBits> mask{};
  for (const Node node : nodes) {
    if (node < 0 || static_cast<unsigned>(node) >= kMaxNodes) return false;
    mask[static_cast<unsigned>(node) / kBits] |= 1UL << (static_cast<unsigned>(node) % kBits);
  }
  // The kernel uses one bit less than the given number.
  return syscall(SYS_mbind, base, size, policy, mask.data(), kMaxNodes + 1UL, 0) == 0;
}

}  // namespace

bool prefer_node(void* base, std::size_t size, Node node) noexcept {
  return set_policy(base, size, MPOL_PREFERRED, {&node, 1});
}

bool interleave_nodes(void* base, std::size_t size, std::span<const Node> nodes) noexcept {
  return set_policy(base, size, MPOL_INTERLEAVE, nodes);
}

void find_nodes(std::span<const void* const> addresses, std::span<Node> nodes) noexcept {
  std::fill(nodes.begin(), nodes.end(), kAnyNode);
  constexpr std::size_t kAtATime = 256;
  std::array<const void*, kAtATime> pages;
  std::array<int, kAtATime> found;
  const auto page_mask = ~(static_cast<std::uintptr_t>(page_size()) - 1);
  for (std::size_t done = 0; done < addresses.size(); done += kAtATime) {
    const std::size_t count = std::min(kAtATime, addresses.size() - done);
    std::transform(addresses.begin() + static_cast<std::ptrdiff_t>(done),
                   addresses.begin() + static_cast<std::ptrdiff_t>(done + count), pages.begin(),
                   [&](const void* address) {
                     return reinterpret_cast<const void*>(
                         reinterpret_cast<std::uintptr_t>(address) & page_mask);
                   });
    // Without target nodes the call moves no page and only returns the nodes.
    if (syscall(SYS_move_pages, 0, count, pages.data(), nullptr, found.data(), 0) != 0) return;
    std::transform(found.begin(), found.begin() + count,
                   nodes.begin() + static_cast<std::ptrdiff_t>(done),
                   [](int node) { return node < 0 ? kAnyNode : node; });
  }
}

}  // namespace jobs::inline JOBS_ABI::os
