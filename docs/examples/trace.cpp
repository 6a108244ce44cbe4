// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The examples of jobs/trace.hpp. The argument names the file of the recording. Returns 0 if the
// file was written.
#include "jobs/trace.hpp"

#include <cstdio>
#include <exception>
#include <mutex>
#include <string>

#include "jobs/diagnosis.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/profile.hpp"
#include "jobs/sync/mutex.hpp"

namespace {

void simulate(int step) {
  //! [zone]
  const jobs::trace::Zone zone("simulate");
  jobs::parallel_for(0, 1000, [](int) { /* ... */ });
  jobs::trace::counter("step", step);
  jobs::trace::frame();
  //! [zone]
}

void record(const std::string& path) {
  //! [recording]
  jobs::trace::Recording recording;
  for (int step = 0; step < 10; ++step) simulate(step);
  recording.stop();
  recording.write(path);  // for https://ui.perfetto.dev
  //! [recording]
}

class Cache {
 public:
  //! [object]
  Cache() { jobs::trace::name_object(&mutex_, "Cache::mutex"); }
  ~Cache() { jobs::trace::forget_object(&mutex_); }  // if there are many caches
  //! [object]

  int next() {
    const std::scoped_lock lock(mutex_);
    return ++value_;
  }

 private:
  jobs::Mutex mutex_;
  int value_ = 0;
};

void profile() {
  //! [profile]
  jobs::trace::Profile profile;
  for (int step = 0; step < 10; ++step) simulate(step);
  profile.stop();
  std::fputs(profile.text().c_str(), stdout);
  //! [profile]
}

void diagnose() {
  //! [diagnosis]
  jobs::trace::Diagnosis diagnosis;
  for (int step = 0; step < 10; ++step) simulate(step);
  diagnosis.stop();
  for (const jobs::trace::Finding& finding : diagnosis.findings())
    std::printf("%s in %s: %s\n", finding.cause.c_str(), finding.place.c_str(),
                finding.text.c_str());
  //! [diagnosis]
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  try {
    record(arguments[1]);
    if (Cache().next() != 1) return 1;
    profile();
    diagnose();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
