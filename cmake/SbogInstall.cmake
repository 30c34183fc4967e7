# SPDX-License-Identifier: Apache-2.0
# Install tree: headers, libraries, the tool, find_package and pkg-config.
include(CMakePackageConfigHelpers)
get_property(layers GLOBAL PROPERTY SBOG_LAYERS)

install(TARGETS ${layers} EXPORT sbogTargets)
install(TARGETS sbog_tool)
if(SBOG_WITH_TORCH)
  install(TARGETS sbog_torch
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sbog)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/sbog
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h"
  PATTERN "detail" EXCLUDE)
install(EXPORT sbogTargets NAMESPACE sbog::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sbog)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sbogConfig.cmake.in
  ${PROJECT_BINARY_DIR}/sbogConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sbog)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sbogConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sbogConfig.cmake
  ${PROJECT_BINARY_DIR}/sbogConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sbog)

# The prefix is found from where the file lies, so the tree may be moved.
file(RELATIVE_PATH SBOG_PC_TO_PREFIX
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" SBOG_PC_TO_PREFIX "${SBOG_PC_TO_PREFIX}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/sbog.pc.in
  ${PROJECT_BINARY_DIR}/sbog.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sbog.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
