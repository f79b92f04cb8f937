// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/domain_family.hpp"

#include <algorithm>

namespace cotangent::billiards {

template <int D>
DomainFamily<D>::DomainFamily(const Domain<D>& domain) : usual_(std::make_shared<const Domain<D>>(domain)) {
  for (const Member<D>& member : domain.members()) {
    for (std::size_t k = 0; k < member.parameters.size(); ++k) {
      parameters_.push_back({member.name + "." + member.parameter_names[k], member.parameters[k],
                             "of the set " + member.name, "1"});
      values_.push_back(member.parameters[k]);
    }
  }
}

template <int D>
std::shared_ptr<const Domain<D>> DomainFamily<D>::at(sections::Values values) const {
  if (values.empty() || std::ranges::equal(values, values_)) return usual_;
  const auto known =
      std::ranges::find_if(kept_, [&](const auto& kept) { return std::ranges::equal(kept.first, values); });
  if (known != kept_.end()) {
    std::rotate(kept_.begin(), known, known + 1);
    return kept_.front().second;
  }
  kept_.insert(kept_.begin(), {std::vector<double>(values.begin(), values.end()),
                               std::make_shared<const Domain<D>>(usual_->at(values))});
  if (kept_.size() > most_kept) kept_.pop_back();
  return kept_.front().second;
}

template class DomainFamily<2>;
template class DomainFamily<3>;

}  // namespace cotangent::billiards
