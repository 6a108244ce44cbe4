// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BoundSlots: which workers have a thread of the program. Each scheduler owns one object; any
// thread may call it. The first workers of a scheduler are slots for threads that bind themselves;
// their index is that of the worker.
//
// States of a slot, which a mutex guards:
//
//     vacant   neither taken nor serving: the worker has no thread.
//     bound    taken and serving: a thread serves the inbox of the worker.
//     leaving  taken only: the thread has looked at the inbox for the last time.
//
// Protocol.
//   step 1  A thread takes a vacant slot (take()), and is then the owner of the worker.
//   step 2  The thread serves the worker until nothing is pinned to it.
//   step 3  Under the mutex it looks again (stop_serving()). If something has arrived, it returns
//           to step 2. Otherwise it gives the worker up, and the slot is leaving.
//   step 4  The hooks of the options run. Then the slot is vacant (release()).
//
// Proof. (1) Only step 1 sets `taken`, from false to true under the mutex, and only the owner
// clears it. So a worker has one owner at a time. Step 4 and the next step 1 order what the two
// owners do. (2) A submitter that waits (submit()) pushes its job under the mutex, and only while
// the slot is serving. So step 3, which clears this state, sees the job. (3) Other
// jobs for the worker may arrive at any time. A job that step 3 does not see waits in the inbox for
// the next owner. A shutdown is the last one: after refuse_threads() no slot is taken, and
// take_all() makes a thread of the scheduler the owner of each.
#pragma once

#include <mutex>

#include "jobs/base/atomic.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/base/thread.hpp"

namespace jobs::inline JOBS_ABI::detail {

class BoundSlots {
 public:
  static constexpr unsigned kNone = ~0u;

  // `is_first_taken`: the constructing thread is the owner of slot 0. Throws std::bad_alloc.
  BoundSlots(unsigned count, bool is_first_taken)
      : count_(count), slots_(count != 0 ? HeapArray<Slot>(count) : HeapArray<Slot>()) {
    if (is_first_taken) slots_[0].taken = slots_[0].serving = true;
  }

  unsigned count() const noexcept { return count_; }

  // Takes a vacant slot, and returns its index; kNone: there is none, or is_open() returns false.
  // Calls prepare(index) before, which may throw: in that case the slot stays vacant.
  template <class IsOpen, class Prepare>
  unsigned take(IsOpen&& is_open, Prepare&& prepare) {
    const std::scoped_lock lock(mutex_);
    if (!is_open()) return kNone;
    unsigned index = 0;
    while (index < count_ && slots_[index].taken) ++index;
    if (index == count_) return kNone;
    prepare(index);
    slots_[index].taken = slots_[index].serving = true;
    return index;
  }

  // Step 3. give_up() returns false if something is pinned to the worker; otherwise it gives the
  // worker up. Returns its result. The owner of the slot.
  template <class GiveUp>
  bool stop_serving(unsigned index, GiveUp&& give_up) noexcept {
    const std::scoped_lock lock(mutex_);
    if (!give_up()) return false;
    slots_[index].serving = false;
    return true;
  }

  // Step 4. The owner of the slot.
  void release(unsigned index) noexcept {
    const std::scoped_lock lock(mutex_);
    slots_[index].taken = false;
  }

  // Calls push(), which may throw, for a job that its submitter waits for. Returns false, without
  // the call, if no thread serves the worker.
  template <class Push>
  bool submit(unsigned index, Push&& push) {
    const std::scoped_lock lock(mutex_);
    if (!slots_[index].serving) return false;
    push();
    return true;
  }

  // Calls close(), after which is_open() returns false. Does not call it, and returns false, if a
  // slot from `first` on is taken. Later calls return true: by then, threads of the scheduler may
  // have taken the slots.
  template <class IsOpen, class Close>
  bool refuse_threads(unsigned first, IsOpen&& is_open, Close&& close) noexcept {
    const std::scoped_lock lock(mutex_);
    if (!is_open()) return true;
    for (unsigned i = first; i < count_; ++i) {
      if (slots_[i].taken) return false;
    }
    close();
    return true;
  }

  // Takes all vacant slots. start(index) starts a thread that becomes the owner, and returns
  // whether it could. Returns false at the first one that could not start.
  template <class Start>
  bool take_all(Start&& start) noexcept {
    const std::scoped_lock lock(mutex_);
    for (unsigned i = 0; i < count_; ++i) {
      if (slots_[i].taken) continue;
      if (!start(i)) return false;
      slots_[i].taken = slots_[i].serving = true;
    }
    return true;
  }

 private:
  struct Slot {
    Plain<bool> taken{false};
    Plain<bool> serving{false};
  };

  const unsigned count_;
  ThreadMutex mutex_;
  HeapArray<Slot> slots_;
};

}  // namespace jobs::inline JOBS_ABI::detail
