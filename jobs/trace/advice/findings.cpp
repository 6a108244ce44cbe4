// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of causes, and their rules.
#include "jobs/trace/advice/findings.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <optional>
#include <utility>

#include "jobs/trace/format/code_place.hpp"
#include "jobs/trace/format/readable_time.hpp"
#include "jobs/trace/format/sort_by.hpp"
#include "jobs/trace/format/source_lines.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

// What a rule has found. The table has the cause.
struct Found {
  double share;
  std::string place;
  std::string text;
};
using Rule = std::optional<Found> (*)(const RunSummary& run);

[[gnu::format(printf, 1, 2)]] std::string format(const char* text, ...) {
  std::array<char, 512> line;
  va_list values;
  va_start(values, text);
  std::vsnprintf(line.data(), line.size(), text, values);
  va_end(values);
  return line.data();
}

std::string time_of(std::uint64_t time) {
  return readable_time(std::chrono::nanoseconds(static_cast<std::int64_t>(time)));
}

double ratio(std::uint64_t part, std::uint64_t whole) noexcept {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

double percent(double share) noexcept { return 100 * share; }

// Returns the element with the largest value, or null if the largest value is 0.
template <class Items, class Value>
auto largest(const Items& items, Value&& value) -> const typename Items::value_type* {
  const typename Items::value_type* found = nullptr;
  std::uint64_t most = 0;
  for (const auto& item : items) {
    const std::uint64_t own = value(item);
    if (own > most) {
      most = own;
      found = &item;
    }
  }
  return found;
}

template <class Value>
std::uint64_t sum(const RunSummary& run, Value&& value) {
  std::uint64_t total = 0;
  for (const CodeSummary& code : run.codes) total += value(code);
  return total;
}

// The time in which all but one worker had no work, for a reason.
struct Alone {
  double share;  // of the time in which a worker was awake
  const CodeSummary* code;
};
template <class Value>
Alone alone_by(const RunSummary& run, Value&& value) {
  return {.share = ratio(sum(run, value), run.awake), .code = largest(run.codes, value)};
}

// Whether workers run out of work after a few jobs, or runs of fibers.
bool searches_often(const RunSummary& run) {
  constexpr double kOften = 0.25;  // searches for each run
  const std::uint64_t runs = sum(run, [](const CodeSummary& code) -> std::uint64_t {
    return code.runs.count() + code.resumptions;
  });
  return ratio(run.spells.count(), runs) >= kOften;
}

// --- the rules -----------------------------------------------------------------------------------

std::optional<Found> job_blocks(const RunSummary& run) {
  constexpr double kLeast = 0.4;
  const auto blocked = [](const CodeSummary& code) { return code.blocked; };
  const double share = ratio(sum(run, blocked), run.jobs);
  const CodeSummary* const code = largest(run.codes, blocked);
  if (share < kLeast || code == nullptr) return std::nullopt;
  return Found{.share = std::min(share, 1.0),
               .place = code->name,
               .text = format(
                   "The kernel has suspended workers for %.0f %% of the time of their jobs, %s of "
                   "it in this code: it sleeps, or waits for input or a lock of the system. Call "
                   "jobs::blocking(), this_fiber::sleep_for(), jobs::io or jobs::Mutex instead.",
                   percent(share), time_of(code->blocked).c_str())};
}

std::optional<Found> lock_convoy(const RunSummary& run) {
  constexpr double kLeast = 0.4;
  constexpr double kLeastHeld = 0.02;  // of the time in which a fiber waits
  constexpr std::size_t kFewest = 20;
  const LockSummary* const lock =
      largest(run.locks, [](const LockSummary& each) { return each.waited; });
  if (lock == nullptr || lock->waits.count() < kFewest) return std::nullopt;
  const double share = std::min(ratio(lock->waited, run.awake), 1.0);
  // Otherwise the waiters wait for the worker of the next owner, and not for the code under the
  // lock.
  const std::uint64_t held = lock->holds.count() * lock->holds.median();
  if (share < kLeast || ratio(held, lock->waited) < kLeastHeld) return std::nullopt;
  return Found{
      .share = share,
      .place = lock->holder.empty() ? lock->waiter : lock->holder,
      .text = format("Mutex %s had a waiter for %.0f %% of the time in which a worker was awake: "
                     "%zu waits of %s (median); this code holds it for %s each time. "
                     "Do less under the lock, or divide the data.",
                     lock->name.c_str(), percent(share), lock->waits.count(),
                     time_of(lock->waits.median()).c_str(), time_of(lock->holds.median()).c_str())};
}

std::optional<Found> fibers_piled_up(const RunSummary& run) {
  constexpr double kLeast = 0.25;
  const Alone alone = alone_by(run, [](const CodeSummary& code) { return code.alone.piled; });
  if (alone.share < kLeast || alone.code == nullptr) return std::nullopt;
  return Found{
      .share = alone.share,
      .place = alone.code->name,
      .text = format("For %.0f %% of the time in which a worker was awake, one of %u workers ran "
                     "these fibers, and the others had none: fibers stay on the worker that has "
                     "started them. Start them on all workers, as jobs without a place, or let "
                     "each wait less and spawn its work.",
                     percent(alone.share), run.workers)};
}

// The time in which one worker had the rest of a loop. Of a loop that runs often, its median
// counts: the kernel may have interrupted a worker in some of the runs.
std::uint64_t alone_in_loops(const RunSummary& run) {
  constexpr std::size_t kOften = 8;
  return sum(run, [](const CodeSummary& code) {
    const std::size_t count = code.loops.count();
    return count < kOften ? code.loops.total()
                          : std::min(code.loops.total(), 2 * count * code.loops.median());
  });
}

std::optional<Found> loop_imbalance(const RunSummary& run) {
  constexpr double kLeast = 0.25;
  constexpr double kLongChunk = 4;  // times the median
  const Alone alone = alone_by(run, [](const CodeSummary& code) { return code.alone.loop; });
  if (alone.share < kLeast || alone.code == nullptr) return std::nullopt;
  if (ratio(alone_in_loops(run), run.awake) < kLeast) return std::nullopt;
  // The caller and the thieves of a loop have different functions.
  std::uint64_t longest = 0;
  std::uint64_t median = 0;
  for (const CodeSummary& code : run.codes) {
    if (code.chunks.longest() <= longest) continue;
    longest = code.chunks.longest();
    median = code.chunks.median();
  }
  if (ratio(longest, median) < kLongChunk && alone.code->chunks.count() > run.workers)
    return std::nullopt;
  return Found{
      .share = alone.share,
      .place = alone.code->name,
      .text = format(
          "For %.0f %% of the time in which a worker was awake, one of %u workers was in this "
          "loop, and the others had nothing left: its longest chunk takes %s, the median chunk "
          "%s. Begin with the expensive iterations, use a smaller Grain, or divide the longest "
          "iteration.",
          percent(alone.share), run.workers, time_of(longest).c_str(), time_of(median).c_str())};
}

std::optional<Found> serial_part(const RunSummary& run) {
  constexpr double kLeast = 0.4;
  constexpr double kLeastAwake = 0.2;  // of the run: more cores do not help an idle program
  constexpr double kLongRun = 10;      // times the scheduler between two jobs
  if (ratio(run.awake, run.length) < kLeastAwake) return std::nullopt;
  const auto serial = [](const CodeSummary& code) {
    return code.alone.plain - std::min(code.alone.plain, code.blocked);
  };
  const Alone alone = alone_by(run, serial);
  if (alone.share < kLeast || alone.code == nullptr) return std::nullopt;
  // Tiny jobs are no serial part: the other workers have not found them yet.
  if (ratio(alone.code->stretches.median(), run.gaps.median()) < kLongRun && run.gaps.count() > 0)
    return std::nullopt;
  return Found{
      .share = alone.share,
      .place = alone.code->name,
      .text = format(
          "For %.0f %% of the time in which a worker was awake, one of %u workers computed, and "
          "the others had no work, %s "
          "of it in this code: more cores help at most %.1f times. Divide it, or let it "
          "run beside other work.",
          percent(alone.share), run.workers, time_of(alone.code->alone.plain).c_str(),
          1 / alone.share)};
}

std::optional<Found> too_many_threads(const RunSummary& run) {
  constexpr double kMoreThanCpus = 1.5;
  constexpr double kLeast = 0.25;
  const std::uint64_t busy = run.useful + run.scheduler + run.searching;
  const std::uint64_t blocked = sum(run, [](const CodeSummary& code) { return code.blocked; });
  const double awake_workers = ratio(busy - std::min(busy, blocked), run.awake);
  const double lost =
      ratio(run.without_cpu - std::min(run.without_cpu, blocked), run.awake_workers);
  if (awake_workers < kMoreThanCpus * run.cpus || lost < kLeast) return std::nullopt;
  return Found{
      .share = std::min(lost, 1.0),
      .place = "SchedulerOptions::worker_count",
      .text = format("On average %.1f workers were awake on %u CPUs, and each waited for a "
                     "CPU for %.0f %% of this time. Use at most %u workers.",
                     awake_workers, run.cpus, percent(std::min(lost, 1.0)), run.cpus)};
}

std::optional<Found> late_deadlines(const RunSummary& run) {
  constexpr std::size_t kFewest = 5;
  constexpr std::uint64_t kLate = 1'000'000;
  constexpr std::uint64_t kLongRun = 5'000'000;
  constexpr double kLeast = 0.25;  // of all lateness
  if (run.timers.count() < kFewest || run.timers.median() < kLate) return std::nullopt;
  // An interrupted worker is late, too, but then its jobs are short.
  const CodeSummary* const code = largest(run.codes, [](const CodeSummary& each) {
    return each.stretches.median() < kLongRun ? 0 : each.late;
  });
  if (code == nullptr) return std::nullopt;
  const double share = std::min(ratio(code->late, run.timers.total()), 1.0);
  if (share < kLeast) return std::nullopt;
  return Found{
      .share = share,
      .place = code->name,
      .text =
          format("%zu deadlines passed %s late (median, at most %s), because their worker was in "
                 "this code, which runs for %s at a time. Call jobs::maybe_yield() in it, or "
                 "divide it.",
                 run.timers.count(), time_of(run.timers.median()).c_str(),
                 time_of(run.timers.longest()).c_str(), time_of(code->stretches.median()).c_str())};
}

std::optional<Found> grain_too_fine(const RunSummary& run) {
  constexpr std::size_t kFewest = 1000;
  constexpr double kLeast = 0.2;      // of the time of a job with the scheduler around it
  constexpr double kSmallest = 0.01;  // of all time, which one interruption may double
  const CodeSummary* const code =
      largest(run.codes, [](const CodeSummary& each) { return each.scheduled.count(); });
  if (code == nullptr || code->scheduled.count() < kFewest) return std::nullopt;
  const std::uint64_t median = code->scheduled.median();
  const std::uint64_t gap = run.gaps.median();
  const double overhead = ratio(gap, gap + median);
  const double part = ratio(code->scheduled.count() * (gap + median), run.useful + run.scheduler);
  if (overhead < kLeast || part < kSmallest || searches_often(run)) return std::nullopt;
  return Found{
      .share = overhead,
      .place = code->name,
      .text = format("%zu jobs take %s each (median), and the scheduler %s between two of "
                     "them: %.0f %% of the time goes to scheduling. Use parallel_for, or do "
                     "the work of at least %.0f of them in one job.",
                     code->scheduled.count(), time_of(median).c_str(), time_of(gap).c_str(),
                     percent(overhead),
                     std::max(2.0, 20 * ratio(gap, std::max<std::uint64_t>(median, 1))))};
}

std::optional<Found> wakeups_cost_more(const RunSummary& run) {
  constexpr std::size_t kFewest = 100;
  constexpr double kWorth = 0.5;  // useful time, compared with the time of a search
  if (run.spells.count() < kFewest || !searches_often(run)) return std::nullopt;
  const std::uint64_t spell = run.spells.median();
  const std::uint64_t search = run.searches.median();
  if (ratio(spell, search) > kWorth) return std::nullopt;
  const CodeSummary* const code = largest(run.codes, [](const CodeSummary& each) -> std::uint64_t {
    return each.runs.count() + each.resumptions;
  });
  if (code == nullptr) return std::nullopt;
  return Found{
      .share = ratio(search, search + spell),
      .place = code->name,
      .text =
          format("Workers ran out of work %zu times: each time they computed for %s (median), and "
                 "then searched for %s. Hand over more work at a time, or do this in the thread "
                 "that asks for it.",
                 run.searches.count(), time_of(spell).c_str(), time_of(search).c_str())};
}

std::optional<Found> polling(const RunSummary& run) {
  constexpr std::uint64_t kFewest = 100;
  constexpr double kLeast = 0.25;      // of the time of a turn
  constexpr double kSmallest = 0.002;  // of all time, which one interruption may double
  const CodeSummary* const code =
      largest(run.codes, [](const CodeSummary& each) { return each.yields; });
  if (code == nullptr || code->yields < kFewest) return std::nullopt;
  const std::uint64_t gap = run.gaps.median();
  const std::uint64_t turn = gap + code->stretches.median();
  const double share = ratio(gap, turn);
  const double part = ratio(code->yields * turn, run.useful + run.scheduler);
  if (share < kLeast || part < kSmallest) return std::nullopt;
  return Found{
      .share = share,
      .place = code->name,
      .text = format("This code yields %llu times, and each switch takes %.0f %% of the "
                     "time of a turn. Wait for an Event, a Counter or a Channel instead of asking "
                     "again.",
                     static_cast<unsigned long long>(code->yields), percent(share))};
}

// The memory of a job usually lies on the node of the code that has created it.
std::optional<Found> memory_node_misses(const RunSummary& run) {
  constexpr std::uint64_t kFewest = 100;
  constexpr double kLeast = 0.25;
  const auto remote = [](const CodeSummary& code) { return code.remote; };
  const std::uint64_t placed = sum(run, [](const CodeSummary& code) { return code.placed; });
  const std::uint64_t misses = sum(run, remote);
  const CodeSummary* const code = largest(run.codes, remote);
  const double share = ratio(misses, placed);
  if (placed < kFewest || share < kLeast || code == nullptr) return std::nullopt;
  return Found{.share = share,
               .place = code->name,
               .text = format(
                   "%llu of %llu jobs ran on another memory node than the code that has created "
                   "them, %llu of them with this code: their data may lie on the other node. "
                   "Create the jobs on the node of their data (jobs::worker()), repeat loops "
                   "with an AffinityPartition, or spread the data (jobs::numa_vector).",
                   static_cast<unsigned long long>(misses), static_cast<unsigned long long>(placed),
                   static_cast<unsigned long long>(code->remote))};
}

struct Row {
  const char* cause;
  Rule rule;
};
// Of two findings with the same share, the first row comes first.
constexpr std::array<Row, 9> kRows = {{
    {"job blocks its worker", &job_blocks},
    {"lock convoy", &lock_convoy},
    {"fibers piled up", &fibers_piled_up},
    {"loop imbalance", &loop_imbalance},
    {"polling", &polling},
    {"grain too fine", &grain_too_fine},
    {"wake-ups cost more than the work", &wakeups_cost_more},
    {"late deadlines", &late_deadlines},
    {"serial part dominates", &serial_part},
}};

// The code with that name. Only the function of a job has a line to look for.
std::string place_of(const std::string& name, const RunSummary& run, const SourceLines& lines) {
  const auto code = std::find_if(run.codes.begin(), run.codes.end(),
                                 [&](const CodeSummary& each) { return each.name == name; });
  return short_name(name) + line_after_name(code != run.codes.end() ? code->function : 0, lines);
}

}  // namespace

std::vector<Finding> find_causes(const RunSummary& run) {
  std::vector<Finding> findings;
  std::optional<SourceLines> lines;
  const auto apply = [&](const char* cause, Rule rule) {
    if (std::optional<Found> found = rule(run)) {
      if (!lines) lines.emplace();
      findings.push_back({.cause = cause,
                          .place = place_of(found->place, run, *lines),
                          .share = found->share,
                          .text = std::move(found->text)});
    }
  };
  for (const Row& row : kRows) apply(row.cause, row.rule);
  sort_by(findings, [](const Finding& finding) { return -finding.share; });
  // Their shares are no lost time: the first is that of jobs, and the second is time that other
  // workers use.
  apply("memory node misses", &memory_node_misses);
  apply("too many threads", &too_many_threads);
  return findings;
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
