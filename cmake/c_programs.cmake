# Programs in C, for the tests and samples of jobs::c. Cross builds and sanitizer builds leave the language
# out: CMake would find the C compiler of the host, and the options of a sanitizer build are for C++.
set(JOBS_HAS_C OFF)
if(JOBS_WITH_C AND NOT CMAKE_CROSSCOMPILING AND NOT JOBS_SANITIZE)
  include(CheckLanguage)
  check_language(C)
  if(CMAKE_C_COMPILER)
    enable_language(C)
    set(JOBS_HAS_C ON)
  endif()
endif()

# jobs_add_c_program(<name> SOURCES <file>…): a program in C11 that links jobs::c and nothing else.
function(jobs_add_c_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE jobs::c)
  set_target_properties(${name} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_options(${name} PRIVATE -Wall -Wextra -pedantic -Wconversion -Wshadow -Wstrict-prototypes)
endfunction()
