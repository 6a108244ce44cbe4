# The files of `cmake --install`: the libraries, their headers, find_package(jobs) and the modules
# of pkg-config, all relocatable.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
include(${CMAKE_CURRENT_LIST_DIR}/install_headers.cmake)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/jobs)
get_target_property(JOBS_TYPE jobs TYPE)

# The components are those of Debian's packages (debian.cmake): a rule that names none is for
# developers.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)
set(shared_library LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev)

# The dependencies that the user's find_package() and pkg-config search for.
list(GET JOBS_PACKAGE_hwloc 2 JOBS_HWLOC_MODULE)
list(GET JOBS_PACKAGE_liburing 2 JOBS_LIBURING_MODULE)
list(GET JOBS_PACKAGE_boost_context 2 JOBS_BOOST_VERSION)

# Each component has its own file of targets: a program without jobs::io needs no liburing.
install(TARGETS jobs EXPORT jobs-targets ${shared_library} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(kind IN ITEMS PUBLIC DETAIL INTEROP)
  get_directory_property(headers DIRECTORY ${PROJECT_SOURCE_DIR}/jobs DEFINITION JOBS_${kind}_HEADERS)
  jobs_install_headers(${headers})
endforeach()
# The headers of jobs::tbb have the names of oneTBB's, so they need a folder of their own.
get_directory_property(headers DIRECTORY ${PROJECT_SOURCE_DIR}/jobs/interop/onetbb DEFINITION JOBS_ONETBB_FOLDER)
install(DIRECTORY ${headers}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/jobs-tbb)
target_include_directories(jobs_tbb INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/jobs-tbb>)
install(TARGETS jobs_tbb EXPORT jobs-targets)
install(EXPORT jobs-targets NAMESPACE jobs:: DESTINATION ${package_dir})
if(JOBS_WITH_IO)
  install(TARGETS jobs_io EXPORT jobs-io-targets ${shared_library})
  jobs_install_headers(io/io.hpp)
  install(EXPORT jobs-io-targets NAMESPACE jobs:: DESTINATION ${package_dir})
endif()
if(JOBS_WITH_C)
  install(TARGETS jobs_c EXPORT jobs-c-targets ${shared_library})
  get_directory_property(headers DIRECTORY ${PROJECT_SOURCE_DIR}/jobs/c DEFINITION JOBS_C_HEADERS)
  list(TRANSFORM headers PREPEND c/)
  jobs_install_headers(${headers})
  install(EXPORT jobs-c-targets NAMESPACE jobs:: DESTINATION ${package_dir})
endif()
if(JOBS_WITH_TRACE)
  install(TARGETS jobs_trace EXPORT jobs-trace-targets ${shared_library})
  install(EXPORT jobs-trace-targets NAMESPACE jobs:: DESTINATION ${package_dir})
endif()
if(JOBS_WITH_TESTING)
  install(TARGETS jobs_testing EXPORT jobs-testing-targets)
  install(EXPORT jobs-testing-targets NAMESPACE jobs:: DESTINATION ${package_dir})
endif()

configure_package_config_file(cmake/jobs-config.cmake.in jobs-config.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break the programs of users.
write_basic_package_version_file(jobs-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/jobs-config.cmake ${PROJECT_BINARY_DIR}/jobs-config-version.cmake DESTINATION ${package_dir})

# install_pc(<name> <description> [REQUIRES <module>] [PRIVATE_REQUIRES <module>…] [PRIVATE_LIBS
# <flag>…] [LINK_FLAGS <flag>…] [LIBS <flag>…] [CFLAGS <flag>…]): installs a module of pkg-config. The
# library itself uses the private modules and flags; programs link them with a static library only.
# LINK_FLAGS stand before the library.
function(install_pc name description)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "REQUIRES;PRIVATE_REQUIRES;PRIVATE_LIBS;LINK_FLAGS;LIBS;CFLAGS")
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(APPEND arg_REQUIRES ${arg_PRIVATE_REQUIRES})
    list(APPEND arg_LIBS ${arg_PRIVATE_LIBS})
    set(arg_PRIVATE_REQUIRES "")
    set(arg_PRIVATE_LIBS "")
  endif()
  foreach(list IN ITEMS REQUIRES PRIVATE_REQUIRES)
    list(JOIN arg_${list} ", " ${list})
    string(REGEX REPLACE "([>=]+)" " \\1 " ${list} "${${list}}")
  endforeach()
  foreach(list IN ITEMS LINK_FLAGS LIBS PRIVATE_LIBS CFLAGS)
    list(JOIN arg_${list} " " ${list})
  endforeach()
  file(RELATIVE_PATH root /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(cmake/jobs.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

set(context "")
if(NOT JOBS_NATIVE_CONTEXT)
  set(context -lboost_context)  # Boost has no modules of pkg-config
endif()
# A C compiler, which links jobs_c, does not link the runtime library of C++ by itself. The flags are
# part of this module because they must follow -ljobs.
set(cpp_runtime -lstdc++ -lm)
if("c++" IN_LIST CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
  set(cpp_runtime -lc++ -lm)
endif()
install_pc(jobs "${PROJECT_DESCRIPTION}" PRIVATE_REQUIRES ${JOBS_HWLOC_MODULE} PRIVATE_LIBS ${context} ${cpp_runtime})
if(JOBS_WITH_IO)
  install_pc(jobs_io "Input and output for the fibers of jobs" REQUIRES jobs=${PROJECT_VERSION} PRIVATE_REQUIRES ${JOBS_LIBURING_MODULE})
endif()
if(JOBS_WITH_C)
  install_pc(jobs_c "The C interface of jobs" PRIVATE_REQUIRES jobs=${PROJECT_VERSION})
endif()
if(JOBS_WITH_TRACE)
  # A program may use no function of the component.
  set(keep -Wl,--undefined=jobs_trace_is_linked)
  if(BUILD_SHARED_LIBS)
    set(keep -Wl,--push-state,--no-as-needed)
    set(end_keep -Wl,--pop-state)
  endif()
  install_pc(jobs_trace "The recorder of traces of jobs" REQUIRES jobs=${PROJECT_VERSION} LINK_FLAGS ${keep} LIBS ${end_keep})
endif()
if(JOBS_WITH_TESTING)
  install_pc(jobs_testing "jobs, simulated: in place of jobs" PRIVATE_LIBS ${context} CFLAGS -DJOBS_SIMULATED)
endif()

if(JOBS_TSAN_NO_SYNC)
  install(FILES ${PROJECT_BINARY_DIR}/tsan_no_sync.ignore DESTINATION ${CMAKE_INSTALL_DATADIR}/jobs)
endif()
install(FILES scripts/gdb/jobs.py DESTINATION ${CMAKE_INSTALL_DATADIR}/jobs/gdb COMPONENT tools)
