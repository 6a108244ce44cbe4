// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The system calls that the library, the C library and hwloc make, and the effect of a sandbox that
// refuses one of them. For denials_test.cpp and its program.
#pragma once

#include <sys/syscall.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace jobs::test {

enum class Effect : std::uint8_t {
  kNone,      // the library does without the call
  kThrows,    // some functions throw an exception with a text
  kEnds,      // the process ends with one line
  kNotTried,  // the dynamic linker needs the call
};

// The effects of a filter that begins at three points.
struct SystemCall {
  std::string_view name;
  long number;
  Effect at_exec;  // before the static initialisers
  Effect at_main;  // before the first scheduler
  Effect later;    // after the start of a scheduler and of the I/O thread
};

#if defined(SYS_epoll_wait)
inline constexpr long kEpollWait = SYS_epoll_wait;
#else
inline constexpr long kEpollWait = SYS_epoll_pwait;
#endif

// Not in the list, because the C library crashes without them: munmap, brk, futex.
inline constexpr std::array kSystemCalls = {
    // Deques and parking continue with full fences if the static initialisers find that the call
    // is refused. Later they rely on it.
    SystemCall{"membarrier", SYS_membarrier, Effect::kNone, Effect::kEnds, Effect::kEnds},
    // The kind of guard pages is chosen at the start.
    SystemCall{"madvise", SYS_madvise, Effect::kNone, Effect::kNone, Effect::kThrows},
    SystemCall{"process_madvise", SYS_process_madvise, Effect::kNone, Effect::kNone, Effect::kNone},
    SystemCall{"mincore", SYS_mincore, Effect::kNone, Effect::kNone, Effect::kNone},
    SystemCall{"mlock", SYS_mlock, Effect::kNone, Effect::kNone, Effect::kNone},
    SystemCall{"mbind", SYS_mbind, Effect::kNone, Effect::kNone, Effect::kNone},
    SystemCall{"move_pages", SYS_move_pages, Effect::kNone, Effect::kNone, Effect::kNone},
    SystemCall{"get_mempolicy", SYS_get_mempolicy, Effect::kNone, Effect::kNone, Effect::kNone},
    SystemCall{"mmap", SYS_mmap, Effect::kNotTried, Effect::kThrows, Effect::kThrows},
    SystemCall{"mprotect", SYS_mprotect, Effect::kNotTried, Effect::kThrows, Effect::kThrows},
    SystemCall{"clone", SYS_clone, Effect::kThrows, Effect::kThrows, Effect::kThrows},
    SystemCall{"clone3", SYS_clone3, Effect::kThrows, Effect::kThrows, Effect::kThrows},
    SystemCall{"sched_setaffinity", SYS_sched_setaffinity, Effect::kNone, Effect::kNone,
               Effect::kNone},
    SystemCall{"sched_getaffinity", SYS_sched_getaffinity, Effect::kNone, Effect::kNone,
               Effect::kNone},
    SystemCall{"sched_getscheduler", SYS_sched_getscheduler, Effect::kNone, Effect::kNone,
               Effect::kNone},
    SystemCall{"sched_yield", SYS_sched_yield, Effect::kNone, Effect::kNone, Effect::kNone},
    SystemCall{"clock_nanosleep", SYS_clock_nanosleep, Effect::kNone, Effect::kNone, Effect::kNone},
    SystemCall{"clock_gettime", SYS_clock_gettime, Effect::kNone, Effect::kNone, Effect::kNone},
    SystemCall{"getcpu", SYS_getcpu, Effect::kNone, Effect::kNone, Effect::kNone},
    SystemCall{"sigaltstack", SYS_sigaltstack, Effect::kNone, Effect::kNone, Effect::kNone},
    SystemCall{"rt_sigaction", SYS_rt_sigaction, Effect::kNone, Effect::kNone, Effect::kNone},
    SystemCall{"rt_sigprocmask", SYS_rt_sigprocmask, Effect::kNone, Effect::kNone, Effect::kNone},
    SystemCall{"prctl", SYS_prctl, Effect::kNone, Effect::kNone, Effect::kNone},
    SystemCall{"openat", SYS_openat, Effect::kNotTried, Effect::kNone, Effect::kNone},
    SystemCall{"newfstatat", SYS_newfstatat, Effect::kNotTried, Effect::kNone, Effect::kNone},
    SystemCall{"io_uring_setup", SYS_io_uring_setup, Effect::kNone, Effect::kNone, Effect::kNone},
    SystemCall{"io_uring_enter", SYS_io_uring_enter, Effect::kNone, Effect::kNone, Effect::kEnds},
    SystemCall{"io_uring_register", SYS_io_uring_register, Effect::kNone, Effect::kNone,
               Effect::kNone},
    SystemCall{"eventfd2", SYS_eventfd2, Effect::kThrows, Effect::kThrows, Effect::kNone},
    // With io_uring, the library makes none of these calls.
    SystemCall{"epoll_create1", SYS_epoll_create1, Effect::kNone, Effect::kNone, Effect::kNone},
    SystemCall{"epoll_ctl", SYS_epoll_ctl, Effect::kNone, Effect::kNone, Effect::kNone},
    SystemCall{"epoll_wait", kEpollWait, Effect::kNone, Effect::kNone, Effect::kNone},
};

}  // namespace jobs::test
