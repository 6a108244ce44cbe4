// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <memory_resource>
#include <utility>
#include <vector>

#include "bench/allocate/workload.hpp"
#include "bench/support/inside_jobs.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::allocate {
namespace {

constexpr unsigned kWorkers = 2;
constexpr std::size_t kStep = 7919;  // a prime: it visits all blocks

std::size_t size_of(std::size_t block) { return 16 + block * 37 % 497; }

class Party {
 public:
  explicit Party(std::pmr::memory_resource& resource) : resource_(resource), blocks_(kBlocks) {}

  void allocate() {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      blocks_[i] = static_cast<std::int64_t*>(resource_.allocate(size_of(i)));
      *blocks_[i] = 1;
    }
  }
  void deallocate() {
    std::size_t at = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      at = (at + kStep) % blocks_.size();
      sum_ += *blocks_[at];
      resource_.deallocate(blocks_[at], size_of(at));
    }
  }
  std::int64_t take_sum() { return std::exchange(sum_, 0); }

 private:
  std::pmr::memory_resource& resource_;
  std::vector<std::int64_t*> blocks_;
  std::int64_t sum_ = 0;
};

// f(i) on each worker i, at the same time.
template <class F>
void on_each(F f) {
  jobs::Counter done;
  for (unsigned i = 0; i < kWorkers; ++i) jobs::spawn(done, [f, i] { f(i); }, {.on = jobs::worker(i)});
  done.wait();
}

// In a job.
template <FreedBy kBy>
Figures block_ns(std::pmr::memory_resource& resource) {
  std::array<Party, kWorkers> parties{Party(resource), Party(resource)};
  const double ns = checked_ns(kWorkers * kOperations, [&] {
    for (std::int64_t round = 0; round < kRounds; ++round) {
      on_each([&](unsigned i) { parties[i].allocate(); });
      on_each([&](unsigned i) { parties[kBy == FreedBy::kOwner ? i : kWorkers - 1 - i].deallocate(); });
    }
    std::int64_t sum = 0;
    for (Party& party : parties) sum += party.take_sum();
    return sum;
  });
  return {ns / kOperations};
}

}  // namespace

template <FreedBy kBy>
Figures on_jobs(const Conditions&) {
  return inside_jobs(kWorkers, [] { return block_ns<kBy>(*jobs::memory_resource()); });
}
template <FreedBy kBy>
Figures on_malloc(const Conditions&) {
  return inside_jobs(kWorkers, [] { return block_ns<kBy>(*std::pmr::new_delete_resource()); });
}
template <FreedBy kBy>
Figures on_std_pool(const Conditions&) {
  return inside_jobs(kWorkers, [] {
    std::pmr::synchronized_pool_resource pool;
    return block_ns<kBy>(pool);
  });
}

template Figures on_jobs<FreedBy::kOwner>(const Conditions&);
template Figures on_jobs<FreedBy::kOther>(const Conditions&);
template Figures on_malloc<FreedBy::kOwner>(const Conditions&);
template Figures on_malloc<FreedBy::kOther>(const Conditions&);
template Figures on_std_pool<FreedBy::kOwner>(const Conditions&);
template Figures on_std_pool<FreedBy::kOther>(const Conditions&);

}  // namespace bench::allocate
