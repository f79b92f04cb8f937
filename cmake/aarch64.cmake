# SPDX-License-Identifier: BSD-3-Clause
# Toolchain: by Debian's cross compiler for 64-bit ARM, against a folder COTANGENT_SYSROOT that holds that architecture's
# packages (apps/cluster/try_aarch64 makes one).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES COTANGENT_SYSROOT)
set(triplet aarch64-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
set(CMAKE_CXX_COMPILER ${triplet}-g++)
set(CMAKE_SYSROOT ${COTANGENT_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
# Libraries of libraries are found by the linker alone: some stand in folders of their own.
file(GLOB private_folders ${COTANGENT_SYSROOT}/usr/lib/${triplet}/blas ${COTANGENT_SYSROOT}/usr/lib/${triplet}/lapack)
string(JOIN ":" private_folders ${private_folders} ${COTANGENT_SYSROOT}/lib/${triplet} ${COTANGENT_SYSROOT}/usr/lib/${triplet})
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${private_folders}")

set(ENV{PKG_CONFIG_SYSROOT_DIR} ${COTANGENT_SYSROOT})
file(GLOB pkg_config ${COTANGENT_SYSROOT}/usr/lib/petscdir/petsc*/${triplet}-real/lib/pkgconfig)
string(JOIN ":" pkg_config ${pkg_config} ${COTANGENT_SYSROOT}/usr/lib/${triplet}/pkgconfig ${COTANGENT_SYSROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_LIBDIR} ${pkg_config})
# MPI's compiler wrapper is a program of the other architecture.
set(MPI_CXX_SKIP_MPICXX ON)
set(MPI_CXX_LIB_NAMES mpi)
set(MPI_mpi_LIBRARY ${COTANGENT_SYSROOT}/usr/lib/${triplet}/openmpi/lib/libmpi.so)
set(MPI_CXX_HEADER_DIR ${COTANGENT_SYSROOT}/usr/lib/${triplet}/openmpi/include)
set(MPI_CXX_COMPILER_INCLUDE_DIRS ${MPI_CXX_HEADER_DIR})
