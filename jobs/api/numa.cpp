// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// NUMA memory: page placement, and arrays with pages of their own.
#include "jobs/numa.hpp"

#include "jobs/base/heap.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/topology.hpp"

namespace jobs::inline JOBS_ABI {

namespace {

// For a smaller array, separate pages would cost more than they gain.
constexpr std::size_t kMinSpread = 64 * 1024;

bool is_spread(std::size_t size, std::size_t alignment) {
  return size >= kMinSpread && alignment <= os::page_size() && numa_nodes().size() > 1;
}

std::size_t whole_pages(std::size_t size) noexcept {
  const std::size_t page = os::page_size();
  return (size + page - 1) / page * page;
}

}  // namespace

const std::vector<int>& numa_nodes() { return detail::usable_memory_nodes(); }

PagePlacement page_placement(std::span<const std::byte> memory) {
  const std::size_t page = os::page_size();
  std::vector<const void*> pages;
  const auto* const end = memory.data() + memory.size();
  for (const std::byte* at = memory.data(); at < end;) {
    pages.push_back(at);
    at += page - reinterpret_cast<std::uintptr_t>(at) % page;
  }
  std::vector<os::Node> nodes(pages.size());
  os::find_nodes(pages, nodes);
  PagePlacement placement;
  for (const os::Node node : nodes) {
    if (node == os::kAnyNode) {
      ++placement.absent;
      continue;
    }
    const auto index = static_cast<std::size_t>(node);
    if (index >= placement.on_node.size()) placement.on_node.resize(index + 1);
    ++placement.on_node[index];
  }
  return placement;
}

void* detail::allocate_spread(std::size_t size, std::size_t alignment, NumaSpread spread) {
  if (!is_spread(size, alignment)) return heap_allocate(size, alignment);
  std::byte* const base = os::reserve_data(whole_pages(size));
  if (base == nullptr) throw std::bad_alloc();
  if (spread == NumaSpread::kInterleaved)
    os::interleave_nodes(base, whole_pages(size), numa_nodes());
  return base;
}

void detail::free_spread(void* memory, std::size_t size, std::size_t alignment) noexcept {
  if (!is_spread(size, alignment)) return heap_deallocate(memory, size, alignment);
  os::release_pages(static_cast<std::byte*>(memory), whole_pages(size));
}

}  // namespace jobs::inline JOBS_ABI
