// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The model: workers, deques, fibers and events. simulator.hpp describes it.
#include "bench/scaling/simulator.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

namespace bench::scaling {
namespace {

// Constants of the library, in ns: jobs/runtime/parking/forced_publication.cpp, worker.cpp and
// scheduler_core.hpp. For kCalmTakes: queue/chase_lev_deque.hpp.
constexpr double kPublishWithin = 20'000;
constexpr double kForcedPublicationEvery = 50'000;
constexpr double kTheftEvery = 500;
constexpr double kMaxTheftPause = 8'000;
constexpr double kWorthATheft = 250;
constexpr double kSearch = 50'000;
constexpr double kLazyStep = 600;
constexpr unsigned kCalmTakes = 64;

struct Fiber;

// A pushed child: [begin, end) of the leaves. The fiber that owns the frame joins it.
struct Frame {
  std::int64_t begin, end;
  bool stolen = false;
  bool done = false;
};

// A job that was taken from a deque, and the children that it has pushed since.
struct Fiber {
  unsigned home;
  std::int64_t begin, end;
  // A deque, because references to its elements stay valid.
  std::deque<Frame> frames;
  // The fiber of the parent; null for the root.
  Fiber* parent;
  Frame* as_child;
  // Non-null while the fiber is suspended.
  Frame* awaited = nullptr;
};

struct Entry {
  Fiber* fiber;
  Frame* frame;
};

enum class State : std::uint8_t { kRunning, kSearching, kParked };

struct Worker {
  State state = State::kSearching;
  double now = 0;
  // Events of earlier turns are ignored.
  std::uint64_t turn = 0;
  // The worker's deque.
  std::deque<Entry> entries;
  bool shared = false;
  bool requested = false;
  unsigned calm = 0;
  // The version of the cache line that thieves read.
  std::uint64_t version = 0;
  // The time for lines that thieves have taken away.
  double penalty = 0;
  // The running fiber and the ready ones.
  Fiber* fiber = nullptr;
  std::deque<Fiber*> ready;
  // The worker's search.
  unsigned looked = 0;  // victims in this sweep
  unsigned at = 0;
  double search_since = 0;
  double requested_at = 0;
  int private_victim = -1;
  double last_theft = -1;
  double pause = 0;
  bool eager = true;
};

class Simulation {
 public:
  Simulation(const Costs& costs, const Setting& setting)
      : costs_(costs),
        setting_(setting),
        workers_(setting.workers),
        seen_(std::size_t{setting.workers} * setting.workers) {
    random_ = setting.seed * 0x9E3779B97F4A7C15 + 1;
    Fiber* const root = make_fiber(0, 0, setting.leaves, nullptr, nullptr);
    workers_[0].state = State::kRunning;
    workers_[0].fiber = root;
    schedule(0, 0);
    for (unsigned i = 1; i < setting.workers; ++i) {
      workers_[i].state = setting.spinning ? State::kSearching : State::kParked;
      if (!setting.spinning) continue;
      begin_search(i);
      schedule(i, workers_[i].now);
    }
    (setting.spinning ? searching_ : parked_) = setting.workers - 1;
    idle_ = setting.workers - 1;
  }

  Result run() {
    while (end_ < 0) {
      const Event event = events_.top();
      events_.pop();
      Worker& worker = workers_[event.worker];
      if (event.turn != worker.turn) continue;
      worker.now = event.at;
      step(event.worker);
    }
    const double leaves = static_cast<double>(setting_.leaves);
    return {end_,
            leaves * setting_.leaf_ns / (setting_.workers * end_),
            static_cast<double>(line_rmws_) / leaves,
            line_rmws_ != 0 ? line_wait_ / static_cast<double>(line_rmws_) : 0,
            thefts_,
            forced_publications_,
            wakes_};
  }

 private:
  struct Event {
    double at;
    unsigned worker;
    std::uint64_t turn;
    bool operator<(const Event& other) const { return at > other.at; }
  };

  Fiber* make_fiber(unsigned home, std::int64_t begin, std::int64_t end, Fiber* parent,
                    Frame* as_child) {
    if (free_.empty()) {
      fibers_.push_back(std::make_unique<Fiber>());
      free_.push_back(fibers_.back().get());
    }
    Fiber* const fiber = free_.back();
    free_.pop_back();
    fiber->home = home;
    fiber->begin = begin;
    fiber->end = end;
    fiber->parent = parent;
    fiber->as_child = as_child;
    return fiber;
  }
  void schedule(unsigned index, double at) { events_.push({at, index, ++workers_[index].turn}); }
  std::uint64_t random() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    return random_ ^= random_ << 17;
  }
  bool is_near(unsigned a, unsigned b) const { return a / costs_.group == b / costs_.group; }
  double line(unsigned a, unsigned b) const { return is_near(a, b) ? costs_.near : costs_.far; }
  // Performs `count` consecutive read-modify-writes of the cache line on which all workers count
  // themselves. The holder of the line keeps it for them.
  void touch_line(unsigned index, unsigned count) {
    Worker& worker = workers_[index];
    const double begin = std::max(worker.now, line_free_);
    line_wait_ += begin - worker.now;
    line_rmws_ += count;
    line_free_ =
        begin + (line_holder_ == index ? 0 : line(index, line_holder_)) + count * costs_.rmw;
    line_holder_ = index;
    worker.now = line_free_;
  }

  void step(unsigned index) {
    Worker& worker = workers_[index];
    if (worker.state == State::kSearching) {
      search(index);
    } else {
      compute(index);
    }
    if (end_ < 0 && worker.state != State::kParked) schedule(index, worker.now);
  }

  // --- the owner ---
  void compute(unsigned index) {
    Worker& worker = workers_[index];
    worker.now += std::exchange(worker.penalty, 0);
    Fiber& fiber = *worker.fiber;
    if (fiber.begin == fiber.end) return join(index);
    if (setting_.shape == Shape::kTree) {
      while (fiber.end - fiber.begin > 1) push(index, fiber);
    } else if (worker.entries.empty() && fiber.end - fiber.begin > 1) {
      push(index, fiber);
    }
    ++fiber.begin;
    worker.now += setting_.leaf_ns;
  }

  void push(unsigned index, Fiber& fiber) {
    Worker& worker = workers_[index];
    const std::int64_t middle = fiber.begin + (fiber.end - fiber.begin + 1) / 2;
    fiber.frames.push_back({middle, fiber.end});
    worker.entries.push_back({&fiber, &fiber.frames.back()});
    fiber.end = middle;
    ++worker.version;
    worker.now += costs_.fork;
    if (idle_ == 0) return;
    share(worker);
    if (searching_ == 0 && parked_ != 0) wake_one(index);
  }
  void share(Worker& worker) {
    if (worker.shared) return;
    worker.shared = true;
    worker.requested = false;
    worker.calm = 0;
    worker.now += costs_.share;
  }

  // Ends a range and continues with the newest child.
  void join(unsigned index) {
    Worker& worker = workers_[index];
    Fiber& fiber = *worker.fiber;
    if (fiber.frames.empty()) return finish(index);
    Frame& child = fiber.frames.back();
    if (!child.stolen) {
      take(worker);
      fiber.begin = child.begin;
      fiber.end = child.end;
      fiber.frames.pop_back();
    } else if (child.done) {
      fiber.frames.pop_back();
    } else {
      fiber.awaited = &child;
      worker.now += costs_.fiber;
      next_job(index);
    }
  }
  void take(Worker& worker) {
    worker.entries.pop_back();
    ++worker.version;
    if (!worker.shared) {
      if (std::exchange(worker.requested, false)) share(worker);
      return;
    }
    worker.now += costs_.take_shared;
    if (++worker.calm < kCalmTakes) return;
    worker.shared = false;
    worker.calm = 0;
  }

  void finish(unsigned index) {
    Worker& worker = workers_[index];
    Fiber* const fiber = worker.fiber;
    if (fiber->parent == nullptr) {
      end_ = worker.now;
      return;
    }
    Fiber* const parent = fiber->parent;
    Frame* const as_child = fiber->as_child;
    free_.push_back(fiber);
    // The word of the child.
    worker.now += line(index, parent->home);
    as_child->done = true;
    if (parent->awaited == as_child) {
      parent->awaited = nullptr;
      Worker& home = workers_[parent->home];
      home.ready.push_back(parent);
      // The home's inbox.
      worker.now += line(index, parent->home);
      if (home.state == State::kParked) {
        worker.now += costs_.futex;
        ++wakes_;
        --parked_;
        --idle_;
        home.now = worker.now + costs_.wake;
        home.state = State::kRunning;
        next_job(parent->home);
        schedule(parent->home, home.now);
      }
    }
    next_job(index);
  }

  // Continues with another job, or begins a search.
  void next_job(unsigned index) {
    Worker& worker = workers_[index];
    if (!worker.ready.empty()) {
      worker.fiber = worker.ready.front();
      worker.ready.pop_front();
      // The child that the fiber has waited for.
      worker.fiber->frames.pop_back();
      worker.now += costs_.fiber;
      return;
    }
    if (!worker.entries.empty()) {
      const Entry entry = worker.entries.back();
      take(worker);
      run_child(index, entry);
      return;
    }
    begin_search(index);
    ++searching_;
    ++idle_;
    touch_line(index, 2);
    worker.eager = searching_ <= std::max(1u, setting_.workers / 2);
  }
  void run_child(unsigned index, const Entry& entry) {
    entry.frame->stolen = true;
    workers_[index].fiber =
        make_fiber(index, entry.frame->begin, entry.frame->end, entry.fiber, entry.frame);
  }

  // --- thieves ---
  void begin_search(unsigned index) {
    Worker& worker = workers_[index];
    worker.state = State::kSearching;
    worker.search_since = worker.now;
    worker.requested_at = 0;
    begin_sweep(index);
  }
  void begin_sweep(unsigned index) {
    Worker& worker = workers_[index];
    worker.looked = 0;
    worker.private_victim = -1;
    worker.at = static_cast<unsigned>(random() % setting_.workers);
  }
  // Returns the victim: first the workers of the same group from a random one on, then all other
  // workers.
  unsigned victim(unsigned index, unsigned number) const {
    const unsigned group = index / costs_.group * costs_.group;
    const unsigned size = std::min(costs_.group, setting_.workers - group);
    const unsigned start = workers_[index].at;
    if (number < size) return group + (start + number) % size;
    const unsigned other = (start + number - size) % (setting_.workers - size);
    return other < group ? other : other + size;
  }

  void search(unsigned index) {
    Worker& worker = workers_[index];
    if (!worker.ready.empty()) {
      found(index);
      next_job(index);
      return;
    }
    if (worker.last_theft >= 0) {
      const bool worth = worker.now - worker.last_theft >= kWorthATheft;
      worker.pause =
          worth ? kTheftEvery : std::clamp(2 * worker.pause, kTheftEvery, kMaxTheftPause);
      worker.now = std::max(worker.now, worker.last_theft + worker.pause);
      worker.last_theft = -1;
      return;
    }
    while (worker.looked < setting_.workers) {
      const unsigned other = victim(index, worker.looked++);
      if (other == index) continue;
      Worker& its = workers_[other];
      std::uint64_t& seen = seen_[std::size_t{index} * setting_.workers + other];
      const bool changed = seen != its.version;
      seen = its.version;
      worker.now += changed ? line(index, other) : costs_.clean;
      if (!its.entries.empty()) {
        if (its.shared) {
          steal(index, other);
          return;
        }
        worker.private_victim = static_cast<int>(other);
        if (!std::exchange(its.requested, true)) its.penalty += line(index, other);
      }
      // Virtual time has passed.
      if (changed) return;
    }
    end_sweep(index);
  }

  void steal(unsigned index, unsigned from) {
    Worker& worker = workers_[index];
    Worker& victim = workers_[from];
    const Entry entry = victim.entries.front();
    victim.entries.pop_front();
    victim.calm = 0;
    ++victim.version;
    victim.penalty += 2 * line(index, from);
    // The word of the top, the slot, the job.
    worker.now += 3 * line(index, from);
    ++thefts_;
    run_child(index, entry);
    worker.last_theft = worker.now;
    found(index);
  }
  void found(unsigned index) {
    Worker& worker = workers_[index];
    worker.state = State::kRunning;
    worker.requested_at = 0;
    touch_line(index, 2);
    --idle_;
    if (--searching_ == 0 && parked_ != 0) wake_one(index);
  }

  void end_sweep(unsigned index) {
    Worker& worker = workers_[index];
    const int private_victim = worker.private_victim;
    begin_sweep(index);
    worker.now += worker.eager ? costs_.clean : kLazyStep;
    if (private_victim < 0) {
      worker.requested_at = 0;
    } else if (worker.requested_at == 0) {
      worker.requested_at = worker.now;
    } else if (worker.now - worker.requested_at >= kPublishWithin &&
               worker.now >= next_forced_publication_) {
      next_forced_publication_ = worker.now + kForcedPublicationEvery;
      worker.requested_at = 0;
      ++forced_publications_;
      heavy_fence(worker);
      Worker& its = workers_[static_cast<std::size_t>(private_victim)];
      its.shared = true;
      its.requested = false;
      its.calm = 0;
      return;
    }
    if (worker.now - worker.search_since >= kSearch && worker.requested_at == 0) park(index);
  }
  void heavy_fence(Worker& worker) {
    worker.now += costs_.heavy_fence;
    for (Worker& other : workers_) {
      if (other.state != State::kParked && &other != &worker) other.penalty += costs_.fenced;
    }
  }
  void park(unsigned index) {
    Worker& worker = workers_[index];
    touch_line(index, 2);
    if (--searching_ == 0) {
      heavy_fence(worker);
      const auto has_job = [](const Worker& other) { return !other.entries.empty(); };
      if (std::any_of(workers_.begin(), workers_.end(), has_job)) {
        ++searching_;
        worker.search_since = worker.now;
        return;
      }
    }
    worker.state = State::kParked;
    ++parked_;
  }

  void wake_one(unsigned waker_index) {
    Worker& waker = workers_[waker_index];
    unsigned index = 0;
    while (workers_[index].state != State::kParked) ++index;
    --parked_;
    ++searching_;
    ++wakes_;
    // One counts the worker, one takes its bit.
    touch_line(waker_index, 2);
    waker.now += costs_.futex;
    workers_[index].now = waker.now + costs_.wake;
    begin_search(index);
    schedule(index, workers_[index].now);
  }

  const Costs costs_;
  const Setting setting_;
  std::vector<Worker> workers_;
  // Versions of all victims, by thief.
  std::vector<std::uint64_t> seen_;
  std::priority_queue<Event> events_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> free_;
  std::uint64_t random_;
  unsigned searching_ = 0;
  unsigned idle_ = 0;
  unsigned parked_ = 0;
  double next_forced_publication_ = 0;
  double line_free_ = 0;
  unsigned line_holder_ = 0;
  double line_wait_ = 0;
  std::uint64_t line_rmws_ = 0;
  std::uint64_t thefts_ = 0;
  std::uint64_t forced_publications_ = 0;
  std::uint64_t wakes_ = 0;
  double end_ = -1;
};

}  // namespace

Result simulate(const Costs& costs, const Setting& setting) {
  return Simulation(costs, setting).run();
}

}  // namespace bench::scaling
