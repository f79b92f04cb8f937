// SPDX-License-Identifier: BSD-3-Clause
#include "rods/series.hpp"

#include <algorithm>
#include <span>

namespace cotangent::rods {
namespace {

/// Rods whose points follow each other. A hold, which has no second end, is a chain by itself.
std::vector<RodSeries> chains_of(const std::function<std::array<int, 2>(std::size_t)>& ends,
                                 std::size_t begin, std::size_t end, std::size_t none) {
  std::vector<RodSeries> chains;
  for (std::size_t k = begin; k < end; ++k) {
    const auto [a, b] = ends(k);
    const auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
    const bool goes_on = !chains.empty() && second < none &&
                         first == chains.back().first + chains.back().count &&
                         second == chains.back().second + chains.back().count;
    if (goes_on) {
      ++chains.back().count;
    } else {
      chains.push_back({k, 1, first, second});
    }
  }
  return chains;
}

/// How often the first `pattern` of some chains stand one after another, each time by `shift` further on.
/// What is repeated shares no points, so that their order at a point may be that of the pattern.
std::size_t repetitions(std::span<const RodSeries> chains, std::size_t pattern, const RodSeries& shift,
                        std::size_t none) {
  std::size_t least = none, most = 0;
  for (const RodSeries& chain : chains.first(pattern)) {
    if (chain.first == none) return 1;
    for (const std::size_t end : {chain.first, chain.second}) {
      if (end == none) continue;
      least = std::min(least, end);
      most = std::max(most, end + chain.count - 1);
    }
  }
  if (most >= least + shift.points) return 1;
  const auto moved = [&](std::size_t end, std::size_t later) {
    return end == none || later == none ? end == later : later == end + shift.points;
  };
  std::size_t same = pattern;
  while (same < chains.size()) {
    const RodSeries &chain = chains[same - pattern], &later = chains[same];
    if (later.begin != chain.begin + shift.rods || later.count != chain.count ||
        !moved(chain.first, later.first) || !moved(chain.second, later.second))
      break;
    ++same;
  }
  return same / pattern;
}

}  // namespace

std::vector<RodSeries> series_of(const std::function<std::array<int, 2>(std::size_t)>& ends,
                                 std::size_t begin, std::size_t end, int none_known) {
  constexpr std::size_t longest_pattern = 16, short_chain = 8;
  const auto none = static_cast<std::size_t>(none_known);
  const std::vector<RodSeries> all = chains_of(ends, begin, end, none);
  std::vector<RodSeries> series;
  for (std::span<const RodSeries> chains(all); !chains.empty();) {
    std::size_t pattern = 1, count = 1;
    RodSeries shift{};
    for (; pattern <= longest_pattern && pattern < chains.size(); ++pattern) {
      shift.rods = chains[pattern].begin - chains[0].begin;
      shift.points = chains[pattern].first - chains[0].first;
      // Long chains stay as they are.
      if (chains[pattern].first <= chains[0].first || shift.rods >= short_chain * pattern) continue;
      count = repetitions(chains, pattern, shift, none);
      if (count > 1) break;
    }
    if (count == 1) {
      series.push_back(chains[0]);
      chains = chains.subspan(1);
      continue;
    }
    for (const RodSeries& chain : chains.first(pattern)) {
      for (std::size_t k = 0; k < chain.count; ++k) {
        const std::size_t second = chain.second == none ? none : chain.second + k;
        series.push_back({chain.begin + k, count, chain.first + k, second, shift.rods, shift.points});
      }
    }
    chains = chains.subspan(pattern * count);
  }
  return series;
}

}  // namespace cotangent::rods
