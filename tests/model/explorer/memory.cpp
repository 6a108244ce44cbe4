// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/explorer/memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace jobs::model {

void Memory::clear() {
  for (std::size_t i = 0; i < count_; ++i) histories_[i].clear();  // keeps their capacity
  count_ = 0;
  locations_.clear();
  threads_.clear();
  seq_cst_ = View{};
  changes_ = 0;
}

std::size_t Memory::create(const void* address, Value initial) {
  if (count_ == kMaxLocations) {
    std::fprintf(stderr, "model: more than %zu atomics in one execution\n", kMaxLocations);
    std::abort();
  }
  const std::size_t location = count_++;
  locations_.add(address, location);
  logs_[location] = AccessLog{};
  histories_[location].push_back({initial, false, View{}});  // initialisation is no release
  return location;
}

std::size_t Memory::oldest_readable(std::size_t location, OrderOfUse order,
                                    const ThreadView& thread) const {
  const Timestamp mine = thread.current.seen[location];
  return order.is_seq_cst() ? std::max(mine, seq_cst_.seen[location]) : mine;
}

void Memory::read(std::size_t location, std::size_t position, OrderOfUse order,
                  ThreadView& thread) {
  const auto timestamp = static_cast<Timestamp>(position);
  const View& view = histories_[location][position].view;
  thread.current.seen[location] = std::max(thread.current.seen[location], timestamp);
  thread.acquired.join(view);
  if (order.acquires()) thread.current.join(view);
  if (order.is_seq_cst()) seq_cst_.seen[location] = std::max(seq_cst_.seen[location], timestamp);
}

Value Memory::load(std::size_t location, OrderOfUse order, ThreadView& thread) {
  const std::size_t newest = histories_[location].size() - 1;
  const std::size_t oldest = oldest_readable(location, order, thread);
  const std::size_t position = newest - choose_.choose(newest - oldest + 1);
  read(location, position, order, thread);
  return histories_[location][position].value;
}

// A store may enter the modification order at any position after the newest store that its thread
// knows. It must not separate a read-modify-write from the store that it read.
void Memory::store(std::size_t location, Value value, OrderOfUse order, ThreadView& thread) {
  const History& history = histories_[location];
  const std::size_t oldest = oldest_readable(location, order, thread);
  std::array<std::size_t, 64> places;
  std::size_t count = 0;
  for (std::size_t position = history.size(); position > oldest && count < places.size();
       --position) {
    if (can_be_modified(history, position - 1)) places[count++] = position;
  }
  insert(location, places[choose_.choose(count)], value, false, order, thread);
}

// A read-modify-write reads any store that it may still see and that no other read-modify-write has
// read. It stands directly behind that store.
Value Memory::read_to_modify(std::size_t location, OrderOfUse order, ThreadView& thread) {
  const History& history = histories_[location];
  const std::size_t oldest = oldest_readable(location, order, thread);
  std::array<std::size_t, 64> places;
  std::size_t count = 0;
  for (std::size_t position = history.size(); position-- > oldest && count < places.size();) {
    if (can_be_modified(history, position)) places[count++] = position;
  }
  modified_location_ = location;
  modified_position_ = places[choose_.choose(count)];
  read(location, modified_position_, order, thread);
  return history[modified_position_].value;
}

void Memory::write_modified(Value value, OrderOfUse order, ThreadView& thread) {
  insert(modified_location_, modified_position_ + 1, value, true, order, thread);
}

bool Memory::compare_exchange(std::size_t location, Value& expected, Value desired,
                              OrderOfUse success, OrderOfUse failure, ThreadView& thread) {
  const History& history = histories_[location];
  const std::size_t oldest_to_modify = oldest_readable(location, success, thread);
  const std::size_t oldest_to_read = oldest_readable(location, failure, thread);
  const std::size_t oldest = std::min(oldest_to_modify, oldest_to_read);
  std::array<std::size_t, 64> places;
  std::size_t count = 0;
  for (std::size_t position = history.size(); position-- > oldest && count < places.size();) {
    const bool usable = history[position].value == expected
                            ? position >= oldest_to_modify && can_be_modified(history, position)
                            : position >= oldest_to_read;
    if (usable) places[count++] = position;
  }
  const std::size_t position = places[choose_.choose(count)];
  if (history[position].value != expected) {
    read(location, position, failure, thread);
    expected = history[position].value;
    return false;
  }
  read(location, position, success, thread);
  insert(location, position + 1, desired, true, success, thread);
  return true;
}

void Memory::insert(std::size_t location, std::size_t position, Value value, bool is_modification,
                    OrderOfUse order, ThreadView& thread) {
  History& history = histories_[location];
  const Value newest_before = history.back().value;
  if (position < history.size()) make_room(location, position);

  const auto timestamp = static_cast<Timestamp>(position);
  thread.current.seen[location] = timestamp;
  const View& handed_over = order.releases() ? thread.current : thread.released;
  if (position == history.size()) [[likely]] {
    history.push_back({value, is_modification, handed_over});
  } else {
    history.insert(history.begin() + static_cast<std::ptrdiff_t>(position),
                   {value, is_modification, handed_over});
  }
  Message& message = history[position];
  message.view.seen[location] = timestamp;
  if (is_modification)
    message.view.join(history[position - 1].view);  // continues the release sequence
  if (order.is_seq_cst()) seq_cst_.seen[location] = std::max(seq_cst_.seen[location], timestamp);

  if (history.back().value != newest_before) ++changes_;
}

// Moves every reference to the stores from `position` on by one position.
void Memory::make_room(std::size_t location, std::size_t position) {
  const auto first = static_cast<Timestamp>(position);
  const auto shift = [=](View& view) {
    if (view.seen[location] >= first) ++view.seen[location];
  };
  for (ThreadView* thread : threads_) {
    shift(thread->current);
    shift(thread->acquired);
    shift(thread->released);
  }
  shift(seq_cst_);
  for (std::size_t i = 0; i < count_; ++i) {
    for (Message& message : histories_[i]) shift(message.view);
  }
}

void Memory::fence(OrderOfUse order, ThreadView& thread) {
  if (order.acquires()) thread.current.join(thread.acquired);
  if (order.is_seq_cst()) {
    thread.current.join_seen(seq_cst_);
    seq_cst_.join_seen(thread.current);
  }
  if (order.releases()) thread.released = thread.current;
}

View Memory::full_barrier(ThreadView& thread) {
  fence(std::memory_order_seq_cst, thread);
  return seq_cst_;
}

void Memory::interrupt(ThreadView& other, const View& published) {
  other.current.join(other.acquired);
  other.current.join_seen(published);
  other.released = other.current;
  seq_cst_.join_seen(other.current);
}

Value Memory::read_newest(std::size_t location, ThreadView& thread) {
  const History& history = histories_[location];
  thread.current.seen[location] = static_cast<Timestamp>(history.size() - 1);
  return history.back().value;
}

bool Memory::catch_up(ThreadView& thread) const {
  bool was_stale = false;
  for (std::size_t i = 0; i < count_; ++i) {
    const auto newest = static_cast<Timestamp>(histories_[i].size() - 1);
    was_stale |= thread.current.seen[i] < newest;
    thread.current.seen[i] = newest;
  }
  return was_stale;
}

}  // namespace jobs::model
