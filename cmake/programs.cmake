# The programs of this build: tests, benchmarks, samples. Each function links jobs::jobs and applies
# the developer options.

# jobs_add_program(<name> SOURCES <file>… [LIBRARIES <target>…] [OPTIMIZED])
# OPTIMIZED: the program computes much or recurses deeply, so sanitizer builds optimize it as the library.
function(jobs_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPTIMIZED" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE jobs::jobs ${arg_LIBRARIES})
  jobs_developer_options(${name})
  if(NOT arg_OPTIMIZED)
    jobs_program_code(${name})
  endif()
endfunction()

# jobs_add_sample(<name> SOURCES <file>… [LIBRARIES <target>…] [ARGUMENTS <argument>…]
#                 [TIMEOUT <seconds>])
# Adds a program and a test that runs it: the test passes if the program exits with 0.
function(jobs_add_sample name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LIBRARIES;ARGUMENTS")
  jobs_add_program(${name} SOURCES ${arg_SOURCES} LIBRARIES ${arg_LIBRARIES})
  add_test(NAME sample.${name} COMMAND ${name} ${arg_ARGUMENTS})
  jobs_test_timeout(timeout ${arg_TIMEOUT})
  set_tests_properties(sample.${name} PROPERTIES LABELS sample TIMEOUT ${timeout})
endfunction()

# jobs_add_test(<name> SOURCES <file>… [LIBRARIES <target>…] [LABEL unit|stress|model|misuse|api]
#               [TIMEOUT <seconds>] [SERIAL] [OPTIMIZED])
# Adds a GoogleTest program and runs its tests (jobs_run_tests). The default LABEL is unit. TIMEOUT is
# the limit for one test of a plain build, 60 s by default. SERIAL: the test measures time or CPU, so
# no other test may run meanwhile. OPTIMIZED: as for a program. The headers that nearly every test
# includes are compiled once, with test_support.
function(jobs_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL;OPTIMIZED" "LABEL;TIMEOUT" "SOURCES;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "jobs_add_test(${name}): what is '${arg_UNPARSED_ARGUMENTS}'?")
  endif()
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  if(JOBS_SANITIZE STREQUAL "coverage")
    list(APPEND arg_SOURCES ${PROJECT_SOURCE_DIR}/tests/support/coverage.cpp)
  endif()
  set(optimized "")
  if(arg_OPTIMIZED)
    set(optimized OPTIMIZED)
  endif()
  jobs_add_program(${name} SOURCES ${arg_SOURCES} LIBRARIES ${arg_LIBRARIES} GTest::gmock GTest::gtest_main ${optimized})
  if(NOT (arg_OPTIMIZED AND JOBS_SANITIZE))
    target_precompile_headers(${name} REUSE_FROM test_support)
  endif()
  jobs_run_tests(${name} TIMEOUT ${arg_TIMEOUT} PROPERTIES LABELS ${arg_LABEL} RUN_SERIAL ${arg_SERIAL})
endfunction()

# jobs_program_code(<target>): the options of a program's code. Most of the time of a sanitizer build goes
# into this code. Without optimization, it takes half as long.
function(jobs_program_code target)
  if(JOBS_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# jobs_run_tests(<program> [PREFIX <text>] [TIMEOUT <seconds>] [PROPERTIES <property> <value>…])
# Lets ctest run each test of a GoogleTest program in a process of its own. A sanitized or emulated
# program runs all of its tests in one process: such a process takes longer to start than most tests
# take, and there are thousands. GTEST_FILTER selects tests there. Two processes share the tests of an
# emulated program: under the emulator, the longest program takes more time than all other programs together.
function(jobs_run_tests program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX;TIMEOUT" "PROPERTIES")
  jobs_test_timeout(timeout ${arg_TIMEOUT})
  if(CMAKE_CROSSCOMPILING)
    foreach(shard 0 1)
      set(test ${arg_PREFIX}${program}.${shard})
      add_test(NAME ${test} COMMAND ${program})
      set_tests_properties(${test} PROPERTIES TIMEOUT ${timeout} ${arg_PROPERTIES}
        ENVIRONMENT_MODIFICATION "GTEST_TOTAL_SHARDS=set:2;GTEST_SHARD_INDEX=set:${shard}")
    endforeach()
  elseif(JOBS_SANITIZE)
    add_test(NAME ${arg_PREFIX}${program} COMMAND ${program})
    set_tests_properties(${arg_PREFIX}${program} PROPERTIES TIMEOUT ${timeout} ${arg_PROPERTIES})
  else()
    gtest_discover_tests(${program} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES TEST_PREFIX "${arg_PREFIX}"
                         PROPERTIES TIMEOUT ${timeout} ${arg_PROPERTIES})
  endif()
endfunction()

# jobs_extra(<target>…): programs that take long to build or to run, such as the tests of the tests.
# They are not part of `all`: `scripts/test --extra` builds the target `extra` and runs the tests
# with that label.
add_custom_target(extra)
function(jobs_extra)
  set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(extra ${ARGN})
endfunction()

# Sets <variable> to a timeout in seconds: the requested one, or 60; more if a sanitizer or an emulator
# slows the program down.
function(jobs_test_timeout variable)
  set(timeout 60)
  if(ARGC GREATER 1)
    set(timeout ${ARGV1})
  endif()
  if(JOBS_SANITIZE OR CMAKE_CROSSCOMPILING)
    math(EXPR timeout "${timeout} * 5")
  endif()
  set(${variable} ${timeout} PARENT_SCOPE)
endfunction()

# jobs_mutate(<variable> <name> <file> FROM <text> TO <text>): writes a mutated copy of a source
# file to mutants/<name> of the binary directory. FROM occurs once in the file; the copy contains TO
# instead. <variable> receives the path of the copy. A test must fail with it.
function(jobs_mutate variable name file)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "FROM;TO" "")
  set(original ${PROJECT_SOURCE_DIR}/${file})
  set(copy ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}/${file})
  if(JOBS_INSTRUMENTED)  # the texts have changed
    set(${variable} ${original} PARENT_SCOPE)
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${original})
  file(READ ${original} text)
  string(REPLACE "${arg_FROM}" "" without "${text}")
  string(LENGTH "${text}" length)
  string(LENGTH "${without}" length_without)
  string(LENGTH "${arg_FROM}" length_from)
  math(EXPR expected "${length} - ${length_from}")
  if(NOT length_without EQUAL expected)
    message(FATAL_ERROR "mutant ${name}: not exactly one place in ${file} reads: ${arg_FROM}")
  endif()
  string(REPLACE "${arg_FROM}" "${arg_TO}" text "${text}")
  # Does not touch the file if its contents are unchanged.
  file(CONFIGURE OUTPUT ${copy} CONTENT "${text}" @ONLY)
  set(${variable} ${copy} PARENT_SCOPE)
endfunction()
