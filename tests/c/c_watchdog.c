// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A program in C with a watchdog. The message of a default scheduler without one names
// jobs_scheduler_default().
#include <stddef.h>

#include "jobs/c/jobs.h"

static void do_nothing(void* data) { (void)data; }

int main(void) {
  jobs_scheduler* const scheduler = jobs_scheduler_default();
  jobs_counter* counter = NULL;
  if (jobs_counter_create(0, &counter) != JOBS_OK) return 1;
  jobs_spawn_options options = jobs_spawn_options_init();
  options.counter = counter;
  if (jobs_spawn(scheduler, do_nothing, NULL, &options) != JOBS_OK) return 1;
  if (jobs_counter_wait(counter) != JOBS_OK) return 1;
  jobs_counter_destroy(counter);
  return 0;
}
