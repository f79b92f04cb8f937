// SPDX-License-Identifier: BSD-3-Clause
// checkpoint_damage FILE TRIALS SEED: copies a checkpoint, damages the copy at random, and asks the program's
// own check each time. Half of the trials flip one bit, half cut the end off. Prints how many it found of
// each, and what it says of the file itself, which is the control. For faults.py.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "io/seal.hpp"
#include "parallel/mpi.hpp"

int main(int argc, char** argv) {
  namespace io = cotangent::io;
  const cotangent::parallel::Mpi mpi(argc, argv);
  if (argc != 4) return 2;
  const std::filesystem::path path = argv[1], copy = path.string() + ".damaged";
  std::ifstream file(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  std::mt19937_64 chance(std::strtoull(argv[3], nullptr, 10));
  int tried[2] = {0, 0}, found[2] = {0, 0};
  for (long k = 0; k < std::atol(argv[2]); ++k) {
    std::string bytes = whole;
    const bool cut = k % 2 != 0;
    const std::size_t place = chance() % whole.size();
    if (cut)
      bytes.resize(place);
    else
      bytes[place] = static_cast<char>(bytes[place] ^ (1 << chance() % 8));
    std::ofstream(copy, std::ios::binary | std::ios::trunc) << bytes;
    ++tried[cut];
    found[cut] += io::damage(copy).empty() ? 0 : 1;
  }
  std::filesystem::remove(copy);
  std::printf("%d of %d flipped bits found, %d of %d cuts found, %s\n", found[0], tried[0], found[1],
              tried[1], io::damage(path).empty() ? "whole" : "damaged");
}
