// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// HybridMachine: during its lifetime, hwloc shows this process a machine of 16 slow cores, CPUs 0
// to 15, and 8 fast ones, 16 to 23. The library calls hwloc once per process, so tests use it in
// processes of their own (EXPECT_EXIT). hwloc writes the description itself, since a synthetic
// machine has one kind of core.
#pragma once

#include <hwloc.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace jobs::test {

class HybridMachine {
 public:
  // `name`: the attribute that distinguishes the kinds of cores, LinuxCapacity or the like.
  HybridMachine(const char* name, const char* of_fast, const char* of_slow)
      : file_((std::filesystem::temp_directory_path() /
               ("jobs-hybrid-" + std::to_string(getpid()) + ".xml"))
                  .string()) {
    std::ofstream(file_) << description(name, of_fast, of_slow);
    setenv("HWLOC_XMLFILE", file_.c_str(), 1);
  }
  HybridMachine(const HybridMachine&) = delete;
  HybridMachine& operator=(const HybridMachine&) = delete;
  ~HybridMachine() {
    unsetenv("HWLOC_XMLFILE");
    std::remove(file_.c_str());
  }

 private:
  static std::string description(const char* name, const char* of_fast, const char* of_slow) {
    hwloc_topology_t topology = nullptr;
    hwloc_topology_init(&topology);
    hwloc_topology_set_synthetic(topology, "numa:1 l3:1 core:24 pu:1");
    hwloc_topology_load(topology);
    add_kind(topology, 16, 23, 10, name, of_fast);
    add_kind(topology, 0, 15, 1, name, of_slow);
    char* text = nullptr;
    int length = 0;
    hwloc_topology_export_xmlbuffer(topology, &text, &length, 0);
    std::string xml(text, static_cast<std::size_t>(length) - 1);
    hwloc_free_xmlbuffer(topology, text);
    hwloc_topology_destroy(topology);
    return xml;
  }

  static void add_kind(hwloc_topology_t topology, unsigned first, unsigned last, int efficiency,
                       std::string name, std::string value) {
    const hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    hwloc_bitmap_set_range(cpus, first, static_cast<int>(last));
    hwloc_info_s info{name.data(), value.data()};
    hwloc_cpukinds_register(topology, cpus, efficiency, 1, &info, 0);
    hwloc_bitmap_free(cpus);
  }

  const std::string file_;
};

}  // namespace jobs::test
