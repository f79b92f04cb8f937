// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/constraints.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "parallel/mpi.hpp"

namespace cotangent::lattice {

namespace {

std::string short_text(double x) {
  std::ostringstream text;
  text << x;
  return text.str();
}

}  // namespace

Constraints::Constraints(const Lattice& lattice, Kernel& multiplied, Ghosts& ghosts,
                         std::vector<TermInfo> infos)
    : lattice_(lattice),
      kernel_(multiplied),
      ghosts_(ghosts),
      infos_(std::move(infos)),
      n_(lattice.dim),
      k_(static_cast<int>(infos_.size())),
      present_(make(std::max(1, k_))),
      system_(lattice, multiplied.pattern(), n_ + k_, "pair_", BlockSystem::Solver::pivoting) {}

void Constraints::gradient(const SiteField& place, const SiteField& speed, SiteField& force,
                           SiteField& momentum) {
  kernel_.gradient(components(place).data(), components(speed).data(), components(force).data(),
                   components(momentum).data());
}

SiteField Constraints::values(const SiteField& q) {
  SiteField place = make(n_ + k_), speed = place, value = place, momentum = place;
  for (int c = 0; c < n_; ++c) std::copy_n(q[c], own(), place[c]);
  ghosts_.exchange(components(place));
  gradient(place, speed, value, momentum);
  return value;
}

double Constraints::error(const SiteField& q) {
  double error = 0;
  const SiteField value = values(q);
  for (int k = 0; k < k_; ++k) {
    for (std::int64_t x = 0; x < own(); ++x) error = std::max(error, std::abs(value[n_ + k][x]));
  }
  return parallel::maximum(error);
}

void Constraints::judge_start(const SiteField& q) {
  SiteField place = make(n_ + k_), speed = place, held_there = make(1);
  for (int c = 0; c < n_; ++c) std::copy_n(q[c], own(), place[c]);
  for (std::int64_t x = 0; x < own(); ++x) held_there[0][x] = held(x) ? 1.0 : 0.0;
  ghosts_.exchange(components({&place, &held_there}));
  SecondDerivatives derivatives;
  kernel_.second_derivatives(components(std::as_const(place)).data(), components(std::as_const(speed)).data(),
                             derivatives);
  const SiteField value = values(q);
  const auto begun = beginnings();
  parallel::agree([&] {
    for (std::int64_t x = 0; x < own(); ++x) {
      for (int k = 0; k < k_; ++k) {
        double free = 0, all = 0;
        for_gradient(derivatives, x, k, [&](std::int64_t other, int, double slope) {
          all = std::max(all, std::abs(slope));
          if (held_there[0][other] == 0) free = std::max(free, std::abs(slope));
        });
        const auto where = [&] {
          return "constraint '" + infos_[at(k)].name + "' of site " +
                 std::to_string(lattice_.here.range.first + x);
        };
        if (!(all > 0) && begun[at(x * k_ + k)] != 0)
          throw Error(where() + ": its gradient vanishes at the start");
        const double allowed = start_error(place, derivatives, x, k);
        if (!(std::abs(value[n_ + k][x]) <= allowed))
          throw Error(where() + " is missed at the start, by " + short_text(value[n_ + k][x]) +
                      "; its sites' places allow for " + short_text(allowed));
        present_[k][x] = free > 0 ? 1.0 : 0.0;
      }
    }
  });
}

std::vector<char> Constraints::beginnings() const {
  std::vector<char> begun(at(own() * k_), 0);
  for (int k = 0; k < k_; ++k) {
    if (lattice_.here.listed) {
      const Copies& list = lattice_.here.lists[lattice_.here.lists.size() - at(k_) + at(k)];
      for (std::size_t copy = 0; copy < list.count(); ++copy) {
        const std::int32_t x = list.place[copy * at(list.sites)];
        if (x >= 0 && x < own()) begun[at(x * std::int64_t{k_} + k)] = 1;
      }
      continue;
    }
    const auto& offsets = infos_[at(k)].sites;
    std::vector<std::int64_t> sites(offsets.size());
    for (std::int64_t x = 0; x < own(); ++x) {
      if (lattice_.here.grid.copy(offsets, lattice_.here.range.first + x, sites.data()))
        begun[at(x * k_ + k)] = 1;
    }
  }
  return begun;
}

double Constraints::start_error(const SiteField& place, const SecondDerivatives& derivatives, std::int64_t x,
                                int k) {
  std::vector<std::int64_t> sites;
  for_gradient(derivatives, x, k, [&](std::int64_t other, int, double slope) {
    if (slope != 0 && (sites.empty() || sites.back() != other)) sites.push_back(other);
  });
  double extent = 0;
  for (int c = 0; c < n_ && !sites.empty(); ++c) {
    const auto [least, most] =
        std::ranges::minmax(sites, {}, [&](std::int64_t site) { return place[c][site]; });
    extent = std::max(extent, sites.size() > 1 ? place[c][most] - place[c][least] : std::abs(place[c][most]));
  }
  double allowed = 0;
  for_gradient(derivatives, x, k, [&](std::int64_t other, int c, double slope) {
    allowed += std::abs(slope) * (1e-9 * extent + 1e-13 * std::abs(place[c][other]));
  });
  return allowed;
}

std::string Constraints::project(const SiteField& place, const SiteField& p, SiteField& v) {
  const int d = n_ + k_;
  SiteField speed = make(d), force = speed, momentum = speed, mu = make(std::max(1, k_));
  SecondDerivatives derivatives;
  std::vector<double> values(at(own() * d));
  constexpr int enough = 8, most_iterations = 40;
  for (int iteration = 0;; ++iteration) {
    for (int c = 0; c < n_; ++c) std::copy_n(v[c], own(), speed[c]);
    ghosts_.exchange(components({&speed, &mu}));
    gradient(place, speed, force, momentum);
    if (iteration % enough == 0) {
      kernel_.second_derivatives(components(place).data(), components(std::as_const(speed)).data(),
                                 derivatives);
      fill(derivatives);
    }
    std::fill(values.begin(), values.end(), 0.0);
    double missed = 0, scale = 0;
    for (std::int64_t x = 0; x < own(); ++x) {
      double* row = values.data() + x * d;
      for (int c = 0; c < n_ && !held(x); ++c) {
        row[c] = p[c][x] - momentum[c][x] + along(derivatives, x, c, mu);
        missed = std::max(missed, std::abs(row[c]));
        scale = std::max({scale, std::abs(p[c][x]), std::abs(momentum[c][x])});
      }
      for (int k = 0; k < k_; ++k) {
        if (!present(k, x)) continue;
        for_gradient(derivatives, x, k, [&](std::int64_t other, int c, double slope) {
          row[n_ + k] -= slope * speed[c][other];
        });
      }
    }
    if (std::string reason = system_.solve(values); !reason.empty()) return reason;
    double change = 0, size = 0;
    for (std::int64_t x = 0; x < own(); ++x) {
      for (int c = 0; c < n_; ++c) {
        const double by = values[at(x * d + c)];
        v[c][x] += by;
        change = std::isfinite(by) ? std::max(change, std::abs(by)) : HUGE_VAL;
        size = std::max(size, std::abs(v[c][x]));
      }
      for (int k = 0; k < k_; ++k) mu[k][x] += values[at(x * d + n_ + k)];
    }
    const auto most = parallel::maximum(std::vector<double>{change, size, missed, scale});
    if (!std::isfinite(most[0])) return "the velocities at a step's end became infinite or NaN";
    if (!(most[0] > 0x1p-50 * most[1])) return "";
    // What changes still is round-off where the momenta are met.
    if (iteration + 1 >= enough && most[2] <= 1e-12 * most[3]) return "";
    if (iteration + 1 == most_iterations)
      return "velocities with these momenta weren't found, along the constraints, in 40 iterations";
  }
}

double Constraints::along(const SecondDerivatives& derivatives, std::int64_t x, int c, const SiteField& mu) {
  const Pattern& pattern = kernel_.pattern();
  const int d = n_ + k_;
  double sum = 0;
  for (std::int64_t b = pattern.begin[at(x)]; b < pattern.begin[at(x) + 1]; ++b) {
    for (int k = 0; k < k_; ++k)
      sum = fma(derivatives.force[at((b * d + c) * d + n_ + k)], mu[k][pattern.place[at(b)]], sum);
  }
  return sum;
}

void Constraints::fill(const SecondDerivatives& derivatives) {
  const int d = n_ + k_;
  system_.fill([&](std::int64_t x, std::int64_t first, std::span<const std::int64_t> places,
                   std::span<double> values) {
    const int length = static_cast<int>(std::ssize(places)) * d;
    for (int b = 0; b < std::ssize(places); ++b) {
      for (int r = 0; r < d; ++r) {
        const bool still = r < n_ ? held(x) : !present(r - n_, x);
        for (int c = 0; c < d; ++c) {
          const auto entry = at(((first + b) * d + r) * d + c);
          double& value = values[at(r * length + b * d + c)];
          if (still) {
            value = places[at(b)] == x && r == c ? 1.0 : 0.0;
          } else if (r < n_) {
            value = c < n_ ? derivatives.mass[entry] : -derivatives.force[entry];
          } else {
            value = c < n_ ? derivatives.force[entry] : 0.0;
          }
        }
      }
    }
  });
}

}  // namespace cotangent::lattice
