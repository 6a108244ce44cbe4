// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/explorer/operations.hpp"

#include <string>

#include "tests/model/explorer/execution.hpp"

namespace jobs::model {

namespace {

std::string name(std::size_t location) { return "a" + std::to_string(location); }

std::string text(Value value) {
  constexpr Value kLarge = 1 << 16;  // most likely an address
  if (value < kLarge) return std::to_string(value);
  char hex[32];
  std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(value));
  return hex;
}

}  // namespace

void create_atomic(const void* address, Value initial) {
  Execution::current().create_atomic(address, initial);
}
void destroy_atomic(const void* address) { Execution::current().destroy_atomic(address); }

Value atomic_load(const void* address, OrderOfUse order) {
  Execution& execution = Execution::current();
  execution.schedule();
  const std::size_t location = execution.live_atomic(address);
  const Value value = execution.memory().load(location, order, execution.view());
  execution.trace(
      [&] { return "load     " + name(location) + " = " + text(value) + "  " + to_string(order); });
  return value;
}

void atomic_store(const void* address, Value value, OrderOfUse order) {
  Execution& execution = Execution::current();
  execution.schedule();
  const std::size_t location = execution.live_atomic(address);
  const std::uint32_t before = execution.memory().changes();
  execution.memory().store(location, value, order, execution.view());
  execution.note_changes(before);
  execution.trace([&] {
    return "store    " + name(location) + " := " + text(value) + "  " + to_string(order);
  });
}

Value atomic_read_to_modify(const void* address, OrderOfUse order) {
  Execution& execution = Execution::current();
  execution.schedule();
  const std::size_t location = execution.live_atomic(address);
  const Value value = execution.memory().read_to_modify(location, order, execution.view());
  execution.trace(
      [&] { return "modify   " + name(location) + " = " + text(value) + "  " + to_string(order); });
  return value;
}

void atomic_write_modified(const void* address, Value value, OrderOfUse order) {
  Execution& execution = Execution::current();
  const std::uint32_t before = execution.memory().changes();
  execution.memory().write_modified(value, order, execution.view());
  execution.note_changes(before);
  execution.trace(
      [&] { return "         " + name(execution.memory().find(address)) + " := " + text(value); });
}

bool atomic_compare_exchange(const void* address, Value& expected, Value desired,
                             OrderOfUse success, OrderOfUse failure) {
  Execution& execution = Execution::current();
  execution.schedule();
  const std::size_t location = execution.live_atomic(address);
  const std::uint32_t before = execution.memory().changes();
  const Value wanted = expected;
  const bool exchanged = execution.memory().compare_exchange(location, expected, desired, success,
                                                             failure, execution.view());
  execution.note_changes(before);
  execution.trace([&] {
    return "exchange " + name(location) + " from " + text(wanted) + " to " + text(desired) + "  " +
           (exchanged ? to_string(success) : "failed, = " + text(expected));
  });
  return exchanged;
}

void create_plain(const void* address) { Execution::current().create_plain(address); }
void destroy_plain(const void* address) { Execution::current().destroy_plain(address); }
void read_plain(const void* address) { Execution::current().read_plain(address); }
void write_plain(const void* address) { Execution::current().write_plain(address); }

void fence(OrderOfUse order) {
  Execution& execution = Execution::current();
  execution.schedule();
  execution.memory().fence(order, execution.view());
  execution.trace([&] { return "fence    " + to_string(order); });
}

void light_fence() {
  if (!light_fence_is_free()) fence(std::memory_order_seq_cst);
}

bool light_fence_is_free() { return Execution::current().membarrier() != Membarrier::kRefused; }

void heavy_fence(OrderOfUse order) {
  Execution& execution = Execution::current();
  if (order.order == std::memory_order_relaxed) return;
  if (execution.membarrier() == Membarrier::kRefused) return fence(order);
  execution.schedule();
  execution.heavy_fence();
  execution.trace([] { return std::string("membarrier"); });
}

void spin() { Execution::current().spin(); }

}  // namespace jobs::model
