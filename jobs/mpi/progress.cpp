// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The progress thread. serve() and the functions that it calls run on this thread, all other
// functions on the threads of the callers.
//
// MPI has no call that sleeps until one of several requests has completed or a new one arrives, so
// the thread polls. It polls eagerly for kEager after each arrival and each completion, because
// answers often follow at once, and yields its time slice between two polls. Then it sleeps between
// the polls, twice as long each time. A new request ends its sleep. Without requests it sleeps
// until one arrives.
#include "jobs/mpi/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <system_error>

#include "jobs/base/os.hpp"
#include "jobs/error.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/mpi/error.hpp"
#include "jobs/sync/core/park.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::mpi::detail {

namespace {

constexpr os::Nanoseconds kEager = 50'000;
constexpr os::Nanoseconds kFirstPause = 20'000;
constexpr os::Nanoseconds kLongestPause = 500'000;
// Requests for which the thread has memory from the start.
constexpr std::size_t kReserved = 256;

constinit jobs::detail::Atomic<Progress*> only{nullptr};

}  // namespace

bool Progress::exists() noexcept { return only.load(progress_order::kUse) != nullptr; }

Progress& Progress::instance(const char* caller) {
  if (Progress* const progress = only.load(progress_order::kUse)) return *progress;
  throw Error(ErrorCode::kBadArgument,
              std::string("jobs::mpi::") + caller + "() without a jobs::mpi::Environment");
}

Progress::Progress(const void* owner) : owner_(owner) {
  requests_.reserve(kReserved);
  waits_.reserve(kReserved);
  indices_.reserve(kReserved);
  statuses_.reserve(kReserved);
  try {
    thread_ = jobs::detail::Thread([this] { serve(); });
  } catch (const std::system_error& error) {
    jobs::detail::refuse_thread(error.code(), "jobs::mpi");
  }
  only.store(this, progress_order::kPublish);
}

Progress::~Progress() {
  only.store(nullptr, progress_order::kPublish);
  Pending end;
  send(end);
  thread_.join();
}

void Progress::send(Pending& pending) noexcept {
  inbox_.push(pending);
  bell_.signal();
}

MPI_Status Progress::wait(MPI_Request& request) {
  jobs::detail::WaitingThread thread;
  thread.host().prepare_wait();
  jobs::detail::Waiter self(thread.host().current());
  Pending pending;
  pending.request = &request;
  pending.waiter = &self;

  struct NeverWithdrawn {
    bool unlink(jobs::detail::Waiter&) noexcept { return false; }
  } list;
  send(pending);
  static_cast<void>(jobs::detail::park(thread.host(), list, self, {}, {WaitKind::kIo, nullptr}));
  check(pending.error, "MPI_Testsome");
  return pending.status;
}

void Progress::serve() noexcept {
  os::block_signals();
  os::set_thread_name("jobs mpi");
  os::Nanoseconds eager_until = 0;
  os::Nanoseconds pause = kFirstPause;
  for (;;) {
    const std::size_t before = requests_.size();
    take_new();
    if (is_ending_) return;
    if (requests_.empty()) {
      bell_.wait();
      continue;
    }
    const bool has_news = requests_.size() != before;
    if (test() || has_news) {
      eager_until = os::now() + kEager;
      pause = kFirstPause;
    } else if (os::now() < eager_until) {
      os::yield_thread();
    } else if (!bell_.wait_for(std::chrono::nanoseconds(pause))) {
      pause = std::min(2 * pause, kLongestPause);
    }
  }
}

void Progress::take_new() noexcept {
  for (Pending* pending = inbox_.drain(); pending != nullptr;) {
    Pending* const next = pending->next;
    if (pending->waiter == nullptr) {
      is_ending_ = true;
    } else {
      requests_.push_back(*pending->request);
      waits_.push_back(pending);
    }
    pending = next;
  }
  if (is_ending_ && !requests_.empty()) {
    char text[80];
    std::snprintf(text, sizeof text, "destroyed while %zu request%s awaited", requests_.size(),
                  requests_.size() == 1 ? " is" : "s are");
    jobs::detail::contract_violation("mpi::Environment", owner_, text);
  }
}

// Returns true if a wait has ended.
bool Progress::test() noexcept {
  const std::size_t count = requests_.size();
  indices_.resize(count);
  statuses_.resize(count);
  // MPI writes MPI_ERROR for some errors only.
  for (MPI_Status& status : statuses_) status.MPI_ERROR = MPI_SUCCESS;
  int completed = 0;
  const int error = MPI_Testsome(static_cast<int>(count), requests_.data(), &completed,
                                 indices_.data(), statuses_.data());
  if (completed == MPI_UNDEFINED) {  // no request is active: other threads have completed them
    for (std::size_t i = 0; i < count; ++i) finish(i, statuses_[i], error);
  } else {
    bool is_named = error == MPI_SUCCESS;
    for (std::size_t i = 0; i < static_cast<std::size_t>(completed); ++i) {
      const int of_request = error == MPI_SUCCESS ? MPI_SUCCESS : statuses_[i].MPI_ERROR;
      is_named = is_named || of_request != MPI_SUCCESS;
      finish(static_cast<std::size_t>(indices_[i]), statuses_[i], of_request);
    }
    if (!is_named) {  // MPI does not name the request that has failed
      for (std::size_t i = 0; i < count; ++i) {
        if (waits_[i] != nullptr) finish(i, MPI_Status{}, error);
      }
    } else if (completed == 0) {
      return false;
    }
  }
  remove_finished();
  return true;
}

void Progress::finish(std::size_t index, const MPI_Status& status, int error) noexcept {
  Pending& pending = *waits_[index];
  waits_[index] = nullptr;
  *pending.request = requests_[index];
  pending.status = status;
  pending.error = error;
  jobs::detail::wake(*pending.waiter);
}

void Progress::remove_finished() noexcept {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < waits_.size(); ++i) {
    if (waits_[i] == nullptr) continue;
    waits_[kept] = waits_[i];
    requests_[kept] = requests_[i];
    ++kept;
  }
  waits_.resize(kept);
  requests_.resize(kept);
}

}  // namespace jobs::inline JOBS_ABI::mpi::detail
