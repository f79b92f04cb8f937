// SPDX-License-Identifier: BSD-3-Clause
// What a data set is: path, type, extent, units and meaning, before any file holds it.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cotangent::io {

enum class DataType { float64, int32, int64, float32 };

/// A number that a data set holds.
template <class Number>
concept Storable = std::same_as<Number, double> || std::same_as<Number, std::int32_t> ||
    std::same_as<Number, std::int64_t> || std::same_as<Number, float>;

template <Storable Number>
inline constexpr DataType data_type = std::same_as<Number, double>         ? DataType::float64
                                      : std::same_as<Number, std::int32_t> ? DataType::int32
                                      : std::same_as<Number, std::int64_t> ? DataType::int64
                                                                           : DataType::float32;
/// The bytes of one number, in memory and in the file.
constexpr std::int64_t size_of(DataType type) {
  return type == DataType::int32 || type == DataType::float32 ? 4 : 8;
}
/// "float64", for messages.
const char* name_of(DataType type);
/// "float64 [37, 11]", for messages.
std::string shape(DataType type, std::span<const std::int64_t> dims);

/// The unit of a data set, or one for each of its columns: then the attribute `units` is a list beside
/// `columns`. Models count lengths, masses, times and energies in units of their own, which have no names:
/// whatever is counted in these alone says "1", and that includes all times and the velocities of such
/// coordinates. An angle says "rad" and its velocity "rad/time": radians in the model's unit of time; a
/// coordinate in "m" would have the velocity "m/time". Integers, indices and ratios say "1" too; what a clock
/// has measured says "s".
class Units {
 public:
  Units(const char* of_all) : of_all_(of_all) {}
  Units(std::string of_all) : of_all_(std::move(of_all)) {}
  /// By column; one for all where they agree.
  Units(std::vector<std::string> by_column);

  /// One for each column, or empty where all have one unit, which `of_all` then is.
  const std::vector<std::string>& by_column() const noexcept { return by_column_; }
  const std::string& of_all() const noexcept { return of_all_; }

 private:
  std::string of_all_;
  std::vector<std::string> by_column_;
};

/// A data set to be made: absolute path, type, extent (none for a scalar), and what a reader has to know.
struct DataSetSpec {
  std::string path;
  DataType type = DataType::float64;
  std::vector<std::int64_t> dims;
  Units units = "1";
  std::string meaning;
  /// More attributes that are lists of texts: "columns" names the last dimension, "names" the integers.
  std::vector<std::pair<std::string, std::vector<std::string>>> labels = {};
  bool frames = false;  ///< whole states, of which `[output] precision` decides how they are stored

  std::int64_t elements() const;
  std::int64_t bytes() const;
};

/// Whether a data set tells of the run, which compression and dimensions leave as it is.
inline bool of_the_run(const std::string& path) {
  return path.starts_with("/run/");
}

}  // namespace cotangent::io
