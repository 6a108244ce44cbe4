// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Recorder: the tracks of the threads.
#include "jobs/trace/recorder.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <source_location>
#include <utility>

#include "jobs/base/message.hpp"
#include "jobs/base/topology.hpp"
#include "jobs/fiber/stack_usage_monitor.hpp"
#include "jobs/runtime/fibers/fiber_control.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/trace/environment_profile.hpp"
#include "jobs/trace/environment_recording.hpp"
#include "jobs/trace/fiber_names.hpp"
#include "jobs/trace/format/object_names.hpp"
#include "jobs/trace/live/environment_live.hpp"
#include "jobs/trace/traced_pushes.hpp"
#include "jobs/trace/traced_switches.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

struct Recorder::Track {
  static constexpr std::size_t kEvents = 65'536;

  using Ring = EventRing<kEvents>;

  // The thread creates them under the mutex, at the first event for them.
  std::unique_ptr<Ring> ring;
  std::unique_ptr<ThreadProfile> profile;
  // Guarded by the mutex.
  std::string name;
  os::Node node = os::kAnyNode;
  pthread_t handle{};
  pid_t thread = 0;
  const void* state = nullptr;  // the ThreadState of the thread
  std::uint64_t first = 0;      // Earlier events belong to an earlier thread.
  bool has_thread = true;
  bool is_worker = false;
  // Of the thread: the worker context for which the track was named, and the last look at its page
  // faults.
  const jobs::detail::WorkerContext* named_for = nullptr;
  std::uint64_t looked_at = 0;  // in ticks; 0: never
  std::uint64_t faults = 0;     // without those of the ring

  // Writes the text of the event before. The thread; pre: the ring exists.
  void push_text(std::string_view text) noexcept {
    for_each_text_event(text, [this](const RawEvent& part) { ring->push(part); });
  }
};

namespace {

// Tracks of ended threads that are kept.
constexpr std::size_t kKeptTracks = 64;

// In ticks: 20 us at 2.5 GHz. A look at the page faults takes about 0.5 us.
constexpr std::uint64_t kLookInterval = 50'000;

struct Tracks {
  std::mutex mutex;
  std::vector<std::unique_ptr<Recorder::Track>> all;
  ProfileData ended;  // of threads that have ended, or are other workers since
};

// Never destroyed, because threads may record until the process ends.
Tracks& tracks() {
  static Tracks& only = *new Tracks;
  return only;
}

// The track of the calling thread; it has no destructor, so it is valid until the thread ends.
constinit thread_local Recorder::Track* current_track = nullptr;
constinit thread_local bool has_ended = false;

// Leaves the track at the end of the thread.
struct TrackEnd {
  ~TrackEnd() {
    has_ended = true;
    if (current_track == nullptr) return;
    const std::scoped_lock lock(tracks().mutex);
    Recorder::instance().close_profile(*current_track);
    current_track->has_thread = false;
    current_track = nullptr;
  }
};

void leave_at_end_of_thread() { static thread_local const TrackEnd end; }

std::string name_of_thread() {
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return "thread " + std::to_string(gettid()) + " (" + name.data() + ")";
}

// pre: a Fiber runs on it.
FiberName name_of(const jobs::detail::FiberCore& fiber) noexcept {
  const std::source_location& site = jobs::detail::FiberControl::of(fiber)->site();
  return {fiber.name, site.file_name(), static_cast<unsigned>(site.line())};
}

// Returns the bytes from the top of the stack that runs to its deepest page in memory; 0 for the
// stack of a bound thread.
std::uint64_t resident_stack(const jobs::detail::Worker& worker) noexcept {
  const auto& fiber = static_cast<const jobs::detail::StackFiber&>(worker.current());
  const jobs::detail::Stack& stack = fiber.stack();
  return stack.size != 0 ? jobs::detail::resident_bytes(stack) : 0;
}

// The memory node to which a worker is bound. A bound thread keeps its own CPUs.
os::Node node_of(const jobs::detail::Worker& worker) noexcept {
  const jobs::detail::Shared& shared = worker.context().shared();
  return shared.is_pinned_to_nodes() && !worker.is_main()
             ? shared.topology().cpu_of(worker.index()).memory
             : os::kAnyNode;
}

constinit Recorder the_recorder;

}  // namespace

Recorder& Recorder::instance() noexcept { return the_recorder; }

void Recorder::register_for_forks() noexcept {
  static const int registered = pthread_atfork(nullptr, nullptr, &forget_in_child);
  static_cast<void>(registered);
}

// Sets what the threads read. The caller holds the mutex.
void Recorder::update() noexcept {
  stores_events_.store(recordings_ != 0, std::memory_order_relaxed);
  details_.store(recordings_ != 0, std::memory_order_relaxed);
  forks_.store(analyses_ != 0, std::memory_order_relaxed);
  jobs::detail::the_wait_observer.store(recordings_ != 0 ? &TracedWaits::instance() : nullptr,
                                        std::memory_order_relaxed);
  on_.store(recordings_ + profiles_ != 0, std::memory_order_relaxed);
}

Recorder::Starter Recorder::start() noexcept {
  register_for_forks();
  const std::scoped_lock lock(tracks().mutex);
  if (recordings_++ == 0) recording_since_.store(TraceClock::ticks(), std::memory_order_relaxed);
  update();
  watch_pushes();
  return process_;
}

void Recorder::stop(Starter starter) noexcept {
  if (starter != process_) return;
  const std::scoped_lock lock(tracks().mutex);
  --recordings_;
  update();
}

Recorder::Starter Recorder::start_analysis() noexcept {
  const Starter starter = start();
  const std::scoped_lock lock(tracks().mutex);
  ++analyses_;
  update();
  return starter;
}

void Recorder::stop_analysis(Starter starter) noexcept {
  if (starter != process_) return;
  {
    const std::scoped_lock lock(tracks().mutex);
    --analyses_;
  }
  stop(starter);
}

ProfileData Recorder::start_profile() {
  register_for_forks();
  const std::vector<WorkerSighting> workers = find_workers();
  const std::scoped_lock lock(tracks().mutex);
  const bool is_first = profiles_ == 0;
  if (is_first) window_.store(TraceClock::ticks(), std::memory_order_relaxed);
  try {
    ProfileData data = read_tracks(workers);
    ++profiles_;
    update();
    return data;
  } catch (...) {
    if (is_first) window_.store(0, std::memory_order_relaxed);
    throw;
  }
}

void Recorder::stop_profile(Starter starter) noexcept {
  if (starter != process_) return;
  const std::scoped_lock lock(tracks().mutex);
  if (--profiles_ == 0) window_.store(0, std::memory_order_relaxed);
  update();
}

ProfileData Recorder::read_profile() const {
  const std::vector<WorkerSighting> workers = find_workers();
  const std::scoped_lock lock(tracks().mutex);
  return read_tracks(workers);
}

// A forked child has no recording and no profile. A thread of the parent may have held the mutex.
void Recorder::forget_in_child() noexcept {
  the_recorder.process_ = Starter{static_cast<unsigned>(the_recorder.process_) + 1};
  the_recorder.recordings_ = 0;
  the_recorder.analyses_ = 0;
  the_recorder.profiles_ = 0;
  the_recorder.window_.store(0, std::memory_order_relaxed);
  the_recorder.update();
  reset_object_names_in_child();
  if (tracks().mutex.try_lock()) {
    // The threads do not exist in the child. Their profiles are not freed, because a thread may
    // have been within an event.
    for (const auto& track : tracks().all) {
      [[maybe_unused]] const auto* const kept = track->profile.release();
    }
    tracks().mutex.unlock();
  } else {
    new (&tracks().mutex) std::mutex;  // A thread of the parent holds it.
  }
}

std::vector<Recorder::TrackCopy> Recorder::copy() {
  std::vector<TrackCopy> copies;
  const std::scoped_lock lock(tracks().mutex);
  for (const auto& track : tracks().all) {
    copies.push_back(
        {.name = track->name, .events = {}, .thread = track->state, .node = track->node});
    if (track->ring == nullptr) continue;
    copies.back().events = track->ring->copy(track->first);
    // A copy may lack the event that was written meanwhile.
    copies.back().is_cut = copies.back().events.size() >= Track::kEvents - 1;
  }
  return copies;
}

jobs::detail::SwitchObserver* Recorder::scheduler_starts(jobs::detail::SwitchObserver* hooks) {
  EnvironmentRecording::start_once();
  EnvironmentProfile::start_once();
  EnvironmentLive::start_once();
  return TracedSwitches::of(hooks);
}

Recorder::Track* Recorder::track_of_thread() noexcept {
  Track* track = current_track;
  if (track == nullptr) [[unlikely]]
    track = acquire_track();
  if (track != nullptr && track->named_for != jobs::detail::this_context()) [[unlikely]]
    rename_track(*track);
  return track;
}

// Returns null if there is no memory, or if the thread ends.
Recorder::Track* Recorder::acquire_track() noexcept {
  if (has_ended) return nullptr;
  try {
    leave_at_end_of_thread();
    std::string name = name_of_thread();
    const std::scoped_lock lock(tracks().mutex);
    auto& all = tracks().all;
    const auto is_free = [](const auto& track) { return !track->has_thread; };
    const auto free = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_free));
    if (free < kKeptTracks) {
      all.push_back(std::make_unique<Track>());
    } else {
      // The thread that ended first has the first free track. It moves to the end.
      const auto oldest = std::find_if(all.begin(), all.end(), is_free);
      std::rotate(oldest, oldest + 1, all.end());
    }
    Track& track = *all.back();
    track.name = std::move(name);
    track.node = os::kAnyNode;
    track.handle = pthread_self();
    track.thread = gettid();
    track.state = &jobs::detail::this_thread();
    track.first = track.ring != nullptr ? track.ring->count() : 0;
    track.has_thread = true;
    track.is_worker = false;
    track.named_for = nullptr;
    track.looked_at = 0;
    return current_track = &track;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// Names the track of a thread that has become a worker.
void Recorder::rename_track(Track& track) noexcept {
  track.named_for = jobs::detail::this_context();
  track.is_worker = track.named_for != nullptr && !track.named_for->is_external();
  if (!track.is_worker) return;
  const char* const name = track.named_for->worker()->describe();
  const std::scoped_lock lock(tracks().mutex);
  track.node = node_of(*track.named_for->worker());
  if (track.name != name) close_profile(track);  // It belongs to another worker.
  try {
    track.name = name;
  } catch (const std::bad_alloc&) {
    track.name.clear();
  }
}

// The clock is read after the ring and the profile exist: their creation takes a millisecond.
Recorder::Moment Recorder::begin_event() noexcept {
  Moment moment{.track = track_of_thread()};
  if (moment.track == nullptr) return moment;
  moment.is_stored = stores_events() && has_ring(*moment.track);
  moment.window = window_.load(std::memory_order_relaxed);
  moment.profile = profile_of(*moment.track, moment.window);
  moment.at = TraceClock::ticks();
  if (moment.is_stored && moment.at - moment.track->looked_at >= kLookInterval)
    look_at_faults(*moment.track, moment.at);
  return moment;
}

// Page faults of the stack are those of a fiber that is the first to use a part of it. They are no
// events of the library, so the thread looks for them before another event. The first look of a
// recording only begins to count.
JOBS_COLD void Recorder::look_at_faults(Track& track, std::uint64_t now) noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  const std::uint64_t of_ring = Track::Ring::pages(track.ring->count());
  const std::uint64_t faults = static_cast<std::uint64_t>(usage.ru_minflt) - of_ring;
  const std::uint64_t before = std::exchange(track.faults, faults);
  const bool is_first =
      std::exchange(track.looked_at, now) < recording_since_.load(std::memory_order_relaxed);
  // Negative if the ring has got a huge page.
  const auto more = static_cast<std::int64_t>(faults - before);
  if (is_first || more <= 0) return;
  track.ring->push({now, static_cast<std::uint64_t>(TraceEvent::kPageFaults),
                    static_cast<std::uint64_t>(more),
                    track.is_worker ? resident_stack(*track.named_for->worker()) : 0});
}

void Recorder::record(TraceEvent event, std::uint64_t first, std::uint64_t second) noexcept {
  const Moment moment = begin_event();
  if (moment.profile != nullptr) moment.profile->record(event, first, moment.at, moment.window);
  if (!moment.is_stored) return;
  moment.track->ring->push({moment.at, static_cast<std::uint64_t>(event), first, second});
}

// A node or a stage without a name has its function in a second event.
void Recorder::begin_part(TraceEvent event, std::uint64_t first, std::uint64_t second,
                          jobs::detail::CodeAddress code, std::string_view name) noexcept {
  const auto function = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(code));
  name = jobs::detail::cut_text(name, kLongestFiberName);
  const Moment moment = begin_event();
  if (moment.profile != nullptr)
    moment.profile->begin_part(function, name, moment.at, moment.window);
  if (!moment.is_stored) return;
  Track::Ring& ring = *moment.track->ring;
  ring.push({moment.at, static_cast<std::uint64_t>(event), first, second});
  moment.track->push_text(name);
  if (name.empty() && event != TraceEvent::kCallBegin)
    ring.push({moment.at, static_cast<std::uint64_t>(TraceEvent::kPartCode), function, 0});
}

void Recorder::suspended(const jobs::detail::FiberCore& fiber) noexcept {
  const Moment moment = begin_event();
  if (moment.profile != nullptr) moment.profile->suspend(fiber, moment.at, moment.window);
  if (!moment.is_stored) return;
  const FiberState state = fiber.observed_state.load(std::memory_order_relaxed);
  const jobs::detail::WaitSite& wait = fiber.waits_for;
  const unsigned kind =
      state == FiberState::kWaiting ? static_cast<unsigned>(wait.kind) : jobs::detail::kTraceYield;
  const TraceEvent event =
      state == FiberState::kRunning ? TraceEvent::kFiberEnd : TraceEvent::kSuspend;
  moment.track->ring->push(
      {moment.at, static_cast<std::uint64_t>(event), fiber.id,
       jobs::detail::pack_wait(kind, reinterpret_cast<std::uintptr_t>(wait.object))});
  if (event == TraceEvent::kFiberEnd) moment.track->push_text(name_of(fiber).text());
}

void Recorder::resumed(const jobs::detail::FiberCore& fiber) noexcept {
  const Moment moment = begin_event();
  if (moment.profile != nullptr) moment.profile->resume(fiber, moment.at, moment.window);
  if (!moment.is_stored) return;
  moment.track->ring->push({moment.at, static_cast<std::uint64_t>(TraceEvent::kResume), fiber.id,
                            reinterpret_cast<std::uintptr_t>(&fiber)});
}

// Creates the ring of the calling thread before its first event. Returns false if there is no
// memory.
bool Recorder::has_ring(Track& track) noexcept {
  return track.ring != nullptr || create(track.ring);
}

// Returns the profile of a worker, the calling thread. Returns null if no profile is active, for
// other threads, and without memory.
ThreadProfile* Recorder::profile_of(Track& track, std::uint64_t window) noexcept {
  if (window == 0 || !track.is_worker) return nullptr;
  if (track.profile == nullptr && !create(track.profile)) [[unlikely]]
    return nullptr;
  return track.profile.get();
}

// Creates a part of a track. Returns false if there is no memory.
template <class Part>
JOBS_COLD bool Recorder::create(std::unique_ptr<Part>& part) noexcept {
  try {
    std::unique_ptr<Part> created = std::make_unique<Part>();
    const std::scoped_lock lock(tracks().mutex);
    part = std::move(created);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// Moves the times of a track to those of ended threads. The thread of the track calls it, under the
// mutex.
void Recorder::close_profile(Track& track) noexcept {
  if (track.profile == nullptr) return;
  try {
    tracks().ended.add(track.name,
                       read_thread(track, TraceClock::ticks(), cpu_time_of(pthread_self())));
    tracks().ended.add(*track.profile);
  } catch (const std::bad_alloc&) {
    // The times are lost.
  }
  track.profile.reset();
}

// Returns the times of the worker of a track. The caller holds the mutex. `cpu`: of its thread.
WorkerTimes Recorder::read_thread(const Track& track, std::uint64_t now,
                                  std::uint64_t cpu) const noexcept {
  const ThreadProfile& profile = *track.profile;
  const std::uint64_t window = window_.load(std::memory_order_relaxed);
  const bool is_present = window != 0 && profile.window() == window;
  WorkerTimes times{.states = profile.times(is_present ? now : 0)};
  times.cpu_ns = cpu - profile.cpu_at_first();
  times.unmeasured_awake = profile.awake_at_first();
  return times;
}

// Returns the times of all workers until now. The caller holds the mutex. A worker without an event
// in this window has been in the state of its sighting since the window began.
ProfileData Recorder::read_tracks(const std::vector<WorkerSighting>& workers) const {
  const std::uint64_t now = TraceClock::ticks();
  const std::uint64_t window = window_.load(std::memory_order_relaxed);
  ProfileData data = tracks().ended;
  std::vector<pid_t> present;
  for (const auto& track : tracks().all) {
    if (track->profile == nullptr) continue;
    if (track->profile->window() == window) present.push_back(track->thread);
    data.add(track->name, read_thread(*track, now, cpu_time_of(track->handle)));
    data.add(*track->profile);
  }
  for (const WorkerSighting& worker : workers) {
    if (window == 0 || std::find(present.begin(), present.end(), worker.thread) != present.end())
      continue;
    WorkerTimes times;
    times.states[static_cast<std::size_t>(worker.state)] = now - window;
    if (worker.state == WorkerState::kUseful) times.unmeasured_awake = now - window;
    data.add(worker.name, times);
  }
  return data;
}

void Recorder::record_text(TraceEvent event, std::uint64_t first, std::uint64_t second,
                           std::string_view text, std::size_t longest) noexcept {
  Track* const track = track_of_thread();
  if (track == nullptr || !stores_events() || !has_ring(*track)) return;
  track->ring->push({TraceClock::ticks(), static_cast<std::uint64_t>(event), first, second});
  track->push_text(jobs::detail::cut_text(text, longest));
}

void Recorder::fiber_created(std::uint64_t id, const char* name, const char* file,
                             unsigned line) noexcept {
  record_text(TraceEvent::kFiberCreate, id, line, FiberName(name, file, line).text(),
              kLongestFiberName);
}

}  // namespace jobs::inline JOBS_ABI::trace::detail

namespace jobs::inline JOBS_ABI::detail {

// The address of a static object: initialised before any code runs.
extern constinit TraceObserver* const linked_trace_observer = &trace::detail::the_recorder;

}  // namespace jobs::inline JOBS_ABI::detail

// The link options of the component name this symbol, so that a static program contains this file.
// NOLINTNEXTLINE(readability-identifier-naming): a name for linkers
extern "C" JOBS_EXPORT const char jobs_trace_is_linked;
const char jobs_trace_is_linked = 1;
