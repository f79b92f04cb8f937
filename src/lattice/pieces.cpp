// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/pieces.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::lattice {

Pieces::Pieces(std::int64_t sites)
    : sites_(sites),
      range_(Range::of_rank(sites, parallel::rank(), parallel::size())),
      above_(static_cast<std::size_t>(range_.own)) {
  std::iota(above_.begin(), above_.end(), range_.first);
}

std::int64_t Pieces::top(std::int64_t site) {
  while (label(site) != site) {
    label(site) = label(label(site));
    site = label(site);
  }
  return site;
}

void Pieces::join(std::int64_t a, std::int64_t b) {
  if (!range_.holds(a) || !range_.holds(b)) {
    across_.push_back({a, b});
    return;
  }
  a = top(a);
  b = top(b);
  label(std::max(a, b)) = std::min(a, b);
}

void Pieces::say(Words& words, std::int64_t root, std::int64_t other) const {
  words[static_cast<std::size_t>(Range::rank_of(root, sites_, parallel::size()))].push_back({root, other});
}

std::vector<Pieces::Word> Pieces::joints() {
  const auto ranks = static_cast<std::size_t>(parallel::size());
  Words pairs(ranks), rooted(ranks);
  for (const auto& [a, b] : std::exchange(across_, {})) {
    say(pairs, a, b);
    say(pairs, b, a);
  }
  // Those of two ranks come back to across_, this rank's site first.
  for (const auto& [mine, other] : parallel::exchange(std::move(pairs))) join(mine, other);
  for (const auto& [mine, other] : std::exchange(across_, {})) say(rooted, other, top(mine));
  std::vector<Word> result = parallel::exchange(std::move(rooted));
  for (Word& word : result) word.root = top(word.root);
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::int64_t Pieces::astray() {
  const auto ranks = static_cast<std::size_t>(parallel::size());
  const std::vector<Word> joints = this->joints();
  std::vector<std::int64_t> roots;
  for (std::int64_t site = range_.first; site < range_.first + range_.own; ++site) {
    if (top(site) == site) roots.push_back(site);
  }
  bool changed = true;
  const auto lower = [&](const std::vector<Word>& words) {
    for (const auto& [root, to] : words) {
      changed = changed || to < label(root);
      label(root) = std::min(label(root), to);
    }
  };
  while (parallel::any(std::exchange(changed, false))) {
    Words told(ranks), hooked(ranks), asked(ranks), answered(ranks);
    for (const auto& [root, other] : joints) say(told, other, label(root));
    const auto news = parallel::exchange(std::move(told));
    for (const auto& [root, least] : news) {
      if (least < label(root)) say(hooked, label(root), least);
    }
    lower(news);
    lower(parallel::exchange(std::move(hooked)));
    for (const std::int64_t root : roots) {
      if (label(root) != root) say(asked, label(root), root);
    }
    for (const auto& [of, root] : parallel::exchange(std::move(asked))) say(answered, root, label(of));
    lower(parallel::exchange(std::move(answered)));
  }
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  const auto found = std::ranges::find_if(roots, [&](std::int64_t root) { return label(root) != 0; });
  const std::int64_t least = parallel::minimum(found == roots.end() ? none : *found);
  return least == none ? -1 : least;
}

}  // namespace cotangent::lattice
