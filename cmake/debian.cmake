# The .deb files that cpack makes, one per component; scripts/package-deb calls it.
#   runtime  libjobs0     the shared libraries
#   dev      libjobs-dev  headers, links to the libraries, find_package(jobs), modules of pkg-config
#   tools    jobs-tools   programs, and the commands for gdb
#   doc      libjobs-doc  the guide and its programs; also as HTML, with the API reference, if scripts/reference has built it

if(NOT BUILD_SHARED_LIBS OR NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  message(FATAL_ERROR "JOBS_DEBIAN_PACKAGES needs BUILD_SHARED_LIBS=ON and CMAKE_INSTALL_PREFIX=/usr")
endif()

set(runtime_package libjobs${JOBS_SOVERSION})
set(dev_package libjobs-dev)
set(tools_package jobs-tools)
set(doc_package libjobs-doc)

# --- documentation ---

set(documents ${CMAKE_INSTALL_DATADIR}/doc)
# Policy wants both files in each package.
file(ARCHIVE_CREATE OUTPUT ${PROJECT_BINARY_DIR}/changelog.gz PATHS ${PROJECT_SOURCE_DIR}/CHANGELOG.md FORMAT raw COMPRESSION GZip)
foreach(component IN ITEMS runtime dev tools doc)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${documents}/${${component}_package} RENAME copyright COMPONENT ${component})
  install(FILES ${PROJECT_BINARY_DIR}/changelog.gz DESTINATION ${documents}/${${component}_package} COMPONENT ${component})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${documents}/${doc_package} COMPONENT doc)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${documents}/${doc_package} COMPONENT doc
  FILES_MATCHING PATTERN *.md PATTERN *.svg PATTERN *.png PATTERN *.cpp PATTERN *.hpp)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/cmake/packaging DESTINATION ${documents}/${doc_package}/cmake COMPONENT doc)
foreach(room IN ITEMS "" /algorithm /io /sync /testing)  # the guide refers to their READMEs
  install(FILES ${PROJECT_SOURCE_DIR}/jobs${room}/README.md DESTINATION ${documents}/${doc_package}/jobs${room} COMPONENT doc)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/samples DESTINATION ${documents}/${doc_package} COMPONENT doc
  FILES_MATCHING PATTERN *.cpp PATTERN *.hpp PATTERN *.c PATTERN *.md PATTERN CMakeLists.txt)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/build/reference/html DESTINATION ${documents}/${doc_package} COMPONENT doc OPTIONAL)

# --- packages ---

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME jobs)
set(CPACK_PACKAGE_CONTACT "the jobs authors <jobs@localhost>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime dev tools doc)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# The umask of the builder must not matter.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# A program belongs to the tools, also if its rule names no component.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian_programs.cmake)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${runtime_package})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_GENERATE_SHLIBS_POLICY "=")  # before 1.0
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS libdw1)  # for the lines of findings
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "work-stealing jobs on pinned fibers - shared libraries
A C++20 job system for programs that compute: loops, task graphs and fibers on
work-stealing workers, where a job may wait without holding a thread.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME ${dev_package})
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(dev_depends "${runtime_package} (= ${PROJECT_VERSION})" libhwloc-dev)
if(JOBS_WITH_IO)
  list(APPEND dev_depends liburing-dev)
endif()
list(JOIN dev_depends ", " CPACK_DEBIAN_DEV_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "${doc_package}, ${tools_package}")
set(CPACK_COMPONENT_DEV_DESCRIPTION "work-stealing jobs on pinned fibers - headers
A C++20 job system for programs that compute. This package has the headers, and
the files for CMake and pkg-config.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME ${tools_package})
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/jobs ${PROJECT_BINARY_DIR}/jobs/trace)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${runtime_package} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS gdb)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "work-stealing jobs on pinned fibers - tools
A C++20 job system for programs that compute. This package has its programs, and
commands for gdb that show workers and fibers.")

set(CPACK_DEBIAN_DOC_PACKAGE_NAME ${doc_package})
set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_DOC_DESCRIPTION "work-stealing jobs on pinned fibers - documentation
A C++20 job system for programs that compute. This package has the guides, the
samples, and the API reference.")

include(CPack)
