// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The contract with the operating system on Linux: standard error, SIGSEGV and SIGBUS, and the
// alternate signal stack. Process-wide state: the two actions that were set before ours.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::os {

namespace {

struct Watched {
  int signal;
  struct sigaction previous;
};

// Written once, before our handler is installed; read by the handler.
Watched watched_signals[] = {{SIGSEGV, {}}, {SIGBUS, {}}};
FaultReport fault_report = nullptr;

void forward_signal(int signal, siginfo_t* info, void* context,
                    const struct sigaction& previous) noexcept {
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    sigaction(signal, &previous, nullptr);
    // A fault happens again after the return of the handler; a signal that a process sent would be
    // lost.
    if (info->si_code <= 0) raise(signal);
  }
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int error_number = errno;
  const Watched& watched = watched_signals[signal == SIGSEGV ? 0 : 1];
  const bool is_access = info->si_code > 0;  // otherwise si_addr has no meaning
  if (is_access && fault_report(info->si_addr)) {
    sigaction(signal, &watched.previous, nullptr);
  } else {
    forward_signal(signal, info, context, watched.previous);
  }
  errno = error_number;
}

// Runs at the end of the process, or when this code is unloaded.
[[gnu::destructor]] void restore_actions() {
  for (const Watched& watched : watched_signals) {
    struct sigaction present = {};
    if (fault_report == nullptr || sigaction(watched.signal, nullptr, &present) != 0) continue;
    const bool is_ours = (present.sa_flags & SA_SIGINFO) != 0 && present.sa_sigaction == on_fault;
    if (is_ours) sigaction(watched.signal, &watched.previous, nullptr);
  }
}

}  // namespace

void write_error(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // standard error is closed
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void report_faults(FaultReport report) noexcept {
  fault_report = report;
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (Watched& watched : watched_signals) {
    // Before the action is set: our handler needs it from then on.
    sigaction(watched.signal, nullptr, &watched.previous);
    sigaction(watched.signal, &action, nullptr);
  }
}

std::size_t signal_stack_size() noexcept {
  // The size grows with the register set of the machine (AVX-512, AMX), so the constant SIGSTKSZ
  // does not suffice.
  const long requested = sysconf(_SC_SIGSTKSZ);
  const std::size_t size =
      std::max<std::size_t>(requested > 0 ? static_cast<std::size_t>(requested) : 0, 16 * 1024);
  return (size + page_size() - 1) / page_size() * page_size();
}

bool set_signal_stack(std::byte* base, std::size_t size) noexcept {
  stack_t present;
  if (sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return false;
  stack_t stack = {};
  stack.ss_sp = base;
  stack.ss_size = size;
  return sigaltstack(&stack, nullptr) == 0;
}

void clear_signal_stack() noexcept {
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

}  // namespace jobs::inline JOBS_ABI::os
