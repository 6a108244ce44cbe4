# A script of cpack, called after the files of all components are in place: moves the programs of the
# component dev to the component tools.
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
if(IS_DIRECTORY ${root}/dev/usr/bin)
  file(GLOB programs ${root}/dev/usr/bin/*)
  file(COPY ${programs} DESTINATION ${root}/tools/usr/bin)
  file(REMOVE_RECURSE ${root}/dev/usr/bin)
endif()
