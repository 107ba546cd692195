# forebay_bundle(target function FILES paths...)
#
# Puts files into a library: it gets a function std::vector<BundledFile> forebay::<function>(), which
# the library declares in a header of its own. A changed file is noticed by the next build.
#
# forebay_npm_files(variable paths...)
#
# The files of npm packages, by their paths below node_modules, copied into the build folder; the
# variable gets where they will lie. Packages are those of web/package-lock.json. They are installed,
# into web/node_modules, only when that file has changed: no other build touches the network.

set(FOREBAY_BUNDLE_SCRIPTS ${CMAKE_CURRENT_LIST_DIR})

function(forebay_bundle target function)
  cmake_parse_arguments(arg "" "" "FILES" ${ARGN})
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  list(TRANSFORM arg_FILES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  set(script ${FOREBAY_BUNDLE_SCRIPTS}/bundle_files.py)
  set(source ${PROJECT_BINARY_DIR}/bundled/${function}.cpp)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/bundled)
  add_custom_command(OUTPUT ${source}
    COMMAND Python3::Interpreter -B ${script} ${function} ${source} ${arg_FILES}
    DEPENDS ${script} ${arg_FILES} COMMENT "Bundling ${function}" VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()

function(forebay_npm_files variable)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(script ${FOREBAY_BUNDLE_SCRIPTS}/npm_files.py)
  set(web ${PROJECT_SOURCE_DIR}/web)
  set(folder ${PROJECT_BINARY_DIR}/npm)
  foreach(path IN LISTS ARGN)
    cmake_path(GET path FILENAME name)
    list(APPEND files ${folder}/${name})
  endforeach()
  add_custom_command(OUTPUT ${files}
    COMMAND Python3::Interpreter -B ${script} ${web} ${folder} ${ARGN}
    DEPENDS ${script} ${web}/package.json ${web}/package-lock.json
    COMMENT "Taking files of npm packages" VERBATIM)
  set(${variable} ${files} PARENT_SCOPE)
endfunction()
