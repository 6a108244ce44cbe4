// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads, the locks that block them, and thread ids. They are those of the standard library; in a
// simulation (jobs/testing.hpp) they are those of its virtual threads. They serve starting,
// stopping and reports, which do not justify locks of our own.
//
//   Thread                        std::thread
//   ThreadMutex, ThreadCondition  std::mutex, std::condition_variable
//   ThreadId, this_thread_id()    std::thread::id
//
// A caller that starts a thread reports a failure by refuse_thread().
#pragma once

#include <string_view>
#include <system_error>

#include "jobs/base/config.hpp"

#if defined(JOBS_SIMULATED)

#include "jobs/base/simulated_thread.hpp"

#else

#include <condition_variable>
#include <mutex>
#include <thread>

namespace jobs::inline JOBS_ABI::detail {

using Thread = std::thread;
using ThreadMutex = std::mutex;
using ThreadCondition = std::condition_variable;
using ThreadId = std::thread::id;
inline ThreadId this_thread_id() noexcept { return std::this_thread::get_id(); }

}  // namespace jobs::inline JOBS_ABI::detail

#endif

namespace jobs::inline JOBS_ABI::detail {

// Throws std::system_error with a text that names the purpose of the thread, the limits of the
// system, and the remedy of the program if there is one.
//   refuse_thread(error.code(), "worker 3 of 5", "lower worker_count");
[[noreturn]] JOBS_COLD JOBS_EXPORT void refuse_thread(const std::error_code& reason,
                                                      std::string_view purpose,
                                                      std::string_view remedy = {});

}  // namespace jobs::inline JOBS_ABI::detail
