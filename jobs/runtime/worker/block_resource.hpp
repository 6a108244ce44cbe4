// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BlockResource: the blocks of the workers of one scheduler as a memory resource of the standard
// library. Shared owns it. Any thread may call it. jobs/memory.hpp documents the guarantees for
// users.
//
// A small block has a header in front that names its WorkerContext. So any thread that frees the
// block finds its home. If a thread allocates that is not a worker of this scheduler, the block
// comes from the heap, and its header names no WorkerContext. Large blocks come from the heap and
// have no header: the size that the caller passes at deallocation identifies them.
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
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  const Shared& shared_;
};

}  // namespace jobs::inline JOBS_ABI::detail
