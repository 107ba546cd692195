# Read by ctest, not by cmake: a test for each suite of a program of GoogleTest, so that its tests share what the suite
# sets up (a server, mostly) and suites can run side by side.
#
# The file that includes this one has set: program, folder and build (parts of the names of its tests), properties,
# environment, alone (which suites have the machine to themselves), first (which begin early) and waiting (which take
# little of the machine).
if(NOT EXISTS ${program})
  add_test(${folder}.is_not_built.${build} "")  # ctest reports it as a failure
  return()
endif()
execute_process(COMMAND ${program} --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${program} --gtest_list_tests: ${result}")
endif()
# A line is "Suite." or "Suite.  # of which type"; tests are indented, and other words have blanks in them.
string(REGEX MATCHALL "\n[A-Za-z0-9_/]+\\.(  #[^\n]*)?" lines "\n${listed}")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^\n([A-Za-z0-9_/]+)\\..*" "\\1" suite "${line}")
  set(name ${folder}.${suite}.${build})
  add_test(${name} ${program} --gtest_brief=1 "--gtest_filter=${suite}.*")
  set_tests_properties(${name} PROPERTIES ${properties})
  if(environment)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}")
  endif()
  if(first AND suite MATCHES "${first}")
    set_tests_properties(${name} PROPERTIES COST 500)
  endif()
  if(waiting AND suite MATCHES "${waiting}")
    set_tests_properties(${name} PROPERTIES PROCESSORS 1)
  endif()
  # At the beginning, one by one: later they would wait until everything else has ended.
  if(alone AND suite MATCHES "${alone}")
    set_tests_properties(${name} PROPERTIES PROCESSORS 8 COST 2000)
  endif()
endforeach()
