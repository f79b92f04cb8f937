# SPDX-License-Identifier: BSD-3-Clause
# The installable package: programs, libraries, headers, decks, and what find_package(cotangent) reads.
include(CMakePackageConfigHelpers)
set(cotangent_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cotangent)
set(cotangent_header_dir ${CMAKE_INSTALL_INCLUDEDIR}/cotangent)

get_property(cotangent_layers GLOBAL PROPERTY COTANGENT_LAYERS)
get_property(cotangent_distributed GLOBAL PROPERTY COTANGENT_DISTRIBUTED_LAYERS)
foreach(layer IN LISTS cotangent_layers)
  install(TARGETS cotangent_${layer} EXPORT cotangentTargets COMPONENT development)
  install(DIRECTORY src/${layer} DESTINATION ${cotangent_header_dir} FILES_MATCHING PATTERN "*.hpp")
endforeach()
install(TARGETS cotangent_flags EXPORT cotangentTargets COMPONENT development)
install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/ DESTINATION ${cotangent_header_dir} FILES_MATCHING PATTERN "*.hpp"
        PATTERN tests EXCLUDE)

if(TARGET cotangent_program)
  install(TARGETS cotangent_program)
  install(DIRECTORY input DESTINATION ${CMAKE_INSTALL_DATADIR}/cotangent
          FILES_MATCHING PATTERN "*.toml" PATTERN "*.msh" PATTERN pictures EXCLUDE)
endif()

install(FILES LICENSE CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT cotangentTargets NAMESPACE cotangent:: DESTINATION ${cotangent_config_dir} COMPONENT development)
configure_package_config_file(cmake/cotangentConfig.cmake.in ${PROJECT_BINARY_DIR}/cotangentConfig.cmake
                              INSTALL_DESTINATION ${cotangent_config_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cotangentConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cotangentConfig.cmake ${PROJECT_BINARY_DIR}/cotangentConfigVersion.cmake
        DESTINATION ${cotangent_config_dir} COMPONENT development)
