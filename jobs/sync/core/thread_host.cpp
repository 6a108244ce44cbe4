// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/thread_host.hpp"

#include "jobs/sync/core/active_wait.hpp"

namespace jobs::inline JOBS_ABI::detail {

void ThreadHost::arm(Deadline& deadline) noexcept {
  deadline.armed = true;
  deadline_ = &deadline;
}

void ThreadHost::disarm(Deadline& deadline) noexcept {
  if (!deadline.armed) return;
  deadline.armed = false;
  deadline_ = nullptr;
}

namespace {

// The seat of a participant that waits: held while it helps and spins, and returned before it
// parks. A thread outside of a structured algorithm has no seat.
class WaitSeat {
 public:
  explicit WaitSeat(ThreadContext* participant) noexcept : participant_(participant) {}
  ~WaitSeat() {
    if (is_returned_) participant_->participant->hold_seat(*participant_, true);
  }
  WaitSeat(const WaitSeat&) = delete;
  WaitSeat& operator=(const WaitSeat&) = delete;

  void give_back() noexcept {
    if (participant_ == nullptr || is_returned_) return;
    is_returned_ = true;
    participant_->participant->hold_seat(*participant_, false);
  }

 private:
  ThreadContext* const participant_;
  bool is_returned_ = false;
};

}  // namespace

// Serves the wait by three means: the thread helps, spins, and parks.
JOBS_COLD void ThreadHost::switch_away() noexcept {
  ThreadContext* const inside = this_thread().context;
  WaitSeat seat(inside);
  const os::Nanoseconds deadline = deadline_ == nullptr ? os::kNever : deadline_->at;
  ActiveWait wait;
  while (!has_ready()) {
    Wakeup* message = inbox_.drain();
    if (message == nullptr) {
      if (inside != nullptr && inside->participant->help(*inside, fiber_.waits_for.object)) {
        wait.restart();
        continue;
      }
      if (wait.spin(deadline)) continue;
      seat.give_back();
      if (inbox_.park(deadline)) continue;
      deliver(fiber_, kTimeout);
      disarm(*deadline_);
    }
    while (message != nullptr) {
      Wakeup* next = message->next;
      deliver(fiber_, message->signal);
      message = next;
    }
  }
  pop_ready();
}

}  // namespace jobs::inline JOBS_ABI::detail
