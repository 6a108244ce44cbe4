# The models of the shared parts of algorithms, and the mutants that they must detect: each is a
# plausible "simplification" of the source.

set(prefix_chain jobs/algorithm/core/prefix_chain.hpp)

jobs_add_models(model_prefix_chain algorithm/prefix_chain_models.cpp)

jobs_add_mutant(prefix_chain_stops_at_a_sum algorithm/prefix_chain_models.cpp ${prefix_chain}
  FROM "if (!meets(i, kKnown)) return;"
  TO "meets(i, kKnown);\n      return;")
jobs_add_mutant(prefix_chain_sum_does_not_carry_on algorithm/prefix_chain_models.cpp ${prefix_chain}
  FROM "if (meets(i, kSummed)) set_before"
  TO "if (meets(i, kSummed) && false) set_before")
jobs_add_mutant(prefix_chain_meets_without_exchange algorithm/prefix_chain_models.cpp ${prefix_chain}
  FROM "return slots_[i].state.fetch_or(message, prefix_chain_order::kMeet) != 0;"
  TO "const std::uint8_t old = slots_[i].state.load(prefix_chain_order::kSee);\n    slots_[i].state.store(old | message, std::memory_order_release);\n    return old != 0;")
jobs_add_mutant(prefix_chain_takes_the_sum_before_away algorithm/prefix_chain_models.cpp ${prefix_chain}
  FROM "op(T(*slot.before),"
  TO "op(std::move(*slot.before),")
jobs_add_mutant(prefix_chain_message_before_the_sum algorithm/prefix_chain_models.cpp ${prefix_chain}
  FROM "slots_[i].sum.emplace(std::move(sum));\n    if (meets(i, kSummed))"
  TO "const bool second = meets(i, kSummed);\n    slots_[i].sum.emplace(std::move(sum));\n    if (second)")
