// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The fault handler that reports a stack overflow. It uses async-signal-safe functions only.
#include "jobs/fiber/overflow.hpp"

#include <cstdint>

#include "jobs/base/os.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/fiber/fiber_label.hpp"
#include "jobs/fiber/stack_fiber.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Runs in a signal handler on the faulting thread. All data that it reads belongs to this thread,
// which is stopped.
bool report_overflow(const void* address) noexcept {
  if (this_thread().forked_inside && this_thread().context == nullptr &&
      reinterpret_cast<std::uintptr_t>(address) < os::page_size()) {
    // The end of a job updates the worker context of its thread, which is null here. A check in the
    // job itself would cost every other job.
    os::write_error(
        "jobs: a job has returned in a child process that it forked: exec() or _exit() there\n");
    return true;
  }
  const FiberHost* host = this_thread().host;
  if (host == nullptr) return false;
  const FiberCore& current = host->current();
  // It runs on the thread's own stack; all other fibers are StackFibers.
  if (current.id == 0 || current.id == kBorrowedThread) return false;
  const Stack& stack = static_cast<const StackFiber&>(current).stack();
  const auto guard_end = reinterpret_cast<std::uintptr_t>(stack.base);
  const auto address_value = reinterpret_cast<std::uintptr_t>(address);
  if (address_value < guard_end - guard_size(stack.size) || address_value >= guard_end)
    return false;

  MessageLine line;
  line << "jobs: ";
  append_label(line, current.id, current.name != nullptr ? current.name : "");
  line << " overflowed its " << stack.size / 1024 << " KiB stack (" << host->describe() << ")";
  if (const FiberOrigin origin = origin_of(current); origin.file != nullptr) {
    line << ", ";
    append_site(line, origin.file, origin.line);
    if (origin.peak != 0)
      line << ", where " << (origin.peak + 1023) / 1024 << " KiB were the most so far";
  }
  os::write_error(line.finish());
  return true;
}

}  // namespace

void install_overflow_handler() noexcept {
  [[maybe_unused]] static const bool installed = (os::report_faults(report_overflow), true);
}

AlternateSignalStack::AlternateSignalStack() noexcept
    : base_(os::reserve_pages(os::signal_stack_size())), size_(os::signal_stack_size()) {
  if (base_ == nullptr || os::set_signal_stack(base_, size_)) return;
  os::release_pages(base_, size_);
  base_ = nullptr;
}

AlternateSignalStack::~AlternateSignalStack() {
  if (base_ == nullptr) return;
  os::clear_signal_stack();
  os::release_pages(base_, size_);
}

}  // namespace jobs::inline JOBS_ABI::detail
