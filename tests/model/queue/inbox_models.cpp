// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Inbox: the owner drains each pushed message once, in the order of each pusher, and a push wakes a
// sleeping owner.
#include "jobs/queue/inbox.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "jobs/base/atomic.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

struct Letter {
  detail::Plain<Letter*> next{nullptr};
  detail::Plain<int> written{0};
};

constexpr os::Nanoseconds kSoon = 100;

// Letters are destroyed as soon as they are received, like the stack frames of waiters.
class Post {
 public:
  static constexpr std::size_t kOther = 2;  // letters from here on belong to the second sender

  explicit Post(std::size_t letters) {
    for (std::size_t i = 0; i < letters; ++i) letters_[i].emplace();
    left_ = letters;
  }

  void send(std::size_t i) {
    letters_[i]->written = 1;
    inbox_->push(*letters_[i]);
  }

  // The owner: receives everything, then destroys the inbox.
  template <class Wait>
  void receive_all(Wait&& wait) {
    while (left_ > 0) {
      receive();
      if (left_ > 0) wait(*inbox_);
    }
    check(inbox_->drain() == nullptr, "nothing comes twice");
    inbox_.reset();
  }

 private:
  void receive() {
    for (Letter* letter = inbox_->drain(); letter != nullptr;) {
      Letter* next = letter->next;
      std::size_t i = 0;
      while (!letters_[i].has_value() || &*letters_[i] != letter) ++i;
      check(letter->written == 1, "what the sender wrote is there");
      check(i == 0 || i == kOther || !letters_[i - 1].has_value(),
            "each sender's letters come in their order");
      letters_[i].reset();
      --left_;
      letter = next;
    }
  }

  std::optional<detail::Inbox<Letter>> inbox_{std::in_place};
  std::array<std::optional<Letter>, 4> letters_;
  std::size_t left_ = 0;
};

void polled() {
  Post post(3);
  run_threads([&] { post.receive_all([](auto&) { detail::cpu_relax(); }); },
              [&] {
                post.send(0);
                post.send(1);
              },
              [&] { post.send(Post::kOther); });
}

void owner_parks() {
  Post post(2);
  run_threads(
      [&] { post.receive_all([](auto& inbox) { check(inbox.park(os::kNever), "no deadline"); }); },
      [&] {
        post.send(0);
        post.send(1);
      });
}

void owner_parks_for_two() {
  Post post(3);
  run_threads(
      [&] { post.receive_all([](auto& inbox) { check(inbox.park(os::kNever), "no deadline"); }); },
      [&] {
        post.send(0);
        post.send(1);
      },
      [&] { post.send(Post::kOther); });
}

void owner_parks_with_a_deadline_once() {
  Post post(2);
  run_threads(
      [&] {
        os::Nanoseconds deadline = kSoon;
        post.receive_all([&](auto& inbox) {
          if (!inbox.park(deadline)) deadline = os::kNever;
        });
      },
      [&] {
        post.send(0);
        post.send(1);
      });
}

// If park() returns false, nothing arrived before the deadline. The owner then need not check the
// inbox again.
void timeout_loses_nothing() {
  Post post(1);
  run_threads(
      [&] {
        bool timed_out = false;
        post.receive_all(
            [&](auto& inbox) { timed_out = !inbox.park(timed_out ? os::kNever : kSoon); });
      },
      [&] { post.send(0); });
}

// The basis of the idle protocol. The sender pushes, fences and reads the parked mark; the owner
// sets the mark, fences and reads the inbox.
void last_look_with_fences() {
  detail::Inbox<Letter> inbox;
  Letter letter;
  detail::Atomic<bool> mark{false};
  bool sender_saw = false;
  bool owner_saw = false;
  run_threads(
      [&] {
        inbox.push(letter);
        detail::full_fence(std::memory_order_seq_cst);
        sender_saw = mark.load(std::memory_order_relaxed);
      },
      [&] {
        mark.store(true, std::memory_order_relaxed);
        detail::full_fence(std::memory_order_seq_cst);
        owner_saw = !inbox.is_empty();
      });
  check(sender_saw || owner_saw, "one of the two sees the other");
}

}  // namespace

const Subject& subject() {
  static const Subject inbox = {
      .headers = {"jobs/queue/inbox.hpp"},
      .not_shown = {},
      .models =
          {
              {"owner_parks", owner_parks, {.preemptions = 4}},
              {"timeout_loses_nothing",
               timeout_loses_nothing,
               {.preemptions = 4, .spurious_wakes = 1}},
              {"owner_parks_with_a_deadline_once",
               owner_parks_with_a_deadline_once,
               {.preemptions = 3, .spurious_wakes = 1}},
              {"last_look_with_fences", last_look_with_fences, {.preemptions = 4}},
              {"polled", polled, {.preemptions = 2}},
              {"owner_parks_for_two", owner_parks_for_two, {.preemptions = 2}},
          },
  };
  return inbox;
}

}  // namespace jobs::model
