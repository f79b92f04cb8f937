// SPDX-License-Identifier: BSD-3-Clause
// What ranks that work at their own pace agree on now and then, without waiting for one another: each
// proposes a number when it comes by, works on, and learns the largest of them once all have come. Every rank
// sees the same agreements in the same order, so what is then done together may be collective.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace cotangent::parallel {

class Agreement {
 public:
  Agreement();
  /// Waits for an agreement that is under way: every rank has to come here.
  ~Agreement();
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  /// Whether a proposal waits for those of others.
  bool pending() const { return pending_; }
  /// Proposes a pair of numbers; nothing is pending.
  void propose(std::int64_t first, std::int64_t second);
  /// The largest of each over all ranks, once all have proposed.
  std::optional<std::array<std::int64_t, 2>> reached();

 private:
  struct Request;
  std::unique_ptr<Request> request_;
  std::array<std::int64_t, 2> mine_{}, largest_{};
  bool pending_ = false;
};

}  // namespace cotangent::parallel
