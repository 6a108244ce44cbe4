// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// DumpThread: the requests and their files.
#include "jobs/trace/dumps/dump_thread.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>

#include "jobs/base/environment.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

// For the handler.
constinit std::atomic<DumpThread*> thread_of_signal{nullptr};

std::string describe(os::Nanoseconds length) {
  std::array<char, 48> text;
  std::snprintf(text.data(), text.size(), "a frame of %.1f ms", static_cast<double>(length) / 1e6);
  return text.data();
}

}  // namespace

DumpThread::DumpThread(const DumpSettings& settings, Write write)
    : settings_(settings), write_(write), process_(getpid()) {
  if (settings_.signal != 0) check_signal();
  sem_init(&requested_, 0, 0);
  thread_ = jobs::detail::Thread([this] { run(); });
  if (settings_.signal != 0) take_signal();
}

void DumpThread::check_signal() const {
  struct sigaction present = {};
  sigaction(settings_.signal, nullptr, &present);
  const bool is_free = (present.sa_flags & SA_SIGINFO) == 0 &&
                       (present.sa_handler == SIG_DFL || present.sa_handler == SIG_IGN);
  if (is_free) return;
  constexpr const char* kVariable = "JOBS_TRACE_SIGNAL";
  jobs::detail::refuse_variable(kVariable, jobs::detail::read_variable(kVariable),
                                "is a signal that the program handles itself");
}

void DumpThread::take_signal() noexcept {
  thread_of_signal.store(this, std::memory_order_release);
  struct sigaction action = {};
  action.sa_handler = [](int signal) { on_signal(signal); };
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(settings_.signal, &action, nullptr);
}

// sem_post() is async-signal-safe. A forked child has no thread: it ignores the signal.
void DumpThread::on_signal(int) noexcept {
  const int before = errno;
  DumpThread* const self = thread_of_signal.load(std::memory_order_acquire);
  self->signals_.fetch_add(1, std::memory_order_relaxed);
  sem_post(&self->requested_);
  errno = before;
}

void DumpThread::slow_frame(os::Nanoseconds length) noexcept {
  if (is_writing_.load(std::memory_order_relaxed) ||
      slow_files_.load(std::memory_order_relaxed) == kMostSlowFiles)
    return;
  os::Nanoseconds none = 0;
  if (slow_length_.compare_exchange_strong(none, length, std::memory_order_relaxed))
    sem_post(&requested_);
}

void DumpThread::run() noexcept {
  os::block_signals();
  os::set_thread_name("jobs trace");
  for (bool is_stopping = false; !is_stopping;) {
    while (sem_wait(&requested_) != 0) {
    }
    // Requests that came before the stop are served.
    is_stopping = is_stopping_.load(std::memory_order_acquire);
    is_writing_.store(true, std::memory_order_relaxed);
    if (const os::Nanoseconds length = slow_length_.load(std::memory_order_relaxed); length != 0) {
      slow_files_.fetch_add(1, std::memory_order_relaxed);
      write_file(describe(length));
      slow_length_.store(0, std::memory_order_relaxed);
    }
    for (unsigned n = signals_.exchange(0, std::memory_order_relaxed); n != 0; --n)
      write_file("a signal");
    is_writing_.store(false, std::memory_order_relaxed);
  }
}

void DumpThread::write_file(const std::string& reason) noexcept {
  try {
    const std::string path = numbered(settings_.path, ++files_);
    write_(path);
    std::fprintf(stderr, "jobs: JOBS_TRACE: %s: %s\n", reason.c_str(), path.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "jobs: JOBS_TRACE: %s\n", error.what());
  }
}

void DumpThread::stop() noexcept {
  if (process_ != getpid() || !thread_.joinable()) return;
  is_stopping_.store(true, std::memory_order_release);
  sem_post(&requested_);
  thread_.join();
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
