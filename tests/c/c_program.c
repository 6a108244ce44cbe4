// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The C interface, used by a program in C11: each function once, on a scheduler with as many
// workers as the argument says, and from the main thread, which is external. Exits with 0, or
// prints the first check that fails.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

#include "jobs/c/jobs.h"

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)
#define CHECK_OK(call) CHECK((call) == JOBS_OK)

static atomic_int calls;
static jobs_mutex* mutex;
static jobs_event* event;
static long guarded;

static void count_call(void* data) { atomic_fetch_add((atomic_int*)data, 1); }

static void add_range(void* data, int64_t begin, int64_t end) {
  long long part = 0;
  for (int64_t i = begin; i < end; ++i) part += i;
  atomic_fetch_add((atomic_llong*)data, part);
}

static void add_items(int32_t begin, int32_t end, uint32_t thread, void* data) {
  CHECK(thread < jobs_task_thread_count(NULL));
  add_range(data, begin, end);
}

static void count_under_lock(void* data) {
  (void)data;
  for (int i = 0; i < 100; ++i) {
    CHECK_OK(jobs_mutex_lock(mutex));
    ++guarded;
    CHECK_OK(jobs_mutex_unlock(mutex));
    if (i % 10 == 0) CHECK_OK(jobs_yield());
  }
}

static void wait_for_event(void* data) {
  CHECK_OK(jobs_event_wait_for(event, JOBS_FOREVER));
  count_call(data);
}

// A job that spawns jobs onto the current scheduler and waits for them.
static void spawn_children(void* data) {
  jobs_counter* children = NULL;
  CHECK_OK(jobs_counter_create(0, &children));
  jobs_spawn_options options = jobs_spawn_options_init();
  options.counter = children;
  for (int i = 0; i < 10; ++i) CHECK_OK(jobs_spawn(NULL, count_call, data, &options));
  CHECK_OK(jobs_counter_wait(children));
  CHECK_OK(jobs_counter_destroy(children));
}

static void use_jobs(jobs_scheduler* scheduler) {
  jobs_counter* counter = NULL;
  CHECK_OK(jobs_counter_create(0, &counter));
  jobs_spawn_options options = jobs_spawn_options_init();
  options.counter = counter;

  atomic_store(&calls, 0);
  for (int i = 0; i < 100; ++i) CHECK_OK(jobs_spawn(scheduler, count_call, &calls, &options));
  for (int i = 0; i < 10; ++i) CHECK_OK(jobs_spawn(scheduler, spawn_children, &calls, &options));
  options.priority = JOBS_PRIORITY_HIGH;
  CHECK_OK(jobs_spawn(scheduler, count_call, &calls, &options));
  options.priority = JOBS_PRIORITY_NORMAL;
  options.name = "count";
  CHECK_OK(jobs_spawn(scheduler, count_call, &calls, &options));
  options.name = NULL;
  options.place = JOBS_PLACE_WORKER;
  CHECK_OK(jobs_spawn(scheduler, count_call, &calls, &options));
  options.place = JOBS_PLACE_ANYWHERE;
  CHECK_OK(jobs_counter_wait(counter));
  CHECK(atomic_load(&calls) == 203);
  CHECK_OK(jobs_run(scheduler, count_call, &calls));
  CHECK(atomic_load(&calls) == 204);

  guarded = 0;
  CHECK_OK(jobs_mutex_create(&mutex));
  for (int i = 0; i < 20; ++i) CHECK_OK(jobs_spawn(scheduler, count_under_lock, NULL, &options));
  CHECK_OK(jobs_counter_wait_for(counter, JOBS_FOREVER));
  CHECK(guarded == 2000);
  CHECK_OK(jobs_mutex_try_lock(mutex));
  CHECK(jobs_mutex_try_lock(mutex) == JOBS_BUSY);
  CHECK_OK(jobs_mutex_unlock(mutex));
  CHECK_OK(jobs_mutex_destroy(mutex));

  atomic_store(&calls, 0);
  CHECK_OK(jobs_event_create(false, &event));
  for (int i = 0; i < 20; ++i) CHECK_OK(jobs_spawn(scheduler, wait_for_event, &calls, &options));
  CHECK(jobs_counter_wait_for(counter, 1000000) == JOBS_TIMEOUT);
  CHECK(jobs_counter_destroy(counter) == JOBS_BUSY);
  CHECK_OK(jobs_event_signal(event));
  CHECK_OK(jobs_counter_wait(counter));
  CHECK(atomic_load(&calls) == 20);
  CHECK_OK(jobs_event_reset(event));
  CHECK(jobs_event_wait_for(event, 0) == JOBS_TIMEOUT);
  jobs_event_destroy(event);

  CHECK_OK(jobs_counter_add(counter, 1));
  CHECK(jobs_counter_wait_for(counter, -1) == JOBS_TIMEOUT);
  CHECK_OK(jobs_counter_done(counter));
  CHECK_OK(jobs_counter_destroy(counter));
}

static void use_loops(jobs_scheduler* scheduler) {
  atomic_llong sum;
  for (size_t grain = 0; grain < 3000; grain += 999) {
    atomic_store(&sum, 0);
    CHECK_OK(jobs_parallel_for(scheduler, -1000, 100000, grain, add_range, &sum));
    CHECK(atomic_load(&sum) == 4999950000 - 500500);
  }
  atomic_store(&sum, 0);
  void* const task = jobs_enqueue_task(add_items, 10000, 64, &sum, scheduler);
  jobs_finish_task(task, scheduler);
  CHECK(atomic_load(&sum) == 49995000);
}

static int other_thread(void* scheduler) {
  use_loops(scheduler);
  return 0;
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  jobs_scheduler_options options = jobs_scheduler_options_init();
  options.worker_count = (uint32_t)atoi(argv[1]);
  CHECK_OK(jobs_scheduler_set_default_options(&options));

  jobs_scheduler* scheduler = NULL;
  CHECK_OK(jobs_scheduler_create(&options, &scheduler));
  CHECK(jobs_worker_count(scheduler) == options.worker_count);
  CHECK(jobs_worker_index() == -1);
  use_jobs(scheduler);
  use_loops(scheduler);
  thrd_t thread;
  CHECK(thrd_create(&thread, other_thread, scheduler) == thrd_success);
  use_loops(scheduler);
  CHECK(thrd_join(thread, NULL) == thrd_success);
  CHECK_OK(jobs_scheduler_shutdown(scheduler, 60000000000));
  CHECK(jobs_spawn(scheduler, count_call, &calls, NULL) == JOBS_ERROR_STOPPED);
  CHECK_OK(jobs_scheduler_destroy(scheduler));

  use_jobs(NULL);
  use_loops(NULL);
  CHECK(jobs_worker_count(NULL) == options.worker_count);
  CHECK(jobs_scheduler_set_default_options(&options) == JOBS_ERROR_STARTED);
  CHECK_OK(jobs_scheduler_shutdown(jobs_scheduler_default(), JOBS_FOREVER));
  CHECK(jobs_spawn(NULL, count_call, &calls, NULL) == JOBS_ERROR_STOPPED);
  CHECK(jobs_c_version() == JOBS_C_VERSION);
  printf("jobs %s from C: %s\n", jobs_version_text(), jobs_status_text(JOBS_OK));
  return 0;
}
