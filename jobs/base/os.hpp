// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The complete contract with the operating system: clock, futex, process-wide barrier, pages,
// threads. os_linux*.cpp implement it; tests replace it by a simulated system. No file above this
// one has an #ifdef of a platform. Any thread may call these functions, unless a comment says
// otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "jobs/base/atomic.hpp"

namespace jobs::inline JOBS_ABI::os {

// --- time ----------------------------------------------------------------------------------------

// Nanoseconds of a clock that never jumps (CLOCK_MONOTONIC, the clock of
// std::chrono::steady_clock).
using Nanoseconds = std::int64_t;
inline constexpr Nanoseconds kNever = INT64_MAX;
[[nodiscard]] JOBS_EXPORT Nanoseconds now() noexcept;
// A faster clock for intervals of microseconds. It has a different origin and an error of at most
// one per cent. A read takes 11 ns, whereas now() takes 29 ns, if the processor has a counter that
// runs evenly. The first call takes 50 us.
[[nodiscard]] JOBS_EXPORT Nanoseconds quick_now() noexcept;

// --- parking -------------------------------------------------------------------------------------

// Blocks while the low 32 bits of `word` equal those of `expected`, until a wake-up or until
// `deadline` (kNever: without limit). post: false if and only if the deadline has passed. Spurious
// wake-ups are possible: callers loop.
bool futex_wait(const detail::Atomic<std::uintptr_t>& word, std::uintptr_t expected,
                Nanoseconds deadline) noexcept;

// Wakes one thread that blocks on `word`. Uses the address only: the word may already be destroyed.
JOBS_EXPORT void futex_wake(const detail::Atomic<std::uintptr_t>* word) noexcept;

// Yields the rest of the time slice. Threads of lower priority do not run.
JOBS_EXPORT void yield_thread() noexcept;
// Sleeps, so that threads of lower priority run as well.
JOBS_EXPORT void sleep_thread(Nanoseconds duration) noexcept;

// --- asymmetric fence ----------------------------------------------------------------------------

// Returns whether this process may use membarrier(PRIVATE_EXPEDITED). Registers on the first call;
// the result never changes.
[[nodiscard]] bool has_membarrier() noexcept;

// Executes a full barrier in every running thread of the process. pre: has_membarrier(). It takes
// 0.2 us alone, and about 15 us against a running thread in a virtual machine. If the kernel
// refuses the call by then (a seccomp filter, a child process), the process ends with a message.
void membarrier() noexcept;

// Repeats the registration of the process for membarrier. For the child process, after fork().
void renew_membarrier() noexcept;

// --- processes -----------------------------------------------------------------------------------

// Registers functions that each fork() calls on the forking thread: before it, and after it in the
// parent and in the child. Null: no call. The registration lasts until the object that makes this
// call is unloaded.
void on_fork(void (*before)() noexcept, void (*in_parent)() noexcept,
             void (*in_child)() noexcept) noexcept;

// Keeps the shared object of this code loaded, in spite of dlclose(), until release_library() of
// the result. Null: the object is never unloaded, or cannot be kept. A thread that is never joined
// needs it.
[[nodiscard]] void* retain_library() noexcept;
void release_library(void* kept) noexcept;

// --- pages ---------------------------------------------------------------------------------------

[[nodiscard]] JOBS_EXPORT std::size_t page_size() noexcept;

// Reserves `size` bytes, readable and writable, none resident, never as huge pages. pre: size is a
// multiple of page_size(). post: nullptr on failure (errno has the reason).
[[nodiscard]] JOBS_EXPORT std::byte* reserve_pages(std::size_t size) noexcept;
// As reserve_pages(), with huge pages where the system provides them: for data.
[[nodiscard]] JOBS_EXPORT std::byte* reserve_data(std::size_t size) noexcept;
// Pages of both functions above.
JOBS_EXPORT void release_pages(std::byte* base, std::size_t size) noexcept;

enum class GuardKind : std::uint8_t {
  kLightweight,  // MADV_GUARD_INSTALL (Linux 6.13): splits no mapping, any number of guards
  kProtected,    // mprotect: each guard splits a mapping; limit: vm.max_map_count
  kNone,         // no guard: an overflow writes to the memory below the stack
};
// Kind of guard that the system supports; probed once per process. JOBS_STACK_GUARD=mprotect in the
// environment forces kProtected (for tests).
[[nodiscard]] GuardKind guard_kind() noexcept;
// Makes [base, base + size) inaccessible. post: false on failure (errno; ENOMEM under kProtected:
// vm.max_map_count is reached).
[[nodiscard]] bool install_guard(std::byte* base, std::size_t size, GuardKind kind) noexcept;
// Installs `count` guards at a distance of `stride` bytes. post: the number of guards installed,
// from the lowest on; errno if it is less than `count`.
[[nodiscard]] std::size_t install_guards(std::byte* base, std::size_t size, std::size_t stride,
                                         std::size_t count, GuardKind kind) noexcept;
// Makes the page at `page`, and those at distances of `stride` bytes above it, resident before they
// are touched. Does nothing unless one system call suffices for all of them.
void populate_pages(std::byte* page, std::size_t stride, std::size_t count) noexcept;
// Makes [base, base + size) resident before it is touched, by one system call: it costs less than
// one page fault per page. Does nothing if the kernel cannot.
void populate(std::byte* base, std::size_t size) noexcept;
// Releases the memory of [base, base + size). The range stays usable and reads as zero. Guards
// inside it stay. post: false if the kernel refused; then the memory is unchanged.
bool discard_pages(std::byte* base, std::size_t size) noexcept;
// Returns the first resident page of [base, base + size). base + size: no page is resident, or the
// system does not return the state.
[[nodiscard]] std::byte* first_resident_page(std::byte* base, std::size_t size) noexcept;
// Returns the free memory of the heap to the system, as far as the C library can.
void trim_heap() noexcept;
// Maximum number of mappings of the process (vm.max_map_count). 0: unknown.
[[nodiscard]] std::size_t max_mappings() noexcept;

// --- memory nodes --------------------------------------------------------------------------------

// Kernel number of a NUMA node.
using Node = int;
// The default: a page lies on the node of the first thread that touches it.
inline constexpr Node kAnyNode = -1;

// Pages of [base, base + size) that are touched after the call come from that node while it has
// room. pre: base is the first byte of a page. post: false if the kernel refused (no such node, a
// sandbox); callers continue without it.
JOBS_EXPORT bool prefer_node(void* base, std::size_t size, Node node) noexcept;
// Pages come from the given nodes in turn.
bool interleave_nodes(void* base, std::size_t size, std::span<const Node> nodes) noexcept;
// Writes the node of the page of each address. kAnyNode: the page is not resident, or the kernel
// does not return its node.
void find_nodes(std::span<const void* const> addresses, std::span<Node> nodes) noexcept;

// --- threads -------------------------------------------------------------------------------------

// Kernel number of a thread of this process (affinity.hpp).
using ThreadId = int;

JOBS_EXPORT void set_thread_name(const char* name) noexcept;  // cut to 15 bytes
// Restricts the calling thread to one logical CPU. post: false if the kernel refused; callers
// continue without it.
bool pin_thread(unsigned cpu) noexcept;
// Restricts the calling thread to several CPUs. pre: `cpus` is not empty.
bool pin_thread(std::span<const unsigned> cpus) noexcept;
// Returns the CPU that the calling thread runs on; the result may be outdated at once.
[[nodiscard]] JOBS_EXPORT unsigned current_cpu() noexcept;
constexpr unsigned kNoCpu = ~0u;
// Moves the calling thread to another CPU of its affinity mask if one exists, but not to `avoided`;
// the mask stays unchanged. It takes about 10 us.
void leave_cpu(unsigned avoided) noexcept;
// Moves another thread of this process away from `cpu`, but not to `avoided`. No effect if the
// thread is not there. pre: the thread has not been joined.
using ThreadHandle = unsigned long;  // pthread_t
void move_thread(ThreadHandle thread, unsigned cpu, unsigned avoided = kNoCpu) noexcept;
// Blocks all asynchronous signals in the calling thread, so that handlers run on the user's
// threads. Workers call it for their whole life, so no function undoes it. The synchronous signals
// (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS) stay unblocked.
JOBS_EXPORT void block_signals() noexcept;

// Makes the end of the calling thread call ended(object), unless the guard is set again before. A
// null `object` removes the guard. The end of the process calls nothing. `ended` must be the same
// function in each call.
void set_exit_guard(void* object, void (*ended)(void*)) noexcept;

// --- reports -------------------------------------------------------------------------------------

// Human-readable form of a code address: "app+0x1234 (function+0x10)". It contains the function if
// the program exports its name, or if the symbol table of the file has it: that table also has
// lambdas and local functions. The first call for a file reads its table. addr2line adds the line:
// `addr2line -fCe app 0x1234`.
[[nodiscard]] JOBS_EXPORT std::string describe_address(const void* address);
// The name of the function that contains a code address; describe_address() if it has no name.
[[nodiscard]] JOBS_EXPORT std::string function_name(const void* address);

// Calls serve() on its own thread each time the signal arrives. Call it once per process and
// signal; all signals share one serve(). Throws std::system_error.
void serve_signal(int signal, void (*serve)() noexcept);

// --- faults --------------------------------------------------------------------------------------

// Writes to the standard error without buffering. Async-signal-safe.
void write_error(std::string_view text) noexcept;
// Writes to the standard error and aborts. If several threads call it, the first one writes. In a
// simulation the text becomes its finding.
[[noreturn]] JOBS_EXPORT void fatal_error(std::string_view text) noexcept;

// Examines an access that faulted. Returns true if it has reported the fault. Async-signal-safe, on
// the faulting thread.
using FaultReport = bool (*)(const void* address) noexcept;
// Installs `report`: from then on it sees each SIGSEGV and SIGBUS of the process before the
// previous action. The previous action then takes its course. A reported access happens again under
// the previous action, so that the process dies, and dumps, at the faulting frame.
void report_faults(FaultReport report) noexcept;

// Gives the calling thread a stack for signal handlers, so that a fault of its own stack can be
// handled. post: false if the thread has one already, which stays, or if the kernel refused.
[[nodiscard]] std::size_t signal_stack_size() noexcept;  // a multiple of page_size()
bool set_signal_stack(std::byte* base, std::size_t size) noexcept;
void clear_signal_stack() noexcept;

}  // namespace jobs::inline JOBS_ABI::os
