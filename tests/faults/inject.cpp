// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The replacements of the library's system calls (linker option --wrap), and the hook of the
// replaced operator new.
#include "tests/faults/inject.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <memory>
#include <system_error>
#include <thread>

#include "tests/support/allocation_count.hpp"

namespace jobs::test {
namespace {

constexpr int kNone = -1;

constinit std::atomic<int> armed{kNone};
constinit std::atomic<bool> all_since{false};
constinit std::atomic<std::int64_t> calls_left{0};
constinit std::atomic<std::uint64_t> failed{0};
constinit std::atomic<std::int64_t> mapped{0};

bool fails(Fault fault) noexcept {
  if (armed.load() != static_cast<int>(fault)) return false;
  const std::int64_t left = calls_left.fetch_sub(1) - 1;
  if (left > 0 || (left < 0 && !all_since.load())) return false;
  failed.fetch_add(1);
  return true;
}

int refused(int reason) noexcept {
  errno = reason;
  return -1;
}

[[maybe_unused]] const bool hooked =
    (set_allocation_fault([]() noexcept { return fails(Fault::kMemory); }), true);

}  // namespace

const char* name_of(Fault fault) noexcept {
  constexpr const char* kNames[] = {"operator new", "mmap",  "madvise",   "mprotect",
                                    "thread",       "futex", "membarrier"};
  return kNames[static_cast<unsigned>(fault)];
}

void arm(Fault fault, Failing failing, std::uint64_t n) noexcept {
  failed = 0;
  calls_left = static_cast<std::int64_t>(n);
  all_since = failing == Failing::kAllSince;
  armed = static_cast<int>(fault);
}

void disarm() noexcept { armed = kNone; }
std::uint64_t failures() noexcept { return failed; }
std::int64_t mapped_bytes() noexcept { return mapped; }

}  // namespace jobs::test

using jobs::test::fails;
using jobs::test::Fault;
using jobs::test::mapped;
using jobs::test::refused;

// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
extern "C" {

void* __real_mmap(void* address, std::size_t size, int protection, int flags, int file,
                  off_t offset);
void* __wrap_mmap(void* address, std::size_t size, int protection, int flags, int file,
                  off_t offset) {
  if (fails(Fault::kMap)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void* const base = __real_mmap(address, size, protection, flags, file, offset);
  if (base != MAP_FAILED) mapped += static_cast<std::int64_t>(size);
  return base;
}

int __real_munmap(void* base, std::size_t size);
int __wrap_munmap(void* base, std::size_t size) {
  mapped -= static_cast<std::int64_t>(size);
  return __real_munmap(base, size);
}

int __real_madvise(void* base, std::size_t size, int advice);
int __wrap_madvise(void* base, std::size_t size, int advice) {
  return fails(Fault::kAdvise) ? refused(ENOMEM) : __real_madvise(base, size, advice);
}

int __real_mprotect(void* base, std::size_t size, int protection);
int __wrap_mprotect(void* base, std::size_t size, int protection) {
  return fails(Fault::kProtect) ? refused(ENOMEM) : __real_mprotect(base, size, protection);
}

long __real_syscall(long number, ...);
// A call has fewer arguments than six: the others are whatever lies on the stack.
[[gnu::no_sanitize_address]] long __wrap_syscall(long number, ...) {
  va_list rest;
  va_start(rest, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_futex && (arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET &&
      fails(Fault::kSleep)) {
    sched_yield();  // a thread that does not sleep leaves the CPU to other threads
    return refused(EINTR);
  }
  if (number == SYS_membarrier && arguments[0] == MEMBARRIER_CMD_PRIVATE_EXPEDITED &&
      fails(Fault::kBarrier))
    return refused(ENOMEM);
  if (number == SYS_process_madvise && fails(Fault::kAdvise)) return refused(ENOMEM);
  return __real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
                        arguments[4], arguments[5]);
}

// std::thread calls pthread_create() inside its shared library; the program's part of std::thread
// calls this function.
void __real__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
    std::thread* self, std::thread::_State_ptr state, void (*depend)());
void __wrap__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
    std::thread* self, std::thread::_State_ptr state, void (*depend)()) {
  if (fails(Fault::kThread))
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  __real__ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(
      self, std::move(state), depend);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
