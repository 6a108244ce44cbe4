// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The contract with the operating system on Linux: time, parking, fences, processes, pages,
// threads. Only the files os_linux*.cpp make system calls.
#include "jobs/base/os.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <dlfcn.h>
#include <link.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>

#include "jobs/base/affinity.hpp"
#include "jobs/base/asymmetric_fence.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/base/sanitizer.hpp"

namespace jobs::inline JOBS_ABI {

namespace {

bool environment_is(const char* variable, const char* value) noexcept {
  const char* set = secure_getenv(variable);
  return set != nullptr && std::strcmp(set, value) == 0;
}

}  // namespace

// 101 is the first priority that is not reserved for the compiler.
[[gnu::init_priority(101)]] const detail::AsymmetricMode detail::kAsymmetric{
    os::has_membarrier() && !environment_is("JOBS_FENCED", "1")};

namespace os {

namespace {

// The kernel headers of some build systems lack these constants.
constexpr int kAdviseGuardInstall = 102;
constexpr int kAdvisePopulateRead = 22;
constexpr int kAdvisePopulateWrite = 23;
constexpr int kThisProcess = -10000;  // PIDFD_SELF, also in a child: Linux 6.15

constexpr Nanoseconds kSecond = 1'000'000'000;

timespec to_timespec(Nanoseconds time) noexcept {
  return {.tv_sec = static_cast<time_t>(time / kSecond),
          .tv_nsec = static_cast<long>(time % kSecond)};
}

GuardKind probe_guard_kind() noexcept {
  if (environment_is("JOBS_STACK_GUARD", "mprotect")) return GuardKind::kProtected;
  std::byte* page = reserve_pages(page_size());
  if (page == nullptr) return GuardKind::kProtected;
  // Emulators of this kernel accept advice that they do not know: a page that can be read is not
  // guarded.
  const bool works = install_guard(page, page_size(), GuardKind::kLightweight) &&
                     madvise(page, page_size(), kAdvisePopulateRead) != 0;
  release_pages(page, page_size());
  return works ? GuardKind::kLightweight : GuardKind::kProtected;
}

// Gives advice for `count` ranges of `size` bytes at a distance of `stride`. post: the number of
// ranges for which the kernel accepted it, from the first on.
std::size_t advise_each(std::byte* base, std::size_t size, std::size_t stride, std::size_t count,
                        int advice) noexcept {
  std::array<iovec, 32> ranges;  // in one call
  std::size_t done = 0;
  while (done < count) {
    const std::size_t now = std::min(count - done, ranges.size());
    for (std::size_t i = 0; i < now; ++i) ranges[i] = {base + (done + i) * stride, size};
    const long bytes = syscall(SYS_process_madvise, kThisProcess, ranges.data(), now, advice, 0);
    const std::size_t taken = bytes > 0 ? static_cast<std::size_t>(bytes) / size : 0;
    done += taken;
    if (taken < now) break;
  }
  return done;
}

// Returns whether the kernel accepts such advice from this process. Valgrind does not know the call
// and would print a warning.
bool can_advise_each() noexcept {
  static const bool can = [] {
    if (detail::sanitizer::on_valgrind()) return false;
    std::byte* const page = reserve_pages(page_size());
    if (page == nullptr) return false;
    const bool took = advise_each(page, page_size(), page_size(), 1, kAdvisePopulateWrite) == 1;
    release_pages(page, page_size());
    return took;
  }();
  return can;
}

}  // namespace

// --- Time ---

Nanoseconds now() noexcept {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

#if defined(__x86_64__)

namespace {

std::uint64_t ticks() noexcept { return __builtin_ia32_rdtsc(); }

bool ticks_evenly() noexcept {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;  // "invariant TSC"
}

// Reads both clocks at one moment. Returns false if the thread lost its CPU between the two reads
// in every attempt.
bool read_both(Nanoseconds& time, std::uint64_t& count) noexcept {
  constexpr Nanoseconds kOneMoment = 500;
  for (int tries = 0; tries < 100; ++tries) {
    const Nanoseconds before = now();
    count = ticks();
    time = now();
    if (time - before <= kOneMoment) return true;
  }
  return false;
}

// Nanoseconds per tick; 0: unknown.
double measure_tick() noexcept {
  constexpr Nanoseconds kLongEnough = 50'000;
  Nanoseconds start = 0;
  Nanoseconds end = 0;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (!ticks_evenly() || !read_both(start, first)) return 0;
  do {
    if (!read_both(end, last)) return 0;
  } while (end - start < kLongEnough);
  return last > first ? static_cast<double>(end - start) / static_cast<double>(last - first) : 0;
}

}  // namespace

Nanoseconds quick_now() noexcept {
  static const double tick = measure_tick();
  if (tick > 0) [[likely]]
    return static_cast<Nanoseconds>(static_cast<double>(static_cast<std::int64_t>(ticks())) * tick);
  return now();
}

#else

Nanoseconds quick_now() noexcept { return now(); }

#endif

// --- Parking ---

static_assert(std::endian::native == std::endian::little,
              "a futex is the low half of its word, at the word's own address");

bool futex_wait(const detail::Atomic<std::uintptr_t>& word, std::uintptr_t expected,
                Nanoseconds deadline) noexcept {
  if (detail::chaos::injects_failure()) return true;
  // The BITSET form takes an absolute time, so a spurious wake-up does not extend the wait.
  const timespec until = to_timespec(std::max<Nanoseconds>(deadline, 0));
  const long result =
      syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, static_cast<std::uint32_t>(expected),
              deadline == kNever ? nullptr : &until, nullptr, FUTEX_BITSET_MATCH_ANY);
  if (result == 0) return true;
  // A kernel that only interrupts the call would never report the timeout.
  return errno != ETIMEDOUT && now() < deadline;
}

void futex_wake(const detail::Atomic<std::uintptr_t>* word) noexcept {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void yield_thread() noexcept { sched_yield(); }

void sleep_thread(Nanoseconds duration) noexcept {
  const timespec time = to_timespec(duration);
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nullptr);  // A signal ends it early.
}

// --- Asymmetric fence ---

bool has_membarrier() noexcept {
  static const bool registered =
      syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  return registered;
}

void membarrier() noexcept {
  // The caller cannot continue without the barrier. The kernel may lack memory for a moment.
  while (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
    if (errno != ENOMEM) fatal_error("jobs: membarrier() is refused: set JOBS_FENCED=1\n");
    sched_yield();
  }
}

void renew_membarrier() noexcept {
  syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

// --- Processes ---

void on_fork(void (*before)() noexcept, void (*in_parent)() noexcept,
             void (*in_child)() noexcept) noexcept {
  // Fails only without memory; then forks go unnoticed.
  pthread_atfork(before, in_parent, in_child);
}

void* retain_library() noexcept {
  Dl_info info;
  link_map* object = nullptr;
  const bool known = dladdr1(reinterpret_cast<const void*>(&retain_library), &info,
                             reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) != 0;
  if (!known || object == nullptr || object->l_name == nullptr || *object->l_name == '\0')
    return nullptr;  // the program itself
  return dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

void release_library(void* kept) noexcept {
  if (kept != nullptr) dlclose(kept);
}

// --- Pages ---

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::byte* reserve_pages(std::size_t size) noexcept {
  void* base = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  madvise(base, size, MADV_NOHUGEPAGE);  // fails only if the kernel has no huge pages
  return static_cast<std::byte*>(base);
}

std::byte* reserve_data(std::size_t size) noexcept {
  void* base = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return base == MAP_FAILED ? nullptr : static_cast<std::byte*>(base);
}

void release_pages(std::byte* base, std::size_t size) noexcept { munmap(base, size); }

GuardKind guard_kind() noexcept {
  static const GuardKind kind = probe_guard_kind();
  return kind;
}

bool install_guard(std::byte* base, std::size_t size, GuardKind kind) noexcept {
  if (kind == GuardKind::kNone) return true;
  if (kind == GuardKind::kLightweight) return madvise(base, size, kAdviseGuardInstall) == 0;
  return mprotect(base, size, PROT_NONE) == 0;
}

std::size_t install_guards(std::byte* base, std::size_t size, std::size_t stride, std::size_t count,
                           GuardKind kind) noexcept {
  std::size_t made = 0;
  if (count > 1 && kind == GuardKind::kLightweight && can_advise_each()) {
    made = advise_each(base, size, stride, count, kAdviseGuardInstall);
  }
  while (made < count && install_guard(base + made * stride, size, kind)) ++made;
  return made;
}

void populate_pages(std::byte* page, std::size_t stride, std::size_t count) noexcept {
  if (count > 1 && can_advise_each())
    advise_each(page, page_size(), stride, count, kAdvisePopulateWrite);
}

void populate(std::byte* base, std::size_t size) noexcept {
  static_cast<void>(madvise(base, size, kAdvisePopulateWrite));
}

bool discard_pages(std::byte* base, std::size_t size) noexcept {
  return madvise(base, size, MADV_DONTNEED) == 0;
}

void trim_heap() noexcept {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

std::byte* first_resident_page(std::byte* base, std::size_t size) noexcept {
  std::array<unsigned char, 256> resident;
  const std::size_t window = resident.size() * page_size();
  for (std::size_t at = 0; at < size; at += window) {
    const std::size_t pages = std::min(size - at, window) / page_size();
    if (mincore(base + at, pages * page_size(), resident.data()) != 0) break;
    for (std::size_t i = 0; i < pages; ++i) {
      if ((resident[i] & 1) != 0) return base + at + i * page_size();
    }
  }
  return base + size;
}

std::size_t max_mappings() noexcept {
  std::FILE* file = std::fopen("/proc/sys/vm/max_map_count", "re");
  if (file == nullptr) return 0;
  std::size_t count = 0;
  if (std::fscanf(file, "%zu", &count) != 1) count = 0;
  std::fclose(file);
  return count;
}

// --- Threads ---

void set_thread_name(const char* name) noexcept {
  char cut[16] = {};  // the kernel refuses longer names
  std::strncpy(cut, name, sizeof cut - 1);
  pthread_setname_np(pthread_self(), cut);
}

bool pin_thread(unsigned cpu) noexcept { return pin_thread({&cpu, 1}); }

bool pin_thread(std::span<const unsigned> cpus) noexcept {
  const unsigned count = *std::max_element(cpus.begin(), cpus.end()) + 1;
  cpu_set_t* set = CPU_ALLOC(count);
  if (set == nullptr) return false;
  const std::size_t size = CPU_ALLOC_SIZE(count);
  CPU_ZERO_S(size, set);
  for (const unsigned cpu : cpus) CPU_SET_S(cpu, size, set);
  const bool pinned = sched_setaffinity(0, size, set) == 0;
  CPU_FREE(set);
  return pinned;
}

void set_exit_guard(void* object, void (*ended)(void*)) noexcept {
  static const std::optional<pthread_key_t> key = [ended]() -> std::optional<pthread_key_t> {
    pthread_key_t created{};
    if (pthread_key_create(&created, ended) != 0) return std::nullopt;
    return created;
  }();
  if (key) pthread_setspecific(*key, object);
}

unsigned current_cpu() noexcept {
  const int cpu = sched_getcpu();
  return cpu >= 0 ? static_cast<unsigned>(cpu) : 0;
}

void leave_cpu(unsigned avoided) noexcept { move_thread(pthread_self(), current_cpu(), avoided); }

void move_thread(ThreadHandle thread, unsigned cpu, unsigned avoided) noexcept {
  static_assert(std::is_same_v<ThreadHandle, pthread_t>);
  const auto set_of = [](CpuMask& mask) { return reinterpret_cast<cpu_set_t*>(mask.words.data()); };
  CpuMask allowed{};
  if (pthread_getaffinity_np(thread, sizeof allowed, set_of(allowed)) != 0) return;
  CpuMask others = allowed;
  CPU_CLR_S(cpu, sizeof others, set_of(others));
  CPU_CLR_S(avoided, sizeof others, set_of(others));  // without effect for kNoCpu
  if (CPU_COUNT_S(sizeof others, set_of(others)) == 0) return;
  if (pthread_setaffinity_np(thread, sizeof others, set_of(others)) != 0) return;
  // The move may have taken long. If the mask has changed in the meantime, another caller has set
  // it, and it stays. (Not detected: a mask that equals the temporary one.)
  CpuMask now{};
  if (pthread_getaffinity_np(thread, sizeof now, set_of(now)) == 0 && now != others) return;
  pthread_setaffinity_np(thread, sizeof allowed, set_of(allowed));
}

void block_signals() noexcept {
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int synchronous : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) {
    sigdelset(&blocked, synchronous);
  }
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
}

// --- Faults ---

void fatal_error(std::string_view text) noexcept {
  static detail::Atomic<bool> is_ending{false};
  // Several threads may meet an error at a time: the first one prints its line and ends the
  // process. The sleep has a limit, because a handler of SIGABRT may fail on the thread that
  // aborts.
  if (is_ending.exchange(true, std::memory_order_relaxed)) {
    sleep_thread(1'000'000'000);
  } else {
    write_error(text);
  }
  std::abort();
}

}  // namespace os
}  // namespace jobs::inline JOBS_ABI
