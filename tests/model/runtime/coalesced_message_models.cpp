// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// CoalescedMessage: a worker that sleeps on the inbox sees every posted change. Its one message is
// never in the inbox twice.
#include "jobs/runtime/parking/coalesced_message.hpp"

#include <array>
#include <cstddef>

#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

using detail::Atomic;

// Stands for a retired worker.
class Parker {
 public:
  // Checks the changes only after a message, until it has seen all of them.
  template <class HasSeenAll>
  void rest_until(HasSeenAll&& has_seen_all) {
    while (!has_seen_all()) {
      check(inbox_.park(os::kNever), "no deadline");
      drain();
    }
  }

  void tell() { notice_.post(inbox_); }

  void drain() {
    for (detail::Wakeup* message = inbox_.drain(); message != nullptr;) {
      detail::Wakeup* const next = message->next;
      check(notice_.is(message), "nothing else is sent");
      notice_.receive();
      message = next;
    }
  }

 private:
  detail::Inbox<detail::Wakeup> inbox_;
  detail::CoalescedMessage notice_;
};

// The second sender may find the message of the first under way: that message then must carry both
// changes.
void two_change_something() {
  Parker parker;
  std::array<Atomic<bool>, 2> changes{};
  const auto change = [&](std::size_t i) {
    changes[i].store(true, std::memory_order_relaxed);
    parker.tell();
  };
  run_threads(
      [&] {
        parker.rest_until([&] {
          return changes[0].load(std::memory_order_relaxed) &&
                 changes[1].load(std::memory_order_relaxed);
        });
      },
      [&] { change(0); }, [&] { change(1); });
}

void changes_three_times() {
  Parker parker;
  Atomic<int> value{0};
  run_threads(
      [&] { parker.rest_until([&] { return value.load(std::memory_order_relaxed) == 3; }); },
      [&] {
        for (int i = 1; i <= 3; ++i) {
          value.store(i, std::memory_order_relaxed);
          parker.tell();
        }
      });
}

// The second change may come just when the worker receives the message of the first.
void change_when_the_message_is_heard() {
  Parker parker;
  Atomic<int> value{0};
  const auto change = [&] {
    value.fetch_add(1, std::memory_order_relaxed);
    parker.tell();
  };
  run_threads(
      [&] { parker.rest_until([&] { return value.load(std::memory_order_relaxed) == 3; }); },
      [&] {
        change();
        change();
      },
      change);
}

}  // namespace

const Subject& subject() {
  static const Subject message = {
      .headers = {"jobs/runtime/parking/coalesced_message.hpp"},
      .not_shown = {},
      .models =
          {
              {"changes_three_times", changes_three_times, {.preemptions = 3}},
              {"two_change_something", two_change_something, {.preemptions = 3}},
              {"change_when_the_message_is_heard",
               change_when_the_message_is_heard,
               {.preemptions = 2}},
          },
  };
  return message;
}

}  // namespace jobs::model
