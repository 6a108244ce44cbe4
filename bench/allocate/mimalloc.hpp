// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// MimallocHeap: an explicit heap of mimalloc as a memory resource. The program loads the shared
// library at run time, and locally: a program that links it has its malloc replaced everywhere.
#pragma once

#include <cstddef>
#include <memory_resource>

namespace bench::allocate {

class MimallocHeap final : public std::pmr::memory_resource {
 public:
  // The allocating thread creates and destroys it. pre: has_mimalloc().
  MimallocHeap();
  MimallocHeap(const MimallocHeap&) = delete;
  MimallocHeap& operator=(const MimallocHeap&) = delete;
  ~MimallocHeap() override;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  // on any thread
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  void* const heap_;
};

}  // namespace bench::allocate
