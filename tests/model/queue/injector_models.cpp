// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Injector: each pushed job is popped once, the oldest first.
#include "jobs/queue/injector.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

struct Item {
  detail::Plain<Item*> next{nullptr};
  detail::Plain<int> written{0};
  bool is_marked = false;
  std::size_t popped_as = 0;  // 1: first of all
};

class Game {
 public:
  void push(std::size_t i, bool mark = false) {
    items_[i].written = 1;
    items_[i].is_marked = mark;
    injector_.push(items_[i], mark);
    ++pushed_;
  }
  bool counts() const { return filled_.load(std::memory_order_relaxed) == 1; }
  void push_chain(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i <= last; ++i) {
      items_[i].written = 1;
      if (i < last) items_[i].next = &items_[i + 1];
    }
    injector_.push_chain(items_[first], items_[last]);
    pushed_ += last - first + 1;
  }
  bool pop() { return count(injector_.pop()); }
  // The owner of a popped item writes to it.
  void pop_and_reuse() {
    Item* const item = injector_.pop();
    if (count(item)) item->next = nullptr;
  }
  // Takes a marked item with an index of at least `from`.
  bool pop_marked(std::size_t from = 0) {
    Item* const item =
        injector_.pop_marked(2, [&](const Item& each) { return &each >= &items_[from]; });
    check(item == nullptr || (item->is_marked && item >= &items_[from]), "the wanted item");
    return count(item);
  }
  void pop_all() {
    while (pop()) {
    }
    check(injector_.looks_empty(), "empty");
    check(filled_.load(std::memory_order_relaxed) == 0, "an empty injector does not count");
    check(popped_ == pushed_, "nothing is lost");
  }
  // True if `earlier` was popped before `later`. One thread popped both.
  bool came_in_order(std::size_t earlier, std::size_t later) const {
    return items_[earlier].popped_as < items_[later].popped_as;
  }
  bool looks_empty() const { return injector_.looks_empty(); }
  // As pop_marked().
  bool may_have_marked(std::size_t from = 0) {
    return injector_.may_have_marked(2, [&](const Item& each) { return &each >= &items_[from]; });
  }

 private:
  bool count(Item* item) {
    if (item == nullptr) return false;
    check(item->written == 1, "what the pusher wrote is there");
    check(item->popped_as == 0, "nothing comes twice");
    item->popped_as = ++popped_;
    return true;
  }

  detail::Atomic<std::uint32_t> filled_{0};
  detail::Injector<Item> injector_{filled_};
  std::array<Item, 4> items_;
  std::size_t pushed_ = 0;
  std::size_t popped_ = 0;
};

void two_push() {
  Game game;
  run_threads(
      [&] {
        game.push(0);
        game.push(1);
      },
      [&] { game.push(2); });
  game.pop_all();
  check(game.came_in_order(0, 1), "first in, first out");
}

void one_pushes_two_pop() {
  Game game;
  run_threads(
      [&] {
        game.push(0);
        game.push(1);
      },
      [&] { game.pop(); }, [&] { game.pop(); });
  game.pop_all();
}

void drained_and_filled_again() {
  Game game;
  game.push(0);
  run_threads([&] { game.push(1); },
              [&] {
                game.pop();
                game.pop();
              });
  game.pop_all();
  check(game.came_in_order(0, 1), "first in, first out");
}

void counts_once_while_it_has_items() {
  Game game;
  game.push(0);
  run_threads(
      [&] {
        game.push(1);
        check(game.counts(), "one of the two is left");
      },
      [&] { game.pop(); });
  check(game.counts(), "one is left");
  game.pop_all();
}

void chain_stays_together() {
  Game game;
  run_threads([&] { game.push_chain(0, 1); }, [&] { game.push(2); }, [&] { game.pop(); });
  game.pop_all();
  check(game.came_in_order(0, 1), "a chain keeps its order");
  check(game.came_in_order(2, 0) || game.came_in_order(1, 2), "nothing gets into a chain");
}

// The marked item is the last one of the queue, then the only one.
void marked_leaves_from_the_end() {
  Game game;
  game.push(0);
  game.push(1, true);
  run_threads([&] { game.pop_marked(); }, [&] { game.push(2); }, [&] { game.pop(); });
  game.pop_all();
}

void marked_leaves_from_the_front() {
  Game game;
  game.push(0, true);
  run_threads([&] { game.pop_marked(); },
              [&] {
                game.push(1, true);
                game.pop();
              });
  game.push(2);
  game.pop_all();
}

// Neither an item without a mark, nor an item that does not match, nor an item behind the limit.
void only_the_wanted_item_leaves() {
  Game game;
  game.push(3);
  check(!game.pop_marked(), "no mark");
  game.push(0, true);
  run_threads([&] { check(!game.pop_marked(1), "does not match, or lies behind the limit"); },
              [&] { game.push(1, true); });
  game.pop();
  check(game.pop_marked(1), "the second item of two");
  game.pop_all();
}

void marked_is_found_while_the_queue_is_used() {
  Game game;
  game.push(0);
  game.push(1, true);
  run_threads([&] { game.pop_and_reuse(); },
              [&] {
                check(game.may_have_marked(1), "it is there");
                check(!game.may_have_marked(2), "no other one");
                game.push(2);
              });
  game.push(3);
  check(game.may_have_marked(2), "more items than the limit");
  game.pop_all();
}

// The basis of the idle protocol. The publisher pushes, fences and reads the sleepers; the worker
// announces itself, fences and reads the injector.
void last_look_with_fences() {
  Game game;
  detail::Atomic<bool> sleeper{false};
  bool pusher_saw = false;
  bool sleeper_saw = false;
  run_threads(
      [&] {
        game.push(0);
        detail::full_fence(std::memory_order_seq_cst);
        pusher_saw = sleeper.load(std::memory_order_relaxed);
      },
      [&] {
        sleeper.store(true, std::memory_order_relaxed);
        detail::full_fence(std::memory_order_seq_cst);
        sleeper_saw = !game.looks_empty();
      });
  check(pusher_saw || sleeper_saw, "one of the two sees the other");
  game.pop_all();
}

}  // namespace

const Subject& subject() {
  static const Subject injector = {
      .headers = {"jobs/queue/injector.hpp", "jobs/queue/raw_spin_lock.hpp"},
      .not_shown = {},
      .models =
          {
              {"two_push", two_push, {.preemptions = 3}},
              {"drained_and_filled_again", drained_and_filled_again, {.preemptions = 3}},
              {"counts_once_while_it_has_items",
               counts_once_while_it_has_items,
               {.preemptions = 3}},
              {"last_look_with_fences", last_look_with_fences, {.preemptions = 3}},
              {"marked_leaves_from_the_end", marked_leaves_from_the_end, {.preemptions = 2}},
              {"marked_leaves_from_the_front", marked_leaves_from_the_front, {.preemptions = 3}},
              {"marked_is_found_while_the_queue_is_used",
               marked_is_found_while_the_queue_is_used,
               {.preemptions = 3}},
              {"only_the_wanted_item_leaves", only_the_wanted_item_leaves, {.preemptions = 3}},
              {"one_pushes_two_pop", one_pushes_two_pop, {.preemptions = 2}},
              {"chain_stays_together", chain_stays_together, {.preemptions = 2}},
          },
  };
  return injector;
}

}  // namespace jobs::model
