// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Main program of the models: every model holds, and every memory order is necessary.
#include "tests/model/support/find_failure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "tests/model/explorer/order.hpp"
#include "tests/support/seed.hpp"

namespace jobs::model {
namespace {

// JOBS_MODEL_SECONDS, for a soak: seconds of search per model beyond its exhaustive search.
double seconds_more() {
  const char* const text = std::getenv("JOBS_MODEL_SECONDS");
  return text != nullptr ? std::atof(text) : 0;
}

class Models : public testing::TestWithParam<Model> {
 protected:
  // Searches with one more preemption within the time, then at random.
  static void search_further(double seconds) {
    Options further = GetParam().options;
    further.search = Search::kExhaustive;
    further.preemptions += 1;
    Options dice = GetParam().options;
    dice.search = Search::kPriorities;
    dice.seed = test::seed();
    for (Options options : {further, dice}) {
      options.max_executions = UINT64_MAX;
      options.seconds = seconds / 2;
      const Result result = explore(GetParam().body, options);
      std::printf("%s, %s: %s\n", GetParam().name.c_str(),
                  options.search == Search::kExhaustive ? "further" : "by dice",
                  result.summary().c_str());
      EXPECT_FALSE(result.failed()) << test::replay() << result.trace;
    }
  }
};

TEST_P(Models, Holds) {
  Options options = GetParam().options;
  options.seconds = 110;  // the models take at most 25 s, on a busy machine
  const Result result = explore(GetParam().body, options);
  std::printf("%s: %s\n", GetParam().name.c_str(), result.summary().c_str());
  EXPECT_FALSE(result.failed()) << result.trace;
  EXPECT_EQ(result.exhausted, GetParam().options.search == Search::kExhaustive);
  if (const double more = seconds_more(); more > 0 && !result.failed()) search_further(more);
}

INSTANTIATE_TEST_SUITE_P(All, Models, testing::ValuesIn(subject().models),
                         [](const auto& model) { return model.param.name; });

// The orders of the headers under test that are stronger than relaxed.
std::vector<const NamedOrder*> orders() {
  std::vector<const NamedOrder*> found;
  for (const NamedOrder* order : NamedOrder::all()) {
    const bool is_ours = std::ranges::any_of(
        subject().headers, [&](const auto& header) { return order->is_of(header); });
    if (is_ours && order->order() != std::memory_order_relaxed) found.push_back(order);
  }
  return found;
}

const NotShown* find_not_shown(const NamedOrder& order) {
  const auto& list = subject().not_shown;
  const auto found = std::ranges::find(list, order.name(), &NotShown::order);
  return found == list.end() ? nullptr : &*found;
}

class Orders : public testing::TestWithParam<const NamedOrder*> {};

// A header with relaxed orders only has none to weaken.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Orders);
TEST_P(Orders, IsNeeded) {
  const NamedOrder& order = *GetParam();
  const NotShown* not_shown = find_not_shown(order);
  const WeakenedOrder weakened(order);
  // A listed order is searched for briefly, so that no entry of the list outlives its reason.
  const auto [model, result] = find_failure(not_shown != nullptr ? 5'000 : UINT64_MAX);
  if (model == nullptr) {
    std::printf("%s weakened: not found\n", order.name());
    EXPECT_NE(not_shown, nullptr)
        << "no model needs it: write one, or weaken it in the source, or list it with the reason";
    return;
  }
  std::printf("%s weakened: found by %s, %s\n", order.name(), model->name.c_str(),
              result.summary().c_str());
  EXPECT_EQ(not_shown, nullptr) << "it is shown now: take it off the list";
}

INSTANTIATE_TEST_SUITE_P(All, Orders, testing::ValuesIn(orders()),
                         [](const auto& order) { return std::string(order.param->name()); });

TEST(NotShownOrders, Exist) {
  std::set<std::string> names;
  for (const NamedOrder* order : orders()) names.insert(order->name());
  for (const NotShown& entry : subject().not_shown) {
    EXPECT_TRUE(names.contains(entry.order)) << entry.order;
    std::printf("%s: %s\n", entry.order.c_str(), entry.reason.c_str());
  }
}

}  // namespace
}  // namespace jobs::model
