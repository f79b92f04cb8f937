// SPDX-License-Identifier: BSD-3-Clause
#include "overland/edges.hpp"

#include <algorithm>
#include <map>

#include "parallel/mpi.hpp"
#include "parallel/records.hpp"

namespace cotangent::overland {

namespace {

using Pair = std::array<std::int64_t, 2>;  // ids of an edge's ends, the lower first

struct Named {
  Pair ends;
  std::int64_t number;
};

/// The numbers of edges that other ranks own, each asked for at a rank that its ends name.
std::vector<PetscInt> numbers_elsewhere(const std::vector<Named>& known, const std::vector<Pair>& wanted) {
  const auto place = [](const Pair& ends) { return static_cast<std::size_t>(ends[0] % parallel::size()); };
  auto to = parallel::for_ranks<Named>();
  for (const Named& edge : known) to[place(edge.ends)].push_back(edge);
  std::vector<Named> here = parallel::exchange(std::move(to));
  std::ranges::sort(here, {}, &Named::ends);
  auto questions = parallel::for_ranks<Pair>();
  std::vector<std::vector<std::size_t>> asker(questions.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    questions[place(wanted[k])].push_back(wanted[k]);
    asker[place(wanted[k])].push_back(k);
  }
  const auto answers = parallel::asked(std::move(questions), [&](const Pair& ends) {
    return std::ranges::lower_bound(here, ends, {}, &Named::ends)->number;
  });
  std::vector<PetscInt> result(wanted.size());
  auto answer = answers.begin();
  for (const auto& list : asker) {
    for (const std::size_t k : list) result[k] = static_cast<PetscInt>(*answer++);
  }
  return result;
}

}  // namespace

Edges edges(const Mesh& mesh) {
  const auto id = [&](int v) { return mesh.id[static_cast<std::size_t>(v)]; };
  struct Found {
    std::array<int, 2> ends;
    int left = -1, side = -1, place = -1;
  };
  std::map<Pair, Found> found;  // in the order of ids, whatever that of cells
  const auto key = [&](int a, int b) { return Pair{std::min(id(a), id(b)), std::max(id(a), id(b))}; };
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = mesh.cells[c][(k + 1) % 3], b = mesh.cells[c][(k + 2) % 3];
      Found& edge = found[key(a, b)];
      edge.ends = id(a) < id(b) ? std::array{a, b} : std::array{b, a};
      if (id(a) < id(b)) edge.left = static_cast<int>(c);
    }
  }
  for (std::size_t s = 0; s < mesh.sides.size(); ++s)
    found[key(mesh.sides[s].ends[0], mesh.sides[s].ends[1])].side = static_cast<int>(s);

  Edges all;
  std::vector<Named> known;
  std::vector<Pair> wanted;
  for (const bool owned : {true, false}) {
    for (auto& [ends, edge] : found) {
      if ((edge.left >= 0 || edge.side >= 0) != owned) continue;
      edge.place = static_cast<int>(all.ends.size());
      all.ends.push_back(edge.ends);
      all.side.push_back(edge.side);
      if (!owned) wanted.push_back(ends);
    }
    if (owned) all.own = static_cast<int>(all.ends.size());
  }
  const std::int64_t first =
      parallel::offsets(std::int64_t{all.own})[static_cast<std::size_t>(parallel::rank())];
  for (const auto& [ends, edge] : found) {
    if (edge.place < all.own) known.push_back({ends, first + edge.place});
  }
  for (int e = 0; e < all.own; ++e) all.number.push_back(static_cast<PetscInt>(first + e));
  for (const PetscInt number : numbers_elsewhere(known, wanted)) all.number.push_back(number);
  for (const auto& cell : mesh.cells) {
    auto& here = all.of_cell.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = cell[(k + 1) % 3], b = cell[(k + 2) % 3];
      here.edge[k] = found[key(a, b)].place;
      here.sign[k] = id(a) < id(b) ? 1.0 : -1.0;
    }
  }
  return all;
}

std::vector<std::int64_t> cell_ids(const Mesh& mesh) {
  struct Record {
    std::array<std::int64_t, 3> vertices;
    std::int64_t rank, place;
  };
  std::vector<Record> records;
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
    Record record{{}, parallel::rank(), static_cast<std::int64_t>(c)};
    std::ranges::transform(mesh.cells[c], record.vertices.begin(),
                           [&](int v) { return mesh.id[static_cast<std::size_t>(v)]; });
    std::rotate(record.vertices.begin(), std::ranges::min_element(record.vertices), record.vertices.end());
    records.push_back(record);
  }
  records = parallel::sorted(std::move(records),
                             [](const Record& a, const Record& b) { return a.vertices < b.vertices; });
  std::int64_t id = parallel::offsets(std::ssize(records))[static_cast<std::size_t>(parallel::rank())];
  auto back = parallel::for_ranks<Pair>();
  for (const Record& record : records)
    back[static_cast<std::size_t>(record.rank)].push_back({record.place, id++});
  std::vector<std::int64_t> ids(mesh.cells.size());
  for (const auto& [place, its_id] : parallel::exchange(std::move(back)))
    ids[static_cast<std::size_t>(place)] = its_id;
  return ids;
}

}  // namespace cotangent::overland
