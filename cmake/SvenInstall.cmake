# Install rules and the package that find_package(sven) finds.
include(CMakePackageConfigHelpers)

set(SVEN_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/sven)
get_property(folders GLOBAL PROPERTY SVEN_FOLDERS)
list(TRANSFORM folders PREPEND sven_ OUTPUT_VARIABLE libraries)

install(
  TARGETS ${libraries} sven_flags sven
  EXPORT sven-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/sven DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT sven-targets NAMESPACE sven:: DESTINATION ${SVEN_CMAKE_DIR})
if(TARGET sven_program)
  install(TARGETS sven_program)
endif()

configure_package_config_file(
  cmake/sven-config.cmake.in ${PROJECT_BINARY_DIR}/sven-config.cmake
  INSTALL_DESTINATION ${SVEN_CMAKE_DIR})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/sven-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/sven-config.cmake
        ${PROJECT_BINARY_DIR}/sven-config-version.cmake
        cmake/SvenDependencies.cmake
  DESTINATION ${SVEN_CMAKE_DIR})
