// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BlockPool: each block that another thread frees returns to its owner, once, and after its last
// use. Slabs return to the system only without a block in use.
#include "jobs/runtime/memory/block_pool.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "jobs/base/atomic.hpp"
#include "tests/model/support/models.hpp"

namespace jobs::model {
namespace {

// As large as a slab: each allocate() is a refill.
constexpr std::size_t kBlockSize = 64 * 1024;

// Three blocks that belong to other threads, and the data that these threads write.
class Blocks {
 public:
  static constexpr std::size_t kCount = 3;

  Blocks() {
    for (void*& block : blocks_) block = pool_.allocate();
  }

  // Called by any other thread.
  void use_and_free(std::size_t i) {
    content_[i] = 1;
    pool_.deallocate_remote(blocks_[i]);
  }
  // Called by the owner: takes a block and uses it, whether one of the three or a new one.
  void allocate() {
    void* const block = pool_.allocate();
    for (std::size_t i = 0; i < kCount; ++i) {
      if (blocks_[i] != block) continue;
      check(!is_back_[i], "no block is had twice");
      is_back_[i] = true;
      content_[i] = 2;
    }
  }
  // Called by the owner after all blocks have been freed.
  void expect_all() {
    for (std::size_t i = 0; i < kCount; ++i) allocate();
    for (const bool back : is_back_) check(back, "none is lost");
  }

 private:
  detail::BlockPool pool_{kBlockSize};
  std::array<void*, kCount> blocks_{};
  std::array<detail::Plain<int>, kCount> content_{};
  std::array<bool, kCount> is_back_{};
};

void one_returns() {
  Blocks blocks;
  run_threads([&] { blocks.allocate(); },
              [&] {
                for (std::size_t i = 0; i < Blocks::kCount; ++i) blocks.use_and_free(i);
              });
  blocks.expect_all();
}

void two_return() {
  Blocks blocks;
  run_threads(
      [&] {
        blocks.allocate();
        blocks.allocate();
      },
      [&] {
        blocks.use_and_free(0);
        blocks.use_and_free(1);
      },
      [&] { blocks.use_and_free(2); });
  blocks.expect_all();
}

// Two slabs of two blocks each. Two blocks belong to another thread; the owner releases memory.
class Slabs {
 public:
  static constexpr std::size_t kCount = 4;

  Slabs() {
    for (std::size_t i = 0; i < kCount; ++i) allocate(i);
  }
  void allocate(std::size_t i) {
    blocks_[i] = static_cast<std::size_t*>(pool_.allocate());
    for (std::size_t k = 0; k < blocks_.size(); ++k)
      check(k == i || blocks_[k] != blocks_[i], "no block is had twice");
    use(i);
  }
  // Called by the thread that has the block.
  void use(std::size_t i) { blocks_[i][1] = i + 1; }
  void* give(std::size_t i) {
    check(blocks_[i][1] == i + 1, "a block in use keeps its contents");
    return std::exchange(blocks_[i], nullptr);
  }
  void free_here(std::size_t i) { pool_.deallocate_local(give(i)); }
  void free_elsewhere(std::size_t i) { pool_.deallocate_remote(give(i)); }
  void release() {
    pool_.file_all();
    pool_.release(0, 100);
  }
  // One step. Returns true if another step is due.
  bool release_unused() { return pool_.file_some(1) || pool_.release(0, 1); }
  void set_aside() { pool_.set_aside(); }
  // Called by the owner after all blocks have been freed.
  void expect_nothing() {
    release();
    check(pool_.bytes() == 0, "no block is lost");
  }

 private:
  detail::BlockPool pool_{kBlockSize / 2};
  std::array<std::size_t*, kCount + 1> blocks_{};
};

void released_while_blocks_return() {
  Slabs slabs;
  run_threads(
      [&] {
        slabs.free_here(0);
        slabs.release();
        slabs.allocate(0);
        slabs.free_here(2);
        slabs.release();
        slabs.free_here(0);
      },
      [&] {
        slabs.free_elsewhere(1);
        slabs.free_elsewhere(3);
      });
  slabs.expect_nothing();
}

void released_in_steps_while_blocks_return() {
  Slabs slabs;
  run_threads(
      [&] {
        slabs.free_here(0);
        slabs.set_aside();
        while (slabs.release_unused()) {
        }
        slabs.set_aside();
        slabs.allocate(0);
        while (slabs.release_unused()) {
        }
        slabs.free_here(2);
        slabs.free_here(0);
      },
      [&] {
        slabs.free_elsewhere(1);
        slabs.free_elsewhere(3);
      });
  slabs.expect_nothing();
}

void needed_again_while_set_aside() {
  Slabs slabs;
  run_threads(
      [&] {
        for (const std::size_t i : {0, 1, 2}) slabs.free_here(i);
        slabs.set_aside();
        slabs.allocate(0);
        while (slabs.release_unused()) {
        }
      },
      [&] { slabs.free_elsewhere(3); });
  for (const std::size_t i : {1, 2, 3, 4}) slabs.allocate(i);
  for (const std::size_t i : {0, 1, 2, 3, 4}) slabs.free_here(i);
  slabs.expect_nothing();
}

}  // namespace

const Subject& subject() {
  static const Subject block_pool = {
      .headers = {"jobs/runtime/memory/block_pool.hpp"},
      .not_shown = {},
      .models =
          {
              {"one_returns", one_returns, {.preemptions = 4}},
              {"two_return", two_return, {.preemptions = 3}},
              {"released_while_blocks_return", released_while_blocks_return, {.preemptions = 4}},
              {"released_in_steps_while_blocks_return",
               released_in_steps_while_blocks_return,
               {.preemptions = 4}},
              {"needed_again_while_set_aside", needed_again_while_set_aside, {.preemptions = 4}},
          },
  };
  return block_pool;
}

}  // namespace jobs::model
