// SPDX-License-Identifier: BSD-3-Clause
// Series of rods whose ends are equally far apart, over which a loop takes strides: a chain, whose points
// follow each other, or one rod of a molecule that is repeated.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

namespace cotangent::rods {

/// `count` rods, each `rods` after the one before in the list of rods, that join points i and j, i + points
/// and j + points, ... in turn. Of a chain both strides are 1.
struct RodSeries {
  std::size_t begin, count, first, second, rods = 1, points = 1;
};

/// Rods `begin` to `end - 1`, by their ends, as series: at each point their order, first by second ends and
/// then by first ones, is that of the rods. An end that is `none` is nowhere, or not known here.
std::vector<RodSeries> series_of(const std::function<std::array<int, 2>(std::size_t rod)>& ends,
                                 std::size_t begin, std::size_t end, int none);

/// Gives a loop the strides over rods and over points, those of a chain known to the compiler.
template <class Loop>
void in_strides(const RodSeries& series, const Loop& loop) {
  if (series.rods == 1 && series.points == 1) {
    loop(std::integral_constant<std::size_t, 1>{}, std::integral_constant<std::size_t, 1>{});
  } else {
    loop(series.rods, series.points);
  }
}

}  // namespace cotangent::rods
