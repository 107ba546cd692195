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
#
# forebay_report_files(target)
#
# The page of the simulator's report, with the script that draws its plots. Without npm, which brings that
# script, the target gets none, and the command says that it has no report. FOREBAY_REPORT tells which.

set(FOREBAY_BUNDLE_SCRIPTS ${CMAKE_CURRENT_LIST_DIR})

function(forebay_bundle target function)
  cmake_parse_arguments(arg "" "" "FILES" ${ARGN})
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  if(NOT arg_FILES)
    set(arg_FILES "")
  endif()
  list(TRANSFORM arg_FILES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  set(script ${FOREBAY_BUNDLE_SCRIPTS}/bundle_files.py)
  set(source ${PROJECT_BINARY_DIR}/bundled/${function}.cpp)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/bundled)
  add_custom_command(OUTPUT ${source}
    COMMAND Python3::Interpreter -B ${script} ${function} ${source} ${arg_FILES}
    DEPENDS ${script} ${arg_FILES} COMMENT "Bundling ${function}" VERBATIM)
  target_sources(${target} PRIVATE ${source})
  # For those who read sources without compiling them all.
  if(NOT TARGET forebay_bundles)
    add_custom_target(forebay_bundles)
  endif()
  add_custom_target(forebay_${function} DEPENDS ${source})
  add_dependencies(forebay_bundles forebay_${function})
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

function(forebay_report_files target)
  find_program(NPM npm)
  if(NOT DEFINED FOREBAY_REPORT)
    set(FOREBAY_REPORT OFF)
    if(NPM OR EXISTS ${PROJECT_SOURCE_DIR}/web/node_modules/.installed)
      set(FOREBAY_REPORT ON)
    endif()
    set(FOREBAY_REPORT ${FOREBAY_REPORT} PARENT_SCOPE)
  endif()
  if(FOREBAY_REPORT)
    forebay_npm_files(uplot_files uplot/dist/uPlot.iife.min.js uplot/dist/uPlot.min.css uplot/LICENSE)
    file(GLOB page CONFIGURE_DEPENDS web/report/*.html web/report/*.css web/report/*.js)
    forebay_bundle(${target} report_files FILES ${page} ${uplot_files})
  else()
    message(STATUS "There is no npm: the command will have no report (forebay sim --report)")
    forebay_bundle(${target} report_files)
  endif()
endfunction()
