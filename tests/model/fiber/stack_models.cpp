// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Stacks: threads allocate, use and return them while another thread trims. No stack in use loses
// its content, no two threads have the same stack, and no stack is lost.
#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <vector>

#include "jobs/error.hpp"
#include "jobs/fiber/stack_allocator.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::inline JOBS_ABI::os {

// The parts of the operating system that only stacks use. There are no guards.
GuardKind guard_kind() noexcept { return GuardKind::kNone; }
std::byte* reserve_pages(std::size_t size) noexcept { return reserve_data(size); }
std::size_t install_guards(std::byte*, std::size_t, std::size_t, std::size_t count,
                           GuardKind) noexcept {
  return count;
}
void populate_pages(std::byte*, std::size_t, std::size_t) noexcept {}
std::size_t max_mappings() noexcept { return 0; }

}  // namespace jobs::inline JOBS_ABI::os

namespace jobs::inline JOBS_ABI::detail {

const std::vector<os::Node>& usable_memory_nodes() {
  static const std::vector<os::Node> none;
  return none;
}

}  // namespace jobs::inline JOBS_ABI::detail

namespace jobs::model {
namespace {

using detail::Atomic;
using detail::Stack;
using detail::StackAllocator;
using detail::StackPool;

constexpr std::size_t kSize = 16 * 1024;

class Stacks {
 public:
  explicit Stacks(bool trims, std::size_t max = 0)
      : limit_(max), allocator_(kSize, limit_, os::GuardKind::kNone, trims, os::kAnyNode) {}

  // A fiber begins, runs and ends: it fills its stack, and finds its frames again. Returns false if
  // there is no stack.
  bool run_fiber() { return run_fiber(allocator_.loops()); }
  bool run_fiber(StackPool& pool) {
    Stack stack;
    try {
      stack = pool.allocate();
    } catch (const Error&) {
      return false;
    }
    const auto mark = static_cast<std::byte>(current_thread());
    stack.base[0] = mark;
    stack.base[stack.size - 1] = mark;
    step_.load(std::memory_order_relaxed);  // other threads may run here
    check(stack.base[0] == mark && stack.base[stack.size - 1] == mark,
          "the frames of a running fiber stay");
    pool.release(stack);
    return true;
  }
  // Returns the number of stacks that have been cut.
  std::size_t cut() { return allocator_.tops(100).size(); }
  StackAllocator& allocator() { return allocator_; }
  void trim() { allocator_.trim(); }

  void finish(std::size_t max) {
    check(cut() <= max, "ended fibers leave their stacks to later ones");
    check(limit_.in_use() == 0 && allocator_.loops().in_use() == 0, "each stack was returned");
    const std::size_t before = cut();
    std::vector<Stack> all;
    for (std::size_t i = 0; i < before; ++i) all.push_back(allocator_.loops().allocate());
    check(cut() == before, "no stack is lost");
    for (const Stack& stack : all) allocator_.loops().release(stack);
  }

 private:
  detail::StackLimit limit_;
  StackAllocator allocator_;
  Atomic<int> step_{0};
};

template <bool kTrims>
void fibers_run_while_a_thread_trims() {
  Stacks stacks(kTrims);
  run_threads(
      [&] {
        stacks.run_fiber();
        stacks.run_fiber();
      },
      [&] { stacks.run_fiber(); }, [&] { stacks.trim(); });
  stacks.finish(2);
}

// The idle stacks are neighbours: one call to the system trims them.
void neighbours_are_taken_while_a_thread_trims() {
  Stacks stacks(false);
  std::array<Stack, 3> idle;
  for (Stack& stack : idle) stack = stacks.allocator().loops().allocate();
  for (const Stack& stack : idle) stacks.allocator().loops().release(stack);
  run_threads([&] { stacks.run_fiber(); }, [&] { stacks.run_fiber(); }, [&] { stacks.trim(); });
  stacks.finish(3);
}

// A neighbour of the idle stacks is in use.
void a_running_fiber_lies_between_idle_stacks() {
  Stacks stacks(false);
  std::array<Stack, 3> idle;
  for (Stack& stack : idle) stack = stacks.allocator().loops().allocate();
  stacks.allocator().loops().release(idle[2]);
  stacks.allocator().loops().release(idle[0]);
  idle[1].base[0] = idle[1].base[kSize - 1] = std::byte{7};
  run_threads([&] { stacks.run_fiber(); }, [&] { stacks.trim(); });
  check(idle[1].base[0] == std::byte{7} && idle[1].base[kSize - 1] == std::byte{7},
        "the frames of a running fiber stay");
  stacks.allocator().loops().release(idle[1]);
  stacks.finish(3);
}

// From the 33rd stack on, the pool prepares one more in advance.
void prepared_stack_is_taken_while_a_thread_trims() {
  Stacks stacks(false);
  StackPool& pool = stacks.allocator().loops();
  std::array<Stack, 33> used;
  for (Stack& stack : used) stack = pool.allocate();
  Stack& last = used.back();
  last.base[0] = last.base[kSize - 1] = std::byte{7};
  run_threads([&] { stacks.run_fiber(); }, [&] { stacks.trim(); });
  check(last.base[0] == std::byte{7} && last.base[kSize - 1] == std::byte{7},
        "the frames of a running fiber stay");
  for (const Stack& stack : used) pool.release(stack);
  stacks.finish(34);
}

void fibers_meet_their_limit() {
  Stacks stacks(true, 1);
  bool ran[2]{};
  run_threads([&] { ran[0] = stacks.run_fiber(); }, [&] { ran[1] = stacks.run_fiber(); });
  check(ran[0] || ran[1], "one fiber is below the limit");
  stacks.finish(1);
}

// Two workers use a size for the first time, and a thread trims.
void size_is_used_for_the_first_time() {
  Stacks stacks(false);
  constexpr detail::StackClass kClass = 1;
  const auto run_fiber = [&] { stacks.run_fiber(stacks.allocator().of(kClass)); };
  run_threads(run_fiber, run_fiber, [&] { stacks.trim(); });
  check(stacks.allocator().of(kClass).in_use() == 0, "both use one pool");
}

}  // namespace

const Subject& subject() {
  static const Options kSampled = {
      .search = Search::kPriorities, .max_executions = 20'000, .seconds = 100};
  static const Subject stacks = {
      .headers = {"jobs/fiber/stack_pool.hpp"},
      .not_shown = {},
      .models =
          {
              {"fibers_meet_their_limit", fibers_meet_their_limit, {.preemptions = 3}},
              {"a_running_fiber_lies_between_idle_stacks",
               a_running_fiber_lies_between_idle_stacks,
               {.preemptions = 3}},
              {"prepared_stack_is_taken_while_a_thread_trims",
               prepared_stack_is_taken_while_a_thread_trims,
               {.preemptions = 2}},
              // Too large to exhaust.
              {"neighbours_are_taken_while_a_thread_trims",
               neighbours_are_taken_while_a_thread_trims, kSampled},
              {"fibers_run_while_a_thread_trims", fibers_run_while_a_thread_trims<false>, kSampled},
              {"size_is_used_for_the_first_time", size_is_used_for_the_first_time, kSampled},
              {"stacks_are_trimmed_when_returned", fibers_run_while_a_thread_trims<true>, kSampled},
          },
  };
  return stacks;
}

}  // namespace jobs::model
