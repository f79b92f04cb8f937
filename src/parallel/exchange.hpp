// SPDX-License-Identifier: BSD-3-Clause
// Data that ranks send each other: lists of records, one for each other rank; and rows of doubles by a plan
// that is made once and carried out in every step, while the sender goes on computing (ghosts, halos).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "core/release.hpp"

namespace cotangent::parallel {

namespace detail {
/// Given how much this rank sends to each, how much it gets from each. Collective.
std::vector<std::int64_t> coming(std::span<const std::int64_t> to_each);
/// Sends `bytes`, to_each[0] for rank 0, then to_each[1] for rank 1 ...; what comes goes to `into`,
/// from_each[0] bytes of rank 0 first. Collective.
void exchange(const std::byte* bytes, std::span<const std::int64_t> to_each,
              std::span<const std::int64_t> from_each, std::byte* into);
}  // namespace detail

/// Records for each rank, by rank; returns those for this one, in the order of the ranks that sent them, and
/// in `from_each` how many came from each. The lists are freed as they are sent, to save memory. Collective.
template <class Record>
std::vector<Record> exchange(std::vector<std::vector<Record>>&& to,
                             std::vector<std::int64_t>* from_each = nullptr) {
  static_assert(std::is_trivially_copyable_v<Record>);
  constexpr auto record = static_cast<std::int64_t>(sizeof(Record));
  static_assert(record % 8 == 0, "bytes travel by eights");
  if (to.size() == 1) {
    if (from_each != nullptr) *from_each = {std::ssize(to.front())};
    return std::move(to.front());
  }
  std::size_t count = 0;
  for (const auto& list : to) count += list.size();
  std::vector<Record> all;
  all.reserve(count);
  std::vector<std::int64_t> bytes;
  for (auto& list : to) {
    all.insert(all.end(), list.begin(), list.end());
    bytes.push_back(std::ssize(list) * record);
    release(list);
  }
  const std::vector<std::int64_t> came = detail::coming(bytes);
  std::vector<Record> result(
      static_cast<std::size_t>(std::accumulate(came.begin(), came.end(), std::int64_t{0}) / record));
  detail::exchange(reinterpret_cast<const std::byte*>(all.data()), bytes, came,
                   reinterpret_cast<std::byte*>(result.data()));
  if (from_each != nullptr) {
    from_each->clear();
    for (const std::int64_t size : came) from_each->push_back(size / record);
  }
  return result;
}

/// A plan by which rows of `width` doubles go to other ranks, and theirs come here, rank after rank.
class HaloPlan {
 public:
  /// `rows` are the rows for each rank, none for this one. Collective.
  HaloPlan(const std::vector<std::vector<std::int32_t>>& rows, int width);
  HaloPlan();
  ~HaloPlan();
  HaloPlan(HaloPlan&&) noexcept;
  HaloPlan& operator=(HaloPlan&&) noexcept;

  /// How many rows come.
  int incoming() const;
  /// Starts to send the plan's rows of `from`, an array of rows of `width` doubles, and to receive those of
  /// the other ranks into `into`, incoming() rows of `width` doubles, rank after rank. `into` may be read
  /// after finish(); `from` may change at once.
  void start(const double* from, double* into);
  void finish();

 private:
  struct Transfers;
  std::unique_ptr<Transfers> transfers_;
};

}  // namespace cotangent::parallel
