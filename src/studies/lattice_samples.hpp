// What a lattice's result holds: whole states now and then, and numbers that belong to all sites.
#pragma once

#include "io/result_file.hpp"
#include "lattice/invariants.hpp"
#include "studies/lattice_plan.hpp"

namespace cotangent::studies {

/// What is known at one time.
struct LatticeSample {
  double time = 0;
  std::array<double, 3> energy{};  ///< kinetic, potential, total
  double exact_error = 0;          ///< largest |q - q_exact|, where the motion is known
  double constraint_error = 0;     ///< largest |g|
  std::vector<double> mode_energy;
  std::vector<double> invariant;
  lattice::Field q, v;  ///< of this rank
};

/// Integrals of the motion where the model states some of this lattice; nothing elsewhere.
std::optional<lattice::Invariants> invariants_of(const LatticePlan& plan, const lattice::Lattice& lattice);

/// Sums are the same to the bit on any number of ranks. Collective.
LatticeSample sample_lattice(const LatticePlan& plan, const lattice::Lattice& lattice,
                             lattice::Kernel& kernel, lattice::Method& method,
                             std::optional<lattice::Invariants>& invariants, double time);

/// /lattice/...
std::vector<io::DataSetSpec> lattice_data_sets(const LatticePlan& plan);
/// Row `row` of the samples, with its frame where one is due: each rank its sites, rank 0 the rest.
void write(io::ResultFile& result, const LatticePlan& plan, const lattice::Lattice& lattice,
           const LatticeSample& sample, std::int64_t row);
/// The state in which the run ended, good also where the step after it failed: each rank its sites, rank 0
/// the time.
void write_last(io::ResultFile& result, const lattice::Lattice& lattice, double time, const lattice::Field& q,
                const lattice::Field& v);
/// NaN in all rows from `reached` on: each rank its sites, rank 0 the rest.
void write_blank_samples(io::ResultFile& result, const LatticePlan& plan, const lattice::Lattice& lattice,
                         std::int64_t reached);

}  // namespace cotangent::studies
