# The models of the primitives, and the mutants that they must detect: each is a plausible
# "simplification" of the source.

set(countdown_core jobs/sync/core/countdown_core.cpp)
set(countdown_core_header jobs/sync/core/countdown_core.hpp)
set(event_core jobs/sync/core/event_core.cpp)
set(fiber_signals jobs/sync/core/fiber_signals.cpp)
set(cond_var_queue jobs/sync/core/cond_var_queue.cpp)
set(park jobs/sync/core/park.hpp)
set(semaphore_core jobs/sync/core/semaphore_core.cpp)
set(barrier_core jobs/sync/core/barrier_core.cpp)
set(select jobs/sync/core/selection.cpp)
set(rw_lock_core jobs/sync/core/rw_lock_core.cpp)

jobs_add_models(model_event_core sync/event_core_models.cpp)
jobs_add_models(model_countdown_core sync/countdown_core_models.cpp)
jobs_add_models(model_mutex sync/mutex_models.cpp)
jobs_add_models(model_condition_variable sync/condition_variable_models.cpp)
jobs_add_models(model_semaphore sync/semaphore_models.cpp)
jobs_add_models(model_shared_mutex sync/shared_mutex_models.cpp)
jobs_add_models(model_shared_spin_lock sync/shared_spin_lock_models.cpp)
jobs_add_models(model_barrier sync/barrier_models.cpp)
jobs_add_models(model_channel sync/channel_models.cpp)
jobs_add_models(model_interrupt sync/interrupt_models.cpp)
jobs_add_models(model_call_once sync/call_once_models.cpp)

jobs_add_mutant(gate_opens_past_the_waiters sync/event_core_models.cpp ${event_core}
  FROM "if (seen.flags() == 0) {"
  TO "if (true) {")
jobs_add_mutant(gate_signal_of_a_set_event_only_looks sync/event_core_models.cpp ${event_core}
  FROM "if (seen.flags() == 0) {"
  TO "if (seen.payload() == 0) return true;\n    if (seen.flags() == 0) {")
jobs_add_mutant(gate_links_to_an_open_gate sync/event_core_models.cpp ${event_core}
  FROM "if (seen.payload() == 0) return false;"
  TO "")
jobs_add_mutant(gate_does_not_say_that_one_waits sync/event_core_models.cpp ${event_core}
  FROM "(list_.empty() ? 0 : WaitState::kWaiters)"
  TO "0")
jobs_add_mutant(gate_wakes_before_it_unlocks sync/event_core_models.cpp ${event_core}
  FROM "unlock_as(0);\n  wake_all(first);"
  TO "wake_all(first);\n  unlock_as(0);")
jobs_add_mutant(gate_admits_one_and_opens sync/event_core_models.cpp ${event_core}
  FROM "unlock_as(first != nullptr ? 1 : 0);"
  TO "unlock_as(0);")
jobs_add_mutant(gate_late_waiter_ignores_its_token sync/event_core_models.cpp ${event_core}
  FROM "return on_list;"
  TO "return true;")

jobs_add_mutant(countdown_opener_takes_a_locked_list sync/countdown_core_models.cpp ${countdown_core_header}
  FROM "before.flags() == WaitState::kWaiters"
  TO "before.has_waiters()"
  WITH jobs/sync/counter.cpp jobs/sync/core/countdown_core.cpp)
jobs_add_mutant(countdown_opener_reads_again sync/countdown_core_models.cpp ${countdown_core_header}
  FROM "if (before.flags() == WaitState::kWaiters) release_all()"
  TO "if (state().flags() == WaitState::kWaiters) release_all()"
  WITH jobs/sync/counter.cpp jobs/sync/core/countdown_core.cpp)
jobs_add_mutant(countdown_link_ignores_that_it_opened sync/countdown_core_models.cpp ${countdown_core}
  FROM "if (unlock(before, countdown_order::kUnlock).payload() != 0) return true;"
  TO "unlock(before, countdown_order::kUnlock);\n  return true;")
jobs_add_mutant(countdown_unlink_locks_an_open_event sync/countdown_core_models.cpp ${countdown_core}
  FROM "WaitState before{word_.load(wait_queue_order::kGuess)};\n  for (;;) {\n    if (before.payload() == 0) return false;"
  TO "WaitState before{word_.load(wait_queue_order::kGuess)};\n  for (;;) {")
jobs_add_mutant(countdown_unlink_ignores_that_it_opened sync/countdown_core_models.cpp ${countdown_core}
  FROM "if (unlock(before, countdown_order::kUnlock).payload() == 0 && others) release_all();"
  TO "unlock(before, countdown_order::kUnlock);")
jobs_add_mutant(countdown_wakes_before_it_clears sync/countdown_core_models.cpp ${countdown_core}
  FROM "word_.fetch_sub(WaitState::kWaiters, countdown_order::kClear);\n  wake_all(first);"
  TO "wake_all(first);\n  word_.fetch_sub(WaitState::kWaiters, countdown_order::kClear);")
jobs_add_mutant(gate_reads_a_woken_waiter sync/event_core_models.cpp jobs/sync/core/wait_list.hpp
  FROM "Waiter* next = WaitList::next_of(*first);\n    if (claim_waiter(*first)) wake(*first);\n    first = next;"
  TO "if (claim_waiter(*first)) wake(*first);\n    first = WaitList::next_of(*first);"
  WITH jobs/sync/core/event_core.cpp)

jobs_add_mutant(park_does_not_await_a_token_on_its_way sync/event_core_models.cpp ${park}
  FROM "consume(host, kToken);\n    received = true;"
  TO "received = true;"
  WITH jobs/sync/core/event_core.cpp)
jobs_add_mutant(park_does_not_await_a_stop_on_its_way sync/event_core_models.cpp ${park}
  FROM "if (watches_stop && (got & kCancel) == 0 && !limit.stop->unlink(stop)) consume(host, kCancel);"
  TO "if (watches_stop && (got & kCancel) == 0) static_cast<void>(limit.stop->unlink(stop));"
  WITH jobs/sync/core/event_core.cpp)
jobs_add_mutant(park_leaves_late_timers sync/event_core_models.cpp ${park}
  FROM "fiber.signals = fiber.signals & ~unsigned{kTimeout | kCancel};"
  TO ""
  WITH jobs/sync/core/event_core.cpp)
jobs_add_mutant(thread_host_fires_a_deadline_again sync/event_core_models.cpp jobs/sync/core/thread_host.cpp
  FROM "disarm(*deadline_);"
  TO "")

jobs_add_mutant(semaphore_core_link_overlooks_a_permit sync/mutex_models.cpp ${semaphore_core}
  FROM "if (before.payload() != 0) {\n      if (replace"
  TO "if (false) {\n      if (replace")
jobs_add_mutant(semaphore_core_released_past_the_waiters sync/mutex_models.cpp jobs/sync/core/wait_queue.cpp
  FROM "if (seen.flags() == 0) {"
  TO "if (true) {")
jobs_add_mutant(semaphore_core_wakes_before_it_unlocks sync/mutex_models.cpp ${semaphore_core}
  FROM "unlock(before, semaphore_order::kTransfer, hand_off ? 0 : 1);\n  wake(*first);"
  TO "wake(*first);\n  unlock(before, semaphore_order::kTransfer, hand_off ? 0 : 1);")
jobs_add_mutant(semaphore_core_transferred_and_freed sync/mutex_models.cpp ${semaphore_core}
  FROM "hand_off ? 0 : 1"
  TO "1")
jobs_add_mutant(semaphore_core_neither_transferred_nor_freed sync/mutex_models.cpp ${semaphore_core}
  FROM "first->owns = hand_off;"
  TO "first->owns = false;")
jobs_add_mutant(semaphore_core_late_waiter_ignores_its_token sync/mutex_models.cpp ${semaphore_core}
  FROM "return on_list;"
  TO "return true;")

jobs_add_mutant(notify_does_not_wake_a_waiter_with_a_free_mutex sync/condition_variable_models.cpp ${cond_var_queue}
  FROM "wake(waiter);"
  TO "")
jobs_add_mutant(notify_does_not_record_the_owner sync/condition_variable_models.cpp ${cond_var_queue}
  FROM "waiter.owns = true;"
  TO "")
jobs_add_mutant(notify_leaves_the_waiter_here sync/condition_variable_models.cpp ${cond_var_queue}
  FROM "static_cast<Notifiable*>(waiter)->is_here = false;"
  TO "")
jobs_add_mutant(notify_is_ignored_by_the_late sync/condition_variable_models.cpp ${cond_var_queue}
  FROM "const bool is_here = self.is_here;"
  TO "const bool is_here = true;")
jobs_add_mutant(condition_variable_unlocks_before_it_links sync/condition_variable_models.cpp jobs/sync/condition_variable.cpp
  FROM "list_.link(self);\n  mutex.unlock();"
  TO "mutex.unlock();\n  list_.link(self);")

jobs_add_mutant(semaphore_transfers_and_frees sync/semaphore_models.cpp ${semaphore_core}
  FROM "for (; count != 0; --count) {"
  TO "for (;;) {")
jobs_add_mutant(semaphore_owners_look_like_waiters sync/semaphore_models.cpp ${semaphore_core}
  FROM "owners.push_back(*first);"
  TO "owners.push_back(*first);\n    first->previous = first;")
jobs_add_mutant(semaphore_grants_without_a_claim sync/semaphore_models.cpp ${semaphore_core}
  FROM "list_.pop_claimed();"
  TO "list_.pop_front();")
jobs_add_mutant(semaphore_selection_keeps_a_second_permit sync/semaphore_models.cpp jobs/sync/semaphore.cpp
  FROM "if (!selection->claim(*this)) core_.release_fifo(1);"
  TO "static_cast<void>(selection->claim(*this));")
jobs_add_mutant(threshold_marks_without_a_look sync/countdown_core_models.cpp jobs/sync/core/count_threshold.cpp
  FROM "if (has_mark ? is_open() : !core_.add_above(most_, kMark)) return false;"
  TO "if (is_open()) return false;\n  if (!has_mark) core_.add(kMark);")
jobs_add_mutant(threshold_trusts_a_late_done sync/countdown_core_models.cpp jobs/sync/core/count_threshold.cpp
  FROM "if (!concerns || !threshold->is_open()) {"
  TO "if (!concerns) {")
jobs_add_mutant(threshold_leaves_the_mark sync/countdown_core_models.cpp jobs/sync/core/count_threshold.cpp
  FROM "if (is_last) before = unmark(*core);"
  TO "if (false) before = unmark(*core);")
jobs_add_mutant(threshold_removes_the_mark_of_another sync/countdown_core_models.cpp jobs/sync/core/count_threshold.cpp
  FROM "if (&threshold->core_ == &core_) is_last = false;"
  TO "")
jobs_add_mutant(threshold_wakes_no_waiter_for_zero sync/countdown_core_models.cpp jobs/sync/core/count_threshold.cpp
  FROM "if (is_last) unmarked(*core, before);"
  TO "")
jobs_add_mutant(counter_selection_does_not_claim sync/countdown_core_models.cpp ${countdown_core}
  FROM "static_cast<void>(selection->claim(*this));"
  TO "")

jobs_add_mutant(shared_mutex_writer_joins_readers sync/shared_mutex_models.cpp jobs/sync/core/rw_lock_core.hpp
  FROM "return kind == Kind::kExclusive ? state.payload() == 0
"
  TO "return kind == Kind::kExclusive ? state.payload() < kExclusive
"
  WITH jobs/sync/core/rw_lock_core.cpp)
jobs_add_mutant(shared_mutex_last_reader_wakes_no_writer sync/shared_mutex_models.cpp ${rw_lock_core}
  FROM "if (seen.flags() == 0 || seen.payload() != units_back) {"
  TO "if (true) {")
jobs_add_mutant(shared_mutex_late_writer_leaves_readers sync/shared_mutex_models.cpp ${rw_lock_core}
  FROM "unlock_and_transfer(before, 0);"
  TO "unlock(before, wait_queue_order::kUnlock);")
jobs_add_mutant(shared_spin_lock_writer_joins_readers sync/shared_spin_lock_models.cpp jobs/sync/shared_spin_lock.cpp
  FROM "for (detail::Spin spin; word_.load(order::kSeeReaders) != kWriter;) spin.once();"
  TO "")
jobs_add_mutant(shared_spin_lock_second_writer_does_not_wait sync/shared_spin_lock_models.cpp jobs/sync/shared_spin_lock.cpp
  FROM "(word_.fetch_or(kWriter, order::kLock) & kWriter) != 0;"
  TO "word_.fetch_or(kWriter, order::kLock), false;")
jobs_add_mutant(shared_spin_lock_reader_joins_the_writer sync/shared_spin_lock_models.cpp jobs/sync/shared_spin_lock.hpp
  FROM "if ((seen & kWriter) != 0 ||\n        !word_"
  TO "if (!word_"
  WITH jobs/sync/shared_spin_lock.cpp)
jobs_add_mutant(shared_spin_lock_readers_publish_nothing sync/shared_spin_lock_models.cpp jobs/sync/shared_spin_lock.hpp
  FROM "JOBS_ORDER(kUnlockShared, release)"
  TO "JOBS_ORDER(kUnlockShared, relaxed)"
  WITH jobs/sync/shared_spin_lock.cpp)
jobs_add_mutant(barrier_links_in_an_ended_phase sync/barrier_models.cpp ${barrier_core}
  FROM "for (;;) {\n    if (phase_of(before) != phase) return false;"
  TO "for (;;) {")
jobs_add_mutant(select_leaves_alternatives_behind sync/channel_models.cpp ${select}
  FROM "      withdraw(alternative);"
  TO "      ;")
jobs_add_mutant(select_does_not_await_the_dropping_thread sync/channel_models.cpp ${select}
  FROM "if (alternative.unlink_self()) return;"
  TO "static_cast<void>(alternative.unlink_self());\n  return;")
jobs_add_mutant(select_links_after_its_check sync/channel_models.cpp ${select}
  FROM "    if (alternative->list_lock() == nullptr || !alternative->try_locked(partner)) continue;"
  TO "    continue;")
jobs_add_mutant(channel_grants_without_a_claim sync/channel_models.cpp jobs/sync/core/selection.hpp
  FROM "if (selection == nullptr || selection->claim(waiter)) return true;"
  TO "if (selection == nullptr || selection->claim(waiter) || true) return true;"
  WITH jobs/sync/core/channel_core.cpp jobs/sync/core/event_core.cpp jobs/sync/event.cpp jobs/sync/select.cpp)
jobs_add_mutant(channel_closes_without_waking sync/channel_models.cpp jobs/sync/core/channel_core.cpp
  FROM "Waiter* first = operations_.take_all();"
  TO "Waiter* first = nullptr;")

jobs_add_mutant(signals_announces_each_value sync/interrupt_models.cpp ${fiber_signals}
  FROM "if (has_resume_) return append(value) ? Sent::kStored : Sent::kRefused;"
  TO "if (has_resume_ && !append(value)) return Sent::kRefused;")
jobs_add_mutant(signals_keeps_its_mailbox_open sync/interrupt_models.cpp ${fiber_signals}
  FROM "if (phase_ == Phase::kDead) return Sent::kRefused;\n    if (has_resume_)"
  TO "if (has_resume_)")
jobs_add_mutant(signals_forgets_that_values_remain sync/interrupt_models.cpp ${fiber_signals}
  FROM "if (value_ != nullptr) fiber.signals = fiber.signals | kResume;"
  TO "")
jobs_add_mutant(signals_forgets_the_last_value sync/interrupt_models.cpp ${fiber_signals}
  FROM "value_->last = first->last;"
  TO "")
jobs_add_mutant(signals_drops_values_with_the_first sync/interrupt_models.cpp ${fiber_signals}
  FROM "value_ = std::move(first->next);"
  TO "")
jobs_add_mutant(signals_takes_a_value_for_a_wakeup sync/interrupt_models.cpp ${fiber_signals}
  FROM "if (!std::exchange(is_bare_, false)) {"
  TO "if (is_bare_ = false; value_ != nullptr) {")
jobs_add_mutant(signals_accepts_exceptions_for_the_dead sync/interrupt_models.cpp ${fiber_signals}
  FROM "if (phase_ == Phase::kDead || exception_ != nullptr) return"
  TO "if (exception_ != nullptr) return")
jobs_add_mutant(signals_replaces_an_exception sync/interrupt_models.cpp ${fiber_signals}
  FROM "if (phase_ == Phase::kDead || exception_ != nullptr) return"
  TO "if (phase_ == Phase::kDead) return")
jobs_add_mutant(signals_sends_one_message_twice sync/interrupt_models.cpp ${fiber_signals}
  FROM "if (phase_ == Phase::kQueued || std::exchange(interrupt_sent_, true)) return"
  TO "interrupt_sent_ = true;\n    if (phase_ == Phase::kQueued) return")
jobs_add_mutant(signals_starts_what_was_stopped sync/interrupt_models.cpp ${fiber_signals}
  FROM "if (std::exchange(stop_requested_, true)) return Sent::kRefused;\n    if (phase_ == Phase::kUnstarted) {\n      set_dead();"
  TO "if (std::exchange(stop_requested_, true)) return Sent::kRefused;\n    if (phase_ == Phase::kUnstarted) {")
jobs_add_mutant(signals_forgets_an_early_value sync/interrupt_models.cpp ${fiber_signals}
  FROM "if (has_resume_) fiber.signals = fiber.signals | kResume;"
  TO "")
jobs_add_mutant(signals_forgets_an_early_interrupt sync/interrupt_models.cpp ${fiber_signals}
  FROM "if (interrupt_sent_) fiber.signals = fiber.signals | kInterrupt;"
  TO "")
jobs_add_mutant(signals_forgets_its_watchers sync/interrupt_models.cpp ${fiber_signals}
  FROM "watch->gate->open();"
  TO ";")
jobs_add_mutant(signals_ends_unwatched sync/interrupt_models.cpp ${fiber_signals}
  FROM "set_dead();\n      return Sent::kEnds;\n    }\n    exception_"
  TO "phase_ = Phase::kDead;\n      return Sent::kEnds;\n    }\n    exception_")
jobs_add_mutant(signals_lets_the_dead_be_watched sync/interrupt_models.cpp ${fiber_signals}
  FROM "if (phase_ == Phase::kDead) return false;\n  watch.next"
  TO "watch.next")
jobs_add_mutant(signals_ends_before_a_value_arrives sync/interrupt_models.cpp ${fiber_signals}
  FROM "(has_resume_ ? kResume : 0u) | "
  TO "")
jobs_add_mutant(signals_ends_before_an_interrupt_arrives sync/interrupt_models.cpp ${fiber_signals}
  FROM " | (interrupt_sent_ ? kInterrupt : 0u)"
  TO "")
jobs_add_mutant(signals_loses_a_value_to_an_exception sync/interrupt_models.cpp ${fiber_signals}
  FROM "fiber.signals = fiber.signals | kResume;  // for the next"
  TO ";  // for the next")
jobs_add_mutant(signals_throws_an_exception_twice sync/interrupt_models.cpp ${fiber_signals}
  FROM "fiber.signals = fiber.signals & ~unsigned{kInterrupt};"
  TO "")
jobs_add_mutant(signals_does_not_see_a_second_exception sync/interrupt_models.cpp ${fiber_signals}
  FROM "      interrupt_sent_ = false;"
  TO "")
jobs_add_mutant(signals_forgets_a_stop_that_was_thrown sync/interrupt_models.cpp ${fiber_signals}
  FROM "if (!stop_requested_) {"
  TO "if (true) {")
jobs_add_mutant(interrupt_takes_a_token_away sync/interrupt_models.cpp ${park}
  FROM "if (list.unlink(self)) return WaitStatus::kInterrupted;"
  TO "static_cast<void>(list.unlink(self));\n    return WaitStatus::kInterrupted;"
  WITH jobs/sync/event.cpp jobs/sync/core/event_core.cpp jobs/sync/core/semaphore_core.cpp jobs/sync/semaphore.cpp jobs/sync/core/channel_core.cpp jobs/sync/select.cpp)
jobs_add_mutant(limit_counts_as_a_deadline sync/interrupt_models.cpp ${park}
  FROM "(limited && (got & kTimeout) != 0)"
  TO "false"
  WITH jobs/sync/core/event_core.cpp jobs/sync/core/semaphore_core.cpp)
jobs_add_mutant(interrupt_shield_has_a_hole sync/interrupt_models.cpp jobs/sync/core/interrupt.hpp
  FROM "    fiber_.interrupts = 0;"
  TO "")

jobs_add_mutant(fiber_keeps_a_control_without_owners sync/interrupt_models.cpp jobs/runtime/fibers/fiber_owners.hpp
  FROM "return !detached_;"
  TO "return true;")
jobs_add_mutant(fiber_is_detached_too_late sync/interrupt_models.cpp jobs/runtime/fibers/fiber_owners.hpp
  FROM "return !ended_;"
  TO "return true;")
jobs_add_mutant(fiber_joiner_drops_one_part sync/interrupt_models.cpp jobs/runtime/fibers/fiber_owners.hpp
  FROM "return drop(2);"
  TO "return drop(1);")

jobs_add_mutant(call_once_waiter_calls_again sync/call_once_models.cpp jobs/sync/call_once.cpp
  FROM "if (!is_done()) return true;"
  TO "if (true) return true;")
jobs_add_mutant(call_once_waiter_keeps_the_turn sync/call_once_models.cpp jobs/sync/call_once.cpp
  FROM "  end(true);
"
  TO "")
jobs_add_mutant(call_once_is_done_after_a_failure sync/call_once_models.cpp jobs/sync/call_once.cpp
  FROM "if (succeeded) done_.store"
  TO "done_.store")
jobs_add_mutant(call_once_is_done_after_the_turn sync/call_once_models.cpp jobs/sync/call_once.cpp
  FROM "  if (succeeded) done_.store(true, detail::once_order::kDone);
  caller_.clear();
  turn_.release();"
  TO "  caller_.clear();
  turn_.release();
  if (succeeded) done_.store(true, detail::once_order::kDone);")
jobs_add_mutant(call_once_forgets_its_success sync/call_once_models.cpp jobs/sync/call_once.hpp
  FROM "  turn.succeeded = true;"
  TO ""
  WITH jobs/sync/call_once.cpp)
