// SPDX-License-Identifier: BSD-3-Clause
#include "io/data_set_spec.hpp"

#include <algorithm>
#include <functional>

namespace cotangent::io {

const char* name_of(DataType type) {
  return type == DataType::float64   ? "float64"
         : type == DataType::float32 ? "float32"
         : type == DataType::int32   ? "int32"
                                     : "int64";
}

std::string shape(DataType type, std::span<const std::int64_t> dims) {
  std::string text = std::string(name_of(type)) + " [";
  for (std::size_t i = 0; i < dims.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(dims[i]);
  return text + "]";
}

Units::Units(std::vector<std::string> by_column) : by_column_(std::move(by_column)) {
  const bool same = std::ranges::adjacent_find(by_column_, std::ranges::not_equal_to()) == by_column_.end();
  if (!same) return;
  of_all_ = by_column_.empty() ? "1" : by_column_.front();
  by_column_.clear();
}

std::int64_t DataSetSpec::elements() const {
  double product = 1;
  for (const std::int64_t extent : dims) product *= static_cast<double>(extent);
  return static_cast<std::int64_t>(std::min(product, 0x1p53));
}

std::int64_t DataSetSpec::bytes() const {
  return elements() * size_of(type);
}

}  // namespace cotangent::io
