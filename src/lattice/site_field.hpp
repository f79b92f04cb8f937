// SPDX-License-Identifier: BSD-3-Clause
// Numbers at sites, component by component, with room for ghosts on both sides and for a last pack of lanes
// that sticks out.
#pragma once

#include <cstdint>

#include "numerics/aligned.hpp"
#include "numerics/lanes.hpp"

namespace cotangent::lattice {

/// Lanes over sites.
inline constexpr int pack = numerics::native_width;
using Pack = numerics::Lanes<pack>;

class SiteField {
 public:
  SiteField() = default;
  /// Components of sites -left to own + right, all zero.
  SiteField(int components, std::int64_t left, std::int64_t own, std::int64_t right)
      : components_(components),
        left_((left + pack - 1) / pack * pack + pack),
        stride_((left_ + own + right + 2 * pack - 1) / pack * pack),
        values_(static_cast<std::size_t>(components * stride_), 0.0) {}

  int components() const { return components_; }
  /// Component c; site 0 is the first that this rank owns.
  double* operator[](int c) { return values_.data() + c * stride_ + left_; }
  const double* operator[](int c) const { return values_.data() + c * stride_ + left_; }

 private:
  int components_ = 0;
  std::int64_t left_ = 0, stride_ = 0;
  numerics::AlignedVector<double> values_;
};

/// Lanes of consecutive sites.
[[gnu::always_inline]] inline Pack load(const double* from) {
  Pack x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}
/// The first `count` of them go back.
[[gnu::always_inline]] inline void store(const Pack& x, double* to, std::int64_t count = pack) {
  if (count >= pack) {
    __builtin_memcpy(to, &x, sizeof x);
  } else {
    for (int k = 0; k < count; ++k) to[k] = numerics::lane(x, k);
  }
}

}  // namespace cotangent::lattice
