# Installs the build into a fresh folder, then builds and runs the examples against what lies there.
set(work ${build}/package_test)
set(prefix ${work}/prefix)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    string(JOIN " " command ${ARGV})
    message(FATAL_ERROR "${command}: ${result}\n${output}")
  endif()
  set(output ${output} PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${build} --prefix ${prefix})

# The interface is installed, and nothing else. All of it must find what it includes there.
file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/*)
file(GLOB_RECURSE interface RELATIVE ${source}/include ${source}/include/*.hpp)
list(SORT headers)
list(SORT interface)
if(NOT headers STREQUAL interface OR NOT headers)
  message(FATAL_ERROR "installed: ${headers}\nwanted: ${interface}")
endif()
list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>")
string(JOIN "\n" all_headers ${headers} "")
file(WRITE ${work}/all_headers.cpp ${all_headers})
run(${compiler} -std=c++23 -fsyntax-only -I${prefix}/include -I${external_headers} ${work}/all_headers.cpp)

# Neither our flags nor a path of this machine may reach those who use the package.
file(GLOB package_files ${prefix}/lib*/cmake/forebay/*.cmake ${prefix}/lib*/*/cmake/forebay/*.cmake)
foreach(package_file IN LISTS package_files)
  file(READ ${package_file} text)
  foreach(forbidden ${source} -Wall -Werror forebay_flags)
    string(FIND "${text}" ${forbidden} position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${package_file} contains ${forbidden}")
    endif()
  endforeach()
endforeach()

set(fleet_words --help)
set(tracing_words --help)
set(workflow_store_words --help)
foreach(example consumer fleet tracing workflow_store)
  run(${CMAKE_COMMAND} -S ${source}/examples/${example} -B ${work}/${example} -G Ninja
    -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${compiler}
    -D CMAKE_CXX_COMPILER_LAUNCHER=${launcher} -D CMAKE_UNITY_BUILD=ON)
  run(${CMAKE_COMMAND} --build ${work}/${example})
  run(${work}/${example}/${example} ${${example}_words})
  message(STATUS "${example} printed: ${output}")
endforeach()

# The same without CMake.
file(GLOB pc_files ${prefix}/lib*/pkgconfig/forebay.pc ${prefix}/lib*/*/pkgconfig/forebay.pc)
cmake_path(GET pc_files PARENT_PATH pc_folder)
run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_folder} pkg-config --cflags --libs forebay)
separate_arguments(flags UNIX_COMMAND "${output}")
run(${compiler} -std=c++23 ${source}/examples/consumer/main.cpp ${flags} -o ${work}/plain_consumer)
run(${work}/plain_consumer)
message(STATUS "plain_consumer printed: ${output}")
