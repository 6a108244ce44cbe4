// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The whole contract with the operating system: clock, futex, process-wide barrier, pages, threads. Implemented by
// os_linux.cpp; tests put a simulated one in its place. No #ifdef of a platform stands above this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "jobs/base/atomic.hpp"

namespace jobs::inline JOBS_ABI::os {

// --- time ---------------------------------------------------------------------------------------------------------------

// Nanoseconds of a clock that never jumps (CLOCK_MONOTONIC, the clock of std::chrono::steady_clock).
using Nanoseconds = std::int64_t;
inline constexpr Nanoseconds kNever = INT64_MAX;
[[nodiscard]] JOBS_EXPORT Nanoseconds now() noexcept;
// For what takes microseconds: as now(), from another beginning and wrong by a hundredth, but read in 11 ns where that takes 29, if
// the processor has a counter that runs evenly. The first call takes 50 us.
[[nodiscard]] JOBS_EXPORT Nanoseconds quick_now() noexcept;

// --- parking ------------------------------------------------------------------------------------------------------------

// Sleeps while the low 32 bits of `word` equal those of `expected`, until woken or until `deadline` (kNever: for ever).
// post: false iff the deadline has passed. Wakes spuriously: callers loop.
bool futex_wait(const detail::Atomic<std::uintptr_t>& word, std::uintptr_t expected, Nanoseconds deadline) noexcept;

// Wakes one thread that sleeps on `word`. Uses the address only: the word may already be dead.
JOBS_EXPORT void futex_wake(const detail::Atomic<std::uintptr_t>* word) noexcept;

// Gives up the rest of the time slice.
void yield_thread() noexcept;

// --- asymmetric fence ---------------------------------------------------------------------------------------------------

// True if this process may use membarrier(PRIVATE_EXPEDITED). Registers on the first call; the answer never changes.
[[nodiscard]] bool has_membarrier() noexcept;

// A full barrier in every running thread of the process. pre: has_membarrier(). Costs 0.2 us alone, about 15 us against a
// running thread in a virtual machine.
void membarrier() noexcept;

// After fork(), in the child: what the process has registered for itself is registered again.
void renew_membarrier() noexcept;

// --- processes ----------------------------------------------------------------------------------------------------------

// Calls the functions at each fork() on the thread that forks: before it, and after it in the parent and in the child. Null: nothing is to
// be called. For ever, or until the object that calls this is unloaded.
void on_fork(void (*before)() noexcept, void (*in_parent)() noexcept, void (*in_child)() noexcept) noexcept;

// Keeps the shared object with this code loaded, dlclose() or not, until the result is given back. Null: it is never unloaded, or cannot be
// kept. A thread that nobody joins needs it.
[[nodiscard]] void* keep_loaded() noexcept;
void let_unload(void* kept) noexcept;

// --- pages --------------------------------------------------------------------------------------------------------------

[[nodiscard]] JOBS_EXPORT std::size_t page_size() noexcept;

// Reserves `size` bytes, readable and writable, none resident, never as huge pages. pre: size is a multiple of page_size().
// post: nullptr on failure (errno says why).
[[nodiscard]] JOBS_EXPORT std::byte* reserve_pages(std::size_t size) noexcept;
// As huge pages where the system would: for data.
[[nodiscard]] std::byte* reserve_data(std::size_t size) noexcept;
JOBS_EXPORT void release_pages(std::byte* base, std::size_t size) noexcept;  // of either

enum class GuardKind : std::uint8_t {
  kLightweight,  // MADV_GUARD_INSTALL (Linux 6.13): no mapping is split, any number of guards
  kProtected,    // mprotect: each guard splits a mapping, bounded by vm.max_map_count
  kNone,         // what overflows goes on into whatever lies below
};
// Probed once per process. JOBS_STACK_GUARD=mprotect in the environment forces kProtected (for tests).
[[nodiscard]] GuardKind guard_kind() noexcept;
// Makes [base, base + size) inaccessible. post: false on failure (errno; ENOMEM under kProtected: vm.max_map_count is reached).
[[nodiscard]] bool install_guard(std::byte* base, std::size_t size, GuardKind kind) noexcept;
// Makes `count` of them, each `stride` bytes above the one before. post: how many were made, from the lowest on; errno if not all.
[[nodiscard]] std::size_t install_guards(std::byte* base, std::size_t size, std::size_t stride, std::size_t count,
                                         GuardKind kind) noexcept;
// The page at `page`, and those `stride` bytes apart above it, are in memory before they are touched: if that takes one call for all of
// them, else nothing happens.
void populate_pages(std::byte* page, std::size_t stride, std::size_t count) noexcept;
// Gives the memory of [base, base + size) back; the range stays usable and reads as zero. Guards inside it stay.
void discard_pages(std::byte* base, std::size_t size) noexcept;
// The first page of [base, base + size) that is in memory; base + size: none, or the system does not say.
[[nodiscard]] std::byte* first_resident_page(std::byte* base, std::size_t size) noexcept;
// How many mappings the process may have (vm.max_map_count); 0: not known.
[[nodiscard]] std::size_t max_mappings() noexcept;

// --- memory nodes -------------------------------------------------------------------------------------------------------

// A NUMA node, as the kernel counts.
using Node = int;
inline constexpr Node kAnyNode = -1;  // pages lie where they are touched first, as ever

// Pages of [base, base + size) that are touched from now on come from that node, as long as it has room. pre: base is the first byte
// of a page. post: false if the kernel refused (no such node, a sandbox); callers go on without.
JOBS_EXPORT bool prefer_node(void* base, std::size_t size, Node node) noexcept;
// They come from those nodes in turn.
bool interleave_nodes(void* base, std::size_t size, std::span<const Node> nodes) noexcept;
// Writes for each page in which one of `addresses` lies its node; kAnyNode: it is not in memory, or the kernel does not say.
void find_nodes(std::span<const void* const> addresses, std::span<Node> nodes) noexcept;

// --- threads ------------------------------------------------------------------------------------------------------------

JOBS_EXPORT void set_thread_name(const char* name) noexcept;  // cut to 15 bytes
// Restricts the calling thread to one logical CPU. post: false if the kernel refused; callers go on without.
bool pin_thread(unsigned cpu) noexcept;
// To several. pre: there is one at least.
bool pin_thread(std::span<const unsigned> cpus) noexcept;
// The CPU that the calling thread runs on; perhaps another one the next moment.
[[nodiscard]] JOBS_EXPORT unsigned current_cpu() noexcept;
// Moves the calling thread to another CPU of its affinity mask, if there is one; the mask stays as it is. Some 10 us.
void leave_cpu() noexcept;
// Another thread of this process, that has not been joined, from that CPU; without effect if it is not there.
using ThreadHandle = unsigned long;  // pthread_t
void move_thread(ThreadHandle thread, unsigned cpu) noexcept;
// Blocks all asynchronous signals in the calling thread (so that handlers run on the user's threads); returns nothing to undo:
// used by workers for their whole life. The synchronous ones (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS) stay open.
JOBS_EXPORT void block_signals() noexcept;

// --- reports ------------------------------------------------------------------------------------------------------------

// Where an address of code lies, for people: "app+0x1234 (function+0x10)"; the name only if the program exports it. addr2line knows
// more of the first part.
[[nodiscard]] std::string describe_address(const void* address);

// Calls serve() on a thread of its own each time the signal comes. Once for the process and a signal; there is one serve(). Throws
// std::system_error.
void serve_signal(int signal, void (*serve)() noexcept);

// --- faults -------------------------------------------------------------------------------------------------------------

// Writes to the standard error, past all buffers. Async-signal-safe.
void write_error(std::string_view text) noexcept;
// The same, and aborts. In a simulation: its finding.
[[noreturn]] void die(std::string_view text) noexcept;

// Looks at an access that faulted; true: it has said what it was. Async-signal-safe, on the faulting thread.
using FaultReport = bool (*)(const void* address) noexcept;
// From now on `report` sees each SIGSEGV and SIGBUS of the process before the action that was set until now, which then takes
// its course; an access that was reported happens again under it, so that the process dies, and dumps, at the frame that did it.
void report_faults(FaultReport report) noexcept;

// Gives the calling thread a stack to run signal handlers on, so that a fault of its own stack can be handled.
// post: false if it has one already (that stays) or the kernel refused.
[[nodiscard]] std::size_t signal_stack_size() noexcept;  // a multiple of page_size()
bool set_signal_stack(std::byte* base, std::size_t size) noexcept;
void clear_signal_stack() noexcept;

}  // namespace jobs::inline JOBS_ABI::os
