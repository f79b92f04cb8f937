// SPDX-License-Identifier: BSD-3-Clause
#include "io/hdf5.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <type_traits>
#include <unistd.h>
#include <utility>

#include "core/error.hpp"
#include "io/hdf5_calls.hpp"
#include "io/mpi_io.hpp"
#include "io/posix.hpp"
#include "parallel/failure.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::io {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t>, "Hdf5Handle holds a hid_t");

// Before the first call: no printing, since every failure is thrown.
void open_library() {
  static const bool once = H5open() >= 0 && H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
  (void)once;
}

hid_t native_type(DataType type) {
  return type == DataType::float64   ? H5T_NATIVE_DOUBLE
         : type == DataType::float32 ? H5T_NATIVE_FLOAT
         : type == DataType::int32   ? H5T_NATIVE_INT32
                                     : H5T_NATIVE_INT64;
}

// The file's bytes are the same whatever machine wrote them.
hid_t stored_type(DataType type) {
  return type == DataType::float64   ? H5T_IEEE_F64LE
         : type == DataType::float32 ? H5T_IEEE_F32LE
         : type == DataType::int32   ? H5T_STD_I32LE
                                     : H5T_STD_I64LE;
}

// No sieve buffer: HDF5 holds no written data back. No locks: the file can be read while it is written.
Hdf5Handle access_properties() {
  open_library();
  Hdf5Handle access = properties(H5P_FILE_ACCESS);
  H5Pset_sieve_buf_size(access.id(), 0);
  H5Pset_file_locking(access.id(), false, true);
  H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG);
  H5Pset_alignment(access.id(), 65536, 4096);
  return access;
}

}  // namespace

Hdf5Handle::Hdf5Handle(Hdf5Handle&& other) noexcept
    : id_(std::exchange(other.id_, -1)), close_(std::exchange(other.close_, nullptr)) {}

Hdf5Handle& Hdf5Handle::operator=(Hdf5Handle&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(close_, other.close_);
  return *this;
}

int Hdf5Handle::close() noexcept {
  if (id_ < 0) return 0;
  return close_(std::exchange(id_, -1));
}

std::int64_t DataSet::row_size() const noexcept {
  std::int64_t product = 1;
  for (std::size_t i = 1; i < dims_.size(); ++i) product *= dims_[i];
  return product;
}

void DataSet::transfer(bool write, DataType type, std::span<const std::int64_t> offset,
                       std::span<const std::int64_t> count, void* values) const {
  const auto doing = [&] { return std::string(write ? "write to " : "read from ") + path_; };
  // All may be read as float64, and int32 as int64; nothing else changes its type.
  const bool fits =
      type == type_ ||
      (!write && (type == DataType::float64 || (type == DataType::int64 && type_ == DataType::int32)));
  if (!fits)
    throw Error(file_ + ": cannot " + doing() + ": it holds " + name_of(type_) + ", not " + name_of(type));
  if (offset.size() != dims_.size() || count.size() != dims_.size())
    throw Error(file_ + ": cannot " + doing() + ": it has " + std::to_string(dims_.size()) +
                " dimensions, not " + std::to_string(offset.size()));
  Hdf5Handle memory;
  hid_t memory_space = H5S_ALL, file_space = H5S_ALL;
  if (!dims_.empty()) {
    const std::vector<hsize_t> start(offset.begin(), offset.end()), extent(count.begin(), count.end());
    if (std::ranges::count(extent, 0u) > 0) return;
    memory = Hdf5Handle(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose);
    check(H5Sselect_hyperslab(space_.id(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr),
          file_, doing());
    memory_space = memory.id();
    file_space = space_.id();
  }
  const herr_t result =
      write ? H5Dwrite(handle_.id(), native_type(type), memory_space, file_space, H5P_DEFAULT, values)
            : H5Dread(handle_.id(), native_type(type), memory_space, file_space, H5P_DEFAULT, values);
  check(result, file_, doing());
}

void DataSet::write_bytes(std::span<const std::int64_t> offset, std::span<const std::int64_t> count,
                          const std::byte* bytes, bool together) const {
  const std::string doing = "write to " + path_;
  const std::vector<hsize_t> start(offset.begin(), offset.end()), extent(count.begin(), count.end());
  const bool nothing = std::ranges::count(extent, 0u) > 0;
  if (nothing && !together) return;
  const int dimensions = std::max(1, static_cast<int>(extent.size()));
  const std::vector<hsize_t> shape_in_memory = extent.empty() ? std::vector<hsize_t>{1} : extent;
  const Hdf5Handle memory(H5Screate_simple(dimensions, shape_in_memory.data(), nullptr), H5Sclose);
  if (nothing) {
    H5Sselect_none(memory.id());
    H5Sselect_none(space_.id());
  } else if (extent.empty()) {
    H5Sselect_all(space_.id());
  } else {
    check(H5Sselect_hyperslab(space_.id(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr),
          file_, doing);
  }
  Hdf5Handle transfer = properties(H5P_DATASET_XFER);
  if (together) H5Pset_dxpl_mpio(transfer.id(), H5FD_MPIO_COLLECTIVE);
  check(H5Dwrite(handle_.id(), native_type(type_), memory.id(), space_.id(), transfer.id(), bytes), file_,
        doing);
}

std::vector<std::byte> DataSet::read_bytes(std::span<const std::int64_t> offset,
                                           std::span<const std::int64_t> count) const {
  std::int64_t numbers = 1;
  for (const std::int64_t extent : count) numbers *= extent;
  std::vector<std::byte> bytes(static_cast<std::size_t>(numbers * size_of(type_)));
  transfer(false, type_, offset, count, bytes.data());
  return bytes;
}

void DataSet::transfer_rows(bool write, DataType type, std::int64_t first, std::int64_t count,
                            void* values) const {
  std::vector<std::int64_t> offset(dims_.size(), 0), extent = dims_;
  if (!dims_.empty()) {
    offset[0] = first;
    extent[0] = count;
  }
  transfer(write, type, offset, extent, values);
}

File File::create(const std::filesystem::path& path) {
  const Hdf5Handle access = access_properties();
  const Hdf5Handle creation = properties(H5P_FILE_CREATE);
  H5Pset_obj_track_times(creation.id(), false);
  const hid_t id = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id());
  return {Hdf5Handle(check(id, path, "create the file"), H5Fclose), path};
}

File File::create_in(Descriptor& target, const std::filesystem::path& path) {
  File file = create(path);
  void* descriptor =
      nullptr;  // of the default driver: an open file of POSIX, which can be made to mean another
  check(H5Fget_vfd_handle(file.handle_.id(), H5P_DEFAULT, &descriptor), path, "redirect the file");
  check(::dup2(target.id(), *static_cast<int*>(descriptor)), path, "redirect the file");
  return file;
}

File File::open(const std::filesystem::path& path) {
  const Hdf5Handle properties = access_properties();
  const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, properties.id());
  return {Hdf5Handle(check(id, path, "open the file"), H5Fclose), path};
}

File File::open_together(const std::filesystem::path& path,
                         const std::vector<std::pair<std::string, std::string>>& hints) {
  parallel::agree(require_scratch);
  const Hdf5Handle access = access_properties();
  access_on_all_ranks(access.id(), hints);
  parallel::on_rank_zero([&] { forget_lock(path); });
  const FileFailureHandler alone([&](const std::string& reason) {
    parallel::end_alone(exit_file_system, path.string() + ": cannot open the file: " + reason);
  });
  const hid_t id = H5Fopen(with_folder(path).c_str(), H5F_ACC_RDWR, access.id());
  return {Hdf5Handle(check(id, path, "open the file"), H5Fclose), path};
}

namespace {

// Where a file couldn't be closed and nobody was there to be told.
std::string not_closed;

}  // namespace

File::~File() {
  try {
    close();
  } catch (const FileError& error) {
    not_closed = error.what();
  }
}

void require_closed() {
  if (!not_closed.empty()) throw FileError(not_closed);
}

void File::close() {
  check(handle_.close(), path_, "close the file");
}

bool File::contains(const std::string& path) const {
  // H5Lexists wants each group on the way to exist.
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    if (path == "/") return true;
    if (H5Lexists(handle_.id(), path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return true;
  }
}

bool File::contains_data_set(const std::string& path) const {
  if (!contains(path)) return false;
  const hid_t id = H5Oopen(handle_.id(), path.c_str(), H5P_DEFAULT);
  const Hdf5Handle object(check(id, path_, "open " + path), H5Oclose);
  return H5Iget_type(object.id()) == H5I_DATASET;
}

bool File::in_chunks(const std::string& path) const {
  const std::string doing = "look how " + path + " is stored";
  const Hdf5Handle set(check(H5Dopen2(handle_.id(), path.c_str(), H5P_DEFAULT), path_, doing), H5Dclose);
  const Hdf5Handle creation(check(H5Dget_create_plist(set.id()), path_, doing), H5Pclose);
  return H5Pget_layout(creation.id()) == H5D_CHUNKED;
}

bool File::takes_room(const std::string& path) const {
  const std::string doing = "look how " + path + " is stored";
  const Hdf5Handle set(check(H5Dopen2(handle_.id(), path.c_str(), H5P_DEFAULT), path_, doing), H5Dclose);
  return H5Dget_storage_size(set.id()) > 0;
}

DataSet File::data_set(const std::string& path) const {
  const std::string doing = "open the data set " + path;
  DataSet set;
  set.file_ = path_.string();
  set.path_ = path;
  set.handle_ = Hdf5Handle(check(H5Dopen2(handle_.id(), path.c_str(), H5P_DEFAULT), path_, doing), H5Dclose);
  set.space_ = Hdf5Handle(check(H5Dget_space(set.handle_.id()), path_, doing), H5Sclose);
  const int rank = check(H5Sget_simple_extent_ndims(set.space_.id()), path_, doing);
  std::vector<hsize_t> extent(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(set.space_.id(), extent.data(), nullptr), path_, doing);
  set.dims_.assign(extent.begin(), extent.end());
  const Hdf5Handle type(check(H5Dget_type(set.handle_.id()), path_, doing), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER)
    throw Error(path_.string() + ": " + path + " holds no numbers");
  const bool wide = H5Tget_size(type.id()) > 4;
  set.type_ = kind == H5T_FLOAT ? (wide ? DataType::float64 : DataType::float32)
              : wide            ? DataType::int64
                                : DataType::int32;
  return set;
}

std::vector<std::string> File::names_in(const std::string& group) const {
  std::vector<std::string> names;
  const auto keep = [](hid_t, const char* name, const H5L_info_t*, void* into) -> herr_t {
    static_cast<std::vector<std::string>*>(into)->emplace_back(name);
    return 0;
  };
  hsize_t begin = 0;
  check(H5Literate_by_name(handle_.id(), group.c_str(), H5_INDEX_NAME, H5_ITER_INC, &begin, keep, &names,
                           H5P_DEFAULT),
        path_, "list " + group);
  return names;
}

std::vector<std::string> File::data_sets_in(const std::string& group) const {
  std::vector<std::string> paths;
  for (const std::string& name : names_in(group)) {
    const std::string path = (group == "/" ? "" : group) + "/" + name, doing = "open " + path;
    const hid_t id = H5Oopen(handle_.id(), path.c_str(), H5P_DEFAULT);
    const Hdf5Handle object(check(id, path_, doing), H5Oclose);
    if (const H5I_type_t type = H5Iget_type(object.id()); type == H5I_DATASET) {
      paths.push_back(path);
    } else if (type == H5I_GROUP) {
      std::ranges::move(data_sets_in(path), std::back_inserter(paths));
    }
  }
  return paths;
}

DataSet File::make(const DataSetSpec& spec, const Hdf5Handle& creation) {
  const std::string doing = "create the data set " + spec.path;
  {
    const Hdf5Handle space = space_of(spec.dims), link = link_properties();
    const hid_t id = H5Dcreate2(handle_.id(), spec.path.c_str(), stored_type(spec.type), space.id(),
                                link.id(), creation.id(), H5P_DEFAULT);
    const Hdf5Handle set(check(id, path_, doing), H5Dclose);
  }
  if (const auto& units = spec.units.by_column(); units.empty()) {
    write_attribute(spec.path, "units", spec.units.of_all());
  } else {
    if (spec.dims.empty() || std::ssize(units) != spec.dims.back())
      throw Error(path_.string() + ": " + spec.path + " has " + shape(spec.type, spec.dims) +
                  " numbers, but units of " + std::to_string(units.size()) + " columns");
    write_attribute(spec.path, "units", units);
  }
  write_attribute(spec.path, "meaning", spec.meaning);
  for (const auto& [name, texts] : spec.labels) write_attribute(spec.path, name, texts);
  return data_set(spec.path);
}

DataSet File::create_data_set(const DataSetSpec& spec) {
  return make(spec, data_set_properties());
}

DataSet File::create_squeezed_data_set(const DataSetSpec& spec, std::span<const std::int64_t> chunk,
                                       int level) {
  const Hdf5Handle creation = properties(H5P_DATASET_CREATE);
  const std::vector<hsize_t> extent(chunk.begin(), chunk.end());
  H5Pset_chunk(creation.id(), static_cast<int>(extent.size()), extent.data());
  H5Pset_shuffle(creation.id());
  H5Pset_deflate(creation.id(), static_cast<unsigned>(level));
  H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_INCR);
  H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(creation.id(), false);
  return make(spec, creation);
}

// netCDF's own way to name a dimension that has no coordinates: a scale whose numbers are never written, so
// that it takes no room.
void File::make_scale(const std::string& path, std::int64_t length) {
  const Hdf5Handle link = link_properties(), creation = properties(H5P_DATASET_CREATE);
  H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_LATE);
  H5Pset_obj_track_times(creation.id(), false);
  const hsize_t extent = static_cast<hsize_t>(length);
  const Hdf5Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
  const hid_t id = H5Dcreate2(handle_.id(), path.c_str(), H5T_IEEE_F32BE, space.id(), link.id(),
                              creation.id(), H5P_DEFAULT);
  const Hdf5Handle scale(check(id, path_, "create the scale " + path), H5Dclose);
  const std::string name = fmt::format("This is a netCDF dimension but not a netCDF variable.{:10}", length);
  check(H5DSset_scale(scale.id(), name.c_str()), path_, "create the scale " + path);
  write_attribute(path, "units", std::string("1"));
  write_attribute(path, "meaning", std::string("a dimension's name alone"));
}

void File::name_dimensions(const std::string& path, const std::vector<std::string>& names) {
  const std::string doing = "name the dimensions of " + path;
  const std::vector<std::int64_t> extent = dims(path);
  const std::string group = path.substr(0, path.rfind('/') + 1);
  for (std::size_t d = 0; d < names.size(); ++d) {
    const std::string place = group + names[d];
    if (!contains(place)) make_scale(place, extent.at(d));
    const Hdf5Handle scale(check(H5Dopen2(handle_.id(), place.c_str(), H5P_DEFAULT), path_, doing), H5Dclose);
    if (H5DSis_scale(scale.id()) <= 0) check(H5DSset_scale(scale.id(), names[d].c_str()), path_, doing);
    if (place == path) continue;
    const Hdf5Handle set(check(H5Dopen2(handle_.id(), path.c_str(), H5P_DEFAULT), path_, doing), H5Dclose);
    check(H5DSattach_scale(set.id(), scale.id(), static_cast<unsigned>(d)), path_, doing);
  }
}

void File::create_group(const std::string& path) {
  const Hdf5Handle link = link_properties(), creation = properties(H5P_GROUP_CREATE);
  H5Pset_obj_track_times(creation.id(), false);
  const hid_t id = H5Gcreate2(handle_.id(), path.c_str(), link.id(), creation.id(), H5P_DEFAULT);
  const Hdf5Handle group(check(id, path_, "create the group " + path), H5Gclose);
}

void File::copy(const File& from, const std::string& path) {
  const Hdf5Handle link = link_properties();
  check(H5Ocopy(from.handle_.id(), path.c_str(), handle_.id(), path.c_str(), H5P_DEFAULT, link.id()), path_,
        "copy " + path + " from " + from.path_.string());
  for (const char* name :
       {"DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME"}) {  // references into the other file
    if (H5Aexists_by_name(handle_.id(), path.c_str(), name, H5P_DEFAULT) > 0)
      check(H5Adelete_by_name(handle_.id(), path.c_str(), name, H5P_DEFAULT), path_, "copy " + path);
  }
}

bool holds_open_files() {
  return H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_FILE) > 0;
}

bool is_hdf5(const std::filesystem::path& path) {
  open_library();
  return H5Fis_hdf5(path.c_str()) != 0;
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

}  // namespace cotangent::io
