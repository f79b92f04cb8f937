// The distributed half from outside: MPI comes and goes with one object.
#include <cstdio>

#include "parallel/mpi.hpp"

int main(int argc, char** argv) {
  cotangent::parallel::Mpi mpi(argc, argv);
  std::printf("%s: rank %d of %d\n", cotangent::parallel::library_version().c_str(),
              cotangent::parallel::rank(), cotangent::parallel::size());
  return cotangent::parallel::size() == 1 ? 0 : 1;
}
