# Writes the page of the viewer as a source file, ${viewer_page_source}: page.html with the style and the
# scripts inside, in two parts. The recording stands between them.
set(viewer_folder ${CMAKE_CURRENT_LIST_DIR})
set(viewer_page_source ${CMAKE_CURRENT_BINARY_DIR}/viewer_page.cpp)

# In the order in which a browser runs them.
set(viewer_scripts format.js recording.js fibers.js objects.js queries.js theme.js view.js arrows.js draw.js panel.js moves.js
  keyboard.js mouse.js main.js)

# viewer_read(<variable> <file>…): the texts of the files, one after the other.
function(viewer_read variable)
  set(all "")
  foreach(name IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${viewer_folder}/${name})
    file(READ ${viewer_folder}/${name} text)
    string(APPEND all "${text}")
  endforeach()
  set(${variable} "${all}" PARENT_SCOPE)
endfunction()

function(viewer_write_source)
  viewer_read(page page.html)
  viewer_read(style viewer.css)
  viewer_read(script ${viewer_scripts})
  string(REPLACE "@STYLE@" "${style}" page "${page}")
  string(REPLACE "@SCRIPT@" "${script}" page "${page}")
  string(FIND "${page}" "@RECORDING@" place)
  string(SUBSTRING "${page}" 0 ${place} page_begin)
  string(LENGTH "@RECORDING@" length)
  math(EXPR place "${place} + ${length}")
  string(SUBSTRING "${page}" ${place} -1 page_end)
  configure_file(${viewer_folder}/viewer_page.cpp.in ${viewer_page_source} @ONLY)
endfunction()

viewer_write_source()
