// SPDX-License-Identifier: BSD-3-Clause
// The largest line in the spectrum of a real signal f_0 ... f_(N-1), by numerical analysis of the fundamental
// frequency: where
//   |sum_n w(n/N) (f_n - f*) exp(-i omega n)|,   w(s) = exp(-1 / (s (1 - s))),   f* the weighted average,
// is largest: first on a grid, by a fast Fourier transform, then by Newton's method. What other lines add to
// it falls faster than any power of how many times they beat within the signal. Lines above pi, half a turn
// from value to value, are seen folded into (0, pi].
// References: Laskar, Physica D 67 (1993) 257, sections 2 and 3; the weight: Das, Saiki, Sander, Yorke,
// Nonlinearity 30 (2017) 4111.
#pragma once

#include <cstdint>
#include <span>

namespace cotangent::chaos {

/// amplitude cos(frequency n + phase)
struct SpectralLine {
  double frequency = 0.0;  ///< radians from value to value, in (0, pi]
  double amplitude = 0.0;
};

/// NaN of fewer than 16 values, of values that aren't finite, and where what is left of a signal without its
/// average is round-off, below 1e-13 of its largest value.
SpectralLine largest_line(std::span<const double> values);

/// By how many radians a value the largest lines of both halves are apart.
double frequency_diffusion(std::span<const double> values);

/// The memory that a search among so many values takes, in bytes.
std::int64_t search_bytes(std::int64_t values);

}  // namespace cotangent::chaos
