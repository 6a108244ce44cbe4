// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LivePage: the page that a process with JOBS_LIVE=1 shares, and its contents. jobs-top reads it.
// The page is an anonymous file of the process (memfd) with the name kLiveName. So it ends with the
// process, however the process ends.
//
// A change of the layout takes another kLiveVersion. The header keeps its place in all versions.
// Times are nanoseconds of the steady clock, which all processes of a machine share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "jobs/base/atomic.hpp"
#include "jobs/trace/live/live_buffers.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

inline constexpr const char* kLiveName = "jobs-live";
inline constexpr std::uint64_t kLiveMagic = 0x6576694c73626f6a;  // "jobsLive" on little-endian
inline constexpr std::uint32_t kLiveVersion = 1;

// What a worker does, as far as other threads see it.
enum class LiveState : std::uint32_t {
  kVacant,    // It has no thread: not started, or no thread is bound.
  kAwake,     // It runs a job or a fiber, or looks for one.
  kParked,    // It sleeps.
  kRetired,   // It sleeps because the machine grants fewer CPUs.
  kSpinning,  // It has no work, and searches because of a ParallelPhase.
};

struct LiveWorker {
  std::uint32_t scheduler = 0;  // index of a LiveScheduler
  std::uint32_t index = 0;
  std::int32_t thread = 0;  // id of the thread, as the process sees it
  LiveState state = LiveState::kVacant;
  std::uint64_t jobs = 0;
  std::uint64_t steals = 0;
  std::uint64_t parks = 0;
  std::uint64_t switches = 0;
  std::uint64_t queue = 0;           // jobs in its deque
  std::uint64_t fibers = 0;          // that run, are ready or wait
  std::uint64_t fiber = 0;           // id of the fiber that runs; 0: none, or the thread itself
  std::int64_t unchanged_since = 0;  // Since then, it has the same state and has begun no job.
  std::array<char, 64> label{};      // what it runs; not always terminated
};

struct LiveScheduler {
  std::uint64_t workers = 0;
  std::uint64_t active_workers = 0;
  std::uint64_t participants = 0;
  std::uint64_t jobs = 0;
  std::uint64_t waiting_jobs = 0;
  std::uint64_t fibers = 0;  // without idle ones
  std::uint64_t blocked_fibers = 0;
  std::uint64_t blocking_threads = 0;
  std::uint64_t max_start_delay_ns = 0;
  std::int64_t oldest_job = 0;  // The oldest queued job may wait since then; 0: none is known.
};

// Fibers that wait at one place.
struct LiveWait {
  std::uint64_t count = 0;
  std::uint64_t kind = 0;        // a WaitKind
  std::uint64_t object = 0;      // of one of the waits
  std::uint64_t owner = 0;       // id of the fiber that owns this object; 0: none is known
  std::int64_t since = 0;        // begin of the longest wait
  std::array<char, 64> label{};  // who waits; not always terminated
};

struct LivePicture {
  static constexpr std::size_t kSchedulers = 8;
  static constexpr std::size_t kWorkers = 256;
  static constexpr std::size_t kWaits = 16;

  std::int64_t at = 0;
  // All of them; the lists have the first ones.
  std::uint64_t schedulers = 0;
  std::uint64_t workers = 0;
  std::uint64_t wait_sites = 0;
  std::int64_t waits_at = 0;         // time of the list of waits; 0: there is none
  std::uint64_t silent_workers = 0;  // workers that have not described their fibers
  std::array<LiveScheduler, kSchedulers> scheduler{};
  std::array<LiveWorker, kWorkers> worker{};
  std::array<LiveWait, kWaits> wait{};
};
static_assert(std::is_trivially_copyable_v<LivePicture> && sizeof(LivePicture) % 8 == 0);

using LivePictureBuffers = LiveBuffers<sizeof(LivePicture) / sizeof(std::uint64_t)>;

struct LivePage {
  std::uint64_t magic = kLiveMagic;
  std::uint32_t version = kLiveVersion;
  std::uint32_t size = sizeof(LivePage);
  std::int64_t process = 0;  // its id, as the process sees it
  // A reader stores the time here. The process lists waits while it is recent. Relaxed: it
  // publishes nothing.
  jobs::detail::Atomic<std::int64_t> watched_at{0};
  LivePictureBuffers pictures;
};

inline LivePictureBuffers::Words words_of(const LivePicture& picture) noexcept {
  LivePictureBuffers::Words words;
  std::memcpy(words.data(), &picture, sizeof picture);
  return words;
}
inline void set_words(LivePicture& picture, const LivePictureBuffers::Words& words) noexcept {
  std::memcpy(static_cast<void*>(&picture), words.data(), sizeof picture);
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
