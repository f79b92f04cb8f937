// SPDX-License-Identifier: BSD-3-Clause
// The distributed half from outside: MPI comes and goes with one object, and HDF5 is linked.
#include <cstdio>

#include "io/hdf5.hpp"
#include "parallel/mpi.hpp"

int main(int argc, char** argv) {
  cotangent::parallel::Mpi mpi(argc, argv);
  std::printf("HDF5 %s, %s: rank %d of %d\n", cotangent::io::hdf5_version().c_str(),
              cotangent::parallel::library_version().c_str(), cotangent::parallel::rank(),
              cotangent::parallel::size());
  return cotangent::parallel::size() == 1 ? 0 : 1;
}
