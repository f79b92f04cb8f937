// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes the reading of users' HDF5 files: starts, networks. Whatever the bytes are, each question that the
// studies ask has an answer or an Error.
#include <cstddef>
#include <vector>

#include "core/error.hpp"
#include "fuzzed_file.hpp"
#include "io/hdf5.hpp"

namespace {

using namespace cotangent;

constexpr std::int64_t most = 1 << 20;  // numbers; a data set may well say that it has more

template <class Read>
void attempt(const Read& read) {
  try {
    read();
  } catch (const Error&) {
  }
}

void read_rows(const io::File& file, const std::string& path) {
  const io::DataSet set = file.data_set(path);
  const auto dims = set.dims();
  std::int64_t all = 1;
  for (const std::int64_t extent : dims) {
    if (extent < 0) fuzz::fail("an extent below zero");
    if (extent > most || (all *= extent) > most) return;
  }
  attempt([&] { file.read<double>(path); });
  attempt([&] { file.read<std::int64_t>(path); });
  if (!dims.empty() && dims[0] > 0) {
    std::vector<double> last(static_cast<std::size_t>(set.row_size()));
    attempt([&] { set.read_rows(dims[0] - 1, 1, last.data()); });
    bool beyond = true;
    try {
      std::vector<double> two(2 * last.size());
      set.read_rows(dims[0] - 1, 2, two.data());
    } catch (const Error&) {
      beyond = false;
    }
    if (beyond && !last.empty()) fuzz::fail("a row beyond the last was read");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::FuzzedFile kept(".h5");
  kept.hold({data, size});
  try {
    const io::File file = io::File::open(kept.path());
    if (fuzz::must_read()) file.read<double>("/starts");
    for (const char* path : {"/starts", "/q", "/v", "/copies", "/velocity"}) {
      attempt([&] {
        if (file.contains(path)) read_rows(file, path);
      });
    }
  } catch (const Error& error) {
    fuzz::refused(error);
  }
  return 0;
}
