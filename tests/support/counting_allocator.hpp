// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// CountingAllocator: a jobs::Allocator that takes memory from malloc(), not from operator new. It
// counts, checks the arguments of deallocate(), and fails on request.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "jobs/allocator.hpp"

namespace jobs::test {

class CountingAllocator final : public Allocator {
 public:
  constexpr CountingAllocator() = default;

  void* allocate(std::size_t size, std::size_t alignment) noexcept override {
    if (size == 0 || (alignment & (alignment - 1)) != 0) ++wrong_calls;
    if (calls_until_failure.load() > 0 && calls_until_failure.fetch_sub(1) == 1) {
      calls_until_failure = 1;  // and so do all later calls
      ++failures;
      return nullptr;
    }
    const std::size_t offset = alignment > sizeof(Header) ? alignment : sizeof(Header);
    const std::size_t whole = (offset + size + alignment - 1) / alignment * alignment;
    auto* const block = static_cast<std::byte*>(
        std::aligned_alloc(alignment > alignof(Header) ? alignment : alignof(Header),
                           (whole + alignof(Header) - 1) / alignof(Header) * alignof(Header)));
    if (block == nullptr) return nullptr;
    *header_of(block + offset) = {size, alignment};
    ++allocated;
    live_bytes += size;
    return block + offset;
  }
  void deallocate(void* memory, std::size_t size, std::size_t alignment) noexcept override {
    const Header* const header = header_of(static_cast<std::byte*>(memory));
    if (header->size != size || header->alignment != alignment) ++wrong_calls;
    ++freed;
    live_bytes -= header->size;
    std::free(static_cast<std::byte*>(memory) -
              (header->alignment > sizeof(Header) ? header->alignment : sizeof(Header)));
  }

  std::uint64_t live() const noexcept { return allocated - freed; }

  std::atomic<std::uint64_t> allocated{0};
  std::atomic<std::uint64_t> freed{0};
  std::atomic<std::uint64_t> live_bytes{0};
  std::atomic<std::uint64_t> failures{0};
  // Calls with arguments that break the contract of Allocator.
  std::atomic<std::uint64_t> wrong_calls{0};
  // 0: no call fails. n: the n-th call from now and all later calls fail.
  std::atomic<std::int64_t> calls_until_failure{0};

 private:
  // Lies in front of the memory of the caller.
  struct alignas(16) Header {
    std::size_t size;
    std::size_t alignment;
  };
  static Header* header_of(std::byte* memory) noexcept {
    return reinterpret_cast<Header*>(memory - sizeof(Header));
  }
};

}  // namespace jobs::test
