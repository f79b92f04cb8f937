// A program whose own model fails on rank 1 alone, where no other rank expects it.
#include <stdexcept>

#include "parallel/mpi.hpp"
#include "studies/program.hpp"

struct Wayward {
  static constexpr std::string_view name = "wayward";
  static constexpr std::string_view about = "a free particle whose rank 1 gives up";
  static constexpr int dim = 1;
  static constexpr std::array<cotangent::mechanics::Coordinate, dim> coordinates{{{"x"}}};
  static constexpr std::array<cotangent::mechanics::Parameter, 0> parameters{};

  auto operator()(const auto& q, const auto& v) const {
    if (cotangent::parallel::rank() == 1) throw std::runtime_error("rank 1 gives up");
    const auto [x] = q;
    const auto [x_dot] = v;
    return 0.5 * x_dot * x_dot - 0.5 * x * x;
  }
};

int main(int argc, char** argv) {
  return cotangent::studies::run_program(argc, argv, cotangent::studies::own<Wayward>());
}
