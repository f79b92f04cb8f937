// SPDX-License-Identifier: BSD-3-Clause
#include "chaos/spectral_line.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "chaos/birkhoff.hpp"

namespace cotangent::chaos {

namespace {

using Complex = std::complex<double>;

constexpr std::size_t fewest = 16;

/// Points of the grid around a turn: neighbours are no further apart than a fifth of the main lobe.
std::size_t grid_points(std::size_t values) {
  return 2 * std::bit_ceil(values);
}

/// sum_n x_n exp(-2 pi i k n / size) in place of x_k; the size is a power of two.
void transform(std::vector<Complex>& x) {
  const std::size_t size = x.size();
  for (std::size_t i = 1, j = 0; i < size; ++i) {
    std::size_t bit = size / 2;
    for (; (j & bit) != 0; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  std::vector<Complex> roots(size / 2);
  for (std::size_t k = 0; k < roots.size(); ++k)
    roots[k] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size));
  for (std::size_t half = 1; half < size; half *= 2) {
    const std::size_t stride = size / (2 * half);
    for (std::size_t first = 0; first < size; first += 2 * half) {
      for (std::size_t k = first; k < first + half; ++k) {
        const Complex root = roots[(k - first) * stride], odd = x[k + half];
        const Complex turned{odd.real() * root.real() - odd.imag() * root.imag(),
                             odd.real() * root.imag() + odd.imag() * root.real()};
        x[k + half] = x[k] - turned;
        x[k] += turned;
      }
    }
  }
}

/// Half the derivatives of |sum_n f_n exp(-i omega n)|^2 for omega, and the square itself; n counts from the
/// middle.
struct Power {
  double value = 0.0, slope = 0.0, curvature = 0.0;

  Power(std::span<const double> f, double omega) {
    double c[3] = {}, s[3] = {};  // sums of n^j f_n times cosine and sine
    const double middle = static_cast<double>(f.size()) / 2;
    for (std::size_t k = 0; k < f.size(); ++k) {
      const double n = static_cast<double>(k) - middle;
      double a = f[k] * std::cos(omega * n), b = f[k] * std::sin(omega * n);
      for (int j = 0; j < 3; ++j, a *= n, b *= n) {
        c[j] += a;
        s[j] += b;
      }
    }
    value = c[0] * c[0] + s[0] * s[0];
    slope = s[0] * c[1] - c[0] * s[1];
    curvature = s[1] * s[1] + c[1] * c[1] - c[0] * c[2] - s[0] * s[2];
  }
};

/// Where the power is largest between two frequencies: Newton's method for its slope, halving where that
/// leads out of what is left between them.
double peak(std::span<const double> f, double low, double high) {
  double omega = 0.5 * (low + high);
  for (int k = 0; k < 60; ++k) {
    const Power power(f, omega);
    (power.slope > 0 ? low : high) = omega;
    const double step = -power.slope / power.curvature;
    if (power.curvature < 0 && std::abs(step) <= 2 * std::numeric_limits<double>::epsilon() * omega) break;
    const double next = omega + step;
    omega = power.curvature < 0 && next > low && next < high ? next : 0.5 * (low + high);
  }
  return omega;
}

}  // namespace

SpectralLine largest_line(std::span<const double> values) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::size_t count = values.size();
  if (count < fewest || !std::ranges::all_of(values, [](double f) { return std::isfinite(f); }))
    return {nan, nan};
  const double average = weighted_average(values);
  double largest = 0, weights = 0;
  std::vector<double> weighted(count, 0.0);
  for (std::size_t n = 1; n < count; ++n) {
    const double s = static_cast<double>(n) / static_cast<double>(count),
                 weight = std::exp(-1 / (s * (1 - s)));
    weighted[n] = weight * (values[n] - average);
    weights += weight;
    largest = std::max(largest, std::abs(values[n]));
  }
  const std::size_t size = grid_points(count);
  std::size_t at = 1;
  {
    std::vector<Complex> grid(size);
    std::ranges::copy(weighted, grid.begin());
    transform(grid);
    for (std::size_t k = 2; k <= size / 2; ++k) {
      if (std::norm(grid[k]) > std::norm(grid[at])) at = k;
    }
  }
  const double spacing = 2 * std::numbers::pi / static_cast<double>(size), k = static_cast<double>(at);
  const double omega = peak(weighted, spacing * (k - 1), std::min(spacing * (k + 1), std::numbers::pi));
  const double amplitude = 2 * std::sqrt(Power(weighted, omega).value) / weights;
  return amplitude > 1e-13 * largest ? SpectralLine{omega, amplitude} : SpectralLine{nan, nan};
}

double frequency_diffusion(std::span<const double> values) {
  const std::size_t half = values.size() / 2;
  return std::abs(largest_line(values.first(half)).frequency - largest_line(values.subspan(half)).frequency);
}

std::int64_t search_bytes(std::int64_t values) {
  const auto count = static_cast<std::size_t>(values);
  return static_cast<std::int64_t>(sizeof(double) * count + (sizeof(Complex) * 3 / 2) * grid_points(count));
}

}  // namespace cotangent::chaos
