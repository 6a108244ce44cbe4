# A port for an overlay of vcpkg: builds the folder that the environment variable JOBS_SOURCE_DIR names. hwloc and liburing
# come from the system.
set(SOURCE_PATH $ENV{JOBS_SOURCE_DIR})
if(NOT EXISTS "${SOURCE_PATH}/jobs/version.hpp")
  message(FATAL_ERROR "JOBS_SOURCE_DIR does not name the sources of jobs")
endif()
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS
  -DJOBS_BUILD_TESTS=OFF -DJOBS_BUILD_BENCH=OFF -DJOBS_BUILD_SAMPLES=OFF -DJOBS_WITH_TESTING=OFF -DJOBS_WITH_IO=OFF -DJOBS_WITH_MPI=OFF
  "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/jobs)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
