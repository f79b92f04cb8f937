# SPDX-License-Identifier: BSD-3-Clause
# A Debian package of what a user runs: `cpack --config build/portable/CPackConfig.cmake`. Headers come along, for formulas
# are compiled against them; the libraries to link with (component `development`) stay in the build.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cotangent)
set(CPACK_PACKAGE_VENDOR "The Cotangent authors")
set(CPACK_PACKAGE_CONTACT "The Cotangent authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL runtime)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME cotangent)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # the libraries, in the versions that it was linked with
set(CPACK_DEBIAN_PACKAGE_DEPENDS "openmpi-bin, python3-h5py, python3-matplotlib, python3-numpy")
if(COTANGENT_LATE_PETSC)  # which no program names as a library that it needs
  list(GET PETSC_LINK_LIBRARIES 0 petsc)
  get_filename_component(petsc ${petsc} REALPATH)
  execute_process(COMMAND dpkg-query --search ${petsc} OUTPUT_VARIABLE owner ERROR_QUIET)
  if(owner MATCHES "^([^:]+):")
    string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", ${CMAKE_MATCH_1}")
  endif()
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++")  # for formulas in decks
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-xarray, python3-sympy, paraview")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/prerm)
set(CPACK_STRIP_FILES ON)
include(CPack)
