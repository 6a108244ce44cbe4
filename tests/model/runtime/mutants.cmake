# The models of the runtime, and the mutants that they must detect: each is a plausible
# "simplification" of the source.

jobs_add_models(model_block_pool runtime/block_pool_models.cpp)
jobs_add_mutant(block_pool_returns_by_a_store runtime/block_pool_models.cpp jobs/runtime/memory/block_pool.hpp
  FROM "while (!returned_.compare_exchange_weak(head, block, block_order::kReturn,
                                              std::memory_order_relaxed));"
  TO "while (returned_.store(block, block_order::kReturn), false);"
  WITH jobs/runtime/memory/block_pool.cpp)
jobs_add_mutant(block_pool_leaves_what_it_collects runtime/block_pool_models.cpp jobs/runtime/memory/block_pool.cpp
  FROM "returned_.exchange(nullptr, block_order::kCollect)"
  TO "returned_.load(block_order::kCollect)")
jobs_add_mutant(block_pool_collects_in_two_steps runtime/block_pool_models.cpp jobs/runtime/memory/block_pool.cpp
  FROM "returned_.exchange(nullptr, block_order::kCollect);"
  TO "returned_.load(block_order::kCollect);
  returned_.store(nullptr, std::memory_order_relaxed);")

jobs_add_mutant(block_pool_files_no_returned_block runtime/block_pool_models.cpp jobs/runtime/memory/block_pool.cpp
  FROM "file_list(collect());"
  TO "")
jobs_add_mutant(block_pool_loses_what_is_set_aside runtime/block_pool_models.cpp jobs/runtime/memory/block_pool.cpp
  FROM "set_aside_ = std::exchange(last->next, nullptr);"
  TO "set_aside_ = last->next;")
jobs_add_mutant(block_slabs_release_with_a_block_in_use runtime/block_pool_models.cpp jobs/runtime/memory/block_slabs.cpp
  FROM "if (slab.count != kSlabSize / block_size_) return;"
  TO "if (slab.count != kSlabSize / block_size_ - 1) return;")
jobs_add_mutant(block_slabs_forget_the_filed_blocks runtime/block_pool_models.cpp jobs/runtime/memory/block_slabs.cpp
  FROM "return std::exchange(slab.filed, nullptr);"
  TO "return std::exchange(slab.filed->next, nullptr);")
jobs_add_mutant(block_slabs_count_taken_blocks runtime/block_pool_models.cpp jobs/runtime/memory/block_slabs.cpp
  FROM "if (&list == &full_) --full_count_;
  slab.count = 0;"
  TO "if (&list == &full_) --full_count_;")

# The idle protocol.

jobs_add_models(model_idle runtime/idle_models.cpp)

jobs_add_mutant(idle_seat_is_returned_with_an_ordinary_fence runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "heavy_fence();
  if (work_visible())"
  TO "full_fence(idle_order::kFromOutside);
  if (work_visible())"
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_seat_is_returned_without_a_look runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "if (work_visible()) wake_one(WakePolicy::kReserveSeats);"
  TO ""
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_seats_do_not_count runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "if ((policy == WakePolicy::kReserveSeats || policy == WakePolicy::kFollowing) &&
        !find_spare(true))
      return;"
  TO "")
jobs_add_mutant(idle_returned_seat_is_not_fenced runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "chaos::inject_delay();
  full_fence(idle_order::kSeat);"
  TO ""
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_pause_ends_without_a_fence runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "pausing.store(false, std::memory_order_relaxed);
    full_fence(idle_order::kSeat);"
  TO "pausing.store(false, std::memory_order_relaxed);"
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_lone_job_without_a_barrier runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "!= others_idle_) heavy_fence();"
  TO "!= others_idle_) {}"
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_lone_job_takes_others_for_idle runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "std::int64_t{count} - 1) * kIdler)"
  TO "std::int64_t{count} - 2) * kIdler)")
jobs_add_mutant(idle_found_work_counts_as_idle runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "  balance_.fetch_sub(kIdler, idle_order::kRun);
  if (searching_"
  TO "  if (searching_")
jobs_add_mutant(idle_lone_job_without_a_look runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "if (!work_visible()) return lone_jobs_"
  TO "return lone_jobs_"
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_lone_job_counts_no_seat runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "if (!find_spare(true) || !any_parked()) return;"
  TO "if (!has_spare_workers() || !any_parked()) return;"
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_found_work_is_not_fenced runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "full_fence(idle_order::kSeat);  // Step F1."
  TO "")
jobs_add_mutant(idle_seat_counts_for_ever runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "-kNewSeat : kIdler - kCountedSeat"
  TO "-kNewSeat : -kCountedSeat"
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_seat_is_counted_at_once runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "balance_.fetch_add(kNewSeat, idle_order::kTakeSeat);"
  TO "balance_.fetch_add(kCountedSeat - kIdler, idle_order::kTakeSeat);"
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_push_counts_no_seat runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "if (balance_.compare_exchange_weak(balance, counted, std::memory_order_relaxed,
                                       std::memory_order_relaxed))"
  TO "")
jobs_add_mutant(idle_participant_never_counts_a_seat runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "!counts_seats && seats + counted_seats(balance) == 1"
  TO "!counts_seats")
jobs_add_mutant(idle_participant_ignores_counted_seats runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "!counts_seats && seats + counted_seats(balance) == 1"
  TO "!counts_seats && seats == 1")
jobs_add_mutant(idle_participant_forgets_its_deque runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "new_seats(before) != 0 ? !leaves_jobs : idlers(before) > 0"
  TO "new_seats(before) != 0 || idlers(before) > 0"
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_no_last_check runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "switch (work_visible()) {"
  TO "switch (Visible::kNothing) {"
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_parked_workers_do_not_count runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "switch (work_visible()) {"
  TO "balance_.fetch_sub(kIdler, std::memory_order_relaxed);
    switch (work_visible()) {"
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_pushes_check_too_early_without_membarrier runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "bias_(light_fence_is_free() && !publishes_always ? 0 : kAlwaysPositive)"
  TO "bias_(publishes_always)")
jobs_add_mutant(idle_last_searcher_wakes_no_worker runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "full_fence(idle_order::kSeat);  // Step F1.
  return true;"
  TO "return false;")
jobs_add_mutant(idle_searcher_looks_without_a_standby runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "if (standby_.is_manned() && !work_visible()) return;"
  TO "if (!work_visible()) return;"
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_busy_machine_needs_no_standby runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "(standby_.is_manned(first) && has_no_free_cpu())"
  TO "has_no_free_cpu()")
jobs_add_mutant(idle_standby_stays_for_ever runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "  standby_.leave();"
  TO ""
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_standby_runs_a_message_first runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "  if (stands_by) {
    searching_.fetch_add(1, std::memory_order_relaxed);
    return Woken::kToLook;
  }"
  TO ""
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_external_push_wakes_no_worker runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "wake_one(WakePolicy::kIgnoreSeats, first)"
  TO "return")
jobs_add_mutant(idle_participants_keep_their_seats_when_a_worker_retires runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "wake_one(WakePolicy::kIgnoreSeats, first)"
  TO "wake_one(WakePolicy::kReserveSeats, first)")
jobs_add_mutant(idle_offer_leaves_the_seats_their_workers runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "wake_one(WakePolicy::kGiveWay, first);
  wake_one(WakePolicy::kGiveWay);"
  TO "wake_one(WakePolicy::kReserveSeats, first);
  wake_one(WakePolicy::kReserveSeats);")
jobs_add_mutant(idle_offer_wakes_workers_from_the_first_on_only runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "wake_one(WakePolicy::kGiveWay);"
  TO "")
jobs_add_mutant(idle_main_thread_wakes_no_worker runtime/idle_models.cpp jobs/runtime/parking/idle.hpp
  FROM "wake_one(WakePolicy::kIgnoreSeats, index + 1);"
  TO ""
  WITH jobs/runtime/parking/idle.cpp)
jobs_add_mutant(idle_wakes_an_ineligible_worker runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "word & bits_from(first, i)"
  TO "word")
jobs_add_mutant(idle_searches_again_only_some_workers runtime/idle_models.cpp jobs/runtime/parking/idle.cpp
  FROM "first = 0;"
  TO "")
jobs_add_mutant(idle_loses_a_job_for_one_worker runtime/idle_models.cpp jobs/runtime/parking/message_queue.hpp
  FROM "affine.push(*static_cast<JobMessage*>(message));"
  TO ""
  WITH jobs/runtime/parking/idle.cpp)

# What a waiting external participant may run.
jobs_add_models(model_lineage runtime/lineage_models.cpp)
jobs_add_mutant(lineage_ignores_the_epoch runtime/lineage_models.cpp jobs/runtime/worker/lineage.hpp
  FROM "return is_current ? wait_.load(lineage_order::kWait) : nullptr;"
  TO "return wait_.load(lineage_order::kWait);")
jobs_add_mutant(lineage_continues_after_any_job runtime/lineage_models.cpp jobs/runtime/worker/lineage.hpp
  FROM "const bool continues = this->wait(epoch - 1) == wait;"
  TO "const bool continues = wait_.load(lineage_order::kWait) == wait;")
jobs_add_mutant(lineage_continues_always runtime/lineage_models.cpp jobs/runtime/worker/lineage.hpp
  FROM "set(is_alone || continues ? wait : nullptr, epoch);"
  TO "set(wait, epoch);")

# The message that informs a worker of a change in the number of granted workers.
jobs_add_models(model_coalesced_message runtime/coalesced_message_models.cpp)
set(coalesced_message jobs/runtime/parking/coalesced_message.hpp)
jobs_add_mutant(message_is_sent_twice runtime/coalesced_message_models.cpp ${coalesced_message}
  FROM "if (pending_.exchange(true, coalesced_message_order::kPost)) return;"
  TO "pending_.exchange(true, coalesced_message_order::kPost);")
jobs_add_mutant(message_two_send_it_at_once runtime/coalesced_message_models.cpp ${coalesced_message}
  FROM "if (pending_.exchange(true, coalesced_message_order::kPost)) return;"
  TO "if (pending_.load(std::memory_order_seq_cst)) return;
    pending_.store(true, std::memory_order_seq_cst);")
jobs_add_mutant(message_is_sent_once runtime/coalesced_message_models.cpp ${coalesced_message}
  FROM "pending_.exchange(false, coalesced_message_order::kReceive)"
  TO "static_cast<void>(0)")
jobs_add_mutant(message_is_received_by_a_store runtime/coalesced_message_models.cpp ${coalesced_message}
  FROM "pending_.exchange(false, coalesced_message_order::kReceive)"
  TO "pending_.store(false, std::memory_order_release)")
jobs_add_mutant(message_may_go_before_it_is_sent runtime/coalesced_message_models.cpp ${coalesced_message}
  FROM "if (pending_.exchange(true, coalesced_message_order::kPost)) return;
    chaos::inject_delay();
    inbox.push(message_);"
  TO "if (pending_.load(std::memory_order_seq_cst)) return;
    inbox.push(message_);
    pending_.store(true, std::memory_order_seq_cst);")

# Threads of the program as workers.

jobs_add_models(model_bound_slots runtime/bound_slots_models.cpp)
foreach(target bound_slots_models model_bound_slots)
  target_include_directories(${target} BEFORE PRIVATE ${locked})
endforeach()

# jobs_add_bound_slots_mutant(<name> FROM <text> TO <text>): mutates bound_slots.hpp.
function(jobs_add_bound_slots_mutant name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FROM;TO" "")
  jobs_add_mutant(bound_slots_${name} runtime/bound_slots_models.cpp jobs/runtime/scheduler/bound_slots.hpp
    FROM "${arg_FROM}" TO "${arg_TO}")
  target_include_directories(mutant_bound_slots_${name} BEFORE PRIVATE ${locked})
endfunction()
jobs_add_bound_slots_mutant(take_without_the_mutex
  FROM "const std::scoped_lock lock(mutex_);
    if (!is_open()) return kNone;"
  TO "if (!is_open()) return kNone;")
jobs_add_bound_slots_mutant(take_after_the_close
  FROM "if (!is_open()) return kNone;"
  TO "")
jobs_add_bound_slots_mutant(take_one_that_is_taken
  FROM "while (index < count_ && slots_[index].taken) ++index;"
  TO "")
jobs_add_bound_slots_mutant(take_one_that_is_leaving
  FROM "while (index < count_ && slots_[index].taken) ++index;"
  TO "while (index < count_ && slots_[index].serving) ++index;")
jobs_add_bound_slots_mutant(take_without_serving
  FROM "prepare(index);
    slots_[index].taken = slots_[index].serving = true;"
  TO "prepare(index);
    slots_[index].serving = true;")
jobs_add_bound_slots_mutant(stop_without_the_mutex
  FROM "const std::scoped_lock lock(mutex_);
    if (!give_up()) return false;"
  TO "if (!give_up()) return false;
    const std::scoped_lock lock(mutex_);")
jobs_add_bound_slots_mutant(stop_without_a_look
  FROM "if (!give_up()) return false;"
  TO "static_cast<void>(give_up());")
jobs_add_bound_slots_mutant(stop_serves_for_ever
  FROM "slots_[index].serving = false;
    return true;"
  TO "return true;")
jobs_add_bound_slots_mutant(release_without_the_mutex
  FROM "const std::scoped_lock lock(mutex_);
    slots_[index].taken = false;"
  TO "slots_[index].taken = false;")
jobs_add_bound_slots_mutant(release_of_nothing
  FROM "slots_[index].taken = false;"
  TO "")
jobs_add_bound_slots_mutant(submit_after_the_mutex
  FROM "const std::scoped_lock lock(mutex_);
    if (!slots_[index].serving) return false;"
  TO "if (const std::scoped_lock lock(mutex_); !slots_[index].serving) return false;")
jobs_add_bound_slots_mutant(submit_to_a_slot_that_is_leaving
  FROM "if (!slots_[index].serving) return false;"
  TO "if (!slots_[index].taken) return false;")
jobs_add_bound_slots_mutant(shutdown_beside_a_thread
  FROM "if (slots_[i].taken) return false;"
  TO "")
jobs_add_bound_slots_mutant(second_shutdown_is_refused
  FROM "if (!is_open()) return true;"
  TO "")
jobs_add_bound_slots_mutant(shutdown_takes_what_is_taken
  FROM "if (slots_[i].taken) continue;"
  TO "")
jobs_add_bound_slots_mutant(shutdown_leaves_the_slot_vacant
  FROM "if (!start(i)) return false;
      slots_[i].taken = slots_[i].serving = true;"
  TO "if (!start(i)) return false;")

# Which work a scheduler accepts, and the end of all accepted work.
jobs_add_models(model_quiescence runtime/quiescence_models.cpp)

# jobs_add_quiescence_mutant(<name> FROM <text> TO <text>): mutates quiescence.hpp.
function(jobs_add_quiescence_mutant name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FROM;TO" "")
  jobs_add_mutant(quiescence_${name} runtime/quiescence_models.cpp jobs/runtime/worker/quiescence.hpp
    FROM "${arg_FROM}" TO "${arg_TO}")
endfunction()
jobs_add_quiescence_mutant(checks_before_it_counts
  FROM "spawned_outside_.fetch_add(1, quiescence_order::kAdmit);
    return is_open();"
  TO "const bool open = is_open();
    spawned_outside_.fetch_add(1, quiescence_order::kAdmit);
    return open;")
jobs_add_quiescence_mutant(forgets_what_it_refuses
  FROM "refused_outside_.fetch_add(1, quiescence_order::kAdmit);"
  TO "")
jobs_add_quiescence_mutant(park_is_not_fenced
  FROM "full_fence(quiescence_order::kDrain);
    if (state_.load"
  TO "if (state_.load")
jobs_add_quiescence_mutant(park_does_not_signal
  FROM "has_ended()) drained_.signal();"
  TO "has_ended()) drained_.reset();")
jobs_add_quiescence_mutant(turns_do_not_look
  FROM "if (!seems_open()) check();"
  TO "static_cast<void>(check);")
jobs_add_quiescence_mutant(turns_look_before_a_shutdown_only
  FROM "if (!seems_open()) check();"
  TO "if (seems_open()) check();")
jobs_add_quiescence_mutant(drain_looks_before_it_resets
  FROM "drained_.reset();
    }"
  TO "if (!work.has_participants() && work.has_ended()) return true;
      drained_.reset();
      wait_until(drained_, deadline);
    }")
jobs_add_quiescence_mutant(close_is_not_fenced
  FROM "std::memory_order_relaxed);
    full_fence(quiescence_order::kDrain);"
  TO "std::memory_order_relaxed);")
jobs_add_quiescence_mutant(ignores_participants
  FROM "const bool has_participants = work.has_participants();"
  TO "const bool has_participants = false;")
jobs_add_quiescence_mutant(ignores_daemons
  FROM "work.stop_daemons();"
  TO "")
jobs_add_quiescence_mutant(looks_for_daemons_last
  FROM "work.stop_daemons();
      // A worker may have parked while a daemon that had ended counted as submitted.
      full_fence(quiescence_order::kDrain);
      if (work.has_ended() && accepted(work) == before) return true;"
  TO "work.stop_daemons();
      if (accepted(work) == before) return true;")
jobs_add_quiescence_mutant(look_for_daemons_is_not_fenced
  FROM "full_fence(quiescence_order::kDrain);
      if (work"
  TO "if (work")
jobs_add_quiescence_mutant(forgets_jobs_of_a_daemon
  FROM " && accepted(work) == before) return true;"
  TO ") return true;")
jobs_add_quiescence_mutant(forgets_jobs_of_a_blocking_call
  FROM "return work.submitted() + accepted_.load(quiescence_order::kDrain);"
  TO "return work.submitted();")
jobs_add_quiescence_mutant(ends_in_spite_of_its_deadline
  FROM "if (now >= deadline) return false;"
  TO "if (now >= deadline) return true;")
jobs_add_quiescence_mutant(lets_two_threads_stop
  FROM "return wait_until(turn_, deadline);"
  TO "return true;")
jobs_add_quiescence_mutant(keeps_the_turn
  FROM "void give_turn() noexcept { turn_.signal(); }"
  TO "void give_turn() noexcept {}")
jobs_add_quiescence_mutant(opens_again
  FROM "State open = State::kOpen;
    state_.compare_exchange_strong(open, State::kDraining, quiescence_order::kDrain,
                                   std::memory_order_relaxed);"
  TO "state_.store(State::kDraining, quiescence_order::kDrain);")

# The worker that checks the limits of the machine while it is retired.
jobs_add_models(model_limits_monitor runtime/limits_monitor_models.cpp)

# jobs_add_monitor_mutant(<name> FROM <text> TO <text>): mutates limits_monitor.hpp.
function(jobs_add_monitor_mutant name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FROM;TO" "")
  jobs_add_mutant(limits_monitor_${name} runtime/limits_monitor_models.cpp jobs/runtime/worker/limits_monitor.hpp
    FROM "${arg_FROM}" TO "${arg_TO}")
endfunction()
jobs_add_monitor_mutant(sleeps_without_a_fence
  FROM "heavy_fence();  // partner: after_park()"
  TO "")
jobs_add_monitor_mutant(sleeps_behind_an_ordinary_fence
  FROM "heavy_fence();  // partner: after_park()"
  TO "full_fence(std::memory_order_seq_cst);")
jobs_add_monitor_mutant(sleeps_without_a_second_look
  FROM "if (!is_awake()) return false;"
  TO "return false;")
jobs_add_monitor_mutant(looks_before_it_sleeps
  FROM "sleeps_.store(true, std::memory_order_relaxed);
    heavy_fence();  // partner: after_park()
    if (!is_awake()) return false;"
  TO "heavy_fence();
    if (!is_awake()) {
      sleeps_.store(true, std::memory_order_relaxed);
      return false;
    }")
jobs_add_monitor_mutant(worker_wakes_without_a_fence
  FROM "light_fence();  // The worker counts as awake before the load; partner: keeps_checking()."
  TO "")
jobs_add_monitor_mutant(worker_does_not_wake_it
  FROM "if (sleeps_.exchange(false, std::memory_order_relaxed)) wake();"
  TO "sleeps_.exchange(false, std::memory_order_relaxed);")
jobs_add_monitor_mutant(worker_looks_for_the_monitor_first
  FROM "light_fence();  // The worker counts as awake before the load; partner: keeps_checking()."
  TO "const bool sleeps = sleeps_.load(std::memory_order_relaxed);
    light_fence();
    if (!sleeps) return;")

# Worker contexts and participant slots: the shipping source on a scheduler without fibers.
set(one_scheduler ${CMAKE_CURRENT_LIST_DIR}/one_scheduler)
set(contexts
  jobs/runtime/worker/worker_context.cpp
  jobs/runtime/worker/participant_context.cpp
  jobs/runtime/worker/participant_slots.cpp)
list(TRANSFORM contexts PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE context_sources)
jobs_add_models(model_worker_context runtime/worker_context_models.cpp ${context_sources})
jobs_add_models(model_participant runtime/participant_models.cpp ${context_sources})
foreach(target worker_context_models model_worker_context participant_models model_participant)
  target_include_directories(${target} BEFORE PRIVATE ${one_scheduler})
endforeach()

# jobs_add_context_mutant(<name> <subject> <file> FROM <text> TO <text>): mutates a file of worker
# contexts or participant slots. <subject>: worker_context or participant.
function(jobs_add_context_mutant name subject file)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "FROM;TO" "")
  list(REMOVE_ITEM contexts ${file})
  jobs_add_mutant(${subject}_${name} runtime/${subject}_models.cpp ${file}
    FROM "${arg_FROM}" TO "${arg_TO}" WITH ${contexts})
  target_include_directories(mutant_${subject}_${name} BEFORE PRIVATE ${one_scheduler})
endfunction()
set(file jobs/runtime/worker/worker_context.hpp)
jobs_add_context_mutant(larger_deque_wakes_no_worker worker_context ${file}
  FROM "deque_.push(&job);
    if (idle_.has_idle_workers()) publish();"
  TO "deque_.push(&job);")
jobs_add_context_mutant(looks_for_sleepers_before_it_grows worker_context ${file}
  FROM "deque_.push(&job);
    if (idle_.has_idle_workers()) publish();"
  TO "const bool has_idle_workers = idle_.has_idle_workers();
    deque_.push(&job);
    if (has_idle_workers) publish();")
jobs_add_context_mutant(larger_deque_is_published_first worker_context ${file}
  FROM "deque_.push(&job);
    if (idle_.has_idle_workers()) publish();"
  TO "if (idle_.has_idle_workers()) publish();
    deque_.push(&job);")
jobs_add_context_mutant(push_wakes_no_worker worker_context ${file}
  FROM "if (idle_.has_idle_workers()) [[unlikely]]
      kDetached ? publish_detached() : publish();"
  TO "")
jobs_add_context_mutant(publishes_and_wakes_no_worker worker_context jobs/runtime/worker/worker_context.cpp
  FROM "idle_.published([this] { record_cpu(); });"
  TO "")
set(file jobs/runtime/worker/participant_slots.cpp)
jobs_add_context_mutant(takes_a_slot_in_two_steps participant ${file}
  FROM "slot.taken.exchange(true, kAcquireSlot))"
  TO "(slot.taken.store(true, kAcquireSlot), false))")
jobs_add_context_mutant(lowers_the_number_of_slots participant ${file}
  FROM "while (used <= i && !used_.compare_exchange_weak(used, i + 1, kUse, kUse)) {
    }"
  TO "if (used != i + 1) used_.store(i + 1, kUse);")
jobs_add_context_mutant(looks_once_whether_it_is_open participant ${file}
  FROM "if (!quiescence.is_open() && !shared.is_in_blocking_call()) [[unlikely]] {"
  TO "if (false) {")
jobs_add_context_mutant(refuses_a_blocking_call participant ${file}
  FROM "if (!quiescence.is_open() && !shared.is_in_blocking_call()) [[unlikely]] {"
  TO "if (!quiescence.is_open()) [[unlikely]] {")
jobs_add_context_mutant(keeps_the_slot_when_refused participant ${file}
  FROM "slot.taken.store(false, kReleaseSlot);
      return nullptr;"
  TO "return nullptr;")
jobs_add_context_mutant(leaves_another_slot participant ${file}
  FROM "slot.taken.store(false, participant_order::kReleaseSlot);
    return;"
  TO "slots_[0].taken.store(false, participant_order::kReleaseSlot);
    return;")
jobs_add_context_mutant(shows_no_context_to_thieves participant ${file}
  FROM "slot.context.store(context, kPublishContext);"
  TO "slot.context.store(context, kPublishContext);
      if (i == 0) return context;")
set(file jobs/runtime/worker/participant_slots.hpp)
jobs_add_context_mutant(shutdown_overlooks_the_last_slot participant ${file}
  FROM "for (unsigned i = 0; i < used && count != 0; ++i) {"
  TO "for (unsigned i = 0; i + 1 < used && count != 0; ++i) {")
jobs_add_context_mutant(thieves_overlook_the_last_slot participant ${file}
  FROM "for (unsigned i = 0; i < used; ++i) {"
  TO "for (unsigned i = 0; i + 1 < used; ++i) {")
set(file jobs/runtime/worker/participant_context.cpp)
jobs_add_context_mutant(parks_with_its_seat participant ${file}
  FROM "shared().return_seat(*this);"
  TO "")
jobs_add_context_mutant(looks_once_whether_the_worker_serves_it participant ${file}
  FROM "if (worker.serves_in_epoch(awaited) == epoch) return stolen.item;"
  TO "return stolen.item;")
jobs_add_context_mutant(robs_any_worker participant ${file}
  FROM "if (epoch == Worker::kNotServed) continue;"
  TO "")
jobs_add_context_mutant(keeps_a_job_of_another_wait participant ${file}
  FROM "shared().resubmit(*stolen.item);"
  TO "")

# Pipelines and loops: the shipping source on a scheduler that consists of deques only.
set(two_contexts ${CMAKE_CURRENT_LIST_DIR}/two_contexts)

jobs_add_models(model_loop runtime/loop_models.cpp ${PROJECT_SOURCE_DIR}/jobs/runtime/job/job.cpp)
foreach(target loop_models model_loop)
  target_include_directories(${target} BEFORE PRIVATE ${two_contexts})
endforeach()

# jobs_add_loop_mutant(<name> <header> FROM <text> TO <text>)
function(jobs_add_loop_mutant name header)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "FROM;TO" "")
  jobs_add_mutant(loop_${name} runtime/loop_models.cpp ${header} FROM "${arg_FROM}" TO "${arg_TO}" WITH jobs/runtime/job/job.cpp)
  target_include_directories(mutant_loop_${name} BEFORE PRIVATE ${two_contexts})
endfunction()
jobs_add_loop_mutant(counts_a_part_when_it_is_gone jobs/runtime/parallel/loop.hpp
  FROM "loop_.begin_part();
    JOBS_TRY { context_.push(*part); }"
  TO "JOBS_TRY {
      context_.push(*part);
      loop_.begin_part();
    }")
jobs_add_loop_mutant(part_is_freed_by_its_runner jobs/runtime/parallel/loop.hpp
  FROM "self.release();"
  TO "self.free();")
jobs_add_loop_mutant(runs_what_was_taken jobs/runtime/parallel/loop.hpp
  FROM "    if (!context_.pop_if(part)) {
      part.release();
      return false;
    }"
  TO "    (void)context_.pop_if(part);")
jobs_add_loop_mutant(call_leaves_first jobs/runtime/parallel/loop_state.hpp
  FROM "if (running_.fetch_sub(1, loop_order::kEnd) != 1) all_ended_.join();"
  TO "if (running_.fetch_sub(1, loop_order::kEnd) != 1) while (running_.load(loop_order::kLook) != 0) cpu_relax();")

# The gate of a loop with a priority.
jobs_add_models(model_team_gate runtime/team_gate_models.cpp ${PROJECT_SOURCE_DIR}/jobs/runtime/job/job.cpp)
# jobs_add_gate_mutant(<name> FROM <text> TO <text>)
function(jobs_add_gate_mutant name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FROM;TO" "")
  jobs_add_mutant(team_gate_${name} runtime/team_gate_models.cpp jobs/runtime/parallel/team_gate.hpp
    FROM "${arg_FROM}" TO "${arg_TO}" WITH jobs/runtime/job/job.cpp)
endfunction()
jobs_add_gate_mutant(looks_before_it_counts
  FROM "if ((word_.fetch_add(1, team_order::kEnter) & kClosed) == 0) return true;
    leave();
    return false;"
  TO "if ((word_.load(team_order::kEnter) & kClosed) != 0) return false;
    word_.fetch_add(1, team_order::kEnter);
    return true;")
jobs_add_gate_mutant(late_member_stays_counted
  FROM "    leave();
    return false;"
  TO "    return false;")
jobs_add_gate_mutant(last_member_tells_nothing
  FROM "== kClosed + 1) ended_.finish();"
  TO "== 1) ended_.finish();")
jobs_add_gate_mutant(caller_does_not_wait
  FROM "if (word_.fetch_add(kClosed, team_order::kClose) != 0) ended_.join();"
  TO "word_.fetch_add(kClosed, team_order::kClose);")

jobs_add_models(model_pipeline runtime/pipeline_models.cpp ${PROJECT_SOURCE_DIR}/jobs/runtime/graph/pipeline_run.cpp)
foreach(target pipeline_models model_pipeline)
  target_include_directories(${target} BEFORE PRIVATE ${two_contexts})
endforeach()

# jobs_add_pipeline_mutant(<name> FROM <text> TO <text>): mutates pipeline_run.cpp.
function(jobs_add_pipeline_mutant name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FROM;TO" "")
  jobs_add_mutant(pipeline_${name} runtime/pipeline_models.cpp jobs/runtime/graph/pipeline_run.cpp
    FROM "${arg_FROM}" TO "${arg_TO}")
  target_include_directories(mutant_pipeline_${name} BEFORE PRIVATE ${two_contexts})
endfunction()
jobs_add_pipeline_mutant(reads_what_it_has_offered
  FROM "batch.first - passed - 1, passed, batch.stage});
    offer(batch, carrier);"
  TO "(offer(batch, carrier), slot.first) - passed - 1, passed, batch.stage});")
jobs_add_pipeline_mutant(calls_for_what_was_taken
  FROM "if (kind == StageKind::kParallel) remaining = 0"
  TO "(void)0")
jobs_add_pipeline_mutant(continues_with_taken_tokens
  FROM "if (published != nullptr && !take_back(*published, carrier)) passed.count = 0;"
  TO "if (published != nullptr) take_back(*published, carrier);")
jobs_add_pipeline_mutant(takes_back_what_it_has_not_published
  FROM "if (published.published_by == &carrier) return true;"
  TO "return true;")
jobs_add_pipeline_mutant(keeps_the_turn
  FROM "if (kind == StageKind::kInOrder) other = pass_turn(*current.slot, batch.stage);"
  TO "")
jobs_add_pipeline_mutant(keeps_the_permit
  FROM "other = static_cast<Slot*>(limits_[batch.stage]->release())"
  TO "(void)0")
jobs_add_pipeline_mutant(reads_before_it_leaves
  FROM "if (point.exchange(mine, pipeline_order::kMeet) != other) return false;"
  TO "if (point.load(std::memory_order_seq_cst) != other) return point.store(mine, std::memory_order_seq_cst), false;")
jobs_add_pipeline_mutant(forgets_that_it_waits_for_its_turn
  FROM "slot.is_admitted = true;  // as"
  TO "// as")
jobs_add_pipeline_mutant(forgets_that_it_has_the_turn_of_the_source
  FROM "slots.is_admitted = true;"
  TO "")
jobs_add_pipeline_mutant(ends_with_the_source
  FROM "if (has_ended_ && slots.first + slots.count == end_ + slot_count_) {"
  TO "if (has_ended_ && passed.count == 0) {")
jobs_add_pipeline_mutant(reads_the_run_when_it_is_over
  FROM "done_.signal();"
  TO "done_.signal();
  flags_.store(0, pipeline_order::kHint);")

# Graphs: the shipping source on schedulers that consist of deques only.
set(two_schedulers ${CMAKE_CURRENT_LIST_DIR}/two_schedulers)
set(graph_sources
  jobs/runtime/graph/graph_arena.cpp
  jobs/runtime/graph/graph_body.cpp
  jobs/runtime/graph/graph_first_run.cpp
  jobs/runtime/graph/graph_plan.cpp
  jobs/runtime/graph/graph_plan_freeze.cpp
  jobs/runtime/graph/graph_run.cpp
  jobs/runtime/graph/graph_run_advance.cpp
  jobs/runtime/graph/graph_run_state.cpp)
list(TRANSFORM graph_sources PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE all_graph_sources)
jobs_add_models(model_graph runtime/graph_models.cpp ${all_graph_sources})
foreach(target graph_models model_graph)
  target_include_directories(${target} BEFORE PRIVATE ${two_schedulers})
endforeach()

# jobs_add_graph_mutant(<name> <file> FROM <text> TO <text>): mutates a file of jobs/runtime/graph.
function(jobs_add_graph_mutant name file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "FROM;TO" "")
  list(REMOVE_ITEM graph_sources jobs/runtime/graph/${file})
  jobs_add_mutant(graph_${name} runtime/graph_models.cpp jobs/runtime/graph/${file}
    FROM "${arg_FROM}" TO "${arg_TO}" WITH ${graph_sources})
  target_include_directories(mutant_graph_${name} BEFORE PRIVATE ${two_schedulers})
endfunction()
jobs_add_graph_mutant(permit_goes_to_the_own_scheduler graph_run_advance.cpp
  FROM "if (run.shared_ == &context.shared()) {"
  TO "if (true) {")
jobs_add_graph_mutant(admitted_node_asks_again graph_run_advance.cpp
  FROM "record->range_end = kAdmitted;"
  TO "record->range_end = kAlone;")
jobs_add_graph_mutant(skipped_node_keeps_its_permit graph_run_advance.cpp
  FROM "if (record.node.has_limit) [[unlikely]]
    release"
  TO "if (record.node.has_limit && !is_cancelled()) [[unlikely]]
    release")
jobs_add_graph_mutant(skipped_node_runs graph_run_advance.cpp
  FROM "if (is_cancelled()) [[unlikely]] {"
  TO "if (false) {")
jobs_add_graph_mutant(failure_is_dropped graph_run_state.hpp
  FROM "if (!failed_.exchange(true, graph_order::kHint)) failure_"
  TO "if (failed_.load(graph_order::kHint)) failure_")
jobs_add_graph_mutant(arrives_by_a_store graph_run_advance.cpp
  FROM "record.missing.fetch_sub(count, graph_order::kArrive) != count)"
  TO "(record.missing.store(record.missing.load(std::memory_order_acquire) - count, std::memory_order_release), true))")
jobs_add_graph_mutant(ends_before_it_is_signalled graph_run_state.hpp
  FROM "done_.signal();
    context"
  TO "context")
jobs_add_graph_mutant(first_run_arrives_by_a_store graph_first_run.cpp
  FROM "vertex.missing.fetch_sub(count, graph_order::kArrive) == count;"
  TO "(vertex.missing.store(vertex.missing.load(std::memory_order_acquire) - count, std::memory_order_release), false);")
jobs_add_graph_mutant(first_run_takes_what_was_stolen graph_first_run.cpp
  FROM "if (offered == nullptr || leaves || !context.pop_if(*offered)) return;"
  TO "if (offered == nullptr) return;")
jobs_add_graph_mutant(first_run_forgets_deferred_arrivals graph_first_run.cpp
  FROM "if (arrive(join, deferred + 1)) next = &join;"
  TO "if (arrive(join, 1)) next = &join;")
jobs_add_graph_mutant(first_run_defers_for_a_stolen_node graph_first_run.cpp
  FROM "arrives_alone_at(*offered, join) &&
          context.pop_if(*offered)) {"
  TO "arrives_alone_at(*offered, join)) {")
jobs_add_graph_mutant(first_run_runs_skipped_nodes graph_first_run.cpp
  FROM "if (is_cancelled()) [[unlikely]]
    return skip();"
  TO "")
jobs_add_graph_mutant(limit_is_not_locked job_limit.hpp
  FROM "[[nodiscard]] Job* release() noexcept {
    const std::lock_guard guard(lock_);"
  TO "[[nodiscard]] Job* release() noexcept {")
jobs_add_graph_mutant(limit_returns_a_permit_twice job_limit.hpp
  FROM "first_ = job->next;"
  TO "first_ = job->next;
      ++permits_;")
jobs_add_graph_mutant(limit_keeps_the_permit_of_a_waiting_node job_limit.hpp
  FROM "if (job == nullptr) {
      ++permits_;"
  TO "if (job == nullptr) {
      permits_ = permits_;")
# Dependent jobs and pipes.

set(dependent_job jobs/runtime/scheduler/dependent_job.cpp)
set(dependent_job_sources jobs/runtime/scheduler/dependent_job.cpp jobs/runtime/scheduler/job_failure.cpp)
set(waiting_jobs ${CMAKE_CURRENT_LIST_DIR}/waiting_jobs)
list(TRANSFORM dependent_job_sources PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
jobs_add_models(model_dependent_job runtime/dependent_job_models.cpp ${sources})
foreach(target dependent_job_models model_dependent_job)
  target_include_directories(${target} BEFORE PRIVATE ${waiting_jobs})
endforeach()

# jobs_add_dependent_job_mutant(<name> <file> FROM <text> TO <text>): mutates one file of dependent
# jobs and pipes.
function(jobs_add_dependent_job_mutant name file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "FROM;TO" "")
  set(others ${dependent_job_sources})
  list(REMOVE_ITEM others ${file})
  jobs_add_mutant(dependent_job_${name} runtime/dependent_job_models.cpp ${file}
    FROM "${arg_FROM}" TO "${arg_TO}" WITH ${others})
  target_include_directories(mutant_dependent_job_${name} BEFORE PRIVATE ${waiting_jobs})
endfunction()
jobs_add_dependent_job_mutant(links_to_a_closed_list ${dependent_job}
  FROM "if (head == closed()) return false;"
  TO "")
jobs_add_dependent_job_mutant(closes_in_two_steps ${dependent_job}
  FROM "Successor* left = successors_.exchange(closed(), dependent_order::kClose);"
  TO "Successor* left = successors_.load(dependent_order::kSeeClosed);\n  successors_.store(closed(), dependent_order::kClose);")
jobs_add_dependent_job_mutant(reads_the_entry_after_the_dependency ${dependent_job}
  FROM "    left = entry.next;\n    DependentJob& job = entry.job();"
  TO "    DependentJob& job = entry.job();\n    job.meet(1);\n    left = entry.next;\n    continue;")
jobs_add_dependent_job_mutant(does_not_wait_for_the_submission ${dependent_job}
  FROM "while (word_.load(dependent_order::kSeeSubmitted) == kBeingSubmitted) spin.once();"
  TO "")
jobs_add_dependent_job_mutant(does_not_own_the_submitted_job ${dependent_job}
  FROM "  add_owner();\n  word_.store(kBeingSubmitted, dependent_order::kGuess);"
  TO "  word_.store(kBeingSubmitted, dependent_order::kGuess);")
jobs_add_dependent_job_mutant(counts_in_two_steps jobs/runtime/scheduler/dependent_job.hpp
  FROM "return (word_.fetch_sub(count, dependent_order::kMeet) & kMaxCount) == count;"
  TO "const std::uint32_t seen = word_.load(dependent_order::kSeeSubmitted);\n    word_.store(seen - count, dependent_order::kSubmitted);\n    return (seen & kMaxCount) == count;")
jobs_add_dependent_job_mutant(does_not_count_its_creator jobs/spawn_after.hpp
  FROM "static_cast<std::uint32_t>(predecessors.size() + 1)"
  TO "static_cast<std::uint32_t>(predecessors.size())")
jobs_add_dependent_job_mutant(ignores_that_a_link_has_failed jobs/spawn_after.hpp
  FROM "successor)) ++met;"
  TO "successor)) {\n    }")
jobs_add_dependent_job_mutant(loses_a_failure ${dependent_job}
  FROM "if (predecessor.failure_ != nullptr && needs_result) [[unlikely]]\n    take(*predecessor.failure_);"
  TO "static_cast<void>(needs_result);")
jobs_add_dependent_job_mutant(frees_a_failure_that_it_shares ${dependent_job}
  FROM "  failure.add_owner();\n"
  TO "")
jobs_add_dependent_job_mutant(releases_the_last_job_first jobs/pipe.hpp
  FROM "const bool waits ="
  TO "if (last != nullptr) last->release();\n    const std::unique_ptr<detail::DependentJob, void (*)(detail::DependentJob*)> adds(\n        last, [](detail::DependentJob* kept) { kept->add_owner(); });\n    const bool waits =")
jobs_add_dependent_job_mutant(appends_in_two_steps jobs/pipe.hpp
  FROM "last_.exchange(&job, detail::pipe_order::kAppend);"
  TO "last_.load(std::memory_order_seq_cst);\n    last_.store(&job, std::memory_order_seq_cst);")
jobs_add_dependent_job_mutant(pipe_owns_no_part jobs/pipe.hpp
  FROM "    job.add_owner();\n"
  TO "")

# Coroutines that wait.

set(task_wait jobs/runtime/coroutine/task_wait.cpp)
set(mutex_wait jobs/runtime/coroutine/mutex_wait.cpp)
set(condition_wait jobs/runtime/coroutine/condition_wait.cpp)
set(shared_mutex_wait jobs/runtime/coroutine/shared_mutex_wait.cpp)
set(lock_limits jobs/runtime/coroutine/lock_limits.cpp)
set(task_sources ${task_wait} ${mutex_wait} ${condition_wait} ${shared_mutex_wait} ${lock_limits}
    jobs/runtime/coroutine/task_frame.cpp jobs/runtime/coroutine/task_limits.cpp
    jobs/runtime/coroutine/task_result.cpp jobs/sync/latch.cpp jobs/sync/shared_mutex.cpp)
list(TRANSFORM task_sources PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
jobs_add_models(model_task_wait runtime/task_wait_models.cpp ${sources})
jobs_add_models(model_lock_limits runtime/lock_limits_models.cpp ${sources})
foreach(target task_wait_models model_task_wait lock_limits_models model_lock_limits)
  target_include_directories(${target} BEFORE PRIVATE ${waiting_jobs})
endforeach()

# jobs_add_task_mutant(<name> <file> [MODELS <file>] FROM <text> TO <text>): mutates one file of the
# waits. MODELS: task_wait_models.cpp by default.
function(jobs_add_task_mutant name file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "FROM;TO;MODELS" "")
  if(NOT arg_MODELS)
    set(arg_MODELS task_wait_models.cpp)
  endif()
  set(others ${task_sources})
  list(REMOVE_ITEM others ${file})
  jobs_add_mutant(task_${name} runtime/${arg_MODELS} ${file}
    FROM "${arg_FROM}" TO "${arg_TO}" WITH ${others})
  target_include_directories(mutant_task_${name} BEFORE PRIVATE ${waiting_jobs})
endfunction()
jobs_add_task_mutant(is_resumed_before_its_publication_has_ended ${task_wait}
  FROM "  expect_wakeup();"
  TO "  pending_.store(1, task_wait_order::kSet);")
jobs_add_task_mutant(is_resumed_by_each_granter ${task_wait}
  FROM "if (wait.arrive()) wait.submit();"
  TO "static_cast<void>(wait.arrive());\n  wait.submit();")
jobs_add_task_mutant(is_resumed_by_the_publication_alone ${task_wait}
  FROM "return is_complete || arrive();"
  TO "static_cast<void>(arrive());\n  return is_complete;")
jobs_add_task_mutant(awaits_a_token_that_no_granter_sends ${task_wait}
  FROM "return is_complete || arrive();"
  TO "static_cast<void>(is_complete);\n  return arrive();")
jobs_add_task_mutant(ignores_a_token_on_its_way ${task_wait}
  FROM "links_.undecided != nullptr && winner.load"
  TO "links_.undecided != nullptr || winner.load")
jobs_add_task_mutant(does_not_wait_for_its_submission ${task_wait}
  FROM "while (wait.pending_.load(task_wait_order::kSeeSubmitted) == kBeingSubmitted) spin.once();"
  TO "")
jobs_add_task_mutant(owns_a_mutex_because_it_was_woken ${mutex_wait}
  FROM "if (waiter.owns || core.try_acquire()) return true;"
  TO "return true;")
jobs_add_task_mutant(takes_a_mutex_that_it_owns ${mutex_wait}
  FROM "if (waiter.owns || core.try_acquire()) return true;"
  TO "if (core.try_acquire()) return true;")
jobs_add_task_mutant(continues_without_the_mutex ${mutex_wait}
  FROM "if (!arrive()) return false;"
  TO "return arrive();")
jobs_add_task_mutant(unlocks_before_it_waits_for_the_condition ${condition_wait}
  FROM "    condition_.list_.link(waiter_);
    core.release();"
  TO "    core.release();
    condition_.list_.link(waiter_);")
jobs_add_task_mutant(continues_because_it_was_notified ${condition_wait}
  FROM "return contend(waiter_.core, waiter_);"
  TO "return true;")
jobs_add_task_mutant(links_to_the_condition_again ${condition_wait}
  FROM "    is_linked_ = true;"
  TO "")
jobs_add_task_mutant(reads_before_it_has_the_permit ${shared_mutex_wait}
  FROM "return !core_.link(claim_) || is_over() || arrive();"
  TO "return !core_.link(claim_) || is_over() || (static_cast<void>(arrive()), true);")
jobs_add_task_mutant(waits_for_a_permit_that_it_took ${shared_mutex_wait}
  FROM "return !core_.link(claim_) || is_over() || arrive();"
  TO "static_cast<void>(core_.link(claim_));\n  return is_over() || arrive();")
jobs_add_task_mutant(stays_on_the_list_of_reports ${task_wait}
  FROM "  wait.unlist();"
  TO "")
jobs_add_task_mutant(limit_sends_no_wakeup ${lock_limits} MODELS lock_limits_models.cpp
  FROM "if (withdraw()) wake(waiter_);"
  TO "static_cast<void>(withdraw());")
jobs_add_task_mutant(limit_wakes_a_waiter_that_was_granted ${lock_limits} MODELS lock_limits_models.cpp
  FROM "if (withdraw()) wake(waiter_);"
  TO "static_cast<void>(withdraw());\n  wake(waiter_);")
jobs_add_task_mutant(loses_a_limit_between_two_links ${lock_limits} MODELS lock_limits_models.cpp
  FROM "} else if (!is_over_.load(lock_limits_order::kOver)) {"
  TO "} else if (true) {")
jobs_add_task_mutant(ends_although_it_was_granted ${lock_limits} MODELS lock_limits_models.cpp
  FROM "if (!unlink_(list_, waiter_)) return false;"
  TO "static_cast<void>(unlink_(list_, waiter_));")
jobs_add_task_mutant(leaves_its_limits_linked ${lock_limits} MODELS lock_limits_models.cpp
  FROM "settle_alternatives(alternatives(), *this, links_);"
  TO "")
jobs_add_task_mutant(locks_after_its_limit ${mutex_wait} MODELS lock_limits_models.cpp
  FROM "if (limits_ != nullptr && limits_->has_ended()) return true;"
  TO "")
jobs_add_task_mutant(keeps_the_mutex_after_its_limit ${condition_wait} MODELS lock_limits_models.cpp
  FROM "if (!limits()->finish()) begun_elsewhere(false);"
  TO "if (!limits()->finish()) return true;")

set(shared_jobs jobs/runtime/worker/shared_jobs.cpp)
jobs_add_models(model_shared_jobs runtime/shared_jobs_models.cpp ${PROJECT_SOURCE_DIR}/${shared_jobs})
jobs_add_mutant(shared_jobs_counts_a_critical_job_after_its_push runtime/shared_jobs_models.cpp ${shared_jobs}
  FROM "  if (priority < Priority::kNormal) waiting(priority).fetch_add(1, std::memory_order_relaxed);
  Level& level = of(priority);
  (not_main ? level.not_main : level.common).push(job);"
  TO "  Level& level = of(priority);
  (not_main ? level.not_main : level.common).push(job);
  if (priority < Priority::kNormal) waiting(priority).fetch_add(1, std::memory_order_relaxed);")
jobs_add_mutant(shared_jobs_keeps_the_count_of_a_taken_critical_job runtime/shared_jobs_models.cpp ${shared_jobs}
  FROM "  if (priority < Priority::kNormal) waiting(priority).fetch_sub(1, std::memory_order_relaxed);
"
  TO "")
jobs_add_mutant(shared_jobs_counts_a_low_job_like_a_critical_one runtime/shared_jobs_models.cpp ${shared_jobs}
  FROM "  if (priority < Priority::kNormal) waiting(priority).fetch_add("
  TO "  if (priority != Priority::kNormal) waiting(priority).fetch_add(")
jobs_add_mutant(shared_jobs_gives_the_bound_thread_any_job runtime/shared_jobs_models.cpp ${shared_jobs}
  FROM "if (job == nullptr && not_main) job ="
  TO "if (job == nullptr) job =")
jobs_add_mutant(shared_jobs_gives_a_waiter_the_job_of_another_counter runtime/shared_jobs_models.cpp ${shared_jobs}
  FROM "counter() == counter"
  TO "counter() != nullptr")
jobs_add_mutant(shared_jobs_takes_a_sample_in_two_steps runtime/shared_jobs_models.cpp ${shared_jobs}
  FROM "sample_.compare_exchange_strong(none, &last, shared_jobs_order::kBeginSample,
                                      std::memory_order_relaxed)"
  TO "(sample_.store(&last, std::memory_order_relaxed), true)")
jobs_add_mutant(shared_jobs_reads_a_sample_after_its_end runtime/shared_jobs_models.cpp ${shared_jobs}
  FROM "  const os::Nanoseconds wait = os::now() - sampled_at_;"
  TO "  sample_.store(nullptr, shared_jobs_order::kEndSample);
  const os::Nanoseconds wait = os::now() - sampled_at_;")
jobs_add_mutant(shared_jobs_forgets_whose_turn_it_is runtime/shared_jobs_models.cpp ${shared_jobs}
  FROM "  if (not_main) level.not_main_first.store(!is_its_turn, std::memory_order_relaxed);
"
  TO "")

# Low and background jobs, and workers that go to sleep.
jobs_add_models(model_lower_jobs runtime/lower_jobs_models.cpp ${PROJECT_SOURCE_DIR}/${shared_jobs})

# jobs_add_lower_jobs_mutant(<name> <file> FROM <text> TO <text>)
function(jobs_add_lower_jobs_mutant name file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "FROM;TO" "")
  jobs_add_mutant(lower_jobs_${name} runtime/lower_jobs_models.cpp ${file}
    FROM "${arg_FROM}" TO "${arg_TO}" WITH jobs/runtime/worker/shared_jobs.cpp)
endfunction()
set(file jobs/runtime/worker/shared_jobs.hpp)
jobs_add_lower_jobs_mutant(are_left_out_by_the_last_look ${file}
  FROM "    if (has_lower()) [[unlikely]] {"
  TO "    if (false) {")
jobs_add_lower_jobs_mutant(off_main_are_left_out_by_the_last_look ${file}
  FROM "any_not_main |= has_lower(true);"
  TO "")
jobs_add_lower_jobs_mutant(of_the_background_are_left_out_by_the_last_look ${file}
  FROM "return has(Priority::kLow, not_main) || has(Priority::kBackground, not_main);"
  TO "return has(Priority::kLow, not_main);")
jobs_add_lower_jobs_mutant(of_the_background_do_not_count ${file}
  FROM "return waits(Priority::kLow) || waits(Priority::kBackground);"
  TO "return waits(Priority::kLow);")
jobs_add_lower_jobs_mutant(off_main_are_not_passed_on ${file}
  FROM "return not_main ? Idle::Visible::kJobs : Idle::Visible::kJobsOfOtherWorkers;"
  TO "return not_main ? Idle::Visible::kJobs : Idle::Visible::kNothing;")
jobs_add_lower_jobs_mutant(are_pushed_without_a_notification ${file}
  FROM "    push_with(job, not_main, priority);
    idle.published_outside(not_main ? 1 : 0);"
  TO "    push_with(job, not_main, priority);
    static_cast<void>(idle);")
jobs_add_lower_jobs_mutant(are_pushed_after_the_notification ${file}
  FROM "    push_with(job, not_main, priority);
    idle.published_outside(not_main ? 1 : 0);"
  TO "    idle.published_outside(not_main ? 1 : 0);
    push_with(job, not_main, priority);")
jobs_add_lower_jobs_mutant(are_pushed_without_a_fence jobs/runtime/parking/idle.cpp
  FROM "  full_fence(idle_order::kFromOutside);
"
  TO "")
jobs_add_lower_jobs_mutant(are_looked_for_without_a_fence jobs/runtime/parking/idle.hpp
  FROM "    heavy_fence();             // Step W3.
"
  TO "")
set(limit jobs/runtime/parking/background_limit.hpp)
jobs_add_lower_jobs_mutant(exceed_the_limit ${limit}
  FROM "while (running < limit_) {"
  TO "while (true) {")
jobs_add_lower_jobs_mutant(leave_the_limit_without_a_fence ${limit}
  FROM "    full_fence(background_limit_order::kLeave);
"
  TO "")
jobs_add_lower_jobs_mutant(leave_the_limit_after_the_fence ${limit}
  FROM "    running_.fetch_sub(1, std::memory_order_relaxed);
    full_fence(background_limit_order::kLeave);
"
  TO "    full_fence(background_limit_order::kLeave);
    running_.fetch_sub(1, std::memory_order_relaxed);
")
jobs_add_lower_jobs_mutant(leave_the_limit_without_a_notification ${file}
  FROM "    if (has_queued(Priority::kBackground, true) && background_limit_.has_place())
      idle.published_outside();"
  TO "    static_cast<void>(idle);")
jobs_add_lower_jobs_mutant(keep_the_limit_without_a_job ${file}
  FROM "    leave_background();
    offer_background(idle);
    return nullptr;"
  TO "    return nullptr;")
