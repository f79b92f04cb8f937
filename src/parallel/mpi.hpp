// SPDX-License-Identifier: BSD-3-Clause
// MPI, as much of it as the code above needs: lifetime, who am I, small collectives, errors that all ranks
// share.
//
// Every function also works before MPI is initialised, as on one rank. An MPI call that fails throws
// MpiError. The order in which a sum over ranks is added up is MPI's own: use sums for reports, never for a
// trajectory.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace cotangent::parallel {

/// A call of MPI failed: the text names the call and MPI's reason.
class MpiError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws MpiError where `code` isn't MPI's success; `call` is what returned it.
void check(int code, const char* call);

/// Initialises MPI for its lifetime. One object, in main(); errors return as exceptions.
class Mpi {
 public:
  Mpi(int& argc, char**& argv);
  ~Mpi();
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
  /// Ends all ranks here, without what MPI and HDF5 do at their end: after a write that failed HDF5 would
  /// close its file there once more, and crash or wait for ranks that don't. Collective.
  void end_at_once(int exit_code);

 private:
  bool owner_ = false;
  std::string folder_;  ///< of Open MPI's, where this process is alone
};

/// Where MPI keeps files of this process, some of them as memory that ranks share.
std::filesystem::path scratch_folder();

/// Whether mpirun, srun or their like started this process, perhaps as one of many.
bool launched();

int rank();
int size();

/// Seconds since some moment of the past.
double wall_time();
/// The MPI library and its version, one line.
std::string library_version();
/// Ends the run on all ranks at once: for errors that one rank alone has seen outside agree().
[[noreturn]] void abort(int exit_code);

/// True once all ranks have called this; false where some have not come in this many seconds, after which
/// nothing is left but abort().
bool all_arrive_within(double seconds);

/// A number that the reductions take.
template <class Number>
concept Reducible = std::same_as<Number, double> || std::same_as<Number, std::int64_t>;

/// Collective.
void barrier();
/// Rank 0's value. Collective.
std::string broadcast(std::string text);
std::vector<std::byte> broadcast(std::vector<std::byte> bytes);
std::int64_t broadcast(std::int64_t value);

/// Over all ranks. Collective.
template <Reducible Number>
Number maximum(Number value);
template <Reducible Number>
Number minimum(Number value);
template <Reducible Number>
Number sum(Number value);
/// Element by element, over vectors of one length. Collective.
template <Reducible Number>
std::vector<Number> sum(std::vector<Number> values);
template <Reducible Number>
std::vector<Number> maximum(std::vector<Number> values);
/// What the ranks before this one add up to. Collective.
std::int64_t sum_before(std::int64_t value);
/// True where any rank (all ranks) said so. Collective.
bool any(bool value);
bool all(bool value);

/// One value per rank on rank 0, nothing elsewhere. Throws Error where texts have more than 2 GB in all.
/// Collective.
std::vector<std::string> gather(const std::string& text);
std::vector<std::int64_t> gather(std::int64_t value);
/// One value per rank, on every rank. Collective.
std::vector<std::int64_t> gather_everywhere(std::int64_t value);

/// Runs the function on every rank; where it throws on any, all throw what the lowest of these ranks threw
/// (Error and FileError with text and exit code, else a runtime_error). Collective: so `function` itself may
/// hold a collective call only where no rank can throw before it.
void agree(const std::function<void()>& function);
/// Runs the function on rank 0 alone; where it throws, all ranks throw the same. Collective.
void on_rank_zero(const std::function<void()>& function);

}  // namespace cotangent::parallel
