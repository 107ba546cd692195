# forebay_library(name [FOLDER path] [ROOMS sub-folders...] [DEPENDS libraries...] [EXTERNAL targets...])
#
# The one place for compiler flags. Every .cpp in src/forebay/<folder> and in its rooms belongs to the library
# forebay_<name>. Other sub-folders are libraries of their own.

set(FOREBAY_LIBRARIES "" CACHE INTERNAL "")

add_library(forebay_flags INTERFACE)
target_compile_features(forebay_flags INTERFACE cxx_std_23)
target_compile_options(forebay_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(forebay_flags INTERFACE -Wthread-safety)
else()
  # clang's -Wshadow also blames locals that share a name with a member of an enclosing class.
  # -Wtsan is about fences inside Asio's own queues. g++ 12's -Wrestrict takes copies inside std::string
  # for overlapping ones at -O2.
  target_compile_options(forebay_flags INTERFACE -Wshadow -Wno-tsan -Wno-restrict)
  # Files that are compiled together look like headers to g++: it would blame each local type of a coroutine.
  # They also need much memory for a short time: collecting garbage meanwhile took a tenth of it.
  if(CMAKE_UNITY_BUILD)
    target_compile_options(forebay_flags INTERFACE -Wno-subobject-linkage --param=ggc-min-heapsize=2000000)
  endif()
endif()
option(FOREBAY_WARNINGS_ARE_ERRORS "Stop at the first warning" ${PROJECT_IS_TOP_LEVEL})
if(FOREBAY_WARNINGS_ARE_ERRORS)
  target_compile_options(forebay_flags INTERFACE -Werror)
endif()

# What Debian asks of programs. A sanitizer checks more than fortified functions, and is confused by them.
if(CMAKE_BUILD_TYPE STREQUAL Release)
  target_compile_options(forebay_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong)
  target_link_options(forebay_flags INTERFACE -Wl,-z,relro,-z,now)
endif()

# Where sanitizers look for mistakes and not at speed. Calls instead of inlined checks of addresses find the same, and
# compile faster.
set(FOREBAY_PLAIN_OPTIONS "")
if(CMAKE_CXX_FLAGS_DEBUG MATCHES sanitize)
  set(FOREBAY_PLAIN_OPTIONS -O0)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    list(APPEND FOREBAY_PLAIN_OPTIONS --param=asan-instrumentation-with-call-threshold=0)
  endif()
endif()

option(FOREBAY_CLANG_TIDY "Run clang-tidy-19 over each file of the libraries as it is compiled" OFF)

# What was compiled before, in this clone or another, need not be compiled again.
find_program(CCACHE ccache)
if(CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# forebay_precompile(library [options...]): the library, which has these options, shares what most of them include,
# precompiled: once with options and once without, as g++ wants it. Like batches it hides which includes are missing, so
# it goes with them; the long suite compiles each source by itself.
function(forebay_precompile library)
  if(NOT CMAKE_UNITY_BUILD OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    return()
  endif()
  set(shared forebay_precompiled)
  if(ARGN)
    set(shared forebay_precompiled_plain)
  endif()
  if(NOT TARGET ${shared})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${shared}.cpp CONTENT "// Needed for a target.\n")
    add_library(${shared} OBJECT ${PROJECT_BINARY_DIR}/${shared}.cpp)
    target_compile_options(${shared} PRIVATE -fpch-preprocess ${ARGN})
    target_link_libraries(${shared} PRIVATE forebay_flags fmt::fmt)
    target_precompile_headers(${shared} PRIVATE <algorithm> <array> <atomic> <chrono> <coroutine> <functional> <map>
      <memory> <optional> <string> <string_view> <utility> <vector> <fmt/format.h>)
  endif()
  target_compile_options(${library} PRIVATE -fpch-preprocess)  # for ccache
  target_precompile_headers(${library} REUSE_FROM ${shared})
endfunction()

function(forebay_library name)
  cmake_parse_arguments(arg "" "FOLDER" "ROOMS;DEPENDS;EXTERNAL" ${ARGN})
  if(NOT arg_FOLDER)
    set(arg_FOLDER ${name})
  endif()
  set(folder ${PROJECT_SOURCE_DIR}/src/forebay/${arg_FOLDER})
  list(TRANSFORM arg_ROOMS REPLACE "(.+)" "${folder}/\\1/*.cpp")
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${arg_ROOMS})
  if(sources)
    add_library(forebay_${name} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(forebay_${name} PRIVATE $<BUILD_INTERFACE:forebay_flags>)
    if(FOREBAY_CLANG_TIDY)
      set_target_properties(forebay_${name} PROPERTIES CXX_CLANG_TIDY clang-tidy-19)
    endif()
  else()
    add_library(forebay_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(forebay::${name} ALIAS forebay_${name})
  target_compile_features(forebay_${name} ${scope} cxx_std_23)
  target_include_directories(forebay_${name} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  foreach(dependency IN LISTS arg_DEPENDS)
    target_link_libraries(forebay_${name} ${scope} forebay_${dependency})
  endforeach()
  target_link_libraries(forebay_${name} ${scope} ${arg_EXTERNAL})
  set(FOREBAY_LIBRARIES ${FOREBAY_LIBRARIES} forebay_${name} CACHE INTERNAL "")
endfunction()
