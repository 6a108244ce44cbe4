// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Channel, select() and automatic events. Each item arrives once, and its receiver sees everything
// before the push. A selection performs exactly one operation and leaves nothing behind. The taker
// of the last item may destroy the channel.
#include <optional>

#include "jobs/sync/channel.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/select.hpp"
#include "tests/model/sync/waiting.hpp"

namespace jobs::model {
namespace {

using detail::Plain;

template <std::size_t kCapacity>
void popper_destroys() {
  std::optional<Channel<int>> channel(std::in_place, kCapacity);
  Plain<int> data{0};
  run_threads(
      [&] {
        check(channel->pop() == 1, "the item arrives");
        check(data == 7, "the popper sees what was done before the push");
        channel.reset();
      },
      [&] {
        data = 7;
        check(channel->push(1), "not closed");
      });
}

void two_items_in_order() {
  Channel<int> channel(1);
  run_threads(
      [&] {
        const std::optional<int> first = channel.pop();
        check(first == 1 && channel.pop() == 2, "in the order in which they were pushed");
      },
      [&] {
        static_cast<void>(channel.push(1));
        static_cast<void>(channel.push(2));
      });
}

void closing_wakes() {
  Channel<int> channel(0);
  run_threads([&] { check(!channel.pop(), "nothing came"); }, [&] { channel.close(); });
}

void late_popper_loses_no_item() {
  Channel<int> channel(1);
  run_threads(
      [&] {
        if (!channel.try_pop_until(kSoon)) check(channel.pop() == 1, "it is still there");
        check(!channel.try_pop(), "once");
      },
      [&] { check(channel.push(1), "not closed"); });
}

void late_pusher_knows_whether_it_pushed() {
  Channel<int> channel(0);
  bool pushed = false;
  bool popped = false;
  run_threads(
      [&] {
        pushed = channel.try_push_until(1, kSoon);
        channel.close();
      },
      [&] { popped = channel.pop().has_value(); });
  check(pushed == popped, "both sides agree");
}

// One fiber waits for two channels; one of the items stays in its channel.
void selection_takes_one_of_two() {
  Channel<int> one(1);
  Channel<int> two(1);
  int got = 0;
  run_threads(
      [&] {
        std::optional<int> item;
        static_cast<void>(select(one.on_pop(item), two.on_pop(item)));
        got = *item;
      },
      [&] { check(one.push(1) && two.push(2), "not closed"); });
  const std::optional<int> left = got == 1 ? two.try_pop() : one.try_pop();
  check(left == 3 - got, "the other item has stayed");
}

void two_selections_meet() {
  Channel<int> one(0);
  Channel<int> two(0);
  std::optional<int> pushed = 5;
  std::optional<int> popped;
  run_threads([&] { static_cast<void>(select(one.on_push(pushed), two.on_push(pushed))); },
              [&] { static_cast<void>(select(two.on_pop(popped), one.on_pop(popped))); });
  check(popped == 5 && !pushed, "the item has gone over");
}

// A complete selection is destroyed at once: the opener of the other event may not access
// it any more.
void selection_of_two_events() {
  Event one;
  Event two;
  run_threads([&] { static_cast<void>(select(one.on_signal(), two.on_signal())); },
              [&] { one.signal(); }, [&] { two.signal(); });
  check(one.is_set() && two.is_set(), "they stay set");
}

void late_selection() {
  Channel<int> channel(0);
  Event event;
  run_threads(
      [&] {
        std::optional<int> item;
        if (!select_until(kSoon, channel.on_pop(item), event.on_signal())) event.wait();
      },
      [&] { event.signal(); });
  check(!channel.try_push(1), "nobody waits there any more");
}

// Each signal of an automatic event lets one wait or one selection pass.
void automatic_signals_are_used_once() {
  Event event(Event::Reset::kAutomatic);
  Event other(Event::Reset::kAutomatic);
  bool by_other = false;
  run_threads([&] { by_other = select(event.on_signal(), other.on_signal()) == 1; },
              [&] {
                event.signal();
                other.signal();
              });
  check(event.is_set() == by_other && other.is_set() != by_other, "one of two signals is left");
}

void automatic_event_and_a_late_waiter() {
  std::optional<Event> event(std::in_place, Event::Reset::kAutomatic);
  Plain<int> data{0};
  run_threads(
      [&] {
        if (!event->wait_until(kSoon)) event->wait();
        check(data == 7, "it sees what was done before the signal");
        check(!event->is_set(), "used");
        event.reset();
      },
      [&] {
        data = 7;
        event->signal();
      });
}

void automatic_event_and_two_waiters() {
  Event event(Event::Reset::kAutomatic);
  const auto wait_and_pass_on = [&] {
    event.wait();
    event.signal();
  };
  run_threads(wait_and_pass_on, wait_and_pass_on, [&] { event.signal(); });
  check(event.is_set(), "passed on by the last");
}

}  // namespace

const Subject& subject() {
  static const Subject channel = {
      .headers = {"jobs/queue/raw_spin_lock.hpp", "jobs/sync/core/selection.hpp"},
      .not_shown = {},
      .models =
          {
              {"late_selection", late_selection, {.preemptions = 1}},
              {"automatic_signals_are_used_once",
               automatic_signals_are_used_once,
               {.preemptions = 1}},
              {"selection_of_two_events", selection_of_two_events, {.preemptions = 1}},
              {"automatic_event_and_a_late_waiter",
               automatic_event_and_a_late_waiter,
               {.preemptions = 2}},
              {"buffered_popper_destroys", popper_destroys<1>, {.preemptions = 2}},
              {"rendezvous_popper_destroys", popper_destroys<0>, {.preemptions = 1}},
              {"closing_wakes", closing_wakes, {.preemptions = 2}},
              {"two_items_in_order", two_items_in_order, {.preemptions = 1}},
              {"two_selections_meet", two_selections_meet, {.preemptions = 1}},
              {"selection_takes_one_of_two", selection_takes_one_of_two, {.preemptions = 1}},
              {"automatic_event_and_two_waiters",
               automatic_event_and_two_waiters,
               {.preemptions = 1}},
              {"late_popper_loses_no_item", late_popper_loses_no_item, {.preemptions = 1}},
              {"late_pusher_knows_whether_it_pushed",
               late_pusher_knows_whether_it_pushed,
               {.preemptions = 1}},
          },
  };
  return channel;
}

}  // namespace jobs::model
