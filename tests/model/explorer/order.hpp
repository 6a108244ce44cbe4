// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Named memory orders. Each JOBS_ORDER of the shipping source registers here. A WeakenedOrder makes
// one of them relaxed during its lifetime. These mutants show that every order is necessary.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

namespace jobs::model {

class NamedOrder {
 public:
  NamedOrder(const char* name, std::memory_order order, const char* file);
  NamedOrder(const NamedOrder&) = delete;
  NamedOrder& operator=(const NamedOrder&) = delete;

  operator std::memory_order() const {
    return this == weakened_ ? std::memory_order_relaxed : order_;
  }
  const char* name() const { return name_; }
  std::memory_order order() const { return order_; }
  bool is_weakened() const { return this == weakened_; }
  // True if the order stands in this header, given as "jobs/queue/inbox.hpp".
  bool is_of(std::string_view file) const { return std::string_view(file_).ends_with(file); }

  // All named orders of the program, unsorted.
  static const std::vector<const NamedOrder*>& all();

 private:
  friend class WeakenedOrder;
  static const NamedOrder* weakened_;

  const char* const name_;
  const std::memory_order order_;
  const char* const file_;
};

class WeakenedOrder {
 public:
  explicit WeakenedOrder(const NamedOrder& order) { NamedOrder::weakened_ = &order; }
  WeakenedOrder(const WeakenedOrder&) = delete;
  WeakenedOrder& operator=(const WeakenedOrder&) = delete;
  ~WeakenedOrder() { NamedOrder::weakened_ = nullptr; }
};

// The order of one operation, and its name for the trace if it has one. Atomic has no default:
// every operation of the shipping source must state its order.
struct OrderOfUse {
  OrderOfUse(std::memory_order value) : order(value) {}
  OrderOfUse(const NamedOrder& named) : order(named), name(named.name()) {}

  std::memory_order order;
  const char* name = nullptr;

  bool acquires() const {
    return order == std::memory_order_acquire || order == std::memory_order_acq_rel || is_seq_cst();
  }
  bool releases() const {
    return order == std::memory_order_release || order == std::memory_order_acq_rel || is_seq_cst();
  }
  bool is_seq_cst() const { return order == std::memory_order_seq_cst; }
};

std::string to_string(OrderOfUse order);

}  // namespace jobs::model
