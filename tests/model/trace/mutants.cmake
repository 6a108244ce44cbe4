# The model of the ring of events, and the mutants that it must detect.

set(event_ring jobs/trace/event_ring.hpp)

jobs_add_models(model_event_ring trace/event_ring_models.cpp)

jobs_add_mutant(event_ring_published_before_it_is_written trace/event_ring_models.cpp ${event_ring}
  FROM "    for (std::size_t i = 0; i < event.size(); ++i) slot[i].store(event[i], ring_order::kWrite);
    head_.store(head + 1, ring_order::kPublish);"
  TO "    head_.store(head + 1, ring_order::kPublish);
    for (std::size_t i = 0; i < event.size(); ++i) slot[i].store(event[i], ring_order::kWrite);")
jobs_add_mutant(event_ring_reader_keeps_the_slot_in_use trace/event_ring_models.cpp ${event_ring}
  FROM "now - kCapacity + 1 : 0"
  TO "now - kCapacity : 0")
jobs_add_mutant(event_ring_reader_checks_before_it_reads trace/event_ring_models.cpp ${event_ring}
  FROM "const std::uint64_t now = head_.load(ring_order::kCheck);"
  TO "const std::uint64_t now = end;")

# The model of the clock of states, and its mutants.

set(state_clock jobs/trace/state_clock.hpp)

jobs_add_models(model_state_clock trace/state_clock_models.cpp)

jobs_add_mutant(state_clock_reader_ignores_the_sum trace/state_clock_models.cpp ${state_clock}
  FROM "if (sum != last - start_.load(state_clock_order::kOwn)) continue;"
  TO "")
jobs_add_mutant(state_clock_published_before_its_time trace/state_clock_models.cpp ${state_clock}
  FROM "    times_[state_of(position)].add(now - last);
    position_.store(pack(next, now), state_clock_order::kPublish);"
  TO "    position_.store(pack(next, now), state_clock_order::kPublish);
    times_[state_of(position)].add(now - last);")

# The model of the buffers of the live page, and its mutants.

set(live_buffers jobs/trace/live/live_buffers.hpp)

jobs_add_models(model_live_buffers trace/live_buffers_models.cpp)

jobs_add_mutant(live_buffers_published_before_they_are_written trace/live_buffers_models.cpp ${live_buffers}
  FROM "    for (std::size_t i = 0; i < kWords; ++i) buffer[i].store(picture[i], live_order::kWrite);
    head_.store(head, live_order::kPublish);"
  TO "    head_.store(head, live_order::kPublish);
    for (std::size_t i = 0; i < kWords; ++i) buffer[i].store(picture[i], live_order::kWrite);")
jobs_add_mutant(live_buffers_overwrite_the_last_picture trace/live_buffers_models.cpp ${live_buffers}
  FROM "Buffer& buffer = buffers_[head % 2];
    for (std::size_t i = 0; i < kWords; ++i) buffer[i].store"
  TO "Buffer& buffer = buffers_[(head - 1) % 2];
    for (std::size_t i = 0; i < kWords; ++i) buffer[i].store")
jobs_add_mutant(live_buffers_reader_checks_nothing trace/live_buffers_models.cpp ${live_buffers}
  FROM "if (head_.load(live_order::kCheck) == head) return head;"
  TO "return head;")
