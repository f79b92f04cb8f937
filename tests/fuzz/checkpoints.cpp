// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes the reader of checkpoints. Whatever isn't byte for byte what was written is refused by an Error,
// before HDF5 sees it. usage: fuzz_checkpoints --write FILE   writes a checkpoint, to begin from
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "core/error.hpp"
#include "fuzzed_file.hpp"
#include "parallel/mpi.hpp"
#include "run/checkpoint.hpp"

namespace {

using namespace cotangent;

/// Of every kind of field one, each of some length.
class Fields : public run::Evolution {
 public:
  void state(run::StateFields& state) override {
    state.number("step", step_);
    state.number("worst", worst_);
    state.list("list", list_);
    state.rows("position", run::Share::even(5), 2, rows_);
    state.rows("mixed", run::Share::in_turn(5), 1, mixed_);
    state.loose_rows("tasks", 3, loose_);
  }
  std::vector<io::DataSetSpec> data_sets() const override { return {}; }
  void begin(run::Records&) override {}
  void advance(std::int64_t, run::Records&) override {}
  bool ended() const override { return true; }
  run::Progress progress() const override { return {0, 1, "", "", 1}; }
  std::vector<run::Line> summary(const run::Effort&) override { return {}; }
  bool failed() override { return false; }

 private:
  std::int64_t step_ = 3;
  double worst_ = 0.5;
  std::vector<double> list_{1, 2, 3}, rows_ = std::vector<double>(10, 0.25), mixed_{1, 2, 3, 4, 5},
                                      loose_ = std::vector<double>(6, 7.0);
};

const run::CheckpointOwner owner{"poincare", "study = \"poincare\"\n"};

bool reads(const std::filesystem::path& path) {
  try {
    Fields fields;
    return run::read_checkpoint(path, owner, fields);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc != 3 || std::strcmp((*argv)[1], "--write") != 0) return 0;
  const std::filesystem::path path = (*argv)[2];
  bool good = false;
  {
    parallel::Mpi mpi(*argc, *argv);
    Fields fields;
    run::write_checkpoint(path, owner, {}, fields);
    good = reads(path);
  }
  if (!good) fuzz::fail("what was written can't be read");
  std::_Exit(0);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::FuzzedFile kept(".h5.checkpoint");
  kept.hold({data, size});
  if (!reads(kept.path())) return 0;
  // Then its checksum is that of what was written, once known: two such files differ in nothing.
  static const std::vector<std::uint8_t> whole(data, data + size);
  if (!std::equal(whole.begin(), whole.end(), data, data + size)) fuzz::fail("a damaged checkpoint was read");
  return 0;
}
