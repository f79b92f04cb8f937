// SPDX-License-Identifier: BSD-3-Clause
// The copies of a model's terms as one rank sees them: where they are, and their coordinates in packs.
#pragma once

#include <algorithm>

#include "lattice/kernel.hpp"
#include "lattice/pattern.hpp"

namespace cotangent::lattice {

template <class M>
class CopiesOf {
 public:
  static constexpr int dim = M::dim;
  static constexpr int terms = static_cast<int>(std::tuple_size_v<typename M::Terms>);
  template <int T>
  using Term = TermOf<std::tuple_element_t<T, typename M::Terms>, M>;
  /// use(integral constant T) for each term.
  template <class Use>
  static void for_terms(const Use& use) {
    const auto all = [&]<int... T>(std::integer_sequence<int, T...>) {
      (use(std::integral_constant<int, T>{}), ...);
    };
    all(std::make_integer_sequence<int, terms>{});
  }

  /// Of sites, which outlive it.
  explicit CopiesOf(const Sites& sites) : sites_(sites) {
    if (sites_.listed) return;
    for_terms([&]<int T>(std::integral_constant<int, T>) {
      placement_.emplace_back(sites_.grid, std::tuple_element_t<T, typename M::Terms>::sites, sites_.range);
    });
  }

  /// On grids: where a term's copies are.
  const Placement& placement(int term) const { return placement_[static_cast<std::size_t>(term)]; }

  /// Single copies, handed on in packs: use(places of their sites, how many copies).
  template <int T>
  class Waiting {
   public:
    template <class Use>
    void add(const std::int64_t* place, const Use& use) {
      std::copy_n(place, Term<T>::sites, place_.begin() + count_ * Term<T>::sites);
      if (++count_ == pack) finish(use);
    }
    template <class Use>
    void finish(const Use& use) {
      if (count_ > 0) use(place_.data(), count_);
      count_ = 0;
    }

   private:
    std::array<std::int32_t, static_cast<std::size_t>(pack) * Term<T>::sites> place_;
    int count_ = 0;
  };

  /// Coordinates, and velocities if there are any, of copies whose sites are at these places.
  template <int T, class Values>
  static void read(const double* const* position, const double* const* velocity, const std::int32_t* place,
                   int lanes, Values& q, Values& v) {
    for (int i = 0; i < Term<T>::count; ++i) {
      for (int k = 0; k < pack; ++k) {
        const std::int32_t at = place[std::min(k, lanes - 1) * Term<T>::sites + i / dim];
        numerics::set_lane(q[i], k, position[i % dim][at]);
        if (velocity != nullptr) numerics::set_lane(v[i], k, velocity[i % dim][at]);
      }
    }
  }

  /// Calls use(q, v, place, lanes) for the copies of a term whose place is within [low, high), where listed
  /// for all; place[lane * sites + k] is where the k-th site of a lane's copy is. One body for all ways to
  /// come by copies: what is made of them may be long.
  template <int T, class Use>
  void for_copies(const double* const* position, const double* const* velocity, std::int64_t low,
                  std::int64_t high, const Use& use) const {
    constexpr int sites = Term<T>::sites;
    typename Term<T>::template Values<Pack> q, v;
    const auto hand_on = [&](const std::int32_t* place, int lanes) __attribute__((noinline)) {
      use(q, v, place, lanes);
    };
    const auto indexed = [&](const std::int32_t* place, int lanes) {
      read<T>(position, velocity, place, lanes, q, v);
      hand_on(place, lanes);
    };
    if (sites_.listed) {
      const Copies& copies = sites_.lists[T];
      for (std::size_t k = 0; k < copies.count(); k += pack)
        indexed(copies.place.data() + k * sites,
                static_cast<int>(std::min<std::size_t>(pack, copies.count() - k)));
      return;
    }
    const Placement& placement = placement_[T];
    Waiting<T> waiting;
    placement.for_places(
        low, high, 0,
        [&](std::int64_t first, std::int64_t places) {
          std::array<std::int32_t, static_cast<std::size_t>(pack) * sites> place;
          for (std::int64_t at = first; at < first + places; at += pack) {
            for (int i = 0; i < Term<T>::count; ++i) {
              const std::int64_t from = at + placement.shift(i / dim);
              q[i] = load(position[i % dim] + from);
              if (velocity != nullptr) v[i] = load(velocity[i % dim] + from);
            }
            for (int k = 0; k < pack * sites; ++k)
              place[static_cast<std::size_t>(k)] =
                  static_cast<std::int32_t>(at + k / sites + placement.shift(k % sites));
            hand_on(place.data(), static_cast<int>(std::min<std::int64_t>(pack, first + places - at)));
          }
        },
        [&](std::int64_t, const std::int64_t* place) { waiting.add(place, indexed); });
    waiting.finish(indexed);
  }

  /// Of the rows of this rank's sites; `blocks` as pattern_of() says.
  Pattern pattern(std::vector<std::vector<std::int64_t>>& blocks) const {
    std::vector<Copies> all(terms);
    const std::int64_t own = sites_.range.own;
    for_terms([&]<int T>(std::integral_constant<int, T>) {
      all[T].sites = Term<T>::sites;
      // Nothing of the values is used: any numbers at hand serve.
      const std::vector<double> blank(
          static_cast<std::size_t>(sites_.left + own + sites_.right + 2 * sites_.reach + 4 * pack), 0.0);
      std::array<const double*, dim> pointers;
      pointers.fill(blank.data() + sites_.left + sites_.reach + pack);
      for_copies<T>(pointers.data(), nullptr, -sites_.reach, own + sites_.reach,
                    [&](const auto&, const auto&, const std::int32_t* place, int lanes) {
                      all[T].place.insert(all[T].place.end(), place, place + lanes * Term<T>::sites);
                    });
    });
    return pattern_of(all, own, blocks);
  }

 private:
  const Sites& sites_;
  std::vector<Placement> placement_;
};

}  // namespace cotangent::lattice
