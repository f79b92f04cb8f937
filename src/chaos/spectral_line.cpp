// SPDX-License-Identifier: BSD-3-Clause
#include "chaos/spectral_line.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <unsupported/Eigen/FFT>
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

/// The point k of the grid, not 0, where |sum_n x_n exp(-2 pi i k n / size)| is largest.
std::size_t largest_on_grid(std::vector<double> x, std::size_t size) {
  x.resize(size, 0.0);
  std::vector<Complex> spectrum;
  Eigen::FFT<double> transform;
  transform.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  transform.fwd(spectrum, x);
  const auto largest = std::max_element(spectrum.begin() + 1, spectrum.end(),
                                        [](Complex a, Complex b) { return std::norm(a) < std::norm(b); });
  return static_cast<std::size_t>(largest - spectrum.begin());
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
  const std::size_t size = grid_points(count), at = largest_on_grid(weighted, size);
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
  // The weighted values; on the grid them, half of a spectrum, and Eigen's roots: half as many, and a
  // quarter.
  return static_cast<std::int64_t>(sizeof(double) * count +
                                   (sizeof(double) + sizeof(Complex) * 5 / 4) * grid_points(count));
}

}  // namespace cotangent::chaos
