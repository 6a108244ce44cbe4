// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Pathology: jobs that hold one mutex for most of their time. The finding has its name.
#include <chrono>
#include <mutex>

#include "jobs/jobs.hpp"
#include "jobs/trace.hpp"
#include "samples/diagnosis/compute.hpp"

namespace {

using namespace std::chrono_literals;

jobs::Mutex cache_mutex;

void use_one_cache() {
  jobs::Counter done;
  for (int i = 0; i < 1000; ++i) {
    jobs::spawn(done, [] {  // the place of the finding
      diagnosis::compute_for(20us);
      const std::scoped_lock lock(cache_mutex);
      diagnosis::compute_for(200us);
    });
  }
  done.wait();
}

}  // namespace

int main() {
  jobs::trace::name_object(&cache_mutex, "cache_mutex");
  jobs::default_scheduler().run([] { use_one_cache(); });
  return 0;
}
