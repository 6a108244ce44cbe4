// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory: the atomics of one execution, as weak as C++20 allows, but for one thing: an operation takes effect when its
// thread reaches it, so a load never sees a store that comes later (load buffering). Whatever C++ leaves open is asked
// of `choose`. Within that limit: stale reads; stores that enter the modification order before others; release
// sequences; fences; one order of all seq_cst operations, which is the order of execution; membarrier.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/model/explorer/access_log.hpp"
#include "tests/model/explorer/address_table.hpp"
#include "tests/model/explorer/order.hpp"
#include "tests/model/explorer/view.hpp"

namespace jobs::model {

// One of n, 0 first in an exhaustive search.
class Choose {
 public:
  std::size_t choose(std::size_t n) { return n <= 1 ? 0 : choose_of_several(n); }

 protected:
  ~Choose() = default;

 private:
  virtual std::size_t choose_of_several(std::size_t n) = 0;
};

class Memory {
 public:
  explicit Memory(Choose& choose) : choose_(choose) {}

  void clear();

  // A location lives from create() to destroy(); find() gives kNone for an address that is no live atomic. Its log has
  // construction and destruction as writes, every operation as a read: those must be ordered as for plain data.
  static constexpr std::size_t kNone = AddressTable::kNone;
  std::size_t create(const void* address, Value initial);
  void destroy(const void* address) { locations_.remove(address); }
  std::size_t find(const void* address) const { return locations_.find(address); }
  AccessLog& log(std::size_t location) { return logs_[location]; }

  Value load(std::size_t location, OrderOfUse order, ThreadView& thread);
  void store(std::size_t location, Value value, OrderOfUse order, ThreadView& thread);

  // A read-modify-write: read, then write what was made of it. Nothing may come between the two.
  Value read_to_modify(std::size_t location, OrderOfUse order, ThreadView& thread);
  void write_modified(Value value, OrderOfUse order, ThreadView& thread);

  // Strong. A failed one is a load of anything that differs from `expected`, stale or not; that is written to
  // `expected`.
  bool compare_exchange(std::size_t location, Value& expected, Value desired, OrderOfUse success, OrderOfUse failure,
                        ThreadView& thread);

  void fence(OrderOfUse order, ThreadView& thread);

  // membarrier(2), part by part: a full barrier of the caller, then interrupt() for every other thread, then again
  // full(). A thread that is interrupted learns what the caller had published, not what the other threads had.
  View full_barrier(ThreadView& thread);
  void interrupt(ThreadView& other, const View& published);

  // The newest value; the kernel's view of a futex word. The thread cannot read an older one afterwards.
  Value read_newest(std::size_t location, ThreadView& thread);

  // Stores become visible in the end: the thread forgets everything stale. True if there was something.
  bool catch_up(ThreadView& thread) const;

  // Grows whenever the newest value of some location changes, which is what a spin loop waits for.
  std::uint32_t changes() const { return changes_; }

  // All threads whose views move when a store is inserted; until clear().
  void attach(ThreadView& thread) { threads_.push_back(&thread); }

 private:
  struct Message {
    Value value;
    bool is_modification;  // of the message just before it: nothing may come between them
    View view;             // what a reader that acquires gets to know
  };
  using History = std::vector<Message>;  // in modification order

  std::size_t oldest_readable(std::size_t location, OrderOfUse order, const ThreadView& thread) const;
  void read(std::size_t location, std::size_t position, OrderOfUse order, ThreadView& thread);
  void insert(std::size_t location, std::size_t position, Value value, bool is_modification, OrderOfUse order,
              ThreadView& thread);
  void make_room(std::size_t location, std::size_t position);
  bool can_be_modified(const History& history, std::size_t position) const {
    return position + 1 == history.size() || !history[position + 1].is_modification;
  }

  Choose& choose_;
  std::array<History, kMaxLocations> histories_;
  AddressTable locations_;
  std::array<AccessLog, kMaxLocations> logs_;
  std::size_t count_ = 0;
  View seq_cst_;  // what every later seq_cst operation or fence must see
  std::uint32_t changes_ = 0;
  std::vector<ThreadView*> threads_;
  std::size_t modified_location_ = 0;  // between read_to_modify() and write_modified()
  std::size_t modified_position_ = 0;
};

}  // namespace jobs::model
