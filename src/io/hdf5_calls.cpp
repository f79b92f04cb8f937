// SPDX-License-Identifier: BSD-3-Clause
#include "io/hdf5_calls.hpp"

#include "core/error.hpp"

namespace cotangent::io {
namespace {

// The innermost message, or in its place the operating system's own words that it quotes.
std::string innermost_message() {
  std::string message;
  const auto keep_first = [](unsigned n, const H5E_error2_t* error, void* text) -> herr_t {
    if (n == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &message);
  H5Eclear2(H5E_DEFAULT);
  const std::string quote = "error message = '";
  if (const std::size_t begin = message.find(quote); begin != std::string::npos) {
    const std::size_t end = message.find('\'', begin + quote.size());
    message = message.substr(begin + quote.size(), end - begin - quote.size());
  }
  return message.empty() ? "no reason given" : message;
}

}  // namespace

void fail_call(const std::filesystem::path& file, const std::string& operation) {
  throw FileError(file.string() + ": cannot " + operation + ": " + innermost_message());
}

Hdf5Handle properties(hid_t kind) {
  return {H5Pcreate(kind), H5Pclose};
}

Hdf5Handle text_type(std::size_t length) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), length);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  if (length != H5T_VARIABLE) H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  return type;
}

Hdf5Handle space_of(const std::vector<std::int64_t>& dims) {
  if (dims.empty()) return {H5Screate(H5S_SCALAR), H5Sclose};
  const std::vector<hsize_t> extent(dims.begin(), dims.end());
  return {H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose};
}

Hdf5Handle link_properties() {
  Hdf5Handle link = properties(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(link.id(), 1);
  return link;
}

Hdf5Handle data_set_properties() {
  Hdf5Handle creation = properties(H5P_DATASET_CREATE);
  H5Pset_layout(creation.id(), H5D_CONTIGUOUS);
  H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(creation.id(), false);
  return creation;
}

}  // namespace cotangent::io
