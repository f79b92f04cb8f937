// The mathematical half from outside: the version, and lanes.
#include <cstdio>

#include "core/version.hpp"
#include "numerics/lanes.hpp"

int main() {
  using Lanes = cotangent::numerics::Lanes<4>;
  const Lanes two = Lanes(1.0) + Lanes(1.0);
  std::printf("cotangent %s: 1 + 1 = %g\n", cotangent::version, two[3]);
  return two[3] == 2.0 ? 0 : 1;
}
