// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// allocate by the memory resources of jobs, malloc and the standard library's pool.
#include <array>
#include <cstddef>
#include <memory_resource>
#include <optional>
#include <utility>
#include <vector>

#include "bench/allocate/mimalloc.hpp"
#include "bench/allocate/workload.hpp"
#include "bench/support/inside_jobs.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::allocate {
namespace {

constexpr unsigned kWorkers = 2;
constexpr std::size_t kStep = 7919;  // a prime: it visits all blocks

using Resources = std::array<std::pmr::memory_resource*, kWorkers>;

template <class Blocks>
class Party {
 public:
  explicit Party(std::pmr::memory_resource& resource)
      : resource_(resource), blocks_(Blocks::kBlocks) {}

  void allocate() {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      blocks_[i] = static_cast<std::int64_t*>(resource_.allocate(Blocks::size_of(i)));
      *blocks_[i] = 1;
    }
  }
  void deallocate() {
    std::size_t at = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      at = (at + kStep) % blocks_.size();
      sum_ += *blocks_[at];
      resource_.deallocate(blocks_[at], Blocks::size_of(at));
    }
  }
  std::int64_t take_sum() { return std::exchange(sum_, 0); }

 private:
  std::pmr::memory_resource& resource_;
  std::vector<std::int64_t*> blocks_;
  std::int64_t sum_ = 0;
};

// Calls f(i) on each worker i, at the same time.
template <class F>
void on_each(F f) {
  jobs::Counter done;
  for (unsigned i = 0; i < kWorkers; ++i)
    jobs::spawn(done, [f, i] { f(i); }, {.on = jobs::worker(i)});
  done.wait();
}

// Runs in a job. `resources`: one per worker.
template <class Blocks, FreedBy kBy>
Figures block_ns(const Resources& resources) {
  std::array<Party<Blocks>, kWorkers> parties{Party<Blocks>(*resources[0]),
                                              Party<Blocks>(*resources[1])};
  const double ns = checked_ns(kWorkers * Blocks::kOperations, [&] {
    for (std::size_t round = 0; round < Blocks::kOperations / Blocks::kBlocks; ++round) {
      on_each([&](unsigned i) { parties[i].allocate(); });
      on_each(
          [&](unsigned i) { parties[kBy == FreedBy::kOwner ? i : kWorkers - 1 - i].deallocate(); });
    }
    std::int64_t sum = 0;
    for (Party<Blocks>& party : parties) sum += party.take_sum();
    return sum;
  });
  return {ns / Blocks::kOperations};
}
template <class Blocks, FreedBy kBy>
Figures block_ns(std::pmr::memory_resource& shared) {
  return block_ns<Blocks, kBy>(Resources{&shared, &shared});
}

}  // namespace

template <class Blocks, FreedBy kBy>
Figures on_jobs(const Conditions&) {
  return inside_jobs({.workers = kWorkers, .quick = false},
                     [] { return block_ns<Blocks, kBy>(*jobs::memory_resource()); });
}
template <class Blocks, FreedBy kBy>
Figures on_malloc(const Conditions&) {
  return inside_jobs({.workers = kWorkers, .quick = false},
                     [] { return block_ns<Blocks, kBy>(*std::pmr::new_delete_resource()); });
}
template <class Blocks, FreedBy kBy>
Figures on_std_pool(const Conditions&) {
  return inside_jobs({.workers = kWorkers, .quick = false}, [] {
    std::pmr::synchronized_pool_resource pool;
    return block_ns<Blocks, kBy>(pool);
  });
}
template <class Blocks, FreedBy kBy>
Figures on_mimalloc(const Conditions&) {
  return inside_jobs({.workers = kWorkers, .quick = false}, [] {
    std::array<std::optional<MimallocHeap>, kWorkers> heaps;
    on_each([&heaps](unsigned i) { heaps[i].emplace(); });
    const Figures figures = block_ns<Blocks, kBy>(Resources{&*heaps[0], &*heaps[1]});
    on_each([&heaps](unsigned i) { heaps[i].reset(); });
    return figures;
  });
}

#define BENCH_ALLOCATE(blocks, by)                             \
  template Figures on_jobs<blocks, by>(const Conditions&);     \
  template Figures on_malloc<blocks, by>(const Conditions&);   \
  template Figures on_std_pool<blocks, by>(const Conditions&); \
  template Figures on_mimalloc<blocks, by>(const Conditions&);
BENCH_ALLOCATE(Small, FreedBy::kOwner)
BENCH_ALLOCATE(Small, FreedBy::kOther)
BENCH_ALLOCATE(Large, FreedBy::kOwner)
BENCH_ALLOCATE(Large, FreedBy::kOther)

}  // namespace bench::allocate
