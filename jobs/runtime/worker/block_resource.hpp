// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BlockResource: the blocks of the workers of one scheduler as a memory resource of the standard library; jobs/memory.hpp has what users
// may expect. A small block has its lane in front of it, so that whoever frees it knows where it belongs; that of another thread comes
// from the heap and has none. Large ones come from the heap, as their size tells again when they are freed.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;

class BlockResource final : public std::pmr::memory_resource {
 public:
  explicit BlockResource(const Shared& shared) noexcept : shared_(shared) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  const Shared& shared_;
};

}  // namespace jobs::inline JOBS_ABI::detail
