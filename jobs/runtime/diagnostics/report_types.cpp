// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Report: its text. Any thread may call it, for a report of its own.
#include "jobs/report_types.hpp"

#include <cstdio>
#include <ostream>

#include "jobs/base/message.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/fiber_label.hpp"

namespace jobs::inline JOBS_ABI {

namespace {

std::string address(const void* pointer) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", pointer);
  return text;
}

std::string seconds(std::chrono::nanoseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f s", std::chrono::duration<double>(time).count());
  return text;
}

// `fiber`: a FiberReport or a WorkerReport.
template <class Described>
std::string identity(FiberId id, const Described& fiber) {
  if (id == FiberId{}) return "the bound thread";
  detail::MessageLine label;
  detail::append_label(label, static_cast<std::uint64_t>(id), fiber.name, fiber.file, fiber.line);
  return std::string(label.text());
}

// As identity(), and with the creation site if the fiber has a name.
template <class Described>
std::string identity_and_site(FiberId id, const Described& fiber) {
  std::string text = identity(id, fiber);
  if (fiber.name.empty() || fiber.file.empty()) return text;
  detail::MessageLine site;
  detail::append_site(site, fiber.file, fiber.line);
  return text.append(", ").append(site.text());
}

const FiberReport* find(const Report& report, FiberId id) {
  for (const FiberReport& fiber : report.fibers) {
    if (fiber.id == id) return &fiber;
  }
  return nullptr;
}

std::string identity(const Report& report, FiberId id) {
  const FiberReport* const fiber = find(report, id);
  return identity(id, fiber != nullptr ? *fiber : FiberReport());
}

const char* noun(WaitKind kind) {
  switch (kind) {
    case WaitKind::kNothing:
      return "nothing that is known";
    case WaitKind::kMutex:
      return "mutex";
    case WaitKind::kSharedMutex:
      return "shared mutex";
    case WaitKind::kOnceFlag:
      return "call_once with flag";
    case WaitKind::kSemaphore:
      return "semaphore";
    case WaitKind::kEvent:
      return "event";
    case WaitKind::kCounter:
      return "counter";
    case WaitKind::kLatch:
      return "latch";
    case WaitKind::kBarrier:
      return "barrier";
    case WaitKind::kConditionVariable:
      return "condition variable (or, notified, its mutex)";
    case WaitKind::kChannel:
      return "channel";
    case WaitKind::kSelect:
      return "one of the things of a select()";
    case WaitKind::kJoin:
      return "the end of";
    case WaitKind::kJob:
      return "the end of a job that another worker took";
    case WaitKind::kSchedule:
      return "another fiber or thread to schedule it (this_fiber::suspend)";
    case WaitKind::kSleep:
      return "the end of its sleep";
    case WaitKind::kBlocking:
      return "the end of a call of blocking()";
    case WaitKind::kIo:
      return "input or output";
  }
  return "";
}

// Returns, for example, "mutex 0x7f00 owned by fiber 5 "b"".
std::string describe_wait(const Report& report, const FiberReport& fiber) {
  std::string text = noun(fiber.waits_for);
  if (fiber.waits_for == WaitKind::kJoin)
    return text.append(" ").append(identity(report, fiber.owner));
  if (fiber.object != nullptr) text.append(" ").append(address(fiber.object));
  if (fiber.owner_kind == FiberReport::OwnerKind::kFiber)
    text.append(" owned by ").append(identity(report, fiber.owner));
  if (fiber.owner_kind == FiberReport::OwnerKind::kOutside)
    text += " owned by an external thread or a fiber of another scheduler";
  return text;
}

void append_job(std::string& text, const void* function) {
  if (function != nullptr)
    text.append(", a job with function ").append(os::describe_address(function));
}

void append(std::string& text, const WorkerReport& worker) {
  text.append("jobs:   worker ").append(std::to_string(worker.index));
  if (worker.idle) {
    text += " has nothing to do\n";
    return;
  }
  text += worker.answered ? " runs " : " does not answer; it runs ";
  text += identity_and_site(worker.running, worker);
  append_job(text, worker.function);
  text += "\n";
}

void append(std::string& text, const Report& report, const FiberReport& fiber) {
  text.append("jobs:   ").append(identity_and_site(fiber.id, fiber));
  if (fiber.is_job) text += fiber.function == nullptr ? ", a job" : "";
  append_job(text, fiber.function);
  if (fiber.is_daemon) text += ", a daemon";
  if (!fiber.has_begun) {
    text += fiber.state == FiberState::kWaiting
                ? ": has not begun; it waits to be scheduled for the first time\n"
                : ": has not begun; it waits for a worker\n";
    return;
  }
  text.append(" (worker ").append(std::to_string(fiber.worker)).append(")");
  if (fiber.state != FiberState::kWaiting) {
    text += " is ready to run\n";
    return;
  }
  if (fiber.waited) {
    text.append(" has waited ").append(seconds(*fiber.waited)).append(" for ");
  } else {
    text += " waits for ";
  }
  text.append(describe_wait(report, fiber)).append("\n");
  for (std::size_t i = 0; i < fiber.frames.size(); ++i) {
    text.append("jobs:     #").append(std::to_string(i)).append(" ");
    text.append(os::describe_address(fiber.frames[i])).append("\n");
  }
}

// Appends, for example, "a task waits for event 0x7f00 at load.cpp:12, awaited at main.cpp:30".
void append(std::string& text, const TaskReport& task) {
  text.append("jobs:   a task waits for ").append(noun(task.waits_for));
  if (task.waits_for == WaitKind::kJoin) text += " a fiber, event";
  if (task.object != nullptr) text.append(" ").append(address(task.object));
  for (std::size_t i = 0; i < task.sites.size(); ++i) {
    text.append(i == 0 ? " at " : ", awaited at ").append(task.sites[i].file_name());
    text.append(":").append(std::to_string(task.sites[i].line()));
  }
  text += "\n";
}

// Appends, for example, "fiber 3 "a" waits for mutex 0x1 owned by fiber 5 "b", which waits for
// mutex 0x2 owned by fiber 3 "a"".
void append_cycle(std::string& text, const Report& report, const std::vector<FiberId>& cycle) {
  text.append("jobs: deadlock: ").append(identity(report, cycle.front()));
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    text += i == 0 ? " waits for " : ", which waits for ";
    text += describe_wait(report, *find(report, cycle[i]));
  }
  text += "\n";
}

}  // namespace

std::string Report::text() const {
  std::string text;
  if (reason == Reason::kStall) {
    for (const WorkerReport& worker : workers) {
      text.append("jobs: stall: worker ").append(std::to_string(worker.index)).append(" has run ");
      text += identity_and_site(worker.running, worker);
      append_job(text, worker.function);
      text.append(worker.file.empty() ? " for " : ", for ")
          .append(seconds(worker.stalled))
          .append(" without a scheduling point\n");
    }
    return text;
  }
  if (reason == Reason::kDeadlock) {
    text.append("jobs: nothing has run for ").append(seconds(quiet)).append(": all ");
    text.append(std::to_string(workers.size()))
        .append(" workers of a scheduler are idle, no deadline, blocking() or ");
    text +=
        "input is pending there, and fibers or tasks wait. Only threads or schedulers elsewhere "
        "could still "
        "wake them.\n";
  } else if (reason == Reason::kShutdown) {
    text.append("jobs: a shutdown has waited ").append(seconds(waited));
    text += " for the jobs and fibers of a scheduler. These have not ended:\n";
  } else {
    text.append("jobs: a scheduler with ")
        .append(std::to_string(workers.size()))
        .append(" workers, ");
    text.append(std::to_string(fibers.size())).append(" fibers that wait or are ready\n");
  }
  if (participants != 0) {
    text.append("jobs:   ").append(std::to_string(participants));
    text += participants == 1 ? " external thread is" : " external threads are";
    text += " inside of a loop, fork_join() or graph\n";
  }
  for (const auto& cycle : cycles) append_cycle(text, *this, cycle);
  if (reason != Reason::kDeadlock) {
    for (const WorkerReport& worker : workers) append(text, worker);
  }
  for (const FiberReport& fiber : fibers) append(text, *this, fiber);
  for (const TaskReport& task : tasks) append(text, task);
  if (waiting_tasks > tasks.size()) {
    text.append("jobs:   and ").append(std::to_string(waiting_tasks - tasks.size()));
    text += " more tasks wait\n";
  }
  if (waiting_jobs != 0) {
    text.append("jobs:   ").append(std::to_string(waiting_jobs));
    text += waiting_jobs == 1 ? " job waits" : " jobs wait";
    text += " for a worker, for dependencies or for a point in time\n";
  }
  return text;
}

std::ostream& operator<<(std::ostream& out, const Report& report) { return out << report.text(); }

}  // namespace jobs::inline JOBS_ABI
