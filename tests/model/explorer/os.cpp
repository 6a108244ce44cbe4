// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The simulated operating system, and the library's state of its threads: one ThreadState for each
// thread of the model. Time advances only for a waiting thread: the clock may pass the deadline of
// a sleeper at any moment.
#include "jobs/base/os.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "jobs/base/affinity.hpp"
#include "jobs/fiber/current.hpp"
#include "tests/model/explorer/execution.hpp"

namespace jobs::inline JOBS_ABI::os {

Nanoseconds now() noexcept { return model::Execution::current().now(); }
Nanoseconds quick_now() noexcept { return now(); }

bool futex_wait(const detail::Atomic<std::uintptr_t>& word, std::uintptr_t expected,
                Nanoseconds deadline) noexcept {
  model::Execution& execution = model::Execution::current();
  execution.schedule();
  const std::size_t location = execution.live_atomic(&word);
  const auto value = execution.memory().read_newest(location, execution.view());
  if (static_cast<std::uint32_t>(value) != static_cast<std::uint32_t>(expected)) return true;
  if (execution.wakes_spuriously()) return true;
  execution.trace([&] { return "sleep    a" + std::to_string(location); });
  if (deadline != kNever) {
    execution.add_time(deadline);
    if (deadline <= execution.now()) return false;
  }
  const bool woken = execution.sleep(&word, deadline);
  execution.trace([&] { return woken ? "woken" : "timed out"; });
  return woken;
}

void futex_wake(const detail::Atomic<std::uintptr_t>* word) noexcept {
  model::Execution& execution = model::Execution::current();
  execution.schedule();
  execution.trace([&] { return std::string("wake"); });
  execution.wake_one(word);
}

void yield_thread() noexcept { model::spin(); }
void sleep_thread(Nanoseconds) noexcept { model::spin(); }

bool has_membarrier() noexcept {
  return model::Execution::current().membarrier() != model::Membarrier::kRefused;
}
void membarrier() noexcept { model::heavy_fence(std::memory_order_seq_cst); }

// Threads of a model have no CPUs.
ThreadId thread_id() noexcept { return 1; }
std::int64_t cpu_time_of(ThreadId) noexcept { return 0; }
bool exclude_cpu(ThreadId, unsigned, CpuMask&) noexcept { return false; }
void set_mask(ThreadId, const CpuMask&) noexcept {}
unsigned current_cpu() noexcept { return 0; }

// Pages lie on the heap. Placement of memory does not exist here; no model requests it.
std::size_t page_size() noexcept { return 4096; }
std::byte* reserve_data(std::size_t size) noexcept {
  return static_cast<std::byte*>(std::aligned_alloc(4096, size));
}
void release_pages(std::byte* base, std::size_t) noexcept { std::free(base); }
void populate(std::byte*, std::size_t) noexcept {}
bool discard_pages(std::byte* base, std::size_t size) noexcept {
  model::Execution::current().schedule();
  std::memset(base, 0, size);
  return true;
}
bool prefer_node(void*, std::size_t, Node) noexcept { return false; }

}  // namespace jobs::inline JOBS_ABI::os

namespace jobs::inline JOBS_ABI::detail {

ThreadState& this_thread() noexcept { return model::Execution::current().thread_state(); }

void contract_violation(const char* type, const void*, const char* what) noexcept {
  model::fail(std::string("breach of contract: ") + type + ": " + what);
}

}  // namespace jobs::inline JOBS_ABI::detail
