// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ChaseLevDeque: whatever the owner and the thieves do, exactly one of them obtains each job, or
// the job is still in the deque.
#include <array>
#include <cstddef>
#include <cstdint>

#include "jobs/queue/chase_lev_deque.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

// The pusher writes an item before its push, and the taker reads it: the deque must carry the
// happens-before edge.
struct Item {
  detail::Plain<int> written{0};
  int obtained = 0;  // threads of the model do not run in parallel
  bool pushed = false;
};

using detail::OwnerBarrier;
using detail::StealStatus;

// The deque becomes private again after each undisturbed take of the owner.
using Deque = detail::ChaseLevDeque<Item, std::int8_t, 2, 1>;

class Game {
 public:
  explicit Game(OwnerBarrier barrier = OwnerBarrier::kAlways) : deque_(barrier) {}

  void push(std::size_t i) {
    items_[i].written = 1;
    items_[i].pushed = true;
    deque_.push(&items_[i]);
  }
  void pop() {
    if (Item* item = deque_.pop()) obtain(*item);
  }
  bool pop_if(std::size_t i) {
    const bool popped = deque_.pop_if(&items_[i]);
    if (popped) obtain(items_[i]);
    return popped;
  }
  bool pop_oldest() {
    Item* const item = deque_.pop_oldest();
    if (item == nullptr) return false;
    for (const Item* older = items_.data(); older != item; ++older)
      check(older->obtained != 0, "it was the oldest");
    obtain(*item);
    return true;
  }
  StealStatus steal() {
    const auto stolen = deque_.steal();
    check((stolen.item != nullptr) == (stolen.status == StealStatus::kTaken), "an item iff taken");
    if (stolen.item != nullptr) obtain(*stolen.item);
    return stolen.status;
  }
  void publish() { deque_.publish(); }
  void force_publish() { deque_.force_publish(); }
  bool looks_empty() const { return deque_.looks_empty(); }
  void shrink() { deque_.shrink(); }
  // Fills and empties the deque, so that the indices are about to wrap.
  void advance(int count) {
    for (int i = 0; i < count; ++i) {
      deque_.push(&items_[0]);
      check(deque_.steal().status == StealStatus::kTaken, "nobody is in the way");
    }
  }
  // After all threads: the remaining items can be taken, and each item was obtained once.
  void finish() {
    deque_.force_publish();
    while (!deque_.looks_empty()) check(steal() == StealStatus::kTaken, "nobody is in the way");
    check(deque_.pop() == nullptr, "empty for thieves, empty for the owner");
    for (const Item& item : items_)
      check(item.obtained == (item.pushed ? 1 : 0), "every job is obtained exactly once");
  }

 private:
  static void obtain(Item& item) {
    check(item.pushed, "only what was pushed comes out");
    check(item.written == 1, "what the pusher wrote is there");
    check(++item.obtained == 1, "no job is obtained twice");
  }

  Deque deque_;
  std::array<Item, 6> items_;
};

void owner_and_thief_want_the_last() {
  Game game;
  game.push(0);
  run_threads([&] { game.pop(); }, [&] { game.steal(); });
  game.finish();
}

void push_and_pop_two_against_two_steals() {
  Game game;
  run_threads(
      [&] {
        game.push(0);
        game.push(1);
        game.pop();
        game.pop();
      },
      [&] {
        game.steal();
        game.steal();
      });
  game.finish();
}

void two_thieves() {
  Game game;
  run_threads(
      [&] {
        game.push(0);
        game.push(1);
        game.pop();
      },
      [&] { game.steal(); }, [&] { game.steal(); });
  game.finish();
}

void slot_is_reused() {
  Game game;
  run_threads(
      [&] {
        game.push(0);
        game.pop();
        game.push(1);
        game.push(2);
        game.pop();
      },
      [&] {
        game.steal();
        game.steal();
      });
  game.finish();
}

void ring_goes_round_under_a_slow_thief() {
  Game game;
  game.push(0);
  run_threads(
      [&] {
        game.push(1);
        game.push(2);  // needs the slot of 0 or a larger buffer
        game.pop();
      },
      [&] { game.steal(); }, [&] { game.steal(); });
  game.finish();
}

void grows_under_thieves() {
  Game game;
  run_threads(
      [&] {
        game.push(0);
        game.push(1);
        game.push(2);
        game.push(3);
        game.pop();
      },
      [&] { game.steal(); }, [&] { game.steal(); });
  game.finish();
}

void indices_wrap() {
  Game game;
  game.advance(126);
  run_threads(
      [&] {
        game.push(0);
        game.push(1);
        game.push(2);
        game.pop();
        game.pop();
      },
      [&] {
        game.steal();
        game.steal();
      });
  game.finish();
}

void join_of_the_own_child() {
  Game game;
  run_threads(
      [&] {
        game.push(0);
        game.push(1);
        if (game.pop_if(1)) game.pop_if(0);
      },
      [&] { game.steal(); }, [&] { game.steal(); });
  game.finish();
}

void join_finds_a_foreign_job_at_the_bottom() {
  Game game;
  run_threads(
      [&] {
        game.push(0);
        game.push(1);  // the job of another fiber
        check(!game.pop_if(0), "1 lies at the bottom, or nothing");
        game.pop_if(1);
        game.pop_if(0);
      },
      [&] {
        game.steal();
        game.steal();
      });
  game.finish();
}

void index_of_a_stolen_child_is_used_again() {
  Game game;
  run_threads(
      [&] {
        game.push(0);
        game.pop();
        game.push(1);  // at the index of 0
        check(!game.pop_if(0), "it is not there");
        game.pop();
      },
      [&] { game.steal(); });
  game.finish();
}

// --- the owner takes the oldest

// Two entries remain, so the owner does not fail.
void owner_takes_the_oldest_beside_a_thief() {
  Game game;
  game.push(0);
  game.push(1);
  game.push(2);
  run_threads(
      [&] {
        check(game.pop_oldest(), "two are left at least");
        game.pop();
      },
      [&] { game.steal(); });
  game.finish();
}

// The newest entry stays for pop(), even if thieves leave no other.
void owner_takes_the_oldest_or_none() {
  Game game;
  game.push(0);
  check(!game.pop_oldest(), "the newest is not old");
  game.push(1);
  run_threads(
      [&] {
        game.pop_oldest();
        game.pop();
      },
      [&] {
        game.steal();
        game.steal();
      });
  game.finish();
}

void owner_takes_the_oldest_of_a_private_deque() {
  Game game(OwnerBarrier::kWhenPublic);
  game.push(0);
  game.push(1);
  game.push(2);
  run_threads(
      [&] {
        check(game.pop_oldest(), "two are left at least");
        game.pop();  // makes the deque private again
        game.push(3);
        game.pop();
      },
      [&] {
        game.force_publish();
        game.steal();
      });
  game.finish();
}

void owner_takes_the_oldest_before_it_grows() {
  Game game(OwnerBarrier::kWhenPublic);
  game.push(0);
  game.push(1);
  run_threads(
      [&] {
        game.pop_oldest();
        game.push(2);
        game.push(3);  // grows if no entry was taken
        game.pop();
      },
      [&] {
        game.steal();
        game.steal();
      });
  game.finish();
}

// --- shrinking

// A thief may have read the pointer to the large buffer.
void shrinks_under_a_thief() {
  Game game;
  game.push(0);
  game.push(1);
  game.push(2);  // grows
  run_threads(
      [&] {
        game.pop();
        game.shrink();
        game.push(3);
        game.pop();
      },
      [&] {
        game.steal();
        game.steal();
      });
  game.finish();
}

void shrinks_under_two_thieves() {
  Game game;
  game.push(0);
  game.push(1);
  game.push(2);
  run_threads(
      [&] {
        game.pop();
        game.shrink();
        game.push(3);
      },
      [&] { game.steal(); }, [&] { game.steal(); });
  game.finish();
}

// The thief may have read the pointer to either buffer in its first life.
void grows_again_under_a_thief() {
  Game game;
  game.push(0);
  game.push(1);
  game.push(2);
  run_threads(
      [&] {
        game.pop();
        game.shrink();
        game.push(3);
        game.push(4);  // may grow into the discarded buffer
        game.pop();
      },
      [&] {
        game.steal();
        game.steal();
      });
  game.finish();
}

// The first buffer still has the entries that were stolen from the large one.
void shrinks_into_a_buffer_with_old_entries() {
  Game game;
  game.push(0);
  game.push(1);
  game.push(2);  // grows
  game.steal();
  game.steal();
  game.push(3);
  run_threads(
      [&] {
        game.shrink();
        game.pop();
      },
      [&] {
        game.steal();
        game.steal();
      });
  game.finish();
}

void does_not_shrink_with_many_entries() {
  Game game;
  game.push(0);
  game.push(1);
  game.push(2);
  run_threads(
      [&] {
        game.shrink();
        game.pop();
      },
      [&] { game.steal(); });
  game.finish();
}

// The indices of a private deque grow by two capacities, which are smaller after a shrink.
void shrinks_while_it_changes_between_private_and_public() {
  Game game(OwnerBarrier::kWhenPublic);
  game.push(0);
  game.push(1);
  game.push(2);
  game.publish();
  run_threads(
      [&] {
        game.pop();  // makes the deque private
        game.shrink();
        game.push(3);
        game.publish();
        game.pop();
      },
      [&] {
        game.force_publish();
        game.steal();
      });
  game.finish();
}

// --- private and public

void force_publish_against_two_takes() {
  Game game(OwnerBarrier::kWhenPublic);
  game.push(0);
  game.push(1);
  run_threads(
      [&] {
        game.pop();
        game.pop();
      },
      [&] {
        game.force_publish();
        game.steal();
      });
  game.finish();
}

void force_publish_against_pushes_and_a_take() {
  Game game(OwnerBarrier::kWhenPublic);
  run_threads(
      [&] {
        game.push(0);
        game.push(1);
        game.pop();
      },
      [&] {
        game.force_publish();
        game.steal();
      });
  game.finish();
}

void thief_asks() {
  Game game(OwnerBarrier::kWhenPublic);
  run_threads(
      [&] {
        game.push(0);
        game.push(1);
        game.pop();
        game.pop();
      },
      [&] {
        game.steal();
        game.steal();
      });
  game.finish();
}

// Both thieves steal; one of them forces publication.
void two_thieves_one_raids() {
  Game game(OwnerBarrier::kWhenPublic);
  game.push(0);
  game.push(1);
  run_threads([&] { game.pop(); },
              [&] {
                game.force_publish();
                game.steal();
              },
              [&] { game.steal(); });
  game.finish();
}

void two_raiders() {
  Game game(OwnerBarrier::kWhenPublic);
  game.push(0);
  game.push(1);
  const auto thief = [&] {
    game.force_publish();
    game.steal();
  };
  run_threads(
      [&] {
        game.pop();
        game.pop();
      },
      thief, thief);
  game.finish();
}

void owner_shares() {
  Game game(OwnerBarrier::kWhenPublic);
  run_threads(
      [&] {
        game.push(0);
        game.publish();
        game.pop();
      },
      [&] {
        game.steal();
        game.steal();
      });
  game.finish();
}

// The owner makes the deque private while thieves have seen it public.
void owner_hides() {
  Game game(OwnerBarrier::kWhenPublic);
  game.push(0);
  game.push(1);
  game.publish();
  run_threads(
      [&] {
        game.pop();
        game.pop();
      },
      [&] { game.steal(); });
  game.finish();
}

// A thief has an old view of the top, and the index that it reads is in use again.
void owner_hides_and_shares_again() {
  Game game(OwnerBarrier::kWhenPublic);
  game.push(0);
  game.push(1);
  game.publish();
  run_threads(
      [&] {
        game.pop();  // makes the deque private
        game.pop();
        game.push(2);
        game.publish();
      },
      [&] { game.steal(); });
  game.finish();
}

void force_publish_after_it_was_made_private() {
  Game game(OwnerBarrier::kWhenPublic);
  game.push(0);
  game.push(1);
  game.publish();
  run_threads(
      [&] {
        game.pop();  // makes the deque private
        game.pop();
      },
      [&] {
        game.force_publish();
        game.steal();
      });
  game.finish();
}

void late_raid_of_what_was_shared_meanwhile() {
  Game game(OwnerBarrier::kWhenPublic);
  game.push(0);
  game.push(1);
  game.push(2);
  run_threads(
      [&] {
        game.publish();
        game.pop();  // makes the deque private
        game.pop();
        game.pop();
      },
      [&] {
        game.force_publish();
        game.steal();
      });
  game.finish();
}

// The last check of a worker before it sleeps.
void does_not_look_empty_while_it_hides() {
  Game game(OwnerBarrier::kWhenPublic);
  game.push(0);
  game.push(1);
  game.push(2);
  game.publish();
  run_threads([&] { game.pop(); }, [&] { check(!game.looks_empty(), "two remain"); });
  game.finish();
}
void full_does_not_look_empty_while_it_hides() {
  Game game(OwnerBarrier::kWhenPublic);
  game.push(0);
  game.push(1);
  game.push(2);
  game.push(3);  // the ring is full
  game.publish();
  run_threads([&] { game.pop(); }, [&] { check(!game.looks_empty(), "three remain"); });
  game.finish();
}

void hidden_and_empty() {
  Game game(OwnerBarrier::kWhenPublic);
  run_threads(
      [&] {
        game.push(0);
        game.pop();
        game.pop();
        game.push(1);
        game.pop();
      },
      [&] {
        game.force_publish();
        game.steal();
      });
  game.finish();
}

void grows_under_a_raid() {
  Game game(OwnerBarrier::kWhenPublic);
  game.push(0);
  game.push(1);
  run_threads(
      [&] {
        game.push(2);
        game.pop();
        game.pop();
      },
      [&] {
        game.force_publish();
        game.steal();
      });
  game.finish();
}

void hidden_indices_wrap() {
  Game game(OwnerBarrier::kWhenPublic);
  game.publish();
  game.advance(126);
  run_threads(
      [&] {
        game.push(0);
        game.push(1);
        game.pop();
        game.pop();
      },
      [&] {
        game.force_publish();
        game.steal();
      });
  game.finish();
}

}  // namespace

const Subject& subject() {
  static const Subject deque = {
      .headers = {"jobs/queue/chase_lev_deque.hpp", "tests/model/explorer/atomic.hpp"},
      .not_shown =
          {
              {"kStealTake", "would let the thief read the slot after its claim: load buffering"},
              {"kReuse", "partner of kStealTake"},
              {"kForcePublish",
               "the barrier before it and the thief's seq_cst looks order it already: relaxed "
               "would do"},
          },
      .models =
          {
              {"owner_and_thief_want_the_last", owner_and_thief_want_the_last, {.preemptions = 5}},
              {"push_and_pop_two_against_two_steals",
               push_and_pop_two_against_two_steals,
               {.preemptions = 3}},
              {"two_thieves", two_thieves, {.preemptions = 3}},
              {"raid_against_two_takes", force_publish_against_two_takes, {.preemptions = 3}},
              {"raid_one_by_one",
               force_publish_against_two_takes,
               {.preemptions = 2, .membarrier = Membarrier::kOneByOne}},
              {"raid_against_pushes_and_a_take",
               force_publish_against_pushes_and_a_take,
               {.preemptions = 3}},
              {"thief_asks", thief_asks, {.preemptions = 3}},
              {"owner_takes_the_oldest_beside_a_thief",
               owner_takes_the_oldest_beside_a_thief,
               {.preemptions = 3}},
              {"owner_takes_the_oldest_or_none",
               owner_takes_the_oldest_or_none,
               {.preemptions = 3}},
              {"owner_takes_the_oldest_of_a_private_deque",
               owner_takes_the_oldest_of_a_private_deque,
               {.preemptions = 3}},
              {"owner_takes_the_oldest_before_it_grows",
               owner_takes_the_oldest_before_it_grows,
               {.preemptions = 2}},
              {"does_not_shrink_with_many_entries",
               does_not_shrink_with_many_entries,
               {.preemptions = 3}},
              {"shrinks_into_a_buffer_with_old_entries",
               shrinks_into_a_buffer_with_old_entries,
               {.preemptions = 3}},
              {"shrinks_under_a_thief", shrinks_under_a_thief, {.preemptions = 3}},
              {"grows_again_under_a_thief", grows_again_under_a_thief, {.preemptions = 3}},
              {"shrinks_while_it_changes",
               shrinks_while_it_changes_between_private_and_public,
               {.preemptions = 2}},
              {"shrinks_under_two_thieves", shrinks_under_two_thieves, {.preemptions = 2}},
              {"owner_shares", owner_shares, {.preemptions = 3}},
              {"owner_hides", owner_hides, {.preemptions = 3}},
              {"owner_hides_and_shares_again", owner_hides_and_shares_again, {.preemptions = 3}},
              {"raid_after_it_was_hidden",
               force_publish_after_it_was_made_private,
               {.preemptions = 3}},
              {"late_raid_of_what_was_shared_meanwhile",
               late_raid_of_what_was_shared_meanwhile,
               {.preemptions = 3}},
              {"does_not_look_empty_while_it_hides",
               does_not_look_empty_while_it_hides,
               {.preemptions = 3}},
              {"full_does_not_look_empty_while_it_hides",
               full_does_not_look_empty_while_it_hides,
               {.preemptions = 3}},
              {"hidden_and_empty", hidden_and_empty, {.preemptions = 2}},
              {"two_thieves_one_raids", two_thieves_one_raids, {.preemptions = 2}},
              {"two_raiders", two_raiders, {.preemptions = 1}},
              {"grows_under_a_raid", grows_under_a_raid, {.preemptions = 2}},
              {"hidden_indices_wrap", hidden_indices_wrap, {.preemptions = 2}},
              {"slot_is_reused", slot_is_reused, {.preemptions = 3}},
              {"index_of_a_stolen_child_is_used_again",
               index_of_a_stolen_child_is_used_again,
               {.preemptions = 3}},
              {"join_of_the_own_child", join_of_the_own_child, {.preemptions = 2}},
              {"join_finds_a_foreign_job_at_the_bottom",
               join_finds_a_foreign_job_at_the_bottom,
               {.preemptions = 2}},
              {"ring_goes_round_under_a_slow_thief",
               ring_goes_round_under_a_slow_thief,
               {.preemptions = 2}},
              {"grows_under_thieves", grows_under_thieves, {.preemptions = 2}},
              {"indices_wrap", indices_wrap, {.preemptions = 2}},
          },
  };
  return deque;
}

}  // namespace jobs::model
