# The models of the queues, and what must not go unnoticed if somebody "simplifies" them.

set(deque jobs/queue/chase_lev_deque.hpp)
set(inbox jobs/queue/inbox.hpp)
set(injector jobs/queue/injector.hpp)
set(spin_lock jobs/queue/spin_lock.hpp)

jobs_add_models(model_deque queue/deque_models.cpp)
jobs_add_models(model_inbox queue/inbox_models.cpp)
jobs_add_models(model_injector queue/injector_models.cpp)

jobs_add_mutant(deque_slot_read_after_the_claim queue/deque_models.cpp ${deque}
  FROM "return {StealOutcome::kTaken, item}"
  TO "return {StealOutcome::kTaken, buffer->slot(top).load(deque_order::kSlot)}")
jobs_add_mutant(deque_top_read_before_the_claim queue/deque_models.cpp ${deque}
  FROM "bottom_.exchange(bottom, deque_order::kPopBottom);\n    const Index top = top_.load(deque_order::kPopTop);"
  TO "const Index top = top_.load(deque_order::kPopTop);\n    bottom_.exchange(bottom, deque_order::kPopBottom);")
jobs_add_mutant(deque_last_entry_taken_without_exchange queue/deque_models.cpp ${deque}
  FROM "minus(bottom, top) > 0 ||"
  TO "minus(bottom, top) >= 0 ||")
jobs_add_mutant(deque_bottom_not_restored queue/deque_models.cpp ${deque}
  FROM "bottom_.store(plus(bottom, 1), deque_order::kRestoreBottom)"
  TO "if (!won) bottom_.store(plus(bottom, 1), deque_order::kRestoreBottom)")
jobs_add_mutant(deque_thief_takes_an_unsigned_difference queue/deque_models.cpp ${deque}
  FROM "if (minus(bottom, top) <= 0) return {"
  TO "if (bottom == top) return {")
jobs_add_mutant(deque_bottom_compared_without_wrap queue/deque_models.cpp ${deque}
  FROM "if (minus(bottom, top) <= 0) return {"
  TO "if (bottom <= top) return {")
jobs_add_mutant(deque_one_entry_too_many queue/deque_models.cpp ${deque}
  FROM "limit_ = plus(top, buffer->capacity())"
  TO "limit_ = plus(top, plus(buffer->capacity(), 1))")
jobs_add_mutant(deque_push_into_the_old_buffer queue/deque_models.cpp ${deque}
  FROM "slots_ = grown->slots.get()"
  TO "mask_ = old->mask")
jobs_add_mutant(deque_buffer_published_before_it_is_filled queue/deque_models.cpp ${deque}
  FROM "for (Index i = top;"
  TO "buffer_.store(grown, deque_order::kPublishBuffer);\n    for (Index i = top;")
jobs_add_mutant(deque_join_by_index_alone queue/deque_models.cpp ${deque}
  FROM "return slot(bottom).load(deque_order::kSlot) == expected && claim(bottom)"
  TO "return claim(bottom)")

jobs_add_mutant(inbox_rings_when_empty queue/inbox_models.cpp ${inbox}
  FROM "if (head == kParked) os::futex_wake(bell)"
  TO "if (head == kEmpty) os::futex_wake(bell)")
jobs_add_mutant(inbox_looks_at_a_sent_node queue/inbox_models.cpp ${inbox}
  FROM "if (head == kParked) os::futex_wake(bell)"
  TO "if (node.next == nullptr) os::futex_wake(bell)")
jobs_add_mutant(inbox_parks_whatever_has_come queue/inbox_models.cpp ${inbox}
  FROM "if (!head_.compare_exchange_strong(head, kParked, inbox_order::kPark, inbox_order::kPeek)) return true"
  TO "head_.exchange(kParked, inbox_order::kPark)")
jobs_add_mutant(inbox_stays_parked_after_a_timeout queue/inbox_models.cpp ${inbox}
  FROM "return !head_.compare_exchange_strong(head, kEmpty, inbox_order::kPark, inbox_order::kPeek)"
  TO "return false")
jobs_add_mutant(inbox_timeout_wipes_the_word queue/inbox_models.cpp ${inbox}
  FROM "return !head_.compare_exchange_strong(head, kEmpty, inbox_order::kPark, inbox_order::kPeek)"
  TO "head_.store(kEmpty, inbox_order::kPark);\n    return false")
jobs_add_mutant(inbox_hands_out_newest_first queue/inbox_models.cpp ${inbox}
  FROM "while (node != nullptr) {"
  TO "for (oldest = node; false;) {")

jobs_add_mutant(injector_pop_without_lock queue/injector_models.cpp ${injector}
  FROM "const std::lock_guard guard(lock_);\n    T* item"
  TO "T* item")
jobs_add_mutant(injector_forgets_its_end queue/injector_models.cpp ${injector}
  FROM "last_ = &last;"
  TO "if (last_ == nullptr) last_ = &last;")
jobs_add_mutant(injector_lock_by_load_and_store queue/injector_models.cpp ${spin_lock}
  FROM "while (locked_.exchange(true, spin_lock_order::kAcquire)) await_release();"
  TO "while (locked_.load(spin_lock_order::kAcquire)) await_release();\n    locked_.store(true, spin_lock_order::kRelease);")
