// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The C interface at work: heat spreads over a plate, by jobs and by one thread. Rows of each step
// are a parallel loop; a job with a counter sums the heat of the plate meanwhile. The numbers must
// be equal bit by bit, because each cell is computed from the same neighbours in the same order.
//
//     c_interface [WORKERS]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jobs/c/jobs.h"

enum { kWidth = 512, kHeight = 384, kSteps = 60 };

typedef struct Plate {
  float* now;
  float* next;
  double heat;  // of `now`
} Plate;

static void check(jobs_status status, const char* what) {
  if (status == JOBS_OK) return;
  fprintf(stderr, "%s: %s\n", what, jobs_status_text(status));
  exit(1);
}

static Plate make_plate(void) {
  const size_t bytes = sizeof(float) * kWidth * kHeight;
  Plate plate = {malloc(bytes), malloc(bytes), 0};
  if (plate.now == NULL || plate.next == NULL) {
    fputs("no memory\n", stderr);
    exit(1);
  }
  memset(plate.now, 0, bytes);
  for (int x = kWidth / 4; x < kWidth / 2; ++x) plate.now[kHeight / 2 * kWidth + x] = 1000;
  memcpy(plate.next, plate.now, bytes);
  return plate;
}

// The body of the loop: computes rows. The rows at the edges stay cold.
static void spread_rows(void* data, int64_t begin, int64_t end) {
  const Plate* const plate = data;
  for (int64_t y = begin; y < end; ++y) {
    for (int64_t x = 1; x < kWidth - 1; ++x) {
      const float* const at = plate->now + y * kWidth + x;
      plate->next[y * kWidth + x] =
          *at + 0.2F * (at[-kWidth] + at[kWidth] + at[-1] + at[1] - 4 * *at);
    }
  }
}

// A job: adds up what the loop only reads.
static void sum_heat(void* data) {
  Plate* const plate = data;
  plate->heat = 0;
  for (int i = 0; i < kWidth * kHeight; ++i) plate->heat += (double)plate->now[i];
}

static void swap(Plate* plate) {
  float* const now = plate->now;
  plate->now = plate->next;
  plate->next = now;
}

static void step_by_jobs(jobs_scheduler* scheduler, Plate* plate, jobs_counter* summed) {
  jobs_spawn_options options = jobs_spawn_options_init();
  options.counter = summed;
  options.name = "sum";
  check(jobs_spawn(scheduler, sum_heat, plate, &options), "jobs_spawn");
  check(jobs_parallel_for(scheduler, 1, kHeight - 1, 0, spread_rows, plate), "jobs_parallel_for");
  check(jobs_counter_wait(summed), "jobs_counter_wait");
  swap(plate);
}

static void step_serially(Plate* plate) {
  sum_heat(plate);
  spread_rows(plate, 1, kHeight - 1);
  swap(plate);
}

int main(int argc, char** argv) {
  char message[200];
  jobs_scheduler_options options = jobs_scheduler_options_init();
  options.worker_count = argc > 1 ? (uint32_t)atoi(argv[1]) : 0;
  options.message = message;
  options.message_size = sizeof message;
  jobs_scheduler* scheduler = NULL;
  if (jobs_scheduler_create(&options, &scheduler) != JOBS_OK) {
    fprintf(stderr, "no scheduler: %s\n", message);
    return 2;
  }
  jobs_counter* summed = NULL;
  check(jobs_counter_create(0, &summed), "jobs_counter_create");

  Plate by_jobs = make_plate();
  Plate serial = make_plate();
  for (int i = 0; i < kSteps; ++i) {
    step_by_jobs(scheduler, &by_jobs, summed);
    step_serially(&serial);
  }
  const int is_equal = by_jobs.heat == serial.heat &&
                       memcmp(by_jobs.now, serial.now, sizeof(float) * kWidth * kHeight) == 0;
  printf("heat after %d steps: %.3f by %u workers, %.3f serially, %s\n", (int)kSteps, by_jobs.heat,
         jobs_worker_count(scheduler), serial.heat, is_equal ? "equal bit by bit" : "DIFFERENT");

  check(jobs_counter_destroy(summed), "jobs_counter_destroy");
  check(jobs_scheduler_shutdown(scheduler, 10000000000), "jobs_scheduler_shutdown");
  check(jobs_scheduler_destroy(scheduler), "jobs_scheduler_destroy");
  free(by_jobs.now);
  free(by_jobs.next);
  free(serial.now);
  free(serial.next);
  return is_equal && by_jobs.heat > 0 ? 0 : 1;
}
