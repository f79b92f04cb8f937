// SPDX-License-Identifier: BSD-3-Clause
// A lattice on which a level function is known where it was asked for, and the cubes that its zero set
// crosses, found from cube to neighbouring cube. Along an axis on which the function repeats, a period is a
// whole number of cubes, and the last one's neighbour is the first.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "geometry/triangulation.hpp"

namespace cotangent::geometry::detail {

using Site = std::array<int, 3>;
constexpr int half_range = 1 << 19;

/// 60 bits that tell sites apart.
inline std::uint64_t packed(const Site& site) {
  std::uint64_t key = 0;
  for (int i : site) key = (key << 20) | static_cast<std::uint64_t>(i + half_range);
  return key;
}

/// The eight corners of a cube by their bits, 1 for x, 2 for y, 4 for z.
inline Site corner(const Site& cube, int bits) {
  return {cube[0] + (bits & 1), cube[1] + (bits >> 1 & 1), cube[2] + (bits >> 2 & 1)};
}

/// Values by keys of 63 bits, in one array that grows: open addressing.
template <class Value>
class KeyMap {
 public:
  /// The value of a key, and whether it is new.
  std::pair<Value&, bool> operator[](std::uint64_t key) {
    if (2 * count_ >= slots_.size()) grow();
    Slot& slot = find(key);
    const bool fresh = slot.key == none;
    if (fresh) {
      slot.key = key;
      ++count_;
    }
    return {slot.value, fresh};
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key = none;
    Value value{};
  };
  Slot& find(std::uint64_t key) {
    std::uint64_t at = key * 0x9e3779b97f4a7c15u;
    at ^= at >> 32;
    for (;; ++at) {
      Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.key == key || slot.key == none) return slot;
    }
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.key != none) find(slot.key) = slot;
    }
  }
  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  std::size_t count_ = 0;
};

/// A cube with the values at its corners.
struct Cube {
  Site site;
  std::array<double, 8> value;

  bool below(int bits) const { return value[static_cast<std::size_t>(bits)] < 0; }
  bool crossed() const {
    int negative = 0;
    for (double g : value) {
      if (!std::isfinite(g)) return false;
      negative += g < 0;
    }
    return negative > 0 && negative < 8;
  }
  bool face_crossed(int axis, int upper) const {
    int negative = 0;
    for (int bits = 0; bits < 8; ++bits) negative += (bits >> axis & 1) == upper && below(bits);
    return negative > 0 && negative < 4;
  }
};

class Lattice {
 public:
  /// Cubes of a side, or a little less along axes with a period; a box bounds the others.
  Lattice(const LevelFunction& g, double side, const std::optional<SpaceBox>& box,
          const SpacePoint& periods = {})
      : g_(g) {
    // Off the places at which symmetric surfaces meet a lattice about the origin.
    constexpr SpacePoint off{0.1370718, 0.2915026, 0.4330127};
    for (std::size_t n = 0; n < 3; ++n) {
      const bool periodic = periods[n] > 0;
      if (periodic) period_[n] = std::max(1, bounded(std::ceil(periods[n] / side - 1e-9)));
      side_[n] = periodic ? periods[n] / period_[n] : side;
      origin_[n] = off[n] * side_[n];
      if (periodic) {
        low_[n] = 0;
        high_[n] = period_[n];
      } else if (box) {
        low_[n] = bounded(std::ceil((box->low[n] - origin_[n]) / side));
        high_[n] = bounded(std::floor((box->high[n] - origin_[n]) / side));
      }
    }
  }

  SpacePoint place(const Site& site) const {
    SpacePoint x;
    for (std::size_t n = 0; n < 3; ++n) x[n] = origin_[n] + site[n] * side_[n];
    return x;
  }

  /// The cube that a point lies in, periods aside.
  Site home(const SpacePoint& point) const {
    Site site;
    for (std::size_t n = 0; n < 3; ++n) site[n] = bounded(std::floor((point[n] - origin_[n]) / side_[n]));
    return site;
  }

  /// Finds the crossed cubes that hang together with the points. False where there are more than `most`.
  bool find_cubes(std::span<const SpacePoint> points, std::int64_t most) {
    for (const SpacePoint& point : points) {
      const Site home = this->home(point);
      if (visit(home)) continue;
      for (int k = 0; k < 27; ++k) {  // by rounding, or where the surface bends back within a cube
        visit({home[0] + k % 3 - 1, home[1] + k / 3 % 3 - 1, home[2] + k / 9 - 1});
      }
    }
    for (std::size_t next = 0; next < cubes_.size(); ++next) {
      if (static_cast<std::int64_t>(cubes_.size()) > most) return false;
      const Cube cube = cubes_[next];
      for (int face = 0; face < 6; ++face) {
        if (!cube.face_crossed(face / 2, face % 2)) continue;
        Site neighbour = cube.site;
        neighbour[static_cast<std::size_t>(face / 2)] += face % 2 ? 1 : -1;
        visit(neighbour);
      }
    }
    return true;
  }
  const std::vector<Cube>& cubes() const { return cubes_; }

 private:
  static int bounded(double index) {
    return static_cast<int>(std::clamp(index, double(-half_range + 2), double(half_range - 4)));
  }
  /// The site within the period.
  Site wrapped(Site site) const {
    for (std::size_t n = 0; n < 3; ++n) {
      if (period_[n] > 0) site[n] = (site[n] % period_[n] + period_[n]) % period_[n];
    }
    return site;
  }
  /// Enters a cube into the list where it is crossed and not there yet. Whether it is crossed.
  bool visit(const Site& anywhere) {
    const Site site = wrapped(anywhere);
    const auto [crossed, fresh] = known_[packed(site)];
    if (!fresh) return crossed;
    for (std::size_t n = 0; n < 3; ++n) {
      if (site[n] < low_[n] || site[n] + 1 > high_[n]) return false;
    }
    Cube cube{site, {}};
    for (int bits = 0; bits < 8; ++bits)
      cube.value[static_cast<std::size_t>(bits)] = value(corner(site, bits));
    crossed = cube.crossed();
    if (crossed) cubes_.push_back(cube);
    return crossed;
  }
  double value(const Site& site) {
    const auto [result, fresh] = values_[packed(site)];
    if (fresh) result = g_(place(site)).value;
    return result;
  }

  const LevelFunction& g_;
  SpacePoint side_, origin_;
  Site period_{};  ///< cubes; 0: not periodic
  Site low_{-half_range, -half_range, -half_range};
  Site high_{half_range - 2, half_range - 2, half_range - 2};
  KeyMap<double> values_;
  KeyMap<bool> known_;
  std::vector<Cube> cubes_;
};

}  // namespace cotangent::geometry::detail
