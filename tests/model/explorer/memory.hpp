// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory: the atomics of one execution. They are as weak as C++20 allows, with one exception: an
// operation takes effect when its thread reaches it. A load therefore never sees a store that comes
// later (load buffering). `choose` decides everything that C++ leaves open.
//
// Within that limit the model contains: stale reads; stores that enter the modification order
// before earlier ones; release sequences; fences; one order of all seq_cst operations, which is the
// order of execution; membarrier.
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

// Chooses a number below n. An exhaustive search tries 0 first.
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

  // A location lives from create() to destroy(); find() returns kNone for an address without a live
  // atomic. The log of a location contains construction and destruction as writes and every
  // operation as a read. These accesses must be ordered as for plain data.
  static constexpr std::size_t kNone = AddressTable::kNone;
  std::size_t create(const void* address, Value initial);
  void destroy(const void* address) { locations_.remove(address); }
  std::size_t find(const void* address) const { return locations_.find(address); }
  AccessLog& log(std::size_t location) { return logs_[location]; }

  Value load(std::size_t location, OrderOfUse order, ThreadView& thread);
  void store(std::size_t location, Value value, OrderOfUse order, ThreadView& thread);

  // A read-modify-write in two halves: the read, then the write of the modified value. No operation
  // may come between them.
  Value read_to_modify(std::size_t location, OrderOfUse order, ThreadView& thread);
  void write_modified(Value value, OrderOfUse order, ThreadView& thread);

  // Strong. A failed compare-exchange is a load of any value that differs from `expected`, stale or
  // not. That value is written to `expected`.
  bool compare_exchange(std::size_t location, Value& expected, Value desired, OrderOfUse success,
                        OrderOfUse failure, ThreadView& thread);

  void fence(OrderOfUse order, ThreadView& thread);

  // membarrier(2) in three parts: a full barrier of the caller, then interrupt() for every other
  // thread, then full_barrier() again. An interrupted thread learns what the caller had published,
  // but not what the other threads had published.
  View full_barrier(ThreadView& thread);
  void interrupt(ThreadView& other, const View& published);

  // Returns the newest value: the kernel's view of a futex word. Afterwards the thread cannot read
  // an older value.
  Value read_newest(std::size_t location, ThreadView& thread);

  // Drops every stale value from the thread's view: stores become visible in the end. Returns true
  // if there was one.
  bool catch_up(ThreadView& thread) const;

  // Grows whenever the newest value of a location changes. A spin loop waits for such a change.
  std::uint32_t changes() const { return changes_; }

  // Registers a thread until clear(). An inserted store moves the views of all registered threads.
  void attach(ThreadView& thread) { threads_.push_back(&thread); }

 private:
  struct Message {
    Value value;
    // A modification of the message just before it: no message may come between the two.
    bool is_modification;
    View view;  // an acquiring reader joins this view
  };
  using History = std::vector<Message>;  // in modification order

  std::size_t oldest_readable(std::size_t location, OrderOfUse order,
                              const ThreadView& thread) const;
  void read(std::size_t location, std::size_t position, OrderOfUse order, ThreadView& thread);
  void insert(std::size_t location, std::size_t position, Value value, bool is_modification,
              OrderOfUse order, ThreadView& thread);
  void make_room(std::size_t location, std::size_t position);
  bool can_be_modified(const History& history, std::size_t position) const {
    return position + 1 == history.size() || !history[position + 1].is_modification;
  }

  Choose& choose_;
  std::array<History, kMaxLocations> histories_;
  AddressTable locations_;
  std::array<AccessLog, kMaxLocations> logs_;
  std::size_t count_ = 0;
  View seq_cst_;  // every later seq_cst operation or fence must see this view
  std::uint32_t changes_ = 0;
  std::vector<ThreadView*> threads_;
  std::size_t modified_location_ = 0;  // valid between read_to_modify() and write_modified()
  std::size_t modified_position_ = 0;
};

}  // namespace jobs::model
