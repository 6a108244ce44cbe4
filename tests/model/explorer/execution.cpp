// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/explorer/execution.hpp"

#include <algorithm>
#include <boost/context/detail/fcontext.hpp>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace jobs::model {

namespace context = boost::context::detail;

Execution* Execution::current_ = nullptr;

namespace {

// Limit of resumed spins without a change. A loop that spins a bounded number of times before it
// does something else must reach its end within this limit.
constexpr unsigned kMaxFruitlessSpins = 200;

// Switches to the context `to`. `left` receives the suspended context, which a later jump resumes.
void jump(void* to, void** left) {
  const context::transfer_t from = context::jump_fcontext(to, left);
  *static_cast<void**>(from.data) = from.fctx;
}

}  // namespace

struct Execution::Stack {
  alignas(64) std::array<std::byte, 128 * 1024> bytes;
};

Execution::Execution(const Options& options, Strategy& strategy)
    : options_(options), strategy_(strategy), memory_(strategy) {
  current_ = this;
}

Execution::~Execution() { current_ = nullptr; }

void Execution::refuse() {
  std::fputs("model: an Atomic or a Plain is used outside of explore()\n", stderr);
  std::abort();
}

// --- lifetime of the threads ---

std::string Execution::run(const Body& body) {
  memory_.clear();
  plain_.clear();
  plain_logs_.clear();
  free_plain_logs_.clear();
  times_.clear();
  failure_.clear();
  now_ = 0;
  steps_ = 0;
  fruitless_spins_ = 0;
  preemptions_left_ = options_.preemptions;
  spurious_wakes_left_ = options_.spurious_wakes;
  thread_count_ = 1;
  most_threads_ = 1;
  running_ = 0;
  threads_[0].view = ThreadView{};
  memory_.attach(threads_[0].view);
  const BodyRef first(body);
  start(0, first);
  jump(threads_[0].context, &host_);
  return failure_;
}

void Execution::start(std::size_t index, const BodyRef& body) {
  Thread& thread = threads_[index];
  thread.body = &body;
  thread.done = false;
  thread.wait = Wait::kNone;
  thread.deadline = os::kNever;
  thread.seen_changes = 0;
  thread.own_changes = 0;
  thread.state = {};
  if (stacks_[index] == nullptr) stacks_[index] = std::make_unique_for_overwrite<Stack>();
  auto& bytes = stacks_[index]->bytes;
  thread.context = context::make_fcontext(bytes.data() + bytes.size(), bytes.size(),
                                          [](context::transfer_t from) {
                                            *static_cast<void**>(from.data) = from.fctx;
                                            current().enter();
                                          });
}

void Execution::enter() {
  Thread& self = threads_[running_];
  try {
    (*self.body)();
  } catch (...) {
    fail("an exception left the body of a thread");
  }
  self.done = true;
  if (&self == &threads_[0]) stop();
  switch_from_blocked();
  std::abort();
}

void Execution::run_threads(std::span<const BodyRef> bodies) {
  if (running_ != 0) fail("run_threads() inside of a thread");
  thread_count_ = 1 + bodies.size();
  if (thread_count_ > kMaxThreads) fail("too many threads");
  Thread& self = threads_[0];
  for (std::size_t i = 1; i < thread_count_; ++i) {
    start(i, bodies[i - 1]);
    threads_[i].view = {.id = i, .current = self.view.current, .acquired = {}, .released = {}};
    if (i == most_threads_) memory_.attach(threads_[most_threads_++].view);
  }
  self.wait = Wait::kThreads;
  switch_from_blocked();
  for (std::size_t i = 1; i < thread_count_; ++i) self.view.current.join(threads_[i].view.current);
  thread_count_ = 1;
}

void Execution::stop() {
  jump(host_, &threads_[running_].context);
  std::abort();
}

void Execution::fail(const std::string& why) {
  trace([&] { return why; });
  failure_ = why;
  stop();
}

// --- which thread runs ---

bool Execution::can_run(std::size_t index) const {
  const Thread& thread = threads_[index];
  if (thread.done) return false;
  switch (thread.wait) {
    case Wait::kNone:
      return true;
    case Wait::kSpin:
      return memory_.changes() != thread.seen_changes;
    case Wait::kFutex:
      return thread.deadline != os::kNever;
    case Wait::kThreads:
      return std::all_of(threads_.begin() + 1,
                         threads_.begin() + static_cast<std::ptrdiff_t>(thread_count_),
                         [](const Thread& other) { return other.done; });
  }
  return false;
}

void Execution::schedule() {
  if (++steps_ > options_.max_steps) fail("does not end: livelock, or max_steps is too small");
  if (thread_count_ == 1) return;
  if (strategy_.is_bounded() && preemptions_left_ == 0) return;
  std::array<std::size_t, kMaxThreads> candidates{running_};
  std::size_t count = 1;
  for (std::size_t i = 0; i < thread_count_; ++i) {
    if (i != running_ && can_run(i)) candidates[count++] = i;
  }
  const std::size_t next = strategy_.choose_thread({candidates.data(), count}, running_, steps_);
  if (next == running_) return;
  if (strategy_.is_bounded()) --preemptions_left_;
  go_on_with(next);
}

void Execution::switch_from_blocked() {
  std::array<std::size_t, kMaxThreads> candidates{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < thread_count_; ++i) {
    if (can_run(i)) candidates[count++] = i;
  }
  if (count == 0) {
    // A spinning thread may leave its loop; only a thread that spins for ever is stuck.
    if (changes_at_fruitless_spin_ != memory_.changes()) fruitless_spins_ = 0;
    changes_at_fruitless_spin_ = memory_.changes();
    for (std::size_t i = 0; i < thread_count_; ++i) {
      if (!threads_[i].done && threads_[i].wait == Wait::kSpin) candidates[count++] = i;
    }
    if (count == 0 || ++fruitless_spins_ > kMaxFruitlessSpins) fail(describe_deadlock());
    const auto next_time = std::ranges::upper_bound(times_, now_);
    if (next_time != times_.end()) now_ = *next_time;
  }
  go_on_with(strategy_.choose_thread({candidates.data(), count}, running_, steps_));
}

void Execution::go_on_with(std::size_t next) {
  Thread& thread = threads_[next];
  if (thread.wait == Wait::kFutex) {  // only a timeout makes a sleeping thread a candidate
    thread.timed_out = true;
    now_ = std::max(now_, thread.deadline);
  }
  thread.wait = Wait::kNone;
  if (next == running_) return;
  void** const left = &threads_[running_].context;
  running_ = next;
  jump(thread.context, left);
}

std::string Execution::describe_deadlock() const {
  std::string text = "deadlock or lost wake-up:";
  for (std::size_t i = 1; i < thread_count_; ++i) {
    if (threads_[i].done) continue;
    text += " thread " + std::to_string(i) +
            (threads_[i].wait == Wait::kSpin ? " spins" : " sleeps") + " for ever;";
  }
  return text;
}

// --- lifetime and races ---

void Execution::create_atomic(const void* address, Value initial) {
  if (memory_.find(address) != Memory::kNone) fail("an atomic is made on top of a living one");
  memory_.log(memory_.create(address, initial)).write(view());
}

void Execution::destroy_atomic(const void* address) {
  const std::size_t location = memory_.find(address);
  if (location == Memory::kNone) fail("an atomic is destroyed that does not live");
  if (!memory_.log(location).write(view()))
    fail("an atomic is destroyed while another thread may still use it");
  memory_.destroy(address);
}

std::size_t Execution::live_atomic(const void* address) {
  const std::size_t location = memory_.find(address);
  if (location == Memory::kNone) fail("an atomic is used that does not live");
  if (!memory_.log(location).read(view()))
    fail("data race: an atomic is used that another thread has just made");
  return location;
}

void Execution::create_plain(const void* address) {
  if (plain_.find(address) != AddressTable::kNone) fail("plain data is made on top of living data");
  std::size_t number = plain_logs_.size();
  if (free_plain_logs_.empty()) {
    plain_logs_.emplace_back();
  } else {
    number = free_plain_logs_.back();
    free_plain_logs_.pop_back();
    plain_logs_[number] = {};
  }
  plain_.add(address, number);
  plain_logs_[number].write(view());
}

std::size_t Execution::live_plain_number(const void* address) {
  const std::size_t number = plain_.find(address);
  if (number == AddressTable::kNone) fail("plain data is used that does not live");
  return number;
}

void Execution::destroy_plain(const void* address) {
  const std::size_t number = live_plain_number(address);
  if (!plain_logs_[number].write(view()))
    fail("data race: plain data is destroyed while another thread uses it");
  plain_.remove(address);
  free_plain_logs_.push_back(number);
}

void Execution::read_plain(const void* address) {
  if (!live_plain(address).read(view())) fail("data race: a read of plain data against a write");
}

void Execution::write_plain(const void* address) {
  if (!live_plain(address).write(view()))
    fail("data race: a write of plain data against another access");
}

void Execution::note_changes(std::uint32_t before) {
  threads_[running_].own_changes += memory_.changes() - before;
}

// --- fences, spinning, sleeping ---

void Execution::heavy_fence() {
  const View published = memory_.full_barrier(view());
  for (std::size_t i = 1; i < thread_count_; ++i) {
    if (i == running_) continue;
    if (options_.membarrier == Membarrier::kOneByOne) schedule();
    memory_.interrupt(threads_[i].view, published);
  }
  if (options_.membarrier == Membarrier::kOneByOne) schedule();
  memory_.full_barrier(view());
}

void Execution::spin() {
  Thread& self = threads_[running_];
  // Since its last spin the thread may have read several locations. It waits only if none of them
  // can have changed.
  const bool others_changed = memory_.changes() - self.seen_changes != self.own_changes;
  if (!memory_.catch_up(self.view) && !others_changed) {
    self.seen_changes = memory_.changes();
    self.wait = Wait::kSpin;
    switch_from_blocked();
    memory_.catch_up(self.view);
  }
  self.seen_changes = memory_.changes();
  self.own_changes = 0;
}

os::Nanoseconds Execution::now() {
  const auto next = std::ranges::upper_bound(times_, now_);
  if (next != times_.end() && choose(2) == 1) now_ = *next;
  return now_;
}

void Execution::add_time(os::Nanoseconds time) {
  if (!std::ranges::binary_search(times_, time))
    times_.insert(std::ranges::upper_bound(times_, time), time);
}

bool Execution::sleep(const void* word, os::Nanoseconds deadline) {
  Thread& self = threads_[running_];
  self.wait = Wait::kFutex;
  self.word = word;
  self.deadline = deadline;
  self.timed_out = false;
  switch_from_blocked();
  return !self.timed_out;
}

bool Execution::wakes_spuriously() {
  if (spurious_wakes_left_ == 0 || choose(2) == 0) return false;
  --spurious_wakes_left_;
  return true;
}

void Execution::wake_one(const void* word) {
  std::array<std::size_t, kMaxThreads> sleepers{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < thread_count_; ++i) {
    const Thread& thread = threads_[i];
    if (!thread.done && thread.wait == Wait::kFutex && thread.word == word) sleepers[count++] = i;
  }
  if (count != 0) threads_[sleepers[choose(count)]].wait = Wait::kNone;
}

// A spin loop repeats the same line; the trace contains it once.
void Execution::add_trace(const std::string& text) {
  const std::string line = "  T" + std::to_string(running_) + "  " + text + "\n";
  if (!trace_->ends_with(line)) *trace_ += line;
}

}  // namespace jobs::model
