# The models of the queues, and the mutants that they must detect: each is a plausible
# "simplification" of the source.

set(deque jobs/queue/chase_lev_deque.hpp)
set(inbox jobs/queue/inbox.hpp)
set(injector jobs/queue/injector.hpp)
set(raw_spin_lock jobs/queue/raw_spin_lock.hpp)

jobs_add_models(model_deque queue/deque_models.cpp)
jobs_add_models(model_inbox queue/inbox_models.cpp)
jobs_add_models(model_injector queue/injector_models.cpp)

jobs_add_mutant(deque_slot_read_after_the_claim queue/deque_models.cpp ${deque}
  FROM "return {StealStatus::kTaken, item}"
  TO "return {StealStatus::kTaken, buffer->slot(top_of(word)).load(deque_order::kSlot)}")
jobs_add_mutant(deque_top_read_before_the_claim queue/deque_models.cpp ${deque}
  FROM "bottom_.exchange(index, deque_order::kPopBottom);\n    const Word word = top_.load(deque_order::kPopTop);"
  TO "const Word word = top_.load(deque_order::kPopTop);\n    bottom_.exchange(index, deque_order::kPopBottom);")
jobs_add_mutant(deque_last_entry_taken_without_exchange queue/deque_models.cpp ${deque}
  FROM "if (others <= 0) return claim_last"
  TO "if (others < 0) return claim_last")
jobs_add_mutant(deque_bottom_not_restored queue/deque_models.cpp ${deque}
  FROM "bottom_.store(plus(index, 1), deque_order::kRestoreBottom);
    if (won"
  TO "if (!won) bottom_.store(plus(index, 1), deque_order::kRestoreBottom);
    if (won")
jobs_add_mutant(deque_thief_takes_an_unsigned_difference queue/deque_models.cpp ${deque}
  FROM "if (distance(word, bottom) <= 0) return {"
  TO "if (distance(word, bottom) == 0) return {")
jobs_add_mutant(deque_bottom_compared_without_wrap queue/deque_models.cpp ${deque}
  FROM "if (distance(word, bottom) <= 0) return {"
  TO "if (bottom <= top_of(word)) return {")
jobs_add_mutant(deque_one_entry_too_many queue/deque_models.cpp ${deque}
  FROM "limit_ = plus(top, buffer->capacity())"
  TO "limit_ = plus(top, plus(buffer->capacity(), 1))")
jobs_add_mutant(deque_push_into_the_old_buffer queue/deque_models.cpp ${deque}
  FROM "slots_ = target.slots.get()"
  TO "mask_ = source.mask")
jobs_add_mutant(deque_buffer_published_before_it_is_filled queue/deque_models.cpp ${deque}
  FROM "for (Index i = top;"
  TO "buffer_.store(&target, deque_order::kPublishBuffer);\n    for (Index i = top;")
jobs_add_mutant(deque_thief_takes_from_a_discarded_buffer queue/deque_models.cpp ${deque}
  FROM "if (item == nullptr) [[unlikely]]"
  TO "if (false)")
jobs_add_mutant(deque_shrinks_with_an_entry_too_many queue/deque_models.cpp ${deque}
  FROM "minus(bottom, top) > kInitialCapacity) return"
  TO "minus(bottom, top) > kInitialCapacity + 1) return")
jobs_add_mutant(deque_shrinks_and_keeps_its_limit queue/deque_models.cpp ${deque}
  FROM "limit_ = plus(top, kInitialCapacity);
    for"
  TO "for")
jobs_add_mutant(deque_discards_before_it_shrinks queue/deque_models.cpp ${deque}
  FROM "move_entries(*buffer, *first_, bottom, top);"
  TO "first_->larger->discard();
    move_entries(*buffer, *first_, bottom, top);")
jobs_add_mutant(deque_shrinks_without_its_entries queue/deque_models.cpp ${deque}
  FROM "move_entries(*buffer, *first_, bottom, top);"
  TO "move_entries(*buffer, *first_, top, top);")
jobs_add_mutant(deque_oldest_taken_without_exchange queue/deque_models.cpp ${deque}
  FROM "StealResult<T> result = steal();
    while"
  TO "Word word = top_.load(deque_order::kOwnLoad);
    StealResult<T> result{StealStatus::kTaken, slot(top_of(word)).load(deque_order::kSlot)};
    top_.store(after_theft(word), deque_order::kPublish);
    while")
jobs_add_mutant(deque_oldest_of_a_private_deque queue/deque_models.cpp ${deque}
  FROM "publish();
    StealResult<T> result = steal();"
  TO "StealResult<T> result = steal();")
jobs_add_mutant(deque_oldest_given_up_if_lost queue/deque_models.cpp ${deque}
  FROM "while (result.status == StealStatus::kLost) result = steal();
    return"
  TO "return")
jobs_add_mutant(deque_oldest_may_be_the_newest queue/deque_models.cpp ${deque}
  FROM "if (approximate_size() < 2) return nullptr;"
  TO "if (approximate_size() < 1) return nullptr;")
jobs_add_mutant(deque_join_by_index_alone queue/deque_models.cpp ${deque}
  FROM "return slot(youngest).load(deque_order::kSlot) == expected && take(youngest)"
  TO "return take(youngest)")
jobs_add_mutant(deque_thief_does_not_request queue/deque_models.cpp ${deque}
  FROM "if (!is_public(word)) {\n      if"
  TO "if (false) {\n      if")
jobs_add_mutant(deque_split_seen_before_the_take queue/deque_models.cpp ${deque}
  FROM "bottom_.store(index, deque_order::kTakeBottom);
    compiler_fence();  // force_publish() supplies the other half of the barrier
    if (minus(index, split_.load(deque_order::kSplit)) >= 0)"
  TO "const Index split = split_.load(deque_order::kSplit);
    bottom_.store(index, deque_order::kTakeBottom);
    if (minus(index, split) >= 0)")
jobs_add_mutant(deque_split_one_too_low queue/deque_models.cpp ${deque}
  FROM "split_.load(deque_order::kSplit)) >= 0)"
  TO "split_.load(deque_order::kSplit)) >= -1)")
jobs_add_mutant(deque_thief_does_not_raise_the_split queue/deque_models.cpp ${deque}
  FROM "require_claim(bottom_.load(std::memory_order_relaxed));  // any"
  TO "//")
jobs_add_mutant(deque_thief_raises_the_split_after_the_barrier queue/deque_models.cpp ${deque}
  FROM "require_claim(bottom_.load(std::memory_order_relaxed));  // any value near bottom suffices
    heavy_fence();"
  TO "heavy_fence();
    require_claim(bottom_.load(std::memory_order_relaxed));")
jobs_add_mutant(deque_thief_publishes_a_later_word queue/deque_models.cpp ${deque}
  FROM "heavy_fence();\n"
  TO "heavy_fence();\n    word = top_.load(deque_order::kSeePrivate);\n")
jobs_add_mutant(deque_owner_publishes_with_a_low_split queue/deque_models.cpp ${deque}
  FROM "require_claim(bottom_.load(std::memory_order_relaxed));  // [own]"
  TO "")
jobs_add_mutant(deque_owner_overlooks_a_forced_publication queue/deque_models.cpp ${deque}
  FROM "deque_order::kPublish,
                                     deque_order::kLost))"
  TO "deque_order::kPublish,
                                     deque_order::kLost) || true)")
jobs_add_mutant(deque_private_and_empty_goes_below_its_top queue/deque_models.cpp ${deque}
  FROM "bottom_.store(plus(index, 1), deque_order::kRestoreBottom);
      return false"
  TO "return false")
jobs_add_mutant(deque_made_private_under_an_old_word queue/deque_models.cpp ${deque}
  FROM "const Index shift = plus(plus(mask_, 1), plus(mask_, 1))"
  TO "const Index shift = 0")
jobs_add_mutant(deque_lowers_its_split_when_private queue/deque_models.cpp ${deque}
  FROM "bottom_.store(plus(bottom, shift), deque_order::kPushBottom);"
  TO "bottom_.store(plus(bottom, shift), deque_order::kPushBottom);
    split_.store(plus(top, shift), deque_order::kSplit);")
jobs_add_mutant(deque_made_private_bottom_first queue/deque_models.cpp ${deque}
  FROM "unstolen_takes_ = 0;
    split_"
  TO "bottom_.store(plus(bottom, shift), deque_order::kPushBottom);
    unstolen_takes_ = 0;
    split_")
jobs_add_mutant(deque_looks_empty_while_made_private queue/deque_models.cpp ${deque}
  FROM "return is_top(top_.load(deque_order::kLook), bottom);"
  TO "return distance(top_.load(deque_order::kLook), bottom) <= 0;")
jobs_add_mutant(deque_looks_empty_while_a_full_ring_is_made_private queue/deque_models.cpp ${deque}
  FROM "const Index shift = plus(plus(mask_, 1), plus(mask_, 1))"
  TO "const Index shift = plus(mask_, 1)")

jobs_add_mutant(inbox_rings_when_empty queue/inbox_models.cpp ${inbox}
  FROM "if (head == kParked) os::futex_wake(bell)"
  TO "if (head == kEmpty) os::futex_wake(bell)")
jobs_add_mutant(inbox_reads_a_sent_node queue/inbox_models.cpp ${inbox}
  FROM "if (head == kParked) os::futex_wake(bell)"
  TO "if (node.next == nullptr) os::futex_wake(bell)")
jobs_add_mutant(inbox_parks_whatever_has_come queue/inbox_models.cpp ${inbox}
  FROM "if (!head_.compare_exchange_strong(head, kParked, inbox_order::kPark, inbox_order::kPeek))
      return true"
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
  FROM "const std::lock_guard guard(lock_);\n    T* const item"
  TO "T* const item")
jobs_add_mutant(injector_pop_marked_without_lock queue/injector_models.cpp ${injector}
  FROM "const std::lock_guard guard(lock_);\n    T* previous"
  TO "T* previous")
jobs_add_mutant(injector_pop_marked_keeps_its_end queue/injector_models.cpp ${injector}
  FROM "if (next == nullptr) last_ = previous;"
  TO "")
jobs_add_mutant(injector_pop_marked_ignores_marks queue/injector_models.cpp ${injector}
  FROM "is_marked(link) && matches(*item)"
  TO "matches(*item)")
jobs_add_mutant(injector_pop_marked_drops_the_items_before queue/injector_models.cpp ${injector}
  FROM "if (previous == nullptr) {"
  TO "if (previous == nullptr || next == nullptr) {")
jobs_add_mutant(injector_pop_marked_beyond_its_limit queue/injector_models.cpp ${injector}
  FROM "link != nullptr && limit != 0; --limit"
  TO "link != nullptr; --limit")
jobs_add_mutant(injector_finds_marked_without_lock queue/injector_models.cpp ${injector}
  FROM "const std::lock_guard guard(lock_);\n    T* link = first_"
  TO "T* link = first_")
jobs_add_mutant(injector_finds_no_item_behind_the_limit queue/injector_models.cpp ${injector}
  FROM "return link != nullptr;"
  TO "return false;")
jobs_add_mutant(injector_counts_each_push queue/injector_models.cpp ${injector}
  FROM "if (first_.load(injector_order::kFirst) == nullptr) {
      filled_.fetch_add(1, injector_order::kFilled);"
  TO "filled_.fetch_add(1, injector_order::kFilled);
    if (first_.load(injector_order::kFirst) == nullptr) {")
jobs_add_mutant(injector_counts_before_its_lock queue/injector_models.cpp ${injector}
  FROM "const std::lock_guard guard(lock_);
    if (first_.load(injector_order::kFirst) == nullptr) {
      filled_.fetch_add(1, injector_order::kFilled);"
  TO "if (looks_empty()) filled_.fetch_add(1, injector_order::kFilled);
    const std::lock_guard guard(lock_);
    if (first_.load(injector_order::kFirst) == nullptr) {")
jobs_add_mutant(injector_counts_each_pop queue/injector_models.cpp ${injector}
  FROM "if (link == nullptr) filled_"
  TO "filled_")
jobs_add_mutant(injector_forgets_its_end queue/injector_models.cpp ${injector}
  FROM "last_ = &last;"
  TO "if (last_ == nullptr) last_ = &last;")
jobs_add_mutant(injector_lock_by_load_and_store queue/injector_models.cpp ${raw_spin_lock}
  FROM "while (locked_.exchange(true, raw_spin_lock_order::kAcquire)) await_release();"
  TO "while (locked_.load(raw_spin_lock_order::kAcquire)) await_release();\n    locked_.store(true, raw_spin_lock_order::kRelease);")
