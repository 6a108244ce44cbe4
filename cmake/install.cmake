# What `cmake --install` puts down: the library, its headers, find_package(jobs) and jobs.pc, all relocatable.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/jobs)

install(TARGETS jobs EXPORT jobs-targets FILE_SET HEADERS FILE_SET interop)
if(JOBS_WITH_IO)
  install(TARGETS jobs_io EXPORT jobs-targets FILE_SET HEADERS)
endif()
if(JOBS_WITH_TESTING)
  install(TARGETS jobs_testing EXPORT jobs-targets)
endif()
install(EXPORT jobs-targets NAMESPACE jobs:: DESTINATION ${package_dir})

get_target_property(JOBS_TYPE jobs TYPE)
configure_package_config_file(cmake/jobs-config.cmake.in jobs-config.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break its users.
write_basic_package_version_file(jobs-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/jobs-config.cmake ${PROJECT_BINARY_DIR}/jobs-config-version.cmake DESTINATION ${package_dir})

# pkg-config users of the static library must link what it uses; those of the shared one must not.
set(JOBS_PC_PRIVATE "")
if(JOBS_TYPE STREQUAL "SHARED_LIBRARY")
  set(JOBS_PC_PRIVATE ".private")
endif()
file(RELATIVE_PATH JOBS_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/jobs.pc.in jobs.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/jobs.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(JOBS_TSAN_NO_SYNC)
  install(FILES ${PROJECT_BINARY_DIR}/tsan_no_sync.ignore DESTINATION ${CMAKE_INSTALL_DATADIR}/jobs)
endif()
install(FILES scripts/gdb/jobs.py DESTINATION ${CMAKE_INSTALL_DATADIR}/jobs/gdb)
