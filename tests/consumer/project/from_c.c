// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A user's program in C on the component jobs::c.
#include <jobs/c/jobs.h>
#include <stdio.h>

static void square(void* data, int64_t begin, int64_t end) {
  int64_t* const values = data;
  for (int64_t i = begin; i < end; ++i) values[i] = i * i;
}

int main(void) {
  int64_t values[1000];
  const jobs_status status = jobs_parallel_for(NULL, 0, 1000, 10, square, values);
  if (status != JOBS_OK) {
    fprintf(stderr, "%s\n", jobs_status_text(status));
    return 1;
  }
  return values[999] == 998001 ? 0 : 2;
}
