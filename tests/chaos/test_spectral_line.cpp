// SPDX-License-Identifier: BSD-3-Clause
// The largest line of signals whose lines are known.
#include <cmath>
#include <numbers>
#include <vector>

#include "catch.hpp"
#include "chaos/spectral_line.hpp"

using namespace cotangent::chaos;

namespace {

template <class F>
std::vector<double> signal(int count, const F& f) {
  std::vector<double> values;
  for (int n = 0; n < count; ++n) values.push_back(f(static_cast<double>(n)));
  return values;
}

}  // namespace

TEST_CASE(
    "the largest of several lines is found to round-off, whatever the average and the number of values") {
  for (const int count : {2000, 2048, 5001}) {
    const double frequency = 0.4321, amplitude = 0.7;
    const auto values = signal(count, [&](double n) {
      return 5 + amplitude * std::cos(frequency * n + 1) + 0.5 * std::cos(1.3 * n) +
             0.3 * std::cos(2.9 * n + 2);
    });
    const SpectralLine line = largest_line(values);
    CHECK(std::abs(line.frequency - frequency) < 1e-13);
    CHECK(std::abs(line.amplitude - amplitude) < 1e-12);
    const double spacing = 2 * std::numbers::pi / count;  // a control: of a spectrum's points none is as near
    CHECK(std::abs(frequency - spacing * std::round(frequency / spacing)) > 1e-5);
    CHECK(frequency_diffusion(values) < 1e-12);
  }
}

TEST_CASE("lines that hardly beat disturb each other") {
  const auto pair = [](int count) {
    return std::abs(
        largest_line(signal(count, [](double n) { return std::cos(0.5 * n) + 0.9 * std::cos(0.501 * n); }))
            .frequency -
        0.5);
  };
  CHECK(pair(5000) > 1e-6);
  CHECK(pair(500000) < 1e-12);
}

TEST_CASE("lines are seen folded at half a turn from value to value, and at its edges") {
  const double turn = 2 * std::numbers::pi;
  CHECK(largest_line(signal(1000, [&](double n) { return std::cos((turn - 0.7) * n); })).frequency ==
        within(0.7, 1e-12));
  CHECK(largest_line(signal(1000, [](double n) { return std::fmod(n, 2) - 0.5; })).frequency ==
        within(turn / 2, 1e-12));
}

TEST_CASE("a frequency that drifts differs between halves") {
  const auto drifting = signal(10000, [](double n) { return std::cos(0.3 * n + 1e-6 * n * n); });
  CHECK(frequency_diffusion(drifting) == Approx(0.01).epsilon(0.01));  // twice 1e-6 times half of the values
}

TEST_CASE("no line in what doesn't vary, is too short or isn't finite") {
  const auto none = [](const std::vector<double>& values) {
    return std::isnan(largest_line(values).frequency) && std::isnan(largest_line(values).amplitude);
  };
  CHECK(none(signal(1000, [](double) { return 0.0; })));
  CHECK(none(signal(1000, [](double) { return 0.1; })));
  CHECK(none(signal(15, [](double n) { return std::cos(n); })));
  CHECK(none({}));
  CHECK_FALSE(none(signal(16, [](double n) { return std::cos(n); })));
  CHECK(std::isnan(frequency_diffusion(signal(31, [](double n) { return std::cos(n); }))));
  auto broken = signal(1000, [](double n) { return std::cos(n); });
  broken[3] = std::nan("");
  CHECK(none(broken));
}
