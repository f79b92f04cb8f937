// SPDX-License-Identifier: BSD-3-Clause
// Cells of the ambient space, and their order along Morton's curve, which keeps neighbours in space near each
// other in memory. A cell is no smaller than the range of the lists, so that whatever a particle may feel
// lies in its own cell or one of the 26 around it. An axis may be periodic: particles then keep the
// coordinates that they travelled to, and distances are those to the nearest image. Reference: Samet,
// Foundations of Multidimensional and Metric Data Structures (2006), 2.1.1.2.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>

namespace cotangent::particles {

/// A period for each axis; 0: not periodic.
using Periods = std::array<double, 3>;

namespace detail {
/// Of three along each axis, the first axis first, what three join to.
template <class T, class Join>
constexpr std::array<T, 27> each_of_27(const std::array<std::array<T, 3>, 3>& axis, const Join& join) {
  std::array<T, 27> all{};
  std::size_t k = 0;
  for (const T z : axis[2]) {
    for (const T y : axis[1]) {
      for (const T x : axis[0]) all[k++] = join(join(x, y), z);
    }
  }
  return all;
}
}  // namespace detail

class Grid {
 public:
  using Cell = std::array<std::int32_t, 3>;
  using Key = std::uint64_t;

  Grid() = default;
  Grid(double range, const Periods& periods) {
    for (std::size_t n = 0; n < 3; ++n) {
      period_[n] = periods[n];
      // An even number, so that whole blocks follow one another round the period, or one; no more than keys
      // tell.
      count_[n] =
          periods[n] > 0
              ? static_cast<std::int32_t>(std::clamp(2 * std::floor(periods[n] / (2 * range)), 1.0, 0x1p20))
              : 0;
      inverse_[n] = count_[n] > 0 ? count_[n] / periods[n] : 1.0 / range;
    }
  }

  /// The cell of a point, q[0] to q[2].
  Cell cell(const double* q) const {
    Cell c;
    for (std::size_t n = 0; n < 3; ++n) {
      if (count_[n] > 0) {
        const double inside = q[n] - period_[n] * std::floor(q[n] / period_[n]);
        c[n] = std::min(static_cast<std::int32_t>(inside * inverse_[n]), count_[n] - 1);
      } else {
        const double place = std::floor(q[n] * inverse_[n]);
        c[n] = static_cast<std::int32_t>(std::min(std::max(place, -limit), limit));
      }
    }
    return c;
  }
  /// The keys of a cell and of those around it, round the periodic axes; where a period holds fewer than
  /// three cells, some come twice.
  std::array<Key, 27> keys_around(const Cell& c) const { return keys({c[0] - 1, c[1] - 1, c[2] - 1}, 1); }
  /// Some cells of a block, one bit for each.
  struct Part {
    Key block = 0;
    unsigned cells = 0;
  };
  /// The block that c lies in and all cells around it, round the periodic axes, each block once.
  std::span<const Part> around_block(const Cell& c, std::array<Part, 27>& parts) const {
    // Cells of a block that lie low or high along each axis.
    constexpr std::array<std::array<unsigned, 3>, 3> side{
        {{0xaa, 0xff, 0x55}, {0xcc, 0xff, 0x33}, {0xf0, 0xff, 0x0f}}};
    static constexpr auto touching = detail::each_of_27(side, std::bit_and<>());
    const auto cells = keys({(c[0] & ~1) - 2, (c[1] & ~1) - 2, (c[2] & ~1) - 2}, 2);
    std::size_t count = 0;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const Part part{block(cells[k]), touching[k]};
      std::size_t same = periodic() ? 0 : count;
      while (same < count && parts[same].block != part.block) ++same;
      if (same < count) {
        parts[same].cells |= part.cells;
      } else {
        parts[count++] = part;
      }
    }
    return {parts.data(), count};
  }
  /// The key of a cell's block of two cells along each axis.
  static Key block(Key key) { return key >> 3; }
  /// The lowest key of a block's cells.
  static Key first_of(Key block) { return block << 3; }
  static Key key(const Cell& c) { return part_of_key(c[0], 0) | part_of_key(c[1], 1) | part_of_key(c[2], 2); }
  Key key(const double* q) const { return key(cell(q)); }
  const Periods& periods() const { return period_; }
  bool periodic() const { return count_[0] > 0 || count_[1] > 0 || count_[2] > 0; }

 private:
  static constexpr double limit = (1 << 20) - 2;
  /// Of three cells along each axis, from the lowest on, so far apart.
  std::array<Key, 27> keys(const Cell& lowest, std::int32_t apart) const {
    std::array<std::array<Key, 3>, 3> part;
    for (std::size_t n = 0; n < 3; ++n) {
      for (std::int32_t k = 0; k < 3; ++k) {
        std::int32_t place = lowest[n] + k * apart;
        if (count_[n] > 0) place = (place + 2 * count_[n]) % count_[n];
        part[n][static_cast<std::size_t>(k)] = part_of_key(place, n);
      }
    }
    return detail::each_of_27(part, std::bit_or<>());
  }
  static Key part_of_key(std::int32_t place, std::size_t axis) {
    return spread(static_cast<std::uint64_t>(place + (1 << 20)) & 0x1fffff) << axis;
  }
  /// Two empty bits between any two of 21 bits.
  static std::uint64_t spread(std::uint64_t x) {
    x = (x | x << 32) & 0x1f00000000ffffu;
    x = (x | x << 16) & 0x1f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    x = (x | x << 2) & 0x1249249249249249u;
    return x;
  }

  Periods period_{};
  std::array<double, 3> inverse_{1.0, 1.0, 1.0};
  std::array<std::int32_t, 3> count_{};
};

}  // namespace cotangent::particles
