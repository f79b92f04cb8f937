// SPDX-License-Identifier: BSD-3-Clause
// The domains that one composition of sets means at different values of the sets' parameters.
#pragma once

#include "billiards/domain.hpp"
#include "sections/problem.hpp"

namespace cotangent::billiards {

template <int D>
class DomainFamily {
 public:
  explicit DomainFamily(const Domain<D>& domain);

  /// The parameters of all sets, one set after the other, each named set.parameter, at the values they had.
  const std::vector<sections::ParameterInfo>& parameters() const { return parameters_; }
  /// As the domain was given.
  const Domain<D>& usual() const { return *usual_; }
  /// At these values; none: as it was given. Those asked for last are kept.
  std::shared_ptr<const Domain<D>> at(sections::Values values) const;

 private:
  static constexpr std::size_t most_kept = 16;

  std::shared_ptr<const Domain<D>> usual_;
  std::vector<sections::ParameterInfo> parameters_;
  std::vector<double> values_;
  mutable std::vector<std::pair<std::vector<double>, std::shared_ptr<const Domain<D>>>> kept_;
};

}  // namespace cotangent::billiards
