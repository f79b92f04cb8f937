// SPDX-License-Identifier: BSD-3-Clause
// The smallest evolution that has all: damped oscillators q'' = -q - c q', spread over the ranks, with
// samples, a checkpoint, progress and a summary. A run of it is killed and gone on with in test_killed.cpp.
#pragma once

#include <chrono>
#include <cmath>
#include <thread>

#include "parallel/reproducible_sums.hpp"
#include "run/driver.hpp"

namespace cotangent::test {

class DampedOscillators : public run::Evolution {
 public:
  static constexpr std::int64_t sample_steps = 5;
  std::int64_t count = 37, steps = 2000;
  double pause = 0;  ///< seconds that a slice takes at least
  std::int64_t fails_at = -1;
  std::string field = "velocity";  ///< what the checkpoint calls the velocities

  std::int64_t samples() const { return steps / sample_steps + 1; }
  std::vector<io::DataSetSpec> data_sets() const override {
    using io::DataType;
    return {{"/oscillators/time", DataType::float64, {samples()}, "1", "of the samples"},
            {"/oscillators/q", DataType::float64, {samples(), count}, "1", "positions", {}, true},
            {"/oscillators/energy", DataType::float64, {samples()}, "1", "of all"},
            {"/oscillators/status", DataType::int32, {1}, "1", "how the run ended"}};
  }
  void begin(run::Records& records) override {
    share_ = run::Share::even(count);
    for (std::int64_t k = share_.first; k < share_.first + share_.count; ++k) {
      q_.push_back(1.0 / static_cast<double>(1 + k));
      v_.push_back(0.0);
    }
    sample(records);
  }
  void state(run::StateFields& state) override {
    share_ = run::Share::even(count);
    state.number("step", step_);
    state.number("worst", worst_);
    state.rows("position", share_, 1, q_);
    state.rows(field, share_, 1, v_);
  }
  void advance(std::int64_t units, run::Records&) override {
    const std::int64_t next = (step_ / sample_steps + 1) * sample_steps;
    for (const std::int64_t until = std::min(step_ + units, next); step_ < until && !failed_; ++step_) {
      for (std::size_t i = 0; i < q_.size(); ++i) {
        v_[i] += 0.01 * (-q_[i] - 0.02 * v_[i]);
        q_[i] += 0.01 * v_[i];
      }
      failed_ = step_ + 1 == fails_at;
    }
    if (pause > 0) std::this_thread::sleep_for(std::chrono::duration<double>(pause));
  }
  bool ended() const override { return step_ >= steps || failed_; }
  void sample(run::Records& records) override {
    if (step_ % sample_steps != 0) return;
    const std::int64_t row = step_ / sample_steps;
    const auto energies = parallel::Numbers::each(
        q_.size(), [this](std::size_t i) { return 0.5 * (q_[i] * q_[i] + v_[i] * v_[i]); });
    const double energy = parallel::reproducible_sums(std::span(&energies, 1)).front();
    worst_ = std::max(worst_, energy);
    records.one("/oscillators/time", row, 0.01 * static_cast<double>(step_));
    records.one("/oscillators/energy", row, energy);
    const std::int64_t offset[2] = {row, share_.first}, extent[2] = {1, share_.count};
    records.slab("/oscillators/q", offset, extent, q_.data());
  }
  void finish(run::Records& records) override {
    for (const char* path : {"/oscillators/time", "/oscillators/q", "/oscillators/energy"})
      records.blank_from(path, step_ / sample_steps + 1);
    const auto status = static_cast<std::int32_t>(failed_ ? Status::non_finite : Status::finished);
    records.one("/oscillators/status", 0, &status, io::Turn::last);
  }
  run::Progress progress() const override {
    return {static_cast<double>(step_), static_cast<double>(steps), "oscillators", "steps", 1};
  }
  std::vector<run::Line> summary(const run::Effort&) override {
    return {{"oscillators", std::to_string(count)}, {"largest energy", std::to_string(worst_)}};
  }
  bool failed() override { return failed_; }
  std::int64_t step() const { return step_; }

 private:
  run::Share share_;
  std::vector<double> q_, v_;
  std::int64_t step_ = 0;
  double worst_ = 0;
  bool failed_ = false;
};

}  // namespace cotangent::test
