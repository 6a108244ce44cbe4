// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/explorer/order.hpp"

namespace jobs::model {

namespace {

std::vector<const NamedOrder*>& registry() {
  static std::vector<const NamedOrder*> orders;
  return orders;
}

}  // namespace

const NamedOrder* NamedOrder::weakened_ = nullptr;

NamedOrder::NamedOrder(const char* name, std::memory_order order, const char* file)
    : name_(name), order_(order), file_(file) {
  registry().push_back(this);
}

const std::vector<const NamedOrder*>& NamedOrder::all() { return registry(); }

std::string to_string(OrderOfUse use) {
  if (use.name != nullptr) return use.name;
  switch (use.order) {
    case std::memory_order_relaxed:
      return "relaxed";
    case std::memory_order_consume:
      return "consume";
    case std::memory_order_acquire:
      return "acquire";
    case std::memory_order_release:
      return "release";
    case std::memory_order_acq_rel:
      return "acq_rel";
    case std::memory_order_seq_cst:
      return "seq_cst";
  }
  return "?";
}

}  // namespace jobs::model
