#include "lattice/network.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "parallel/mpi.hpp"

namespace cotangent::lattice {

namespace {

/// Which sites are one piece. Reference: Tarjan, J. ACM 22 (1975) 215, with halved paths.
class Pieces {
 public:
  explicit Pieces(std::int64_t sites) : above_(static_cast<std::size_t>(sites)) {
    std::iota(above_.begin(), above_.end(), std::int64_t{0});
  }
  void join(std::int64_t a, std::int64_t b) {
    a = top(a);
    b = top(b);
    above_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  void check() {
    for (std::int64_t site = 1; site < std::ssize(above_); ++site) {
      if (top(site) != 0)
        throw Error("disconnected sites: no chain of terms joins site " + std::to_string(site) +
                    " to site 0; they would be two lattices");
    }
  }

 private:
  std::int64_t top(std::int64_t site) {
    auto& a = above_;
    while (a[static_cast<std::size_t>(site)] != site) {
      auto& next = a[static_cast<std::size_t>(site)];
      next = a[static_cast<std::size_t>(next)];
      site = next;
    }
    return site;
  }
  std::vector<std::int64_t> above_;
};

void describe(Lattice& lattice, const Model& model, std::int64_t sites) {
  lattice.dim = static_cast<int>(model.coordinates().size());
  lattice.sites = sites;
  lattice.here.range = Range::of_rank(sites, parallel::rank(), parallel::size());
  lattice.held.assign(static_cast<std::size_t>(lattice.own()), 0);
  lattice.separable = model.separable();
}

}  // namespace

void Network::check() const {
  Pieces pieces(sites);
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const std::size_t each = terms[t].sites.size();
    std::map<std::int64_t, std::size_t> begun;  // of a constraint's copies each has a first site of its own
    for (std::size_t k = 0; k < copies[t].size(); ++k) {
      const std::int64_t site = copies[t][k];
      if (terms[t].constraint && k % each == 0) {
        const auto [before, first] = begun.try_emplace(site, k / each);
        if (!first)
          throw Error("constraint '" + terms[t].name + "', copies " + std::to_string(before->second) +
                      " and " + std::to_string(k / each) + " both begin at site " + std::to_string(site) +
                      ": list one of them from another of its sites");
      }
      const auto where = [&] { return "term '" + terms[t].name + "', copy " + std::to_string(k / each); };
      if (site < 0 || site >= sites)
        throw Error(where() + " refers to site " + std::to_string(site) + ", which isn't there: there are " +
                    std::to_string(sites) + ", numbered from 0");
      for (std::size_t before = k / each * each; before < k; ++before) {
        if (copies[t][before] == site)
          throw Error(where() + " joins site " + std::to_string(site) + " to itself");
        pieces.join(copies[t][before], site);
      }
    }
  }
  pieces.check();
}

void check_grid(const Grid& grid, const std::vector<TermInfo>& terms) {
  for (const TermInfo& term : terms) {
    for (const Offset& offset : term.sites) {
      const auto wraps = [](Boundary boundary, std::int64_t sites, std::int64_t across) {
        return boundary == Boundary::periodic && sites <= 2 * std::abs(across);
      };
      if (wraps(grid.along, grid.length, offset.x) ||
          (!grid.chain() && wraps(grid.across, grid.rows, offset.y)))
        throw Error("term '" + term.name + "' would go around a lattice so small and meet itself");
    }
  }
  Pieces pieces(grid.sites());
  for (const TermInfo& term : terms) {
    std::vector<std::int64_t> sites(term.sites.size());
    if (sites.size() < 2) continue;
    for (std::int64_t place = 0; place < grid.sites(); ++place) {
      if (!grid.copy(term.sites, place, sites.data())) continue;
      for (std::size_t k = 1; k < sites.size(); ++k) pieces.join(sites[0], sites[k]);
    }
  }
  pieces.check();
}

Lattice lattice_on(const Grid& grid, const Model& model) {
  Lattice lattice;
  describe(lattice, model, grid.sites());
  lattice.here.grid = grid;
  for (const TermInfo& term : model.terms())
    lattice.here.reach = std::max(lattice.here.reach, grid.reach(term.sites));
  lattice.here.left = lattice.here.right = 2 * lattice.here.reach;
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
  const auto mine = [&](std::int64_t site) { return site >= range.first && site < range.first + range.own; };
  std::map<std::int64_t, std::int64_t> place_of;  // of the ghosts
  std::vector<std::vector<std::int64_t>> kept(network.copies.size());
  for (std::size_t t = 0; t < network.copies.size(); ++t) {
    const std::size_t each = network.terms[t].sites.size();
    const auto& copies = network.copies[t];
    for (std::size_t k = 0; k < copies.size(); k += each) {
      if (std::none_of(copies.begin() + static_cast<std::ptrdiff_t>(k),
                       copies.begin() + static_cast<std::ptrdiff_t>(k + each), mine))
        continue;
      for (std::size_t j = k; j < k + each; ++j) {
        kept[t].push_back(copies[j]);
        if (!mine(copies[j])) place_of.emplace(copies[j], 0);
      }
    }
  }
  for (auto& [site, place] : place_of) {
    place = range.own + std::ssize(lattice.ghosts);
    lattice.ghosts.push_back({site, place});
  }
  lattice.here.right = std::ssize(lattice.ghosts);
  for (std::size_t t = 0; t < kept.size(); ++t) {
    Copies list{static_cast<int>(network.terms[t].sites.size()), {}};
    for (const std::int64_t site : kept[t])
      list.place.push_back(static_cast<std::int32_t>(mine(site) ? site - range.first : place_of.at(site)));
    lattice.here.lists.push_back(std::move(list));
  }
  return lattice;
}

}  // namespace cotangent::lattice
