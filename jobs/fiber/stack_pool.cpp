// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/fiber/stack_pool.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include "jobs/base/error.hpp"
#include "jobs/base/sanitizer.hpp"
#include "jobs/fiber/current.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

constexpr std::size_t kStacksPerSlab = 64;
constexpr std::size_t kMinStackSize = 16 * 1024;           // control block, handler of the exceptions, a few calls
constexpr std::size_t kMaxStackSize = 1024 * 1024 * 1024;  // a slab of them is still a thousandth of the address space

std::size_t checked_size(std::size_t size) {
  if (size < kMinStackSize || size > kMaxStackSize) {
    throw Error(ErrorCode::kBadArgument,
                "a stack of " + std::to_string(size) + " bytes: it must have at least 16 KiB and at most 1 GiB");
  }
  const std::size_t page = os::page_size();
  return (size + page - 1) / page * page;
}

[[noreturn]] JOBS_COLD void throw_no_stack(std::size_t in_use, const std::string& reason) {
  throw Error(ErrorCode::kNoStack, "no stack for one more fiber, " + std::to_string(in_use) + " are in use: " + reason);
}

}  // namespace

StackPool::StackPool(std::size_t stack_size, std::size_t max_stacks)
    : stack_size_(checked_size(stack_size)), max_stacks_(max_stacks), guard_kind_(os::guard_kind()) {}

StackPool::~StackPool() {
  if (in_use_ != 0) breach("StackPool", this, "destroyed while stacks of it are in use");
  for (std::byte* slab : slabs_) os::release_pages(slab, kStacksPerSlab * (kGuardSize + stack_size_));
}

Stack StackPool::allocate() {
  const std::scoped_lock lock(mutex_);
  if (max_stacks_ != 0 && in_use_ == max_stacks_) {
    throw_no_stack(in_use_, "the limit is max_fibers = " + std::to_string(max_stacks_));
  }
  std::byte* base;
  if (returned_.empty()) {
    base = cut_new_stack();
  } else {
    base = returned_.back();
    returned_.pop_back();
  }
  ++in_use_;
  sanitizer::stack_taken(base, stack_size_);
  return {base, stack_size_};
}

void StackPool::release(Stack stack) noexcept {
  sanitizer::stack_returned(stack.base, stack.size);
  const std::scoped_lock lock(mutex_);
  returned_.push_back(stack.base);
  --in_use_;
}

std::size_t StackPool::in_use() const {
  const std::scoped_lock lock(mutex_);
  return in_use_;
}

// A slab is an array of { guard, stack }. Guards are made one by one, as a slab that is hardly used should cost little.
std::byte* StackPool::cut_new_stack() {
  const std::size_t stride = kGuardSize + stack_size_;
  if (cut_ == slabs_.size() * kStacksPerSlab) {
    slabs_.reserve(slabs_.size() + 1);
    returned_.reserve(cut_ + kStacksPerSlab);
    std::byte* slab = os::reserve_pages(kStacksPerSlab * stride);
    if (slab == nullptr) {
      throw_no_stack(in_use_, "the system refuses " + std::to_string(kStacksPerSlab * stride / 1024) +
                                  " KiB of address space (" + std::strerror(errno) + ")");
    }
    slabs_.push_back(slab);
  }
  std::byte* guard = slabs_.back() + cut_ % kStacksPerSlab * stride;
  if (!os::install_guard(guard, kGuardSize, guard_kind_)) {
    if (errno == ENOMEM && guard_kind_ == os::GuardKind::kProtected) {
      throw_no_stack(
          in_use_, "the guard of each splits a mapping, and vm.max_map_count is " + std::to_string(os::max_mappings()));
    }
    throw_no_stack(in_use_, std::string("the system refuses its guard (") + std::strerror(errno) + ")");
  }
  ++cut_;
  return guard + kGuardSize;
}

}  // namespace jobs::inline JOBS_ABI::detail
