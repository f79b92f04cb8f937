// SPDX-License-Identifier: BSD-3-Clause
// Model for one struct: what the struct states, and what follows where it states nothing.
#pragma once

#include "lattice/kernel_of.hpp"
#include "lattice/multiplied.hpp"

namespace cotangent::lattice {

template <class M>
class ModelOf final : public Model {
  using Parameters = std::array<double, M::parameters.size()>;

 public:
  std::string name() const override { return std::string(M::name); }
  std::string about() const override { return std::string(M::about); }
  std::vector<mechanics::Coordinate> coordinates() const override {
    return {M::coordinates.begin(), M::coordinates.end()};
  }
  std::vector<mechanics::Parameter> parameters() const override {
    return {M::parameters.begin(), M::parameters.end()};
  }
  std::vector<TermInfo> terms() const override {
    std::vector<TermInfo> list;
    const auto add = [&]<class... T>(std::tuple<T...>*, bool constraint) {
      (list.push_back({std::string(T::name), {T::sites.begin(), T::sites.end()}, constraint}), ...);
    };
    add(static_cast<typename M::Terms*>(nullptr), false);
    if constexpr (constraints_of<M> != 0) add(static_cast<typename M::Constraints*>(nullptr), true);
    return list;
  }
  std::vector<expressions::Tree> formulas() const override {
    std::vector<expressions::Tree> list;
    if constexpr (!requires { M::stated_by_deck; }) {
      const auto add = [&]<class... T>(std::tuple<T...>*) { (list.push_back(term_formula<T, M>()), ...); };
      add(static_cast<typename M::Terms*>(nullptr));
      if constexpr (constraints_of<M> != 0) add(static_cast<typename M::Constraints*>(nullptr));
    }
    return list;
  }
  bool separable() const override { return KernelOf<M>::separable; }
  std::optional<LinearChain> linear(std::span<const double> p) const override {
    if constexpr (requires { M::linear(values(p)); }) return M::linear(values(p));
    return std::nullopt;
  }
  std::vector<std::string> invariant_names() const override {
    if constexpr (requires { M::invariant_names(); }) return M::invariant_names();
    return {};
  }
  int invariant_reach() const override {
    if constexpr (requires { M::invariant_reach; }) return M::invariant_reach;
    return 0;
  }
  std::vector<double> invariant_shares(const double* q, const double* v, const Grid& chain,
                                       const Range& range, std::span<const double> p) const override {
    if constexpr (requires { M::invariant_shares(q, v, chain, range, values(p)); })
      return M::invariant_shares(q, v, chain, range, values(p));
    return {};
  }
  std::vector<Wave> waves() const override {
    if constexpr (requires { M::waves(); }) return M::waves();
    return {};
  }
  double spacing(std::span<const double> p) const override {
    if constexpr (requires { M::spacing(values(p)); }) return M::spacing(values(p));
    return 1.0;
  }
  std::unique_ptr<Kernel> kernel(std::span<const double> p, const Sites& sites) const override {
    return std::make_unique<KernelOf<M>>(values(p), sites);
  }
  int constraints() const override { return constraints_of<M>; }
  std::unique_ptr<Kernel> multiplied(std::span<const double> p, const Sites& sites) const override {
    if constexpr (constraints_of<M> != 0) return std::make_unique<KernelOf<Multiplied<M>>>(values(p), sites);
    return kernel(p, sites);
  }

 private:
  static Parameters values(std::span<const double> given) {
    Parameters p;
    std::copy_n(given.begin(), p.size(), p.begin());
    return p;
  }
};

}  // namespace cotangent::lattice
