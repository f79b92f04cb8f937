// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/mpi.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>  // with it mkdtemp, setenv
#include <exception>
#include <filesystem>
#include <iostream>
#include <limits>
#include <mpi.h>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "parallel/failure.hpp"

namespace cotangent::parallel {

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw MpiError(std::string(call) + ": " + text);
}

namespace {

bool active() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized && !finalized;
}

template <class Number>
MPI_Datatype type_of() {
  if constexpr (std::same_as<Number, double>) {
    return MPI_DOUBLE;
  } else {
    return MPI_INT64_T;
  }
}

template <class Number>
std::vector<Number> reduce(std::vector<Number> values, MPI_Op operation) {
  if (active())
    check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), type_of<Number>(),
                        operation, MPI_COMM_WORLD),
          "MPI_Allreduce");
  return values;
}

void broadcast_bytes(char* data, std::int64_t length) {
  constexpr std::int64_t chunk = std::int64_t{1} << 30;  // MPI counts in int
  for (std::int64_t done = 0; done < length; done += chunk)
    check(
        MPI_Bcast(data + done, static_cast<int>(std::min(chunk, length - done)), MPI_CHAR, 0, MPI_COMM_WORLD),
        "MPI_Bcast");
}

template <class Container>
Container broadcast_container(Container values) {
  if (!active()) return values;
  values.resize(static_cast<std::size_t>(broadcast(static_cast<std::int64_t>(values.size()))));
  broadcast_bytes(reinterpret_cast<char*>(values.data()), static_cast<std::int64_t>(values.size()));
  return values;
}

// What a rank has to say about its part: nothing, an Error with its exit code, or another exception.
struct Verdict {
  static constexpr std::int64_t fine = -1, other = -2;
  std::int64_t code = fine;
  std::string text;
};

Verdict attempt(const std::function<void()>& function) {
  try {
    function();
    return {};
  } catch (const Error& error) {
    return {error.code(), error.what()};
  } catch (const std::filesystem::filesystem_error& error) {
    return {exit_file_system, error.what()};
  } catch (const std::bad_alloc&) {
    return {exit_internal_error, out_of_memory};
  } catch (const std::exception& error) {
    return {Verdict::other, error.what()};
  }
}

void share(Verdict verdict) {
  const bool failed = verdict.code != Verdict::fine;
  const std::int64_t speaker =
      minimum(failed ? std::int64_t{rank()} : std::numeric_limits<std::int64_t>::max());
  if (speaker == std::numeric_limits<std::int64_t>::max()) return;
  if (active() && size() > 1) {
    const int root = static_cast<int>(speaker);
    std::int64_t header[2] = {verdict.code, static_cast<std::int64_t>(verdict.text.size())};
    check(MPI_Bcast(header, 2, MPI_INT64_T, root, MPI_COMM_WORLD), "MPI_Bcast");
    verdict.code = header[0];
    verdict.text.resize(static_cast<std::size_t>(header[1]));
    check(MPI_Bcast(verdict.text.data(), static_cast<int>(header[1]), MPI_CHAR, root, MPI_COMM_WORLD),
          "MPI_Bcast");
  }
  if (verdict.code == exit_file_system) throw FileError(verdict.text);
  if (verdict.code == Verdict::other) throw std::runtime_error(verdict.text);
  throw Error(verdict.text, static_cast<ExitCode>(verdict.code));
}

/// All ranks, in messages of their own: those that one sends before it ends meet no others that are under
/// way.
MPI_Comm for_the_end = MPI_COMM_NULL;

/// Of Open MPI's, where this process is alone; empty else.
std::string own_folder;

/// A process that no launcher started has nobody to talk to: Open MPI then needs no daemon, network or look
/// through the machine's devices, which are three quarters of its start's time. What the user has set stays.
/// Without a daemon all such processes would share one folder of Open MPI's, which the first to end removes:
/// this one is to get its own, by TMPDIR. Returns that folder, or nothing where the environment was left as
/// it is. One rank has no other's file pointer to share: of the ways to do it the one that puts no files
/// beside a result serves.
std::string prepare_to_be_alone() {
#ifdef OPEN_MPI
  std::error_code failed;
  std::string folder = (std::filesystem::temp_directory_path(failed) / "cotangent.XXXXXX").string();
  if (failed || !mkdtemp(folder.data())) return {};
  for (const auto& [name, value] : {std::pair{"OMPI_MCA_ess_singleton_isolated", "1"},
                                    {"OMPI_MCA_pml", "ob1"},
                                    {"OMPI_MCA_btl", "self"},
                                    {"OMPI_MCA_sharedfp", "sm"},
                                    {"HWLOC_COMPONENTS", "-linuxio,-pci,-linuxpci"}})
    setenv(name, value, 0);
  return folder;
#else
  return {};
#endif
}

}  // namespace

Mpi::Mpi(int& argc, char**& argv) {
  if (active()) return;
  if (!launched()) own_folder = folder_ = prepare_to_be_alone();
  const char* const set = std::getenv("TMPDIR");
  const std::string usual = set ? set : "";
  if (!folder_.empty()) setenv("TMPDIR", folder_.c_str(), 1);
  int provided = 0;
  const int code = MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (!usual.empty())
    setenv("TMPDIR", usual.c_str(), 1);
  else
    unsetenv("TMPDIR");
  check(code, "MPI_Init_thread");
  owner_ = true;
  check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  if (size() > 1) check(MPI_Comm_dup(MPI_COMM_WORLD, &for_the_end), "MPI_Comm_dup");
}

Mpi::~Mpi() {
  if (owner_ && active()) {
    if (for_the_end != MPI_COMM_NULL) MPI_Comm_free(&for_the_end);
    MPI_Finalize();
  }
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

void Mpi::end_at_once(int exit_code) {
  std::cout.flush();
  std::cerr.flush();
  barrier();  // what rank 0 says is said before a launcher sees that a process has ended
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  std::_Exit(exit_code);
}

std::filesystem::path scratch_folder() {
  if (!own_folder.empty()) return own_folder;
  if (const char* given = std::getenv("PMIX_SERVER_TMPDIR"); given && *given) return given;
  std::error_code none;
  return std::filesystem::temp_directory_path(none);
}

bool launched() {
  return std::ranges::any_of(
      std::array{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK", "MPI_LOCALNRANKS",
                 "SLURM_PROCID", "FLUX_TASK_RANK", "JSM_NAMESPACE_RANK", "ALPS_APP_PE"},
      [](const char* name) { return std::getenv(name) != nullptr; });
}

int rank() {
  int rank = 0;
  if (active()) check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  return rank;
}

int size() {
  int size = 1;
  if (active()) check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  return size;
}

double wall_time() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  check(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  const std::string version(text);
  return version.substr(0, version.find('\n'));
}

void abort(int exit_code) {
  if (active()) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

bool all_arrive_within(double seconds) {
  if (!active()) return true;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(for_the_end == MPI_COMM_NULL ? MPI_COMM_WORLD : for_the_end, &request), "MPI_Ibarrier");
  const double end = wall_time() + seconds;
  for (int arrived = 0; wall_time() < end; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    check(MPI_Test(&request, &arrived, MPI_STATUS_IGNORE), "MPI_Test");
    if (arrived) return true;
  }
  return false;
}

void barrier() {
  if (active()) check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
}

std::string broadcast(std::string text) {
  return broadcast_container(std::move(text));
}
std::vector<std::byte> broadcast(std::vector<std::byte> bytes) {
  return broadcast_container(std::move(bytes));
}

std::int64_t broadcast(std::int64_t value) {
  if (active()) check(MPI_Bcast(&value, 1, MPI_INT64_T, 0, MPI_COMM_WORLD), "MPI_Bcast");
  return value;
}

template <Reducible Number>
Number maximum(Number value) {
  return size() == 1 ? value : reduce<Number>({value}, MPI_MAX).front();
}
template <Reducible Number>
Number minimum(Number value) {
  return size() == 1 ? value : reduce<Number>({value}, MPI_MIN).front();
}
template <Reducible Number>
Number sum(Number value) {
  return size() == 1 ? value : reduce<Number>({value}, MPI_SUM).front();
}
template <Reducible Number>
std::vector<Number> sum(std::vector<Number> values) {
  return reduce(std::move(values), MPI_SUM);
}
template <Reducible Number>
std::vector<Number> maximum(std::vector<Number> values) {
  return reduce(std::move(values), MPI_MAX);
}

template double maximum(double);
template double minimum(double);
template double sum(double);
template std::vector<double> sum(std::vector<double>);
template std::vector<double> maximum(std::vector<double>);
template std::int64_t maximum(std::int64_t);
template std::vector<std::int64_t> maximum(std::vector<std::int64_t>);
template std::int64_t minimum(std::int64_t);
template std::int64_t sum(std::int64_t);
template std::vector<std::int64_t> sum(std::vector<std::int64_t>);

std::vector<std::int64_t> gather_everywhere(std::int64_t value) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(size()), value);
  if (active())
    check(MPI_Allgather(&value, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, MPI_COMM_WORLD), "MPI_Allgather");
  return all;
}

std::int64_t sum_before(std::int64_t value) {
  std::int64_t before = 0;
  if (active()) check(MPI_Exscan(&value, &before, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD), "MPI_Exscan");
  return rank() == 0 ? 0 : before;
}

bool any(bool value) {
  return maximum(std::int64_t{value}) != 0;
}
bool all(bool value) {
  return minimum(std::int64_t{value}) != 0;
}

std::vector<std::string> gather(const std::string& text) {
  if (!active()) return {text};
  if (const std::int64_t all = sum(std::ssize(text)); all > std::numeric_limits<int>::max())
    throw Error("what the ranks have to tell rank 0 takes " + std::to_string(all) + " bytes, and at most " +
                std::to_string(std::numeric_limits<int>::max()) + " can be told: fewer tasks would do");
  const std::vector<std::int64_t> lengths = gather(std::ssize(text));
  std::vector<int> counts(lengths.begin(), lengths.end()), offsets(lengths.size(), 0);
  for (std::size_t i = 1; i < counts.size(); ++i) offsets[i] = offsets[i - 1] + counts[i - 1];
  std::string joined(counts.empty() ? 0 : static_cast<std::size_t>(offsets.back() + counts.back()), '\0');
  check(MPI_Gatherv(text.data(), static_cast<int>(text.size()), MPI_CHAR, joined.data(), counts.data(),
                    offsets.data(), MPI_CHAR, 0, MPI_COMM_WORLD),
        "MPI_Gatherv");
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < counts.size(); ++i)
    texts.push_back(joined.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(counts[i])));
  return texts;
}

std::vector<std::int64_t> gather(std::int64_t value) {
  if (!active()) return {value};
  std::vector<std::int64_t> values(rank() == 0 ? static_cast<std::size_t>(size()) : 0);
  check(MPI_Gather(&value, 1, MPI_INT64_T, values.data(), 1, MPI_INT64_T, 0, MPI_COMM_WORLD), "MPI_Gather");
  return values;
}

void agree(const std::function<void()>& function) {
  share(attempt(function));
}

void on_rank_zero(const std::function<void()>& function) {
  share(rank() == 0 ? attempt(function) : Verdict{});
}

}  // namespace cotangent::parallel
