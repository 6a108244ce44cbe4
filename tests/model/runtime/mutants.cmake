# The models of the runtime, and the mutants that they must detect: each is a plausible
# "simplification" of the source.

jobs_add_models(model_block_pool runtime/block_pool_models.cpp)
jobs_add_mutant(block_pool_returns_by_a_store runtime/block_pool_models.cpp jobs/runtime/memory/block_pool.hpp
  FROM "while (!returned_.compare_exchange_weak(head, block, block_order::kReturn, std::memory_order_relaxed));"
  TO "while (returned_.store(block, block_order::kReturn), false);"
  WITH jobs/runtime/memory/block_pool.cpp)
jobs_add_mutant(block_pool_leaves_what_it_collects runtime/block_pool_models.cpp jobs/runtime/memory/block_pool.cpp
  FROM "returned_.exchange(nullptr, block_order::kCollect)"
  TO "returned_.load(block_order::kCollect)")
jobs_add_mutant(block_pool_collects_in_two_steps runtime/block_pool_models.cpp jobs/runtime/memory/block_pool.cpp
  FROM "returned_.exchange(nullptr, block_order::kCollect);"
  TO "returned_.load(block_order::kCollect);
  returned_.store(nullptr, std::memory_order_relaxed);")

# The idle protocol.

jobs_add_models(model_idle runtime/idle_models.cpp)

jobs_add_mutant(idle_guest_leaves_with_an_ordinary_fence runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "heavy_fence();  // As step W3."
  TO "full_fence(idle_order::kFromOutside);  //"
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_no_last_look runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "switch (work_visible()) {"
  TO "switch (Visible::kNothing) {"
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_sleepers_do_not_count runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "switch (work_visible()) {"
  TO "idlers_.fetch_sub(1, std::memory_order_relaxed);
    switch (work_visible()) {"
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_pushes_look_too_early_without_membarrier runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "idlers_(light_fence_is_free() ? 0 : 1)"
  TO "idlers_(0)")
jobs_add_mutant(idle_last_searcher_hands_over_to_nobody runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "if (searching_.fetch_sub(1, idle_order::kLeave) == 1) hand_over(Seats::kKept)"
  TO "searching_.fetch_sub(1, idle_order::kLeave)")
jobs_add_mutant(idle_nobody_is_woken_from_outside runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "hand_over(Seats::kIgnored, first)"
  TO "return")
jobs_add_mutant(idle_guests_keep_their_seats_when_a_worker_rests runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "hand_over(Seats::kIgnored, first)"
  TO "hand_over(Seats::kKept, first)")
jobs_add_mutant(idle_main_thread_passes_nothing_on runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "hand_over(Seats::kIgnored, index + 1);"
  TO ""
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_hands_over_to_whom_it_is_not_for runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "word & bits_from(first, i)"
  TO "word")
jobs_add_mutant(idle_looks_again_only_for_some runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "first = 0;"
  TO "")
jobs_add_mutant(idle_loses_a_job_for_one_worker runtime/idle_models.cpp jobs/runtime/parking/message_queue.hpp
  FROM "placed.push(*static_cast<JobMessage*>(message));"
  TO ""
  WITH jobs/runtime/parking/idle.cpp)

# The message that informs a worker of a change in the number of granted workers.
jobs_add_models(model_notice runtime/notice_models.cpp)
set(notice jobs/runtime/parking/coalesced_message.hpp)
jobs_add_mutant(notice_is_sent_twice runtime/notice_models.cpp ${notice}
  FROM "if (under_way_.exchange(true, notice_order::kPost)) return;"
  TO "under_way_.exchange(true, notice_order::kPost);")
jobs_add_mutant(notice_two_send_it_at_once runtime/notice_models.cpp ${notice}
  FROM "if (under_way_.exchange(true, notice_order::kPost)) return;"
  TO "if (under_way_.load(std::memory_order_seq_cst)) return;
    under_way_.store(true, std::memory_order_seq_cst);")
jobs_add_mutant(notice_is_sent_once runtime/notice_models.cpp ${notice}
  FROM "under_way_.exchange(false, notice_order::kHear)"
  TO "static_cast<void>(0)")
jobs_add_mutant(notice_is_heard_by_a_store runtime/notice_models.cpp ${notice}
  FROM "under_way_.exchange(false, notice_order::kHear)"
  TO "under_way_.store(false, std::memory_order_release)")
jobs_add_mutant(notice_may_go_before_it_is_sent runtime/notice_models.cpp ${notice}
  FROM "if (under_way_.exchange(true, notice_order::kPost)) return;
    chaos::point();
    inbox.push(message_);"
  TO "if (under_way_.load(std::memory_order_seq_cst)) return;
    inbox.push(message_);
    under_way_.store(true, std::memory_order_seq_cst);")

# Pipelines and loops: the shipping source on a scheduler that consists of deques only.
set(two_lanes ${CMAKE_CURRENT_LIST_DIR}/two_lanes)

jobs_add_models(model_loop runtime/loop_models.cpp ${PROJECT_SOURCE_DIR}/jobs/runtime/job/job.cpp)
foreach(target loop_models model_loop)
  target_include_directories(${target} BEFORE PRIVATE ${two_lanes})
endforeach()

# jobs_add_loop_mutant(<name> <header> FROM <text> TO <text>)
function(jobs_add_loop_mutant name header)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "FROM;TO" "")
  jobs_add_mutant(loop_${name} runtime/loop_models.cpp ${header} FROM "${arg_FROM}" TO "${arg_TO}" WITH jobs/runtime/job/job.cpp)
  target_include_directories(mutant_loop_${name} BEFORE PRIVATE ${two_lanes})
endfunction()
jobs_add_loop_mutant(counts_a_part_when_it_is_gone jobs/runtime/parallel/loop.hpp
  FROM "loop_.begin_part();
    JOBS_TRY { lane_.push(*part); }"
  TO "JOBS_TRY {
      lane_.push(*part);
      loop_.begin_part();
    }")
jobs_add_loop_mutant(part_is_freed_by_who_runs_it jobs/runtime/parallel/loop.hpp
  FROM "self.let_go();"
  TO "self.free();")
jobs_add_loop_mutant(runs_what_was_taken jobs/runtime/parallel/loop.hpp
  FROM "    if (!lane_.pop_if(part)) {
      part.let_go();
      return false;
    }"
  TO "    (void)lane_.pop_if(part);")
jobs_add_loop_mutant(call_leaves_first jobs/runtime/parallel/loop_state.hpp
  FROM "if (running_.fetch_sub(1, loop_order::kEnd) != 1) all_ended_.join();"
  TO "if (running_.fetch_sub(1, loop_order::kEnd) != 1) while (running_.load(loop_order::kLook) != 0) cpu_relax();")

jobs_add_models(model_pipeline runtime/pipeline_models.cpp ${PROJECT_SOURCE_DIR}/jobs/runtime/graph/pipeline_run.cpp)
foreach(target pipeline_models model_pipeline)
  target_include_directories(${target} BEFORE PRIVATE ${two_lanes})
endforeach()

# jobs_add_pipeline_mutant(<name> FROM <text> TO <text>): mutates pipeline_run.cpp.
function(jobs_add_pipeline_mutant name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FROM;TO" "")
  jobs_add_mutant(pipeline_${name} runtime/pipeline_models.cpp jobs/runtime/graph/pipeline_run.cpp
    FROM "${arg_FROM}" TO "${arg_TO}")
  target_include_directories(mutant_pipeline_${name} BEFORE PRIVATE ${two_lanes})
endfunction()
jobs_add_pipeline_mutant(reads_what_it_has_offered
  FROM "batch.first - passed - 1, passed, batch.stage});
    offer(batch, hands);"
  TO "(offer(batch, hands), slot.first) - passed - 1, passed, batch.stage});")
jobs_add_pipeline_mutant(calls_for_what_was_taken
  FROM "if (kind == StageKind::kParallel) rest = 0"
  TO "(void)0")
jobs_add_pipeline_mutant(goes_on_with_what_was_taken
  FROM "if (shown != nullptr && !take_back(*shown, hands)) passed.count = 0;"
  TO "if (shown != nullptr) take_back(*shown, hands);")
jobs_add_pipeline_mutant(takes_back_what_it_has_not_shown
  FROM "if (shown.shown_by == &hands) return true;"
  TO "return true;")
jobs_add_pipeline_mutant(keeps_the_turn
  FROM "if (kind == StageKind::kInOrder) other = open(*current.slot, batch.stage);"
  TO "")
jobs_add_pipeline_mutant(keeps_the_permit
  FROM "other = static_cast<Slot*>(limits_[batch.stage]->release())"
  TO "(void)0")
jobs_add_pipeline_mutant(looks_before_it_leaves
  FROM "if (gate.exchange(mine, pipeline_order::kMeet) != other) return false;"
  TO "if (gate.load(std::memory_order_seq_cst) != other) return gate.store(mine, std::memory_order_seq_cst), false;")
jobs_add_pipeline_mutant(forgets_that_it_waits_for_its_turn
  FROM "slot.is_admitted = true;  // as"
  TO "// as")
jobs_add_pipeline_mutant(forgets_that_it_has_the_turn_of_the_source
  FROM "slots.is_admitted = true;"
  TO "")
jobs_add_pipeline_mutant(ends_with_the_source
  FROM "if (has_ended_ && slots.first + slots.count == end_ + slot_count_) {"
  TO "if (has_ended_ && passed.count == 0) {")
jobs_add_pipeline_mutant(looks_at_the_run_when_it_is_over
  FROM "done_.signal();"
  TO "done_.signal();
  cancelled_.store(false, pipeline_order::kHint);")
