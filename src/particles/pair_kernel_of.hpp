// SPDX-License-Identifier: BSD-3-Clause
// PairKernel for one potential.
#pragma once

#include "mechanics/formulas_of.hpp"
#include "particles/pair_kernel.hpp"

namespace cotangent::particles {

template <class P>
class PairKernelOf final : public PairKernel {
  using R = numerics::Lanes<pack>;
  using Parameters = std::array<double, P::parameters.size()>;

 public:
  PairKernelOf(const Parameters& parameters, const mechanics::CutOff& cut)
      : parameters_(parameters), cut_(cut) {}

  const mechanics::CutOff& cut() const override { return cut_; }
  mechanics::PairEnergy<double> energy(double s) const override {
    if (s > cut_.radius * cut_.radius) return {0.0, 0.0};
    return switches() ? felt<true>(s) : felt<false>(s);
  }
  void forces(const NeighbourLists& lists, const double* position, const Image& image, int first, int packs,
              const std::array<double*, 3>& force) const override {
    (switches() ? &PairKernelOf::sum_forces<true>
                : &PairKernelOf::sum_forces<false>)(*this, lists, position, image, first, packs, force);
  }
  void energies(const NeighbourLists& lists, const double* position, const Image& image, int first, int packs,
                double* energy) const override {
    (switches() ? &PairKernelOf::sum_energies<true>
                : &PairKernelOf::sum_energies<false>)(*this, lists, position, image, first, packs, energy);
  }

 private:
  bool switches() const { return cut_.switch_from < cut_.radius; }
  template <bool switched, class R>
  [[gnu::always_inline]] mechanics::PairEnergy<R> felt(const R& s) const {
    auto u = [&] {
      if constexpr (switched) {
        return mechanics::switched_pair_energy<P>(s, parameters_, cut_);
      } else {
        return mechanics::pair_energy<P>(s, parameters_);
      }
    }();
    u.value = u.value - R(cut_.shift);
    return u;
  }
  /// Calls use(r, s, within) for each neighbour of pack p in turn, r = q - q'.
  template <class Use>
  [[gnu::always_inline]] void for_neighbours(const NeighbourLists& lists, const double* position,
                                             const Image& image, int p, const Use& use) const {
    const auto q = numerics::rows_of_four<pack>(position, lists.particles(p).data());
    const R limit(cut_.radius * cut_.radius);
    const auto places = lists.neighbours(p);
    if (places.empty()) return;
    struct Pairs {
      std::array<R, 3> r;
      R s;
    };
    const auto pairs = [&](const std::uint32_t* at) {
      const auto other = numerics::rows_of_four<pack>(position, at);
      Pairs x;
      x.r = {q[0] - other[0], q[1] - other[1], q[2] - other[2]};
      x.s = image.squared_distance(x.r);
      return x;
    };
    const std::uint32_t *at = places.data(), *const last = at + (places.size() - pack);
    Pairs next = pairs(at);
    for (; at != last; at += pack) {
      const Pairs now = next;
      next = pairs(at + pack);
      use(now.r, now.s, now.s <= limit);
    }
    use(next.r, next.s, next.s <= limit);
  }
  /// Each lane of pack p to its particle's place, counted from the first of pack `first`.
  static void put(const NeighbourLists& lists, int p, int first, const R& x, double* to) {
    const auto place = lists.particles(p);
    for (std::size_t lane = 0; lane < pack; ++lane)
      to[place[lane] / 4 - std::size_t{pack} * static_cast<std::size_t>(first)] = x[static_cast<int>(lane)];
  }
  template <bool switched>
  static void sum_forces(const PairKernelOf& self, const NeighbourLists& lists, const double* position,
                         const Image& image, int first, int packs, const std::array<double*, 3>& force) {
    for (int p = first; p < first + packs; ++p) {
      std::array<R, 3> sum{R(0.0), R(0.0), R(0.0)};
      self.for_neighbours(lists, position, image, p, [&](const std::array<R, 3>& r, const R& s, auto within) {
        const R slope = select(within, self.felt<switched>(s).slope, R(0.0));
        for (std::size_t n = 0; n < 3; ++n) sum[n] = fma(slope, r[n], sum[n]);
      });
      for (std::size_t n = 0; n < 3; ++n) put(lists, p, first, R(-2.0) * sum[n], force[n]);
    }
  }
  template <bool switched>
  static void sum_energies(const PairKernelOf& self, const NeighbourLists& lists, const double* position,
                           const Image& image, int first, int packs, double* energy) {
    for (int p = first; p < first + packs; ++p) {
      R sum(0.0);
      self.for_neighbours(lists, position, image, p, [&](const std::array<R, 3>&, const R& s, auto within) {
        sum += select(within, R(0.5) * self.felt<switched>(s).value, R(0.0));
      });
      put(lists, p, first, sum, energy);
    }
  }

  Parameters parameters_;
  mechanics::CutOff cut_;
};

template <class P>
class PotentialOf final : public Potential {
  using Parameters = std::array<double, P::parameters.size()>;

 public:
  std::string name() const override { return std::string(P::name); }
  std::string about() const override { return std::string(P::about); }
  std::vector<mechanics::Parameter> parameters() const override {
    return {P::parameters.begin(), P::parameters.end()};
  }
  std::optional<expressions::Tree> formula() const override { return mechanics::potential_formula<P>(); }
  std::optional<double> usual_cut(std::span<const double> parameters) const override {
    if constexpr (requires { P::usual_cut; }) return P::usual_cut * P::scale(values(parameters));
    return std::nullopt;
  }
  bool ends() const override {
    return requires {
      P::ends;
    };
  }
  std::optional<double> range(std::span<const double> parameters, double tolerance) const override {
    const Parameters p = values(parameters);
    return mechanics::range([&](double s) { return mechanics::pair_energy<P>(s, p); }, P::scale(p),
                            tolerance);
  }
  std::unique_ptr<PairKernel> kernel(std::span<const double> parameters, double cut, CutMode mode,
                                     double switch_from) const override {
    const Parameters p = values(parameters);
    mechanics::CutOff off{cut, mode == CutMode::switched ? switch_from : cut, 0.0};
    if (mode == CutMode::shifted && cut > 0) off.shift = mechanics::pair_energy<P>(cut * cut, p).value;
    return std::make_unique<PairKernelOf<P>>(p, off);
  }

 private:
  static Parameters values(std::span<const double> given) {
    Parameters p;
    std::copy_n(given.begin(), p.size(), p.begin());
    return p;
  }
};

}  // namespace cotangent::particles
