// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A plugin with the library inside is loaded, used and unloaded in a loop. Threads, memory and
// descriptors return to their level. tests/consumer has a plugin that uses the default scheduler,
// and one that shares the library of its host.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "tests/support/in_time.hpp"
#include "tests/support/resident.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/thread_state.hpp"

namespace {

using namespace jobs::test;

constexpr std::size_t kAllowedKib = 2 * 1024;

void use_plugin() {
  void* const plugin = dlopen(JOBS_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(plugin, nullptr) << dlerror();
  const auto run = reinterpret_cast<int (*)()>(dlsym(plugin, "run_plugin"));
  ASSERT_NE(run, nullptr) << dlerror();
  ASSERT_EQ(run(), 0);
  ASSERT_EQ(dlclose(plugin), 0) << dlerror();
  ASSERT_EQ(dlopen(JOBS_TEST_PLUGIN, RTLD_NOW | RTLD_NOLOAD), nullptr) << "it is still loaded";
}

TEST(Plugin, ComesAndGoesWithoutATrace) {
  for (int i = 0; i < 20 && !HasFailure(); ++i) use_plugin();
  const std::size_t resident = resident_kib();
  const std::size_t descriptors = open_descriptors();
  for (int i = 0; i < 200 * scale() && !HasFailure(); ++i) use_plugin();
  EXPECT_LE(resident_kib(), resident + kAllowedKib);
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_TRUE(is_true_in_time([] { return thread_count() == 1; }));
}

}  // namespace
