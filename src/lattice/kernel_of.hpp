// SPDX-License-Identifier: BSD-3-Clause
// Kernel for one model: derivatives of its terms' copies, pack by pack, and their sums at the sites.
#pragma once

#include <algorithm>

#include "lattice/copies_of.hpp"

namespace cotangent::lattice {

template <class M>
class KernelOf final : public Kernel {
  using Copied = CopiesOf<M>;
  static constexpr int dim = Copied::dim, terms = Copied::terms;
  using Parameters = std::array<double, M::parameters.size()>;
  template <int T>
  using Term = typename Copied::template Term<T>;
  /// Whose numbers lie in the buffer: those of the terms before.
  static constexpr auto first_buffer = [] {
    std::array<int, static_cast<std::size_t>(terms) + 1> first{};
    const auto fill = [&]<int... T>(std::integer_sequence<int, T...>) {
      ((first[T + 1] = first[T] + Term<T>::count), ...);
    };
    fill(std::make_integer_sequence<int, terms>{});
    return first;
  }();
  static constexpr int buffers = first_buffer[terms];
  template <class Use>
  static void for_terms(const Use& use) {
    Copied::for_terms(use);
  }

 public:
  static constexpr bool separable = [] {
    const auto all = []<int... T>(std::integer_sequence<int, T...>) {
      return (Term<T>::separable && ...);
    };
    return all(std::make_integer_sequence<int, terms>{});
  }();

  KernelOf(const Parameters& parameters, const Sites& sites)
      : parameters_(parameters), sites_(sites), copies_(sites_) {
    if (sites_.listed) gather();
  }

  void force(const double* const* position, std::int64_t low, std::int64_t high,
             double* const* force) override {
    if constexpr (separable) {
      sweep<Positions>(position, nullptr, low, high);
      add_up(low, high, by_q_, force, [](int buffer) { return has_force(buffer); });
    }
  }

  void gradient(const double* const* position, const double* const* velocity, double* const* by_q,
                double* const* by_v) override {
    for (std::int64_t low = 0; low < sites_.range.own; low += block()) {
      const std::int64_t high = std::min(low + block(), sites_.range.own);
      sweep<Both>(position, velocity, low, high);
      std::array<double*, dim> q, v;
      for (int c = 0; c < dim; ++c) {
        q[static_cast<std::size_t>(c)] = by_q[c];
        v[static_cast<std::size_t>(c)] = by_v[c];
      }
      add_up(low, high, by_q_, q.data(), [](int buffer) { return has_force(buffer); });
      add_up(low, high, by_v_, v.data(), [](int buffer) { return has_momentum(buffer); });
    }
  }

  void energies(const double* const* position, const double* const* velocity, double* kinetic,
                double* potential) override {
    const std::int64_t own = sites_.range.own;
    std::fill_n(kinetic, own, 0.0);
    std::fill_n(potential, own, 0.0);
    for_terms([&]<int T>(std::integral_constant<int, T>) {
      copies_.template for_copies<T>(
          position, velocity, 0, own,
          [&](const auto& q, [[maybe_unused]] const auto& v, const std::int32_t* place, int lanes) {
            constexpr int n = Term<T>::count;
            typename Term<T>::template Values<Pack> zero;
            zero.fill(Pack(0.0));
            const Pack at_rest = ad::value(
                Term<T>::lagrangian(ad::constants<n, 1>(q), ad::constants<n, 1>(zero), parameters_));
            Pack of_motion(0.0);
            if constexpr (Term<T>::has_momentum) {
              const auto l =
                  Term<T>::lagrangian(ad::constants<n, 1>(q), ad::seed<0, n, 1, 1>(v), parameters_);
              const auto p = ad::gradient_of<n>(l);
              for (int i = 0; i < n; ++i) of_motion = fma(v[i], p[i], of_motion);
              of_motion -= Pack(ad::value(l)) - at_rest;
            }
            for (int k = 0; k < lanes; ++k) {
              const std::int32_t site = place[k * Term<T>::sites];
              if (site < 0 || site >= own) continue;
              kinetic[site] += numerics::lane(of_motion, k);
              potential[site] -= numerics::lane(at_rest, k);
            }
          });
    });
  }

  void masses(const double* const* position, double* const* mass) override {
    const std::int64_t own = sites_.range.own;
    for (int c = 0; c < dim; ++c) std::fill_n(mass[c], own, 0.0);
    for_terms([&]<int T>(std::integral_constant<int, T>) {
      if constexpr (Term<T>::has_momentum) {
        copies_.template for_copies<T>(
            position, position, -sites_.reach, own + sites_.reach,
            [&](const auto& q, const auto& v, const std::int32_t* place, int lanes) {
              constexpr int n = Term<T>::count;
              const auto hessian = ad::hessian_of<n>(
                  Term<T>::lagrangian(ad::constants<n, 2>(q), ad::seed<0, n, 2, 1>(v), parameters_));
              for (int i = 0; i < n; ++i) {
                for (int k = 0; k < lanes; ++k) {
                  const std::int32_t site = place[k * Term<T>::sites + i / dim];
                  if (site >= 0 && site < own) mass[i % dim][site] += numerics::lane(hessian[i][i], k);
                }
              }
            });
      }
    });
  }

  const Pattern& pattern() override {
    if (pattern_.begin.empty()) pattern_ = copies_.pattern(blocks_);
    return pattern_;
  }

  void second_derivatives(const double* const* position, const double* const* velocity,
                          SecondDerivatives& into) override {
    const auto entries = pattern().place.size() * dim * dim;
    into.mass.assign(entries, 0.0);
    into.gyration.assign(entries, 0.0);
    into.force.assign(entries, 0.0);
    if (into.with_cross) into.cross.assign(entries, 0.0);
    for_terms([&]<int T>(std::integral_constant<int, T>) {
      const auto& blocks = blocks_[T];
      std::size_t copy = 0;
      copies_.template for_copies<T>(
          position, velocity, -sites_.reach, sites_.range.own + sites_.reach,
          [&](const auto& q, const auto& v, const auto&, int lanes) {
            constexpr int n = Term<T>::count, sites = Term<T>::sites;
            const auto h = second_derivatives_of<T>(q, v);
            for (int k = 0; k < lanes; ++k, ++copy) {
              for (int i = 0; i < n; ++i) {
                for (int j = 0; j < n; ++j) {
                  const std::int64_t block =
                      blocks[copy * sites * sites + static_cast<std::size_t>(i / dim * sites + j / dim)];
                  if (block < 0) continue;
                  const auto at = static_cast<std::size_t>(block * dim * dim + i % dim * dim + j % dim);
                  into.force[at] += numerics::lane(h[i][j], k);
                  if constexpr (Term<T>::has_momentum) {
                    into.mass[at] += numerics::lane(h[n + i][n + j], k);
                    into.gyration[at] += numerics::lane(h[n + i][j], k) - numerics::lane(h[i][n + j], k);
                    if (into.with_cross) into.cross[at] += numerics::lane(h[n + i][j], k);
                  }
                }
              }
            }
          });
    });
  }

 private:
  static constexpr std::int64_t block() { return 256; }
  static constexpr bool has_force(int buffer) {
    return derivative(buffer, [](auto term, int i) { return decltype(term)::depends_on_position(i); });
  }
  static constexpr bool has_momentum(int buffer) {
    return derivative(buffer, [](auto term, int i) { return decltype(term)::depends_on_velocity(i); });
  }
  template <class Ask>
  static constexpr bool derivative(int buffer, const Ask& ask) {
    bool result = false;
    const auto look = [&]<int... T>(std::integer_sequence<int, T...>) {
      ((result |= buffer >= first_buffer[T] && buffer < first_buffer[T + 1] &&
                  ask(Term<T>{}, buffer - first_buffer[T])),
       ...);
    };
    look(std::make_integer_sequence<int, terms>{});
    return result;
  }

  struct Positions {
    static constexpr bool velocities = false;
  };
  struct Both {
    static constexpr bool velocities = true;
  };

  /// First derivatives of all copies that touch the sites from low to high, each into the buffer of its
  /// coordinate at its site (in lists: of its copy).
  template <class What>
  void sweep(const double* const* position, const double* const* velocity, std::int64_t low,
             std::int64_t high) {
    const std::int64_t margin = sites_.listed ? 0 : sites_.reach + pack;
    base_ = sites_.listed ? 0 : low - margin;
    stride_ = sites_.listed ? listed_stride_ : (high - low + 2 * margin + 2 * pack - 1) / pack * pack;
    const auto room = static_cast<std::size_t>(buffers * stride_);
    if (by_q_.size() < room) by_q_.resize(room);
    if (What::velocities && by_v_.size() < room) by_v_.resize(room);
    for_terms([&]<int T>(std::integral_constant<int, T>) {
      constexpr int n = Term<T>::count, first = first_buffer[T];
      using Seen = std::conditional_t<Term<T>::has_momentum, What, Positions>;
      if constexpr (!Seen::velocities && !Term<T>::has_force) return;
      double* const by_q = by_q_.data() + first * stride_ - base_;
      double* const by_v = Seen::velocities ? by_v_.data() + first * stride_ - base_ : nullptr;
      typename Term<T>::template Values<Pack> gq, gv;
      if (sites_.listed) {
        const Copies& copies = sites_.lists[T];
        const auto count = static_cast<std::int64_t>(copies.count());
        for (std::int64_t copy = 0; copy < count; copy += pack) {
          const int lanes = static_cast<int>(std::min<std::int64_t>(pack, count - copy));
          scattered<T, Seen>(position, velocity, copies.place.data() + copy * Term<T>::sites, lanes, gq, gv);
          for (int i = 0; i < n; ++i) {
            store(gq[i], by_q + i * stride_ + copy, lanes);
            if constexpr (Seen::velocities) store(gv[i], by_v + i * stride_ + copy, lanes);
          }
        }
        return;
      }
      const Placement& placement = copies_.placement(T);
      if (!placement.covers(low, high)) {
        for (int i = 0; i < n; ++i) {
          std::fill_n(by_q + i * stride_ + low, high - low, 0.0);
          if constexpr (Seen::velocities) std::fill_n(by_v + i * stride_ + low, high - low, 0.0);
        }
      }
      if (placement.empty()) return;
      const auto at_the_edge = [&](const std::int32_t* place, int lanes) {
        scattered<T, Seen>(position, velocity, place, lanes, gq, gv);
        for (int i = 0; i < n; ++i) {
          for (int k = 0; k < lanes; ++k) {
            const std::int32_t at = place[k * Term<T>::sites + i / dim];
            if (at < low || at >= high) continue;
            by_q[i * stride_ + at] = numerics::lane(gq[i], k);
            if constexpr (Seen::velocities) by_v[i * stride_ + at] = numerics::lane(gv[i], k);
          }
        }
      };
      typename Copied::template Waiting<T> waiting;
      placement.for_places(
          low - placement.greatest(), high - placement.least(), sites_.grid.length,
          [&](std::int64_t begin, std::int64_t places) {
            run<T, Seen>(position, velocity, placement, begin, begin + places, by_q, by_v);
          },
          [&](std::int64_t, const std::int64_t* place) {
            const auto wanted = [&](std::int64_t at) { return at >= low && at < high; };
            if (std::any_of(place, place + Term<T>::sites, wanted)) waiting.add(place, at_the_edge);
          });
      waiting.finish(at_the_edge);
    });
  }

  /// First derivatives of copies whose sites are at these places.
  template <int T, class What>
  [[gnu::noinline]] void scattered(const double* const* position, const double* const* velocity,
                                   const std::int32_t* place, int lanes,
                                   typename Term<T>::template Values<Pack>& gq,
                                   typename Term<T>::template Values<Pack>& gv) const {
    typename Term<T>::template Values<Pack> q, v;
    Copied::template read<T>(position, What::velocities ? velocity : nullptr, place, lanes, q, v);
    derivatives<T, What>(q, v, [&](int i, const Pack& of_q, const Pack& of_v) {
      gq[i] = of_q;
      if constexpr (What::velocities) gv[i] = of_v;
    });
  }

  /// A run of places, lanes side by side.
  template <int T, class What>
  [[gnu::flatten]] void run(const double* const* position, const double* const* velocity,
                            const Placement& placement, std::int64_t begin, std::int64_t end, double* by_q,
                            double* by_v) const {
    constexpr int n = Term<T>::count;
    std::array<const double*, n> from_q, from_v;
    std::array<double*, n> to_q, to_v;
    for (int i = 0; i < n; ++i) {
      const std::int64_t shift = placement.shift(i / dim);
      from_q[i] = position[i % dim] + shift;
      to_q[i] = by_q + i * stride_ + shift;
      from_v[i] = What::velocities ? velocity[i % dim] + shift : nullptr;
      to_v[i] = What::velocities ? by_v + i * stride_ + shift : nullptr;
    }
    typename Term<T>::template Values<Pack> q, v;
    for (std::int64_t at = begin; at < end; at += pack) {
      for (int i = 0; i < n; ++i) {
        q[i] = load(from_q[i] + at);
        if constexpr (What::velocities) v[i] = load(from_v[i] + at);
      }
      const std::int64_t count = end - at;
      derivatives<T, What>(q, v, [&](int i, const Pack& gq, const Pack& gv) {
        store(gq, to_q[i] + at, count);
        if constexpr (What::velocities) store(gv, to_v[i] + at, count);
      });
    }
  }

  /// By coordinates, and after them by velocities if the term has any.
  template <int T>
  [[gnu::always_inline]] auto second_derivatives_of(const typename Term<T>::template Values<Pack>& q,
                                                    const typename Term<T>::template Values<Pack>& v) const {
    constexpr int n = Term<T>::count;
    if constexpr (Term<T>::has_momentum) {
      return ad::hessian_of<2 * n>(
          Term<T>::lagrangian(ad::seed<0, 2 * n, 2, 0>(q), ad::seed<n, 2 * n, 2, 1>(v), parameters_));
    } else {
      return ad::hessian_of<n>(
          Term<T>::lagrangian(ad::seed<0, n, 2, 0>(q), ad::constants<n, 2>(v), parameters_));
    }
  }

  /// Hands put(i, dL/dq_i, dL/dv_i) the first derivatives of a pack of copies.
  template <int T, class What, class Put>
  [[gnu::always_inline]] void derivatives(const typename Term<T>::template Values<Pack>& q,
                                          const typename Term<T>::template Values<Pack>& v,
                                          const Put& put) const {
    constexpr int n = Term<T>::count;
    if constexpr (What::velocities) {
      const auto g = ad::gradient_of<2 * n>(
          Term<T>::lagrangian(ad::seed<0, 2 * n, 1, 0>(q), ad::seed<n, 2 * n, 1, 1>(v), parameters_));
      for (int i = 0; i < n; ++i) put(i, g[i], g[n + i]);
    } else {
      typename Term<T>::template Values<Pack> zero;
      zero.fill(Pack(0.0));
      const auto g = ad::gradient_of<n>(
          Term<T>::lagrangian(ad::seed<0, n, 1, 0>(q), ad::constants<n, 1>(zero), parameters_));
      for (int i = 0; i < n; ++i) put(i, g[i], g[i]);
    }
  }

  /// Sums of the buffers that hold anything at the sites from low to high.
  template <class Holds>
  void add_up(std::int64_t low, std::int64_t high, const numerics::AlignedVector<double>& buffer,
              double* const* into, const Holds& holds) const {
    if (sites_.listed) {
      for (std::int64_t site = low; site < high; ++site) {
        std::array<double, dim> sum{};
        for (std::int64_t k = begin_[static_cast<std::size_t>(site)];
             k < begin_[static_cast<std::size_t>(site) + 1]; ++k) {
          const auto [first, copy] = part_[static_cast<std::size_t>(k)];
          for (int c = 0; c < dim; ++c) {
            if (holds(first + c))
              sum[static_cast<std::size_t>(c)] +=
                  buffer[static_cast<std::size_t>((first + c) * stride_ + copy)];
          }
        }
        for (int c = 0; c < dim; ++c) into[c][site] = sum[static_cast<std::size_t>(c)];
      }
      return;
    }
    for (int c = 0; c < dim; ++c) {
      std::array<const double*, buffers> part;
      int parts = 0;
      for (int b = c; b < buffers; b += dim) {
        if (holds(b)) part[static_cast<std::size_t>(parts++)] = buffer.data() + b * stride_ - base_;
      }
      double* const to = into[c];
      for (std::int64_t at = low; at < high; at += pack) {
        Pack sum = parts > 0 ? load(part[0] + at) : Pack(0.0);
        for (int k = 1; k < parts; ++k) sum += load(part[static_cast<std::size_t>(k)] + at);
        store(sum, to + at, high - at);
      }
    }
  }

  /// Lists: which numbers of the buffers belong to which site.
  void gather() {
    std::vector<std::vector<Part>> of_site(static_cast<std::size_t>(sites_.range.own));
    for_terms([&]<int T>(std::integral_constant<int, T>) {
      const Copies& copies = sites_.lists[T];
      listed_stride_ = std::max(listed_stride_, static_cast<std::int64_t>(copies.count()) + pack);
      for (int k = 0; k < Term<T>::sites; ++k) {
        for (std::size_t copy = 0; copy < copies.count(); ++copy) {
          const std::int32_t place = copies.place[copy * Term<T>::sites + static_cast<std::size_t>(k)];
          if (place >= 0 && place < sites_.range.own)
            of_site[static_cast<std::size_t>(place)].push_back(
                {first_buffer[T] + k * dim, static_cast<std::int32_t>(copy)});
        }
      }
    });
    begin_.push_back(0);
    for (const auto& parts : of_site) {
      part_.insert(part_.end(), parts.begin(), parts.end());
      begin_.push_back(std::ssize(part_));
    }
  }

  Parameters parameters_;
  Sites sites_;
  Copied copies_;
  numerics::AlignedVector<double> by_q_, by_v_;
  std::int64_t base_ = 0, stride_ = 0, listed_stride_ = pack;
  struct Part {
    int buffer;
    std::int32_t copy;
  };
  std::vector<std::int64_t> begin_;  // lists: a site's parts
  std::vector<Part> part_;
  Pattern pattern_;
  std::vector<std::vector<std::int64_t>> blocks_;  // for each term, copy, pair of sites: the block, or -1
};

}  // namespace cotangent::lattice
