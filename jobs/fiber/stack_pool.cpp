// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StackPool: reserves slabs, cuts stacks from them and installs their guards.
#include "jobs/fiber/stack_pool.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <new>
#include <string>

#include "jobs/base/message.hpp"
#include "jobs/base/sanitizer.hpp"
#include "jobs/base/topology.hpp"
#include "jobs/error.hpp"
#include "jobs/fiber/current.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Within these limits, a new slab has as many stacks as exist already, so that a million stacks
// take few system calls.
constexpr std::size_t kMinStacksPerSlab = 64;
constexpr std::size_t kMaxSlab = 64 * 1024 * 1024;  // bytes; a slab of larger stacks has one stack

// Stacks are prepared in advance: one for each kOnePreparedFor existing stacks, at most
// kMaxPrepared at a time.
constexpr std::size_t kOnePreparedFor = 16;
constexpr std::size_t kMaxPrepared = 128;

std::size_t whole_pages(std::size_t size) {
  check_stack_size(size);
  const std::size_t page = os::page_size();
  return (size + page - 1) / page * page;
}

// Unless a node is set, a page lies on the node of the thread that touches it first. That must be
// the fiber's own thread.
bool may_populate(os::Node node) {
  return node != os::kAnyNode || usable_memory_nodes().size() <= 1;
}

// Counts the guards made by mprotect in the whole process. Each splits a mapping, and the process
// has vm.max_map_count of them. The last sixteenth is reserved for the program: a program without a
// free mapping cannot start a thread and may fail to allocate memory.
class ProtectedGuards {
 public:
  [[nodiscard]] static bool try_acquire() noexcept {
    if (count_.fetch_add(1, std::memory_order_relaxed) < max()) return true;
    release(1);
    return false;
  }
  static void release(std::size_t guards) noexcept {
    count_.fetch_sub(guards, std::memory_order_relaxed);
  }

 private:
  static std::size_t max() noexcept {
    static const std::size_t mappings = os::max_mappings();
    // Each guard is one mapping, and the stack above it another.
    return mappings == 0 ? SIZE_MAX : (mappings - mappings / 16) / 2;
  }
  // NOLINTNEXTLINE(readability-identifier-naming)
  static inline constinit std::atomic<std::size_t> count_{0};
};

}  // namespace

StackPool::StackPool(std::size_t stack_size, StackLimit& limit, os::GuardKind guard_kind,
                     bool trims, os::Node node)
    : stack_size_(whole_pages(stack_size)),
      stride_(guard_size(stack_size_) + stack_size_),
      guard_kind_(guard_kind),
      trims_(trims),
      node_(node),
      populates_(may_populate(node)),
      own_limit_(0),
      limit_(limit) {}

StackPool::StackPool(std::size_t stack_size, std::size_t max_stacks)
    : stack_size_(whole_pages(stack_size)),
      stride_(guard_size(stack_size_) + stack_size_),
      guard_kind_(os::guard_kind()),
      trims_(false),
      node_(os::kAnyNode),
      populates_(may_populate(os::kAnyNode)),
      own_limit_(max_stacks),
      limit_(own_limit_) {}

StackPool::~StackPool() {
  if (in_use_ != 0)
    contract_violation("StackPool", this, "destroyed while stacks of it are in use");
  for (const unsigned stack : registered_) sanitizer::stack_unregistered(stack);
  for (const Slab& slab : slabs_) os::release_pages(slab.base, slab.stacks * stride_);
  if (guard_kind_ == os::GuardKind::kProtected) ProtectedGuards::release(carved_);
}

Stack StackPool::allocate() {
  if (!limit_.try_acquire()) {
    MessageLine reason;
    reason << "raise SchedulerOptions::max_fibers = " << limit_.max();
    refuse(limit_.max(), reason.text());
  }
  std::byte* base;
  try {
    base = take();
  } catch (...) {
    limit_.release();
    throw;
  }
  sanitizer::stack_allocated(base, stack_size_);
  return {base, stack_size_};
}

void StackPool::release(Stack stack) noexcept {
  sanitizer::stack_released(stack.base, stack.size);
  if (trims_) os::discard_pages(stack.base, stack.size);
  {
    const std::scoped_lock lock(mutex_);
    returned_.push_back(stack.base);
    --in_use_;
  }
  limit_.release();
}

void StackPool::trim() noexcept {
  const std::scoped_lock lock(mutex_);
  // The lowest ones are taken first.
  std::sort(returned_.begin(), returned_.end(), std::greater<>());
  for (std::size_t i = 0; i < returned_.size();) {
    const std::size_t first = i++;
    while (i < returned_.size() && returned_[i] + stride_ == returned_[i - 1]) ++i;
    // Guards between the stacks stay.
    std::byte* const lowest = returned_[i - 1];
    os::discard_pages(lowest, static_cast<std::size_t>(returned_[first] + stack_size_ - lowest));
  }
  if (prepared_ > carved_) {  // these lie in the last slab
    const Slab& slab = slabs_.back();
    const std::size_t next = slab.stacks - (capacity_ - carved_);
    std::byte* const lowest = slab.base + (next + 1) * stride_ - stack_size_;
    os::discard_pages(lowest, (prepared_ - carved_ - 1) * stride_ + stack_size_);
  }
}

// Other threads may allocate between two batches, so the call counts what it adds.
JOBS_COLD void StackPool::prewarm(std::size_t stacks) {
  std::unique_lock lock(mutex_);
  std::size_t missing = stacks - std::min(stacks, returned_.size());
  while (missing != 0) {
    for (std::size_t batch = std::min(missing, kMaxPrepared); batch != 0; --batch, --missing) {
      std::byte* const base = carve_stack(missing);
      // Older kernels do not prepare pages in advance: touch the first one.
      if (populates_) *static_cast<volatile std::byte*>(base + stack_size_ - 1) = std::byte{};
      returned_.push_back(base);  // has room for all carved stacks (reserve_slab)
    }
    lock.unlock();
    lock.lock();
  }
}

std::size_t StackPool::in_use() const {
  const std::scoped_lock lock(mutex_);
  return in_use_;
}

std::vector<const void*> StackPool::tops(std::size_t max) const {
  const std::scoped_lock lock(mutex_);
  std::vector<const void*> tops;
  std::size_t uncarved = capacity_ - carved_;  // all of them in the last slab
  for (auto slab = slabs_.rbegin(); slab != slabs_.rend(); ++slab) {
    for (std::size_t i = 0; i < slab->stacks - uncarved && tops.size() < max; ++i) {
      tops.push_back(slab->base + (i + 1) * stride_ - 1);
    }
    uncarved = 0;
  }
  return tops;
}

std::byte* StackPool::take() {
  const std::scoped_lock lock(mutex_);
  std::byte* base;
  if (returned_.empty()) {
    base = carve_stack();
  } else {
    base = returned_.back();
    returned_.pop_back();
  }
  ++in_use_;
  return base;
}

// A slab is an array of { guard, stack }.
std::byte* StackPool::carve_stack(std::size_t ahead) {
  if (carved_ == prepared_) prepare_stacks(ahead);
  const Slab& slab = slabs_.back();
  std::byte* const base =
      slab.base + (slab.stacks - (capacity_ - carved_) + 1) * stride_ - stack_size_;
  ++carved_;
  if (const unsigned registered = sanitizer::stack_registered(base, stack_size_))
    registered_.push_back(registered);
  return base;
}

// Installs the guard of the next stack. If many stacks exist or are needed, it also prepares some
// of the following ones and makes their first page resident. Otherwise a system call and a page
// fault for each would be half of the cost of a fiber.
void StackPool::prepare_stacks(std::size_t ahead) {
  if (prepared_ == capacity_) {
    try {
      reserve_slab();
    } catch (const std::bad_alloc&) {
      refuse(limit_.in_use() - 1, "no memory for the list of them");
    }
    if (prepared_ == capacity_) {
      MessageLine reason;
      reason << "the system refuses " << stride_ / 1024 << " KiB of address space ("
             << std::strerror(errno)
             << "); raise ulimit -v, see vm.overcommit_memory, or lower the stack size or the "
                "number of fibers";
      refuse(limit_.in_use() - 1, reason.text());
    }
  }
  const Slab& slab = slabs_.back();
  std::byte* const guard = slab.base + (slab.stacks - (capacity_ - prepared_)) * stride_;
  const bool is_protected = guard_kind_ == os::GuardKind::kProtected;
  if (is_protected && !ProtectedGuards::try_acquire()) refuse_mapping();
  const std::size_t useful =
      std::clamp(std::max(carved_ / kOnePreparedFor, ahead), std::size_t{1}, kMaxPrepared);
  const std::size_t wanted = is_protected ? 1 : std::min(capacity_ - prepared_, useful);
  const std::size_t made =
      os::install_guards(guard, stride_ - stack_size_, stride_, wanted, guard_kind_);
  if (made == 0) {
    const int reason = errno;
    if (is_protected) ProtectedGuards::release(1);
    if (is_protected && reason == ENOMEM) refuse_mapping();
    MessageLine text;
    text << "the system refuses its guard of " << (stride_ - stack_size_) / 1024 << " KiB ("
         << std::strerror(reason) << "); SchedulerOptions::guard_stacks = false does without";
    refuse(limit_.in_use() - 1, text.text());
  }
  if (populates_) os::populate_pages(guard + stride_ - os::page_size(), stride_, made);
  prepared_ += made;
}

JOBS_COLD void StackPool::refuse(std::size_t in_use, std::string_view reason) {
  MessageLine text;
  text << "no stack for one more fiber, " << in_use << " are in use: " << reason;
  throw_error(ErrorCode::kNoStack, text);
}

JOBS_COLD void StackPool::refuse_mapping() const {
  MessageLine reason;
  reason << "the guard of each splits a mapping, and vm.max_map_count is " << os::max_mappings()
         << "; raise it (sysctl), or use Linux 6.13";
  refuse(limit_.in_use() - 1, reason.text());
}

// Reserves a slab. post: capacity_ is greater, unless the system refuses (errno). If the system
// refuses a large slab, it tries smaller ones.
JOBS_COLD void StackPool::reserve_slab() {
  const std::size_t wanted = std::max(kMinStacksPerSlab, capacity_);
  const std::size_t max = std::clamp<std::size_t>(kMaxSlab / stride_, 1, wanted);
  if (returned_.capacity() < capacity_ + max) returned_.reserve(2 * (capacity_ + max));
  slabs_.reserve(slabs_.size() + 1);
  [[maybe_unused]] const sanitizer::IgnoreWrites slab;
  for (std::size_t stacks = max; stacks > 0; stacks = stacks > 8 ? stacks / 8 : stacks - 1) {
    std::byte* const base = os::reserve_pages(stacks * stride_);
    if (base == nullptr) continue;
    if (node_ != os::kAnyNode) os::prefer_node(base, stacks * stride_, node_);
    slabs_.push_back({base, stacks});
    capacity_ += stacks;
    return;
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
