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

constinit std::atomic<ThreadHost::ExchangeSeat> ThreadHost::exchange_seat_{nullptr};

namespace {

// The seat of a waiting thread: held while it helps and spins, and returned before it parks. A
// participant holds its seat before and after the wait, too; a thread outside of a call does not.
class WaitSeat {
 public:
  // `inside`: the context of a participant, or null.
  WaitSeat(ThreadContext* inside, ThreadHost::ExchangeSeat exchange) noexcept
      : inside_(inside), exchange_(exchange) {
    if (inside_ == nullptr && exchange_ != nullptr) outside_ = exchange_(nullptr);
  }
  ~WaitSeat() {
    if (inside_ == nullptr) {
      give_back();
    } else if (is_given_back_) {
      inside_->participant->hold_seat(*inside_, true);
    }
  }
  WaitSeat(const WaitSeat&) = delete;
  WaitSeat& operator=(const WaitSeat&) = delete;

  JOBS_ALWAYS_INLINE void give_back() noexcept {
    if (is_given_back_) return;
    is_given_back_ = true;
    if (inside_ != nullptr) {
      inside_->participant->hold_seat(*inside_, false);
    } else if (outside_ != nullptr) {
      exchange_(outside_);
    }
  }

 private:
  ThreadContext* const inside_;
  const ThreadHost::ExchangeSeat exchange_;
  ThreadHost::Seat outside_ = nullptr;
  bool is_given_back_ = false;
};

}  // namespace

// Serves the wait by three means: the thread helps, spins, and parks.
JOBS_COLD void ThreadHost::switch_away() noexcept {
  ThreadContext* const inside = this_thread().context;
  WaitSeat seat(inside, exchange_seat_.load(std::memory_order_relaxed));
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
