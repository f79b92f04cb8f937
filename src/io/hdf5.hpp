// SPDX-License-Identifier: BSD-3-Clause
// HDF5 in a few words: files and data sets that close themselves, and failures that say what and where.
//
// Every failure of HDF5 is a FileError with file, operation and the innermost message of HDF5's stack (a full
// disk: "No space left on device"); HDF5's own printing is off. Raw data are never held back in memory, so
// what a write has returned from is the kernel's: it outlives the process. Files are not locked: a running
// result can be read. Reference: HDF5 1.10 user's guide. Limits: the types of DataType; strings whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/data_set_spec.hpp"
#include "io/posix.hpp"

namespace cotangent::io {

/// An identifier of HDF5 (hid_t) that closes itself. Move-only.
class Hdf5Handle {
 public:
  using Close = int (*)(std::int64_t);
  Hdf5Handle() = default;
  Hdf5Handle(std::int64_t id, Close close) : id_(id), close_(close) {}
  ~Hdf5Handle() { close(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept;
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;

  std::int64_t id() const noexcept { return id_; }
  /// Closes now; negative where HDF5 failed.
  int close() noexcept;
  /// Leaves it to the end of the program, where closing would wait for other ranks.
  void abandon() noexcept { id_ = -1; }

 private:
  std::int64_t id_ = -1;
  Close close_ = nullptr;
};

/// An open data set. Its name, type and extent are read once, on opening.
class DataSet {
 public:
  const std::vector<std::int64_t>& dims() const noexcept { return dims_; }
  /// The type that holds what the file holds: float32 or float64, int32 or int64.
  DataType type() const noexcept { return type_; }

  /// The hyperslab of extent `count` at `offset`, both of dims().size(); `values` is row-major, as long as
  /// the product of `count`. Independent of other ranks.
  template <Storable Number>
  void write(std::span<const std::int64_t> offset, std::span<const std::int64_t> count,
             const Number* values) {
    transfer(true, data_type<Number>, offset, count, const_cast<Number*>(values));
  }
  template <Storable Number>
  void read(std::span<const std::int64_t> offset, std::span<const std::int64_t> count, Number* values) const {
    transfer(false, data_type<Number>, offset, count, values);
  }
  /// The same with numbers of the data set's own type, as bytes. `together`: in one collective call of all
  /// ranks, which have opened the file together, each with a hyperslab of its own, possibly empty.
  void write_bytes(std::span<const std::int64_t> offset, std::span<const std::int64_t> count,
                   const std::byte* bytes, bool together) const;
  std::vector<std::byte> read_bytes(std::span<const std::int64_t> offset,
                                    std::span<const std::int64_t> count) const;
  /// Rows `first` to `first + count - 1` of the leading dimension; `values` holds them whole: count *
  /// row_size() numbers, row-major.
  template <Storable Number>
  void write_rows(std::int64_t first, std::int64_t count, const Number* values) {
    transfer_rows(true, data_type<Number>, first, count, const_cast<Number*>(values));
  }
  template <Storable Number>
  void read_rows(std::int64_t first, std::int64_t count, Number* values) const {
    transfer_rows(false, data_type<Number>, first, count, values);
  }
  /// How many numbers one row holds.
  std::int64_t row_size() const noexcept;
  /// As Hdf5Handle::abandon().
  void abandon() noexcept { handle_.abandon(); }

 private:
  friend class File;
  void transfer(bool write, DataType type, std::span<const std::int64_t> offset,
                std::span<const std::int64_t> count, void* values) const;
  void transfer_rows(bool write, DataType type, std::int64_t first, std::int64_t count, void* values) const;

  Hdf5Handle handle_, space_;
  std::string file_, path_;
  std::vector<std::int64_t> dims_;
  DataType type_ = DataType::float64;
};

/// An open file.
class File {
 public:
  /// A new file, in place of an older one.
  static File create(const std::filesystem::path& path);
  /// The same, but all its bytes go to `target`, and the named file stays empty.
  static File create_in(Descriptor& target, const std::filesystem::path& path);
  /// An existing file, for reading.
  static File open(const std::filesystem::path& path);
  /// An existing file, for all ranks to write to through MPI-IO, with hints for it by name. Collective.
  static File open_together(const std::filesystem::path& path,
                            const std::vector<std::pair<std::string, std::string>>& hints = {});

  ~File();
  File(File&&) = default;
  File& operator=(File&&) = default;

  const std::filesystem::path& path() const noexcept { return path_; }
  /// Closes now, and throws where the destructor leaves it to require_closed(). Collective where it was
  /// opened together.
  void close();
  /// As Hdf5Handle::abandon().
  void abandon() noexcept { handle_.abandon(); }

  bool contains(const std::string& path) const;
  /// Whether it contains one of this name, and not a group.
  bool contains_data_set(const std::string& path) const;
  DataSet data_set(const std::string& path) const;
  std::vector<std::int64_t> dims(const std::string& path) const { return data_set(path).dims(); }
  /// Whether a data set is stored in chunks, as create_squeezed_data_set() makes it.
  bool in_chunks(const std::string& path) const;
  /// Whether a data set has room in the file; netCDF's bare dimensions have none.
  bool takes_room(const std::string& path) const;
  /// A whole data set, row-major.
  template <Storable Number>
  std::vector<Number> read(const std::string& path) const {
    const DataSet set = data_set(path);
    std::vector<Number> values(
        static_cast<std::size_t>(DataSetSpec{path, set.type(), set.dims(), "", ""}.elements()));
    set.read(std::vector<std::int64_t>(set.dims().size(), 0), set.dims(), values.data());
    return values;
  }
  /// Rows of the leading dimension.
  template <Storable Number>
  std::vector<Number> read_rows(const std::string& path, std::int64_t first, std::int64_t count) const {
    const DataSet set = data_set(path);
    std::vector<Number> values(static_cast<std::size_t>(count * set.row_size()));
    set.read_rows(first, count, values.data());
    return values;
  }
  std::string read_text(const std::string& path) const { return read_texts(path).at(0); }
  /// All strings of a data set.
  std::vector<std::string> read_texts(const std::string& path) const;
  /// The names of what a group holds, in alphabetical order.
  std::vector<std::string> names_in(const std::string& group) const;
  /// The paths of all data sets below a group.
  std::vector<std::string> data_sets_in(const std::string& group) const;
  std::string text_attribute(const std::string& object, const std::string& name) const;
  /// Of one text a list of one.
  std::vector<std::string> text_list_attribute(const std::string& object, const std::string& name) const;
  bool has_attribute(const std::string& object, const std::string& name) const;
  std::int64_t integer_attribute(const std::string& object, const std::string& name) const;

  /// Made with its groups, and its space set apart; unwritten places read as zero.
  DataSet create_data_set(const DataSetSpec& spec);
  /// The same in chunks of this extent, squeezed by deflate at a level of 1 to 9 after a shuffle of bytes;
  /// its space is taken as it is written.
  DataSet create_squeezed_data_set(const DataSetSpec& spec, std::span<const std::int64_t> chunk, int level);
  /// Gives the dimensions of a data set their names: each by the data set beside it that has this name, its
  /// coordinate; where there is none, by a scale without numbers, which takes no room.
  void name_dimensions(const std::string& path, const std::vector<std::string>& names);
  void create_group(const std::string& path);
  /// An object of another file, with all that it holds, under the same path; its dimensions lose their names.
  void copy(const File& from, const std::string& path);
  /// One string, of any length.
  void write_text(const std::string& path, const std::string& text);
  /// Places of fixed length for strings, to be filled by overwrite_texts(). One where `count` is 0.
  void create_texts(const std::string& path, std::int64_t length, std::int64_t count = 0);
  /// Fills what create_texts() made, in place; what is longer is cut.
  void overwrite_texts(const std::string& path, const std::vector<std::string>& texts);
  void write_attribute(const std::string& object, const std::string& name, const std::string& text);
  void write_attribute(const std::string& object, const std::string& name, std::int64_t value);
  void write_attribute(const std::string& object, const std::string& name,
                       const std::vector<std::string>& texts);

 private:
  File(Hdf5Handle handle, std::filesystem::path path) : handle_(std::move(handle)), path_(std::move(path)) {}
  DataSet make(const DataSetSpec& spec, const Hdf5Handle& creation);
  void make_scale(const std::string& path, std::int64_t length);

  Hdf5Handle handle_;
  std::filesystem::path path_;
};

/// Whether HDF5 still holds a file open, such as one whose closing failed: it tries that again when MPI ends.
bool holds_open_files();
/// Throws what kept a file from being closed that closed itself.
void require_closed();
/// False where the file was read and is none of HDF5's.
bool is_hdf5(const std::filesystem::path& path);

/// "1.10.8"
std::string hdf5_version();

}  // namespace cotangent::io
