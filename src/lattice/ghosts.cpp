// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/ghosts.hpp"

#include <algorithm>

#include "parallel/mpi.hpp"

namespace cotangent::lattice {

std::vector<Ghost> ghosts_of(const Grid& grid, const Range& range, std::int64_t depth) {
  std::vector<Ghost> result;
  const std::int64_t n = grid.sites();
  const auto add = [&](std::int64_t place) {
    const std::int64_t site = range.first + place;
    if (grid.closed() || (site >= 0 && site < n)) result.push_back({(site % n + n) % n, place});
  };
  for (std::int64_t k = -depth; k < 0; ++k) add(k);
  for (std::int64_t k = 0; k < depth; ++k) add(range.own + k);
  return result;
}

Ghosts::Ghosts(std::int64_t sites, const Range& range, const std::vector<Ghost>& wanted) {
  const int ranks = parallel::size();
  std::vector<std::vector<std::int64_t>> asked(static_cast<std::size_t>(ranks));
  std::vector<std::vector<std::int64_t>> places(static_cast<std::size_t>(ranks));
  for (const Ghost& ghost : wanted) {
    if (range.holds(ghost.site)) {
      own_.push_back({ghost.site - range.first, ghost.place});
      continue;
    }
    const auto rank = static_cast<std::size_t>(Range::rank_of(ghost.site, sites, ranks));
    asked[rank].push_back(ghost.site);
    places[rank].push_back(ghost.place);
  }
  for (const auto& list : places) places_.insert(places_.end(), list.begin(), list.end());
  needed_ = parallel::any(!places_.empty());
  if (!needed_) return;
  std::vector<std::int64_t> from_each;
  const auto requests = parallel::exchange(std::move(asked), &from_each);
  std::vector<std::int32_t> row_of(static_cast<std::size_t>(range.own), -1);
  rows_.resize(static_cast<std::size_t>(ranks));
  std::size_t next = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::int64_t k = 0; k < from_each[r]; ++k, ++next) {
      const auto place = static_cast<std::size_t>(requests[next] - range.first);
      if (row_of[place] < 0) {
        row_of[place] = static_cast<std::int32_t>(sent_.size());
        sent_.push_back(static_cast<std::int32_t>(place));
      }
      rows_[r].push_back(row_of[place]);
    }
  }
}

void Ghosts::exchange(std::span<double* const> components) {
  for (double* x : components) {
    for (const Ghost& ghost : own_) x[ghost.place] = x[ghost.site];
  }
  if (!needed_) return;
  const std::size_t width = components.size();
  auto [at, made] = plans_.try_emplace(width);
  Plan& plan = at->second;
  if (made) {
    plan.halo = parallel::HaloPlan(rows_, static_cast<int>(width));
    plan.out.resize(sent_.size() * width);
    plan.in.resize(places_.size() * width);
  }
  for (std::size_t c = 0; c < width; ++c) {
    for (std::size_t k = 0; k < sent_.size(); ++k) plan.out[k * width + c] = components[c][sent_[k]];
  }
  plan.halo.start(plan.out.data(), plan.in.data());
  plan.halo.finish();
  for (std::size_t c = 0; c < width; ++c) {
    for (std::size_t k = 0; k < places_.size(); ++k) components[c][places_[k]] = plan.in[k * width + c];
  }
}

}  // namespace cotangent::lattice
