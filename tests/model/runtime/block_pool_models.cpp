// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// BlockPool: each block that another thread frees returns to its owner, once, and after its last
// use.
#include "jobs/runtime/memory/block_pool.hpp"

#include <array>
#include <cstddef>

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

}  // namespace

const Subject& subject() {
  static const Subject block_pool = {
      .headers = {"jobs/runtime/memory/block_pool.hpp"},
      .not_shown = {},
      .models =
          {
              {"one_returns", one_returns, {.preemptions = 4}},
              {"two_return", two_return, {.preemptions = 3}},
          },
  };
  return block_pool;
}

}  // namespace jobs::model
