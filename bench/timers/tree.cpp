// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// An intrusive red-black tree, without allocations, too.
#include <boost/intrusive/set.hpp>

#include "bench/timers/workload.hpp"

namespace bench::timers {
namespace {

struct Node : boost::intrusive::set_base_hook<> {
  explicit Node(std::int64_t when) : at(when) {}
  friend bool operator<(const Node& a, const Node& b) { return a.at < b.at; }
  std::int64_t at;
};

class Tree {
 public:
  void arm(Node& node) { nodes_.insert(node); }
  void disarm(Node& node) { nodes_.erase(nodes_.iterator_to(node)); }
  bool empty() const { return nodes_.empty(); }

 private:
  boost::intrusive::multiset<Node> nodes_;
};

}  // namespace

template <std::int64_t kArmed>
Figures on_tree(const Conditions&) {
  return {pair_ns<Node, Tree>(kArmed)};
}
template Figures on_tree<0>(const Conditions&);
template Figures on_tree<1'000'000>(const Conditions&);

}  // namespace bench::timers
