// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// RwLockCore: writers run alone, readers run together, no waiter is lost, and the last thread to
// leave may destroy it.
#include <optional>

#include "jobs/sync/core/rw_lock_core.hpp"
#include "tests/model/sync/waiting.hpp"

namespace jobs::model {
namespace {

using detail::Plain;
using detail::RwLockCore;
using detail::WaitStatus;
constexpr auto kWrite = RwLockCore::Kind::kExclusive;
constexpr auto kRead = RwLockCore::Kind::kShared;

struct Shared {
  std::optional<RwLockCore> core{std::in_place};
  Plain<int> value{0};

  void write() {
    core->acquire(kWrite, {});
    written();
  }
  void written() {
    value = value + 1;
    core->release(kWrite);
  }
  void read() {
    core->acquire(kRead, {});
    static_cast<void>(int{value});  // the explorer would find a race with a writer
    core->release(kRead);
  }
};

void writer_and_reader() {
  Shared shared;
  run_threads(
      [&] {
        shared.write();
        shared.write();
      },
      [&] {
        shared.read();
        shared.read();
      });
  check(shared.core->state().word == 0, "free, and nobody waits");
}

void two_writers() {
  Shared shared;
  const auto twice = [&] {
    shared.write();
    shared.write();
  };
  run_threads(twice, twice);
  check(shared.value == 4, "no update is lost");
}

void two_readers_and_a_writer() {
  Shared shared;
  run_threads([&] { shared.read(); }, [&] { shared.read(); }, [&] { shared.write(); });
  check(shared.core->state().word == 0, "free, and nobody waits");
}

void reader_between_writers() {
  Shared shared;
  run_threads([&] { shared.write(); }, [&] { shared.read(); }, [&] { shared.write(); });
  check(shared.value == 2, "no update is lost");
}

// The last writer may destroy the permits, though other threads may still be inside release().
void last_writer_destroys() {
  Shared shared;
  const auto write_once = [&] {
    shared.core->acquire(kWrite, {});
    shared.value = shared.value + 1;
    const bool last = shared.value == 3;
    shared.core->release(kWrite);
    if (last) shared.core.reset();
  };
  run_threads(write_once, write_once, write_once);
}

void reader_destroys() {
  Shared shared;
  run_threads(
      [&] {
        shared.core->acquire(kRead, {});
        const bool is_late = shared.value == 1;
        shared.core->release(kRead);
        if (is_late) shared.core.reset();
      },
      [&] { shared.write(); });
}

// A reader waits behind a writer that times out.
void late_writer_lets_readers_pass() {
  Shared shared;
  shared.core->acquire(kRead, {});
  run_threads(
      [&] {
        if (shared.core->acquire(kWrite, {.deadline = 5}) == WaitStatus::kOk) shared.written();
      },
      [&] { shared.read(); }, [&] { shared.core->release(kRead); });
  check(shared.core->state().word == 0, "free, and nobody waits");
}

// The same, but the first reader stays until the other reader has passed.
void late_writer_holds_nobody_up() {
  Shared shared;
  shared.core->acquire(kRead, {});
  run_threads(
      [&] {
        check(shared.core->acquire(kWrite, {.deadline = 5}) == WaitStatus::kTimedOut,
              "a reader is inside");
      },
      [&] { shared.read(); });
  shared.core->release(kRead);
  check(shared.core->state().word == 0, "free, and nobody waits");
}

}  // namespace

const Subject& subject() {
  static const Subject shared_mutex = {
      .headers = {"jobs/sync/core/rw_lock_core.hpp"},
      .not_shown = {},
      .models =
          {
              {"reader_destroys", reader_destroys, {.preemptions = 3}},
              {"writer_and_reader", writer_and_reader, {.preemptions = 2}},
              {"two_writers", two_writers, {.preemptions = 2}},
              {"late_writer_holds_nobody_up", late_writer_holds_nobody_up, {.preemptions = 2}},
              {"two_readers_and_a_writer", two_readers_and_a_writer, {.preemptions = 2}},
              {"reader_between_writers", reader_between_writers, {.preemptions = 1}},
              {"last_writer_destroys", last_writer_destroys, {.preemptions = 1}},
              {"late_writer_lets_readers_pass", late_writer_lets_readers_pass, {.preemptions = 1}},
          },
  };
  return shared_mutex;
}

}  // namespace jobs::model
