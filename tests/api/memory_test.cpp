// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// memory_resource(): blocks of workers for the containers of the standard library; and the closures
// that need no heap.
#include "jobs/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory_resource>
#include <new>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "jobs/base/sanitizer.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/with_workers.hpp"

namespace jobs {
namespace {

#if defined(JOBS_ASAN)
constexpr bool kAllOnTheHeap = true;
#else
constexpr bool kAllOnTheHeap = false;
#endif

using MemoryResource = test::WithWorkers;
JOBS_TEST_IN_ALL_PLACES(MemoryResource);

std::uintptr_t address_of(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

// A block that remembers its contents.
struct Block {
  std::byte* memory;
  std::size_t bytes;
  std::size_t alignment;
  std::byte mark;

  static Block allocate(std::pmr::memory_resource& resource, std::size_t bytes,
                        std::size_t alignment, unsigned mark) {
    auto* const memory = static_cast<std::byte*>(resource.allocate(bytes, alignment));
    const Block block{memory, bytes, alignment, static_cast<std::byte>(mark)};
    std::fill_n(memory, bytes, block.mark);
    return block;
  }
  bool is_intact() const {
    return std::all_of(memory, memory + bytes, [this](std::byte byte) { return byte == mark; });
  }
  void deallocate(std::pmr::memory_resource& resource) const {
    resource.deallocate(memory, bytes, alignment);
  }
};

TEST_P(MemoryResource, ServesContainers) {
  run([] {
    std::pmr::memory_resource* const resource = memory_resource();
    std::pmr::unordered_map<int, std::pmr::string> names(resource);
    std::pmr::vector<std::pmr::string> list(resource);
    for (int i = 0; i < 1000; ++i) {
      names.emplace(i, std::string(static_cast<std::size_t>(i), 'x'));
      list.emplace_back(std::to_string(i));
      if (i % 3 == 0) names.erase(i / 2);
    }
    EXPECT_EQ(names.at(999).size(), 999u);
    EXPECT_EQ(list.at(500), "500");
    EXPECT_EQ(list.back().get_allocator().resource(), resource);
  });
}

TEST_P(MemoryResource, AlignsBlocksOfAllSizesAndKeepsThemApart) {
  run([] {
    std::pmr::memory_resource& resource = *memory_resource();
    std::vector<Block> blocks;
    for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
      for (const unsigned bytes :
           {0u, 1u, 16u, 47u, 48u, 49u, 112u, 113u, 240u, 496u, 960u, 961u, 1008u, 1009u, 5000u}) {
        blocks.push_back(
            Block::allocate(resource, bytes, alignment, static_cast<unsigned>(blocks.size())));
        EXPECT_EQ(address_of(blocks.back().memory) % alignment, 0u)
            << bytes << " bytes at " << alignment;
      }
    }
    for (const Block& block : blocks)
      EXPECT_TRUE(block.is_intact()) << block.bytes << " bytes at " << block.alignment;
    for (const Block& block : blocks) block.deallocate(resource);
  });
}

TEST_P(MemoryResource, ThrowsForMoreThanThereIsAndGoesOn) {
  if (test::kSanitized) GTEST_SKIP() << "sanitizers end the program then";
  run([] {
    std::pmr::memory_resource& resource = *memory_resource();
    EXPECT_THROW(static_cast<void>(resource.allocate(std::numeric_limits<std::size_t>::max() / 4)),
                 std::bad_alloc);
    const Block block = Block::allocate(resource, 100, 8, 1);
    EXPECT_TRUE(block.is_intact());
    block.deallocate(resource);
  });
}

TEST_P(MemoryResource, TakesBackWhatOtherThreadsHaveAllocated) {
  run([] {
    std::pmr::memory_resource& resource = *memory_resource();
    std::vector<Block> outside;
    std::thread([&] {
      for (unsigned i = 0; i < 100; ++i)
        outside.push_back(Block::allocate(resource, 24 + 13 * i, 8, i));
    }).join();
    std::vector<Block> inside;
    for (unsigned i = 0; i < 100; ++i)
      inside.push_back(Block::allocate(resource, 24 + 13 * i, 8, i));
    std::thread([&] {
      for (const Block& block : inside) {
        EXPECT_TRUE(block.is_intact());
        block.deallocate(resource);
      }
    }).join();
    for (const Block& block : outside) {
      EXPECT_TRUE(block.is_intact());
      block.deallocate(resource);
    }
  });
}

// The thread that takes a block out of a slot may be on any worker. It frees the block or puts it
// back.
TEST_P(MemoryResource, IsNotConfusedByBlocksThatWander) {
  const std::uint64_t seed = test::seed();
  run([seed] {
    std::pmr::memory_resource& resource = *memory_resource();
    constexpr int kJobs = 16;
    std::array<std::atomic<Block*>, 64> places{};
    std::atomic<int> broken{0};
    const auto free = [&](Block* block) {
      if (block == nullptr) return;
      if (!block->is_intact()) ++broken;
      block->deallocate(resource);
      resource.deallocate(block, sizeof(Block), alignof(Block));
    };
    Counter done;
    for (int job = 0; job < kJobs; ++job) {
      spawn(done, [&, job] {
        std::mt19937_64 random(seed + static_cast<unsigned>(job));
        for (int i = test::scaled(1000); i > 0; --i) {
          Block* const block =
              ::new (resource.allocate(sizeof(Block), alignof(Block))) Block(Block::allocate(
                  resource, random() % 1200, std::size_t{1} << random() % 8, random() % 256));
          free(places[random() % places.size()].exchange(block));
          if (i % 64 == 0) yield();
        }
      });
    }
    done.wait();
    for (std::atomic<Block*>& place : places) free(place.exchange(nullptr));
    EXPECT_EQ(broken, 0) << test::replay();
  });
}

TEST(Memory, IsOneResourceForEachScheduler) {
  Scheduler one({.worker_count = 1});
  Scheduler other({.worker_count = 1});
  std::pmr::memory_resource* const first = one.run([] { return memory_resource(); });
  EXPECT_EQ(first, one.run([] { return memory_resource(); }));
  EXPECT_TRUE(first->is_equal(*first));
  EXPECT_FALSE(first->is_equal(*other.run([] { return memory_resource(); })));
}

TEST(Memory, NeverSharesACacheLineBetweenBlocks) {
  if (kAllOnTheHeap) GTEST_SKIP() << "all blocks come from the heap";
  Scheduler scheduler({.worker_count = 1});
  scheduler.run([] {
    std::pmr::memory_resource& resource = *memory_resource();
    std::vector<Block> blocks;
    std::vector<std::uintptr_t> lines;
    for (std::size_t bytes = 8; bytes <= 1000; bytes += 8) {
      blocks.push_back(Block::allocate(resource, bytes, 8, 0));
      const std::uintptr_t first = address_of(blocks.back().memory) / 64;
      const std::uintptr_t last = (address_of(blocks.back().memory) + bytes - 1) / 64;
      for (std::uintptr_t line = first; line <= last; ++line) lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    EXPECT_EQ(std::adjacent_find(lines.begin(), lines.end()), lines.end());
    for (const Block& block : blocks) block.deallocate(resource);
  });
}

// One worker allocates, another frees: the blocks return to the first and are used again.
TEST(Memory, GetsBlocksBackFromOtherWorkers) {
  if (kAllOnTheHeap) GTEST_SKIP() << "all blocks come from the heap";
  Scheduler scheduler({.worker_count = 2});
  const auto on = [&](unsigned index, auto f) {
    scheduler.run([&] {
      Counter done;
      spawn(done, f, {.on = worker(index)});
      done.wait();
    });
  };
  std::vector<Block> blocks;
  std::size_t after_first = 0;
  for (int round = 0; round < 20; ++round) {
    on(0, [&] {
      for (unsigned i = 0; i < 1000; ++i)
        blocks.push_back(Block::allocate(*memory_resource(), 200, 8, i));
    });
    on(1, [&] {
      for (const Block& block : blocks) {
        EXPECT_TRUE(block.is_intact());
        block.deallocate(*memory_resource());
      }
    });
    blocks.clear();
    if (round == 0) after_first = scheduler.stats().slab_bytes;
  }
  EXPECT_GE(after_first, 1000u * 256);
  EXPECT_LT(scheduler.stats().slab_bytes, 2 * after_first) << "20 rounds of 256 KiB";
}

TEST(Memory, ServesWorkersOfOtherSchedulersFromTheHeap) {
  Scheduler owner({.worker_count = 1});
  std::pmr::memory_resource& resource = *owner.run([] { return memory_resource(); });
  std::optional<Scheduler> guest(std::in_place, SchedulerOptions{.worker_count = 1});
  const Block block = guest->run([&] { return Block::allocate(resource, 100, 8, 7); });
  guest.reset();
  EXPECT_TRUE(block.is_intact()) << "its memory was the worker's";
  block.deallocate(resource);
}

TEST(Memory, MayBeFreedAfterTheShutdown) {
  Scheduler scheduler({.worker_count = 2});
  std::pmr::memory_resource& resource = *scheduler.run([] { return memory_resource(); });
  const Block block = scheduler.run([&] { return Block::allocate(resource, 100, 8, 7); });
  scheduler.shutdown();
  EXPECT_TRUE(block.is_intact());
  block.deallocate(resource);
}

// Slabs and the heap fail in turn: the call throws, and the previous contents are intact.
std::atomic<int> allocations_until_fault{0};
bool is_fault_due() noexcept { return --allocations_until_fault == 0; }

TEST(Memory, LosesNothingWhenTheHeapIsExhausted) {
#if defined(JOBS_TSAN) && defined(__clang__)
  GTEST_SKIP() << "clang's ThreadSanitizer keeps its operator new";
#endif
  for (int fault = 1; fault <= 8; ++fault) {
    Scheduler scheduler({.worker_count = 1});
    scheduler.run([&] {
      std::pmr::memory_resource& resource = *memory_resource();
      std::vector<Block> blocks;
      blocks.reserve(1000);
      int thrown = 0;
      allocations_until_fault = fault;
      test::set_allocation_fault(&is_fault_due);
      for (unsigned i = 0; i < 1000; ++i) {
        try {
          blocks.push_back(Block::allocate(resource, 400, 8, i));
        } catch (const std::bad_alloc&) {
          ++thrown;
        }
      }
      test::set_allocation_fault(nullptr);
      EXPECT_EQ(thrown, 1) << fault;
      EXPECT_EQ(blocks.size(), 999u);
      for (const Block& block : blocks) {
        EXPECT_TRUE(block.is_intact());
        block.deallocate(resource);
      }
    });
  }
}

TEST(Memory, HoldsClosuresOfUpToAKibibyteWithoutTheHeap) {
  Scheduler scheduler({.worker_count = 1});
  scheduler.run([] {
    const auto spawn_one = [](auto captured) {
      Counter done;
      int first = 0;
      spawn(done, [captured, &first] { first = captured[0]; });
      done.wait();
      EXPECT_EQ(first, 42);
    };
    const auto each = [&] {
      spawn_one(std::array<int, 1>{42});
      spawn_one(std::array<int, 20>{42});
      spawn_one(std::array<int, 60>{42});
      spawn_one(std::array<int, 120>{42});
      spawn_one(std::array<int, 240>{42});
    };
    each();  // the slabs
    EXPECT_EQ(test::allocations_in(each), 0u);
  });
  EXPECT_EQ(scheduler.stats().heap_blocks, 0u);
  scheduler.run([] {
    Counter done;
    spawn(done, [captured = std::array<int, 300>{}] { static_cast<void>(captured); });
    done.wait();
  });
  EXPECT_EQ(scheduler.stats().heap_blocks, 1u);
}

}  // namespace
}  // namespace jobs
