// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SharedSpinLock: writers run alone, readers run together, a writer sees the sections before its
// own, and the last owner may destroy the lock.
#include <optional>

#include "jobs/sync/shared_spin_lock.hpp"
#include "tests/model/sync/waiting.hpp"

namespace jobs::model {
namespace {

using detail::Plain;

struct Guarded {
  std::optional<SharedSpinLock> lock{std::in_place};
  Plain<int> value{0};

  void write() {
    lock->lock();
    value = value + 1;
    lock->unlock();
  }
  int read() {
    lock->lock_shared();
    const int seen = value;  // the explorer would find a race with a writer
    lock->unlock_shared();
    return seen;
  }
};

void two_writers() {
  Guarded guarded;
  run_threads([&] { guarded.write(); }, [&] { guarded.write(); });
  check(guarded.value == 2, "no update is lost");
}

void writer_and_two_readers() {
  Guarded guarded;
  run_threads([&] { guarded.write(); }, [&] { static_cast<void>(guarded.read()); },
              [&] { static_cast<void>(guarded.read()); });
  check(guarded.value == 1, "the update is seen");
}

void reader_between_writers() {
  Guarded guarded;
  run_threads([&] { guarded.write(); }, [&] { check(guarded.read() <= 2, "a value of a writer"); },
              [&] { guarded.write(); });
  check(guarded.value == 2, "no update is lost");
}

void tries_take_no_lock_that_is_taken() {
  Guarded guarded;
  run_threads(
      [&] {
        if (!guarded.lock->try_lock()) return;
        guarded.value = 1;
        guarded.lock->unlock();
      },
      [&] {
        if (!guarded.lock->try_lock_shared()) return;
        static_cast<void>(int{guarded.value});
        guarded.lock->unlock_shared();
      });
}

// The writer that counts to two may destroy the lock, although the other one may still be inside of
// unlock().
void last_writer_destroys() {
  Guarded guarded;
  const auto write_once = [&] {
    guarded.lock->lock();
    guarded.value = guarded.value + 1;
    const bool is_last = guarded.value == 2;
    guarded.lock->unlock();
    if (is_last) guarded.lock.reset();
  };
  run_threads(write_once, write_once);
}

}  // namespace

const Subject& subject() {
  static const Subject shared_spin_lock = {
      .headers = {"jobs/sync/shared_spin_lock.hpp"},
      .not_shown = {},
      .models =
          {
              {"two_writers", two_writers, {.preemptions = 3}},
              {"tries_take_no_lock_that_is_taken",
               tries_take_no_lock_that_is_taken,
               {.preemptions = 3}},
              {"last_writer_destroys", last_writer_destroys, {.preemptions = 2}},
              {"writer_and_two_readers", writer_and_two_readers, {.preemptions = 2}},
              {"reader_between_writers", reader_between_writers, {.preemptions = 2}},
          },
  };
  return shared_spin_lock;
}

}  // namespace jobs::model
