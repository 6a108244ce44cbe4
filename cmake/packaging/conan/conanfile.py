# SPDX-FileCopyrightText: 2026 the jobs authors
# SPDX-License-Identifier: Apache-2.0
#
# A recipe for Conan 2. It builds the sources of the repository in which it stands; hwloc and liburing come from the
# system.
from pathlib import Path
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy

ROOT = Path(__file__).resolve().parents[3]


class Jobs(ConanFile):
    name = "jobs"
    description = "Work-stealing jobs on pinned fibers, in C++20"
    license = "Apache-2.0"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "with_io": [True, False]}
    default_options = {"shared": False, "with_io": False}
    package_type = "library"

    def set_version(self):
        text = (ROOT / "jobs/version.hpp").read_text()
        self.version = re.search(r'JOBS_VERSION_STRING "([0-9.]+)"', text).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "jobs/*", "scripts/gdb/*"):
            copy(self, pattern, src=str(ROOT), dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.variables["JOBS_BUILD_TESTS"] = False
        toolchain.variables["JOBS_BUILD_BENCH"] = False
        toolchain.variables["JOBS_BUILD_SAMPLES"] = False
        toolchain.variables["JOBS_WITH_TESTING"] = False
        toolchain.variables["JOBS_WITH_IO"] = self.options.with_io
        toolchain.variables["JOBS_WITH_MPI"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=str(Path(self.package_folder) / "licenses"))
        CMake(self).install()

    def package_info(self):
        # The installed files of CMake are complete: no targets of Conan's own.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/jobs"]
