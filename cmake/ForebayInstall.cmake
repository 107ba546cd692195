# What find_package(forebay) gives: the target forebay::forebay and the headers of include/forebay.
#
# The folder libraries are installed too, because it links them, under forebay::<folder>. The simulated
# environment, the compiler flags and the tests stay at home.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME library)

add_library(forebay_forebay INTERFACE)
target_link_libraries(forebay_forebay INTERFACE forebay_public)
set_target_properties(forebay_forebay PROPERTIES EXPORT_NAME forebay)
add_library(forebay::forebay ALIAS forebay_forebay)

# In the order of a linker: each before those it needs.
set(installed_libraries public metrics config yaml postgres tenants retry coordination ids aws wire hash json pool core
  env_real env base)
set(installed_targets forebay_forebay)
foreach(name IN LISTS installed_libraries)
  if(TARGET forebay_${name})
    set_target_properties(forebay_${name} PROPERTIES EXPORT_NAME ${name})
    list(APPEND installed_targets forebay_${name})
  endif()
endforeach()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/forebay)
install(TARGETS ${installed_targets} EXPORT forebay_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT forebay_targets NAMESPACE forebay:: FILE forebayTargets.cmake DESTINATION ${package_folder})

# The interface, and nothing else.
install(DIRECTORY include/forebay DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.hpp)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/forebayConfig.cmake.in
  ${PROJECT_BINARY_DIR}/forebayConfig.cmake INSTALL_DESTINATION ${package_folder})
# Before 1.0 a minor version may break callers.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/forebayConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/forebayConfig.cmake ${PROJECT_BINARY_DIR}/forebayConfigVersion.cmake
  DESTINATION ${package_folder})

# For those who do not build with CMake: pkg-config --cflags --libs forebay. Libraries without sources are no files.
foreach(name IN LISTS installed_libraries)
  get_target_property(kind forebay_${name} TYPE)
  if(kind STREQUAL STATIC_LIBRARY)
    string(APPEND pkg_config_libraries "-lforebay_${name} ")
  endif()
endforeach()
set(pkg_config_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pkg_config_prefix /${pkg_config_folder} /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/forebay.pc.in ${PROJECT_BINARY_DIR}/forebay.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/forebay.pc DESTINATION ${pkg_config_folder})
