# The models of the idle protocol, and what must not go unnoticed if somebody "simplifies" it.

jobs_add_models(model_idle runtime/idle_models.cpp)

jobs_add_mutant(idle_guest_leaves_with_an_ordinary_fence runtime/idle_models.cpp jobs/runtime/idle.hpp
  FROM "heavy_fence();  // as W3"
  TO "full_fence(idle_order::kFromOutside);  //"
  WITH jobs/runtime/idle.cpp)
jobs_add_mutant(idle_no_last_look runtime/idle_models.cpp jobs/runtime/idle.hpp
  FROM "switch (work_visible()) {"
  TO "switch (Visible::kNothing) {"
  WITH jobs/runtime/idle.cpp)
jobs_add_mutant(idle_last_searcher_hands_over_to_nobody runtime/idle_models.cpp jobs/runtime/idle.cpp
  FROM "if (searching_.fetch_sub(1, idle_order::kLeave) == 1) hand_over(Seats::kKept)"
  TO "searching_.fetch_sub(1, idle_order::kLeave)")
jobs_add_mutant(idle_nobody_is_woken_from_outside runtime/idle_models.cpp jobs/runtime/idle.cpp
  FROM "hand_over(Seats::kIgnored, first)"
  TO "return")
jobs_add_mutant(idle_main_thread_passes_nothing_on runtime/idle_models.cpp jobs/runtime/idle.hpp
  FROM "hand_over(Seats::kIgnored, index + 1);"
  TO ""
  WITH jobs/runtime/idle.cpp)
jobs_add_mutant(idle_hands_over_to_whom_it_is_not_for runtime/idle_models.cpp jobs/runtime/idle.cpp
  FROM "word & bits_from(first, i)"
  TO "word")
jobs_add_mutant(idle_looks_again_only_for_some runtime/idle_models.cpp jobs/runtime/idle.cpp
  FROM "first = 0;"
  TO "")
jobs_add_mutant(idle_loses_a_job_for_one_worker runtime/idle_models.cpp jobs/runtime/idle.hpp
  FROM "placed.push(*static_cast<JobMessage*>(message));"
  TO ""
  WITH jobs/runtime/idle.cpp)
