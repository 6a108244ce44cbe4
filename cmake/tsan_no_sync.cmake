# jobs_tsan_no_sync(<target>…): the option JOBS_TSAN_NO_SYNC for the libraries of this project and,
# through them, for the programs that link them. Clang instruments each access to plain data in the
# functions of the program. It instruments no such access in the library, because data of the
# library needs no order between the fibers of one worker. Atomic operations are instrumented
# everywhere.
#
# The list names the library's files one by one, by the ends of their paths. It therefore matches
# installed headers, too, and no folder of the user.

include(GNUInstallDirs)

function(jobs_tsan_no_sync)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "JOBS_TSAN_NO_SYNC needs clang: it tells the library's functions from the program's by -fsanitize-ignorelist")
  endif()
  set(list "# Made by cmake/tsan_no_sync.cmake.\n[thread]\n")
  foreach(target IN LISTS ARGN)
    get_target_property(folder ${target} SOURCE_DIR)
    get_target_property(files ${target} SOURCES)
    foreach(file IN LISTS files)
      cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${folder} NORMALIZE)
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      if(file MATCHES "\\.cpp$")
        # Includes their instances of the standard library's templates.
        string(APPEND list "mainfile:*/${file}\nsrc:*/${file}\n")
      else()
        string(APPEND list "src:*/${file}\n")
        string(REGEX REPLACE "^jobs/((base|queue|fiber|runtime|sync/core|algorithm/core)/)" "jobs/detail/\\1" installed ${file})
        if(NOT installed STREQUAL file)
          string(APPEND list "src:*/${installed}\n")
        endif()
      endif()
    endforeach()
  endforeach()
  string(APPEND list "src:*/jobs/interop/eigen.hpp\nsrc:*/jobs/interop/ode.hpp\nsrc:*/jobs/interop/opencv.hpp\nsrc:*/jobs/interop/pstl*.hpp\n")
  string(APPEND list "mainfile:*.dir/Unity/*\n")
  # Homes of fibers, as workers are.
  string(APPEND list "src:*/tests/fiber/test_host.hpp\nsrc:*/tests/sync/fiber_thread.hpp\n")
  # Instances of the standard library's templates for types of this library in a program's file.
  foreach(scope _ZNSt _ZNKSt _ZSt _ZN9__gnu_cxx _ZNK9__gnu_cxx)
    string(APPEND list "fun:${scope}*4jobs2v06detail*\n")
  endforeach()
  set(file ${PROJECT_BINARY_DIR}/tsan_no_sync.ignore)
  file(CONFIGURE OUTPUT ${file} CONTENT "${list}" @ONLY)

  foreach(target IN LISTS ARGN)
    target_compile_definitions(${target} PUBLIC JOBS_TSAN_NO_SYNC)
    target_compile_options(${target} PUBLIC -fsanitize=thread
      $<BUILD_INTERFACE:-fsanitize-ignorelist=${file}>
      $<INSTALL_INTERFACE:-fsanitize-ignorelist=$<INSTALL_PREFIX>/${CMAKE_INSTALL_DATADIR}/jobs/tsan_no_sync.ignore>)
    target_link_options(${target} PUBLIC -fsanitize=thread)
  endforeach()
endfunction()
