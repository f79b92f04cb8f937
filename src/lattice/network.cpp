// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/network.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "lattice/pieces.hpp"
#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::lattice {

namespace {

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

void check_one_piece(Pieces& pieces) {
  if (const std::int64_t site = pieces.astray(); site >= 0)
    throw Error("disconnected sites: no chain of terms joins site " + std::to_string(site) +
                " to site 0; they would be two lattices");
}

/// The first copy that this rank finds fault with.
struct Fault {
  std::int64_t copy = none;
  std::string text;

  /// Throws what is said of the first of all ranks', if there is any. Collective.
  void refuse() const {
    const std::int64_t first = parallel::minimum(copy);
    if (first == none) return;
    parallel::agree([&] {
      if (copy == first) throw Error(text);
    });
  }
};

/// Copies of a constraint that begin at the same site: each site's are told to the rank that has it.
Fault same_beginning(const TermInfo& term, const std::vector<std::int64_t>& copies, std::int64_t sites,
                     std::int64_t first) {
  using Beginning = std::array<std::int64_t, 2>;  // site, copy
  const std::size_t each = term.sites.size();
  const int ranks = parallel::size();
  std::vector<std::vector<Beginning>> to(static_cast<std::size_t>(ranks));
  for (std::size_t k = 0; k < copies.size(); k += each)
    to[static_cast<std::size_t>(Range::rank_of(copies[k], sites, ranks))].push_back(
        {copies[k], first + static_cast<std::int64_t>(k / each)});
  auto begun = parallel::exchange(std::move(to));
  std::ranges::sort(begun);
  Fault fault;
  for (std::size_t k = 1; k < begun.size(); ++k) {
    const auto& [site, copy] = begun[k];
    if (begun[k - 1][0] != site || copy >= fault.copy) continue;
    fault = {copy, "constraint '" + term.name + "', copies " + std::to_string(begun[k - 1][1]) + " and " +
                       std::to_string(copy) + " both begin at site " + std::to_string(site) +
                       ": list one of them from another of its sites"};
  }
  return fault;
}

/// Places of a rank's sites and ghosts are counted in 32 bits, those just beyond them too.
void check_places(const Sites& here) {
  if (here.left + here.range.own + here.right > std::numeric_limits<std::int32_t>::max() - (1 << 16))
    throw Error("a rank holds fewer than 2^31 sites of a lattice, and this one has " +
                std::to_string(here.range.own) + " and " + std::to_string(here.left + here.right) +
                " of its neighbours: start more ranks");
}

void describe(Lattice& lattice, const Model& model, std::int64_t sites) {
  lattice.dim = static_cast<int>(model.coordinates().size());
  lattice.sites = sites;
  lattice.here.range = Range::of_rank(sites, parallel::rank(), parallel::size());
  check_places(lattice.here);
  lattice.held.assign(static_cast<std::size_t>(lattice.own()), 0);
  lattice.separable = model.separable();
}

}  // namespace

void Network::check() const {
  Pieces pieces(sites);
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const std::size_t each = terms[t].sites.size();
    const std::int64_t first = parallel::sum_before(static_cast<std::int64_t>(copies[t].size() / each));
    Fault fault;
    for (std::size_t k = 0; k < copies[t].size() && fault.copy == none; ++k) {
      const auto begin = copies[t].begin() + static_cast<std::ptrdiff_t>(k / each * each),
                 at = copies[t].begin() + static_cast<std::ptrdiff_t>(k);
      const std::int64_t copy = first + static_cast<std::int64_t>(k / each);
      const auto where = [&] { return "term '" + terms[t].name + "', copy " + std::to_string(copy); };
      if (*at < 0 || *at >= sites)
        fault = {copy, where() + " refers to site " + std::to_string(*at) +
                           ", which isn't there: there are " + std::to_string(sites) + ", numbered from 0"};
      else if (std::find(begin, at, *at) != at)
        fault = {copy, where() + " joins site " + std::to_string(*at) + " to itself"};
      else if (at != begin)
        pieces.join(*begin, *at);
    }
    fault.refuse();
    if (terms[t].constraint) same_beginning(terms[t], copies[t], sites, first).refuse();
  }
  check_one_piece(pieces);
}

void check_grid(const Grid& grid, const std::vector<TermInfo>& terms) {
  for (const TermInfo& term : terms) {
    std::array<std::int64_t, 2> apart{};  // two of its sites, at most
    for (const Offset& a : term.sites) {
      for (const Offset& b : term.sites) {
        const auto [x, y] = distance(a, b);
        apart = {std::max(apart[0], x), std::max(apart[1], y)};
      }
    }
    const auto judge = [&](Boundary boundary, std::int64_t sites, std::int64_t across, const char* axis) {
      if (boundary == Boundary::periodic && sites <= 2 * across)
        throw Error("term '" + term.name + "' would go around a lattice so small and meet itself: it needs " +
                    std::to_string(2 * across + 1) + " sites along " + axis);
    };
    judge(grid.along, grid.length, apart[0], "x");
    if (!grid.chain()) judge(grid.across, grid.rows, apart[1], "y");
  }
  Pieces pieces(grid.sites());
  for (const TermInfo& term : terms) {
    std::vector<std::int64_t> sites(term.sites.size());
    if (sites.size() < 2) continue;
    const Range range = Range::of_rank(grid.sites(), parallel::rank(), parallel::size());
    for (std::int64_t place = range.first; place < range.first + range.own; ++place) {
      if (!grid.copy(term.sites, place, sites.data())) continue;
      for (std::size_t k = 1; k < sites.size(); ++k) pieces.join(sites[0], sites[k]);
    }
  }
  check_one_piece(pieces);
}

Lattice lattice_on(const Grid& grid, const Model& model) {
  Lattice lattice;
  describe(lattice, model, grid.sites());
  lattice.here.grid = grid;
  for (const TermInfo& term : model.terms())
    lattice.here.reach = std::max(lattice.here.reach, grid.reach(term.sites));
  lattice.here.left = lattice.here.right = 2 * lattice.here.reach;
  check_places(lattice.here);
  for (std::int64_t i = 0; i < lattice.own(); ++i)
    lattice.held[static_cast<std::size_t>(i)] = grid.held(lattice.here.range.first + i) ? 1 : 0;
  return lattice;
}

Lattice lattice_on(const Network& network, const Model& model) {
  Lattice lattice;
  describe(lattice, model, network.sites);
  lattice.here.listed = true;
  lattice.here.grid = {network.sites, 1, Boundary::free, Boundary::free};
  const Range range = lattice.here.range;
  const int ranks = parallel::size();
  std::vector<std::vector<std::int64_t>> near;  // for each term the copies that concern this rank's sites
  std::vector<std::int64_t> others;             // the ghosts
  for (std::size_t t = 0; t < network.copies.size(); ++t) {
    const std::size_t each = network.terms[t].sites.size();
    std::vector<std::vector<std::int64_t>> to(static_cast<std::size_t>(ranks));
    std::vector<int> told(each);
    for (std::size_t k = 0; k < network.copies[t].size(); k += each) {
      const std::span copy(network.copies[t].data() + k, each);
      for (std::size_t j = 0; j < each; ++j) {
        told[j] = Range::rank_of(copy[j], network.sites, ranks);
        if (std::find(told.begin(), told.begin() + static_cast<std::ptrdiff_t>(j), told[j]) !=
            told.begin() + static_cast<std::ptrdiff_t>(j))
          continue;
        auto& list = to[static_cast<std::size_t>(told[j])];
        list.insert(list.end(), copy.begin(), copy.end());
      }
    }
    near.push_back(parallel::exchange(std::move(to)));
    std::ranges::copy_if(near.back(), std::back_inserter(others),
                         [&](std::int64_t site) { return !range.holds(site); });
  }
  std::ranges::sort(others);
  others.erase(std::unique(others.begin(), others.end()), others.end());
  const auto place = [&](std::int64_t site) {
    return range.holds(site) ? site - range.first
                             : range.own + (std::ranges::lower_bound(others, site) - others.begin());
  };
  for (const std::int64_t site : others) lattice.ghosts.push_back({site, place(site)});
  lattice.here.right = std::ssize(lattice.ghosts);
  check_places(lattice.here);
  for (std::size_t t = 0; t < near.size(); ++t) {
    Copies& list = lattice.here.lists.emplace_back();
    list.sites = static_cast<int>(network.terms[t].sites.size());
    list.place.reserve(near[t].size());
    for (const std::int64_t site : std::exchange(near[t], {}))
      list.place.push_back(static_cast<std::int32_t>(place(site)));
  }
  return lattice;
}

}  // namespace cotangent::lattice
