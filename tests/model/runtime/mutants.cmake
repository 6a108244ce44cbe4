# The models of the idle protocol, and what must not go unnoticed if somebody "simplifies" it.

jobs_add_models(model_idle runtime/idle_models.cpp)

jobs_add_mutant(idle_guest_leaves_with_an_ordinary_fence runtime/idle_models.cpp jobs/runtime/idle.hpp
  FROM "heavy_fence();  // as W3"
  TO "full_fence(idle_order::kFromOutside);  //"
  WITH jobs/runtime/idle.cpp)
jobs_add_mutant(idle_no_last_look runtime/idle_models.cpp jobs/runtime/idle.hpp
  FROM "if (work_visible()) {"
  TO "if (false) {"
  WITH jobs/runtime/idle.cpp)
jobs_add_mutant(idle_last_searcher_hands_over_to_nobody runtime/idle_models.cpp jobs/runtime/idle.cpp
  FROM "if (searching_.fetch_sub(1, idle_order::kLeave) == 1) hand_over(Seats::kKept)"
  TO "searching_.fetch_sub(1, idle_order::kLeave)")
jobs_add_mutant(idle_nobody_is_woken_from_outside runtime/idle_models.cpp jobs/runtime/idle.cpp
  FROM "hand_over(Seats::kIgnored)"
  TO "return")
