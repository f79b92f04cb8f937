# SPDX-License-Identifier: BSD-3-Clause
# What Debian 12 provides; newer versions are accepted. The mathematical half needs Eigen alone.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
if(NOT COTANGENT_MATHEMATICS_ONLY)
  find_package(MPI REQUIRED COMPONENTS CXX)
  find_package(PkgConfig REQUIRED)
  pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-openmpi hdf5)
  find_library(COTANGENT_HDF5_HL hdf5_hl HINTS ${HDF5_LIBRARY_DIRS} REQUIRED)  # scales of dimensions; of the same build
  mark_as_advanced(COTANGENT_HDF5_HL)
  pkg_search_module(PETSC REQUIRED IMPORTED_TARGET petsc>=3.18 PETSc>=3.18)  # real scalars: libpetsc-real-dev
  set_target_properties(PkgConfig::PETSC PROPERTIES INTERFACE_COMPILE_OPTIONS "")  # its packagers' own, not ours
  include(late_petsc)
  find_package(fmt REQUIRED)
  find_package(CLI11 REQUIRED)
  find_package(tomlplusplus QUIET)
  set(COTANGENT_TOML tomlplusplus::tomlplusplus)
  if(NOT tomlplusplus_FOUND)
    pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus)
    set(COTANGENT_TOML PkgConfig::TOMLPLUSPLUS)
  endif()
endif()
