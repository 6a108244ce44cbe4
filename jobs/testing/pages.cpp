// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// The pages of simulations: the part of base/os.hpp that reserves memory, on pages that are kept
// from run to run. The running simulation may refuse a reservation.
#include "jobs/testing/pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <vector>

#include "jobs/base/os.hpp"
#include "jobs/testing/simulation.hpp"

namespace jobs::inline JOBS_ABI {

namespace {

// Never destroyed, because its pages may be in use until the process ends.
struct Kept {
  std::map<std::size_t, std::vector<std::byte*>> free;  // by size
  std::size_t reserved = 0;
};
Kept& kept() {
  static Kept* const only = new Kept;
  return *only;
}

}  // namespace

namespace detail::simulated_pages {

std::byte* take(std::size_t size) noexcept {
  std::vector<std::byte*>& free = kept().free[size];
  if (!free.empty()) {
    std::byte* const base = free.back();
    free.pop_back();
    return base;
  }
  void* const base = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) os::fatal_error("jobs: no memory for a simulation\n");
  return static_cast<std::byte*>(base);
}

void give_back(std::byte* base, std::size_t size) noexcept { kept().free[size].push_back(base); }

std::size_t reserved() noexcept { return kept().reserved; }

}  // namespace detail::simulated_pages

namespace os {

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::byte* reserve_pages(std::size_t size) noexcept {
  if (detail::Simulation* const simulation = detail::Simulation::current();
      simulation != nullptr && simulation->refuses_stack()) {
    errno = ENOMEM;
    return nullptr;
  }
  kept().reserved += size;
  return detail::simulated_pages::take(size);
}

// Never refused: a simulation refuses stacks.
std::byte* reserve_data(std::size_t size) noexcept {
  kept().reserved += size;
  return detail::simulated_pages::take(size);
}

void release_pages(std::byte* base, std::size_t size) noexcept {
  kept().reserved -= size;
  // The next user may have its guards elsewhere.
  mprotect(base, size, PROT_READ | PROT_WRITE);
  detail::simulated_pages::give_back(base, size);
}

GuardKind guard_kind() noexcept { return GuardKind::kLightweight; }

bool install_guard(std::byte* base, std::size_t size, GuardKind kind) noexcept {
  if (detail::Simulation* const simulation = detail::Simulation::current();
      simulation != nullptr && simulation->refuses_stack()) {
    errno = ENOMEM;
    return false;
  }
  return kind == GuardKind::kNone || mprotect(base, size, PROT_NONE) == 0;
}

std::size_t install_guards(std::byte* base, std::size_t size, std::size_t stride, std::size_t count,
                           GuardKind kind) noexcept {
  std::size_t made = 0;
  while (made < count && install_guard(base + made * stride, size, kind)) ++made;
  return made;
}
void populate_pages(std::byte*, std::size_t, std::size_t) noexcept {}

void populate(std::byte*, std::size_t) noexcept {}
bool discard_pages(std::byte*, std::size_t) noexcept { return false; }
void trim_heap() noexcept {}
// Unknown: the set of resident pages depends on earlier runs.
std::byte* first_resident_page(std::byte* base, std::size_t size) noexcept { return base + size; }
std::size_t max_mappings() noexcept { return 0; }

bool prefer_node(void*, std::size_t, Node) noexcept { return true; }
bool interleave_nodes(void*, std::size_t, std::span<const Node>) noexcept { return true; }
void find_nodes(std::span<const void* const>, std::span<Node> nodes) noexcept {
  std::fill(nodes.begin(), nodes.end(), kAnyNode);
}

}  // namespace os
}  // namespace jobs::inline JOBS_ABI
