// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/doctor.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <map>
#include <sched.h>
#include <set>
#include <sstream>
#include <sys/vfs.h>
#include <unistd.h>

#include "formulas/compiler.hpp"
#include "io/build.hpp"
#include "io/hdf5.hpp"
#include "io/posix.hpp"
#include "io/shared_file.hpp"
#include "la/petsc.hpp"
#include "numerics/lane_pack.hpp"
#include "parallel/mpi.hpp"
#include "run/terminal.hpp"

namespace cotangent::studies {
namespace {

namespace fs = std::filesystem;

constexpr double little_space = 1e9;  // bytes

/// What was looked at, what was found, and what would mend it: empty where all is well.
void line(const std::string& what, const std::string& found, const std::string& mend = "") {
  if (parallel::rank() == 0)
    std::cout << fmt::format("{:<12} {}: {}\n", what, found, mend.empty() ? "ok" : mend) << std::flush;
}

/// The text of the error that the work throws on any rank; empty where it throws none. Collective.
template <class Work>
std::string failure_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string file_system(const fs::path& folder) {
  static const std::map<std::uint64_t, std::string> names{
      {0xef53, "ext"},         {0x58465342, "XFS"},  {0x9123683e, "Btrfs"},  {0x01021994, "tmpfs"},
      {0x794c7630, "overlay"}, {0x6969, "NFS"},      {0xff534d42, "CIFS"},   {0xfe534d42, "SMB 2"},
      {0x0bd00bd0, "Lustre"},  {0x47504653, "GPFS"}, {0x19830326, "BeeGFS"}, {0x00c36400, "Ceph"},
      {0x65735546, "FUSE"},    {0x2fc12fc1, "ZFS"},  {0x9fa0, "proc"},       {0x01021997, "9P"}};
  struct statfs status = {};
  if (::statfs(folder.c_str(), &status) != 0) return std::strerror(errno);
  const auto kind = static_cast<std::uint64_t>(static_cast<std::uint32_t>(status.f_type));
  const auto known = names.find(kind);
  return known == names.end() ? fmt::format("kind {:#x}", kind) : known->second;
}

/// The processors on which this rank may run, "0-3,8".
std::string processors(std::set<int>& all) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  std::vector<std::string> runs;
  for (int k = 0; k < CPU_SETSIZE; ++k) {
    if (!CPU_ISSET(k, &allowed)) continue;
    const int first = k;
    while (k + 1 < CPU_SETSIZE && CPU_ISSET(k + 1, &allowed)) ++k;
    for (int cpu = first; cpu <= k; ++cpu) all.insert(cpu);
    runs.push_back(first == k ? std::to_string(k) : fmt::format("{}-{}", first, k));
  }
  return fmt::format("{}", fmt::join(runs, ","));
}

/// Ranks by machine, and whether each has a processor to itself.
void look_at_ranks() {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  std::set<int> mine;
  const std::string bound = processors(mine);
  const auto texts = parallel::gather(fmt::format("{} {} {}", host, bound, fmt::join(mine, " ")));
  std::map<std::string, std::vector<std::string>> bindings;
  std::map<std::string, std::set<std::string>> cores;
  for (const std::string& text : texts) {
    std::istringstream in(text);
    std::string name, binding, core;
    in >> name >> binding;
    bindings[name].push_back(binding);
    while (in >> core) cores[name].insert(core);
  }
  for (const auto& [name, ranks] : bindings) {
    const std::set<std::string> kinds(ranks.begin(), ranks.end());
    line("ranks",
         fmt::format("{} of {} on {}, which may run on {} processors ({})", ranks.size(), parallel::size(),
                     name, cores[name].size(), fmt::join(kinds, " | ")),
         ranks.size() <= cores[name].size()
             ? ""
             : fmt::format("ranks share processors and wait for each other: start at most {} there, or leave "
                           "binding to the system by mpirun --bind-to none",
                           cores[name].size()));
  }
}

/// Whether all ranks together write a file here, and each reads what its neighbour wrote. Collective.
ExitCode look_at_files() {
  std::error_code unknown;
  const fs::path folder = fs::current_path(unknown);
  const fs::path file =
      folder / fmt::format(".cotangent-doctor-{}.h5", parallel::broadcast(std::int64_t{::getpid()}));
  const io::DataSetSpec rows{
      "/rows", io::DataType::float64, {parallel::size(), 1000}, "1", "a row of each rank"};
  const auto value = [](std::int64_t rank) {
    return std::vector<double>(1000, 1.0 / static_cast<double>(rank + 3));
  };
  const std::string failure = failure_of([&] {
    parallel::on_rank_zero([&] {
      io::File made = io::File::create(file);
      made.create_data_set(rows);
      made.close();
    });
    io::SharedFile shared(file, {rows}, {});
    shared.write_rows(0, parallel::rank(), 1, value(parallel::rank()).data());
    shared.flush_together();
    parallel::agree([&] { shared.sync(); });
    shared.close();
    parallel::barrier();
    parallel::agree([&] {
      const std::int64_t other = (parallel::rank() + 1) % parallel::size();
      if (io::File::open(file).read_rows<double>("/rows", other, 1) != value(other))
        throw FileError(file.string() +
                        ": a rank doesn't read what another wrote: all ranks need one file system");
    });
  });
  parallel::barrier();
  if (parallel::rank() == 0) fs::remove(file, unknown);
  line("folder", fmt::format("{} ({})", folder.string(), file_system(folder)));
  line(
      "results",
      failure.empty() ? fmt::format("{} ranks write a file here by MPI-IO and read it back", parallel::size())
                      : failure,
      failure.empty() ? ""
                      : "run in a folder that this user may write to, on a file system that all ranks share");
  const auto space = [&](const std::string& what, const fs::path& place, const char* mend) {
    const auto free = static_cast<double>(fs::space(place, unknown).available);
    line(what,
         unknown ? fmt::format("{}: {}", place.string(), unknown.message())
                 : fmt::format("{} free in {}", run::size_text(free), place.string()),
         !unknown && free >= little_space ? "" : mend);
  };
  space("space", folder,
        "that is little: results take what --dry-run says, and checkpoints as much beside them");
  space("scratch", parallel::launched() ? parallel::scratch_folder() : fs::temp_directory_path(unknown),
        "name a folder with more room by the variable TMPDIR");
  return failure.empty() ? exit_success : exit_file_system;
}

/// On rank 0, which alone compiles.
ExitCode look_at_formulas() {
  const fs::path cache = formulas::cache_folder();
  // What isn't there yet is made in the first of its parents that is.
  fs::path there = cache;
  std::error_code unknown;
  while (!there.empty() && there != there.parent_path() && !fs::exists(there, unknown))
    there = there.parent_path();
  if (there.empty()) there = ".";
  const bool writable = failure_of([&] { io::require_page(there); }).empty();
  line("cache",
       cache.string() + (!writable        ? ", can't be written"
                         : there == cache ? ", can be written"
                                          : ", can be made"),
       writable ? ""
                : "name a folder of this user by the variable COTANGENT_CACHE; till then .cotangent serves");
  const char* const named = std::getenv("COTANGENT_COMPILER");
  if (named != nullptr && std::string_view(named) == "none") {
    line("formulas", "COTANGENT_COMPILER=none",
         "formulas run interpreted, where they can: unset it to compile them");
    return exit_success;
  }
  // Unlike any that the cache has.
  const std::string source = fmt::format(
      "// {} {}\n#include \"formulas/printed.hpp\"\nextern \"C\" int cotangent_doctor() {{ return 1; }}\n",
      ::getpid(), parallel::wall_time());
  const std::string failure = failure_of([&] {
    const formulas::SharedObject object = formulas::shared_object(source);
    fs::remove(object.file, unknown);
    line("formulas", fmt::format("a trivial one compiles in {:.2g} s", object.seconds));
  });
  if (failure.empty()) return exit_success;
  line("formulas", failure, "name a compiler of the kind that built this program by COTANGENT_COMPILER");
  return exit_bad_input;
}

}  // namespace

ExitCode examine_machine() {
  line("compiler", fmt::format("{} {}", compiler, compile_flags));
  line("MPI", parallel::library_version());
  line("HDF5", io::hdf5_version());
  const std::string no_petsc = failure_of([] { parallel::agree(la::open_petsc); });
  line("PETSc", la::petsc_version(),
       no_petsc.empty() ? "" : no_petsc + ": install it where it was for the build");
  line("Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION));
  line("SIMD", fmt::format("{} doubles in a register", numerics::native_width),
       hardware_fma ? ""
                    : "build for this processor (-march=native): without fused multiply-add it takes a "
                      "fraction of the speed");
  look_at_ranks();
  const ExitCode files = look_at_files();
  std::int64_t compiling = exit_success;
  parallel::on_rank_zero([&] { compiling = look_at_formulas(); });
  compiling = parallel::broadcast(compiling);
  parallel::on_rank_zero([] {
    if (!std::cout) throw FileError("cannot write to the standard output");
  });
  if (!no_petsc.empty()) return exit_bad_input;
  return files != exit_success ? files : static_cast<ExitCode>(compiling);
}

}  // namespace cotangent::studies
