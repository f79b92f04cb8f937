// SPDX-License-Identifier: BSD-3-Clause
// Gmsh files, formats 2.2 and 4.1, text and binary: rank 0 reads them from beginning to end and hands nodes
// and elements on in pieces; each rank has a share of either, in the file's order. Triangles are joined to
// nodes by the nodes' tags, and a side belongs to the boundary where no second triangle has it: of both,
// each rank keeps a directory of its part. Of elements of higher order the corners alone are read; nodes that
// no triangle has are left out. What is wrong with a file gmsh_check.cpp says beforehand. Reference:
// Gmsh 4.11 reference manual, section 10 (the file formats).
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <set>

#include "core/error.hpp"
#include "core/release.hpp"
#include "overland/gmsh_check.hpp"
#include "overland/gmsh_elements.hpp"
#include "overland/mesh.hpp"
#include "parallel/records.hpp"

namespace cotangent::overland {

namespace {

using Number = Triangles::Number;
using parallel::for_ranks;

constexpr Number no_curve = 0;

/// What the file holds, one after another.
struct Record {
  enum class Kind : Number { node, point, line, triangle } kind;
  std::array<Number, 3> nodes;  ///< tags; of a line the third is its physical curve's
  Point point;
};

using Give = std::function<void(int rank, const Record&)>;

/// The file on rank 0, read once.
class Reader {
 public:
  Reader(std::string file, std::map<Number, std::string>& names)
      : file_(std::move(file)), names_(names), in_(file_, std::ios::binary) {
    if (!in_) throw FileError(file_ + ": the mesh can't be read");
  }

  void read(const Give& give) {
    std::string line;
    std::getline(in_, line);
    if (!line.starts_with("$MeshFormat"))
      throw Error(file_ + ": not a Gmsh file: it begins with '" + line.substr(0, 20) + "', not $MeshFormat");
    double format = 0;
    int binary = 0, size = 8;
    in_ >> format >> binary >> size;
    if (format != 2.2 && format != 4.1)
      throw Error(
          fmt::format("{}: a Gmsh file of format {}; formats 2.2 and 4.1 are read: "
                      "gmsh -2 -format msh41",
                      file_, format));
    std::getline(in_, line);
    blocks_ = format == 4.1;
    binary_ = binary != 0;
    if (binary_ && (size != 8 || next<int>() != 1))
      throw Error(file_ + ": a binary Gmsh file of another machine: its numbers are of another shape");
    bool complete = false;
    while (std::getline(in_, line)) {
      if (line.starts_with("$PhysicalNames")) read_names();
      if (line.starts_with("$Entities")) read_entities();
      if (line.starts_with("$Nodes")) read_nodes(give);
      if (line.starts_with("$Elements")) complete = (read_elements(give), true);
    }
    if (!complete) throw Error(file_ + ": the mesh can't be read: the file ends before its elements");
  }

 private:
  /// A number, as text or as it stands in memory.
  template <class Type>
  Type next() {
    Type value{};
    if (binary_)
      in_.read(reinterpret_cast<char*>(&value), sizeof value);
    else
      in_ >> value;
    if (!in_)
      throw Error(file_ + ": the mesh can't be read: the file ends, or has no number, where one must be");
    return value;
  }
  /// A count or a tag, which format 4.1 stores wider than 2.2.
  Number next_number() { return blocks_ ? next<std::int64_t>() : next<int>(); }
  /// How much a section holds; in format 2.2 a line of text even before numbers that are none.
  Number next_count() {
    if (blocks_) return next_number();
    Number count = 0;
    std::string line;
    in_ >> count;
    std::getline(in_, line);
    if (!in_ || count < 0) throw Error(file_ + ": the mesh can't be read: a section lacks its count");
    return count;
  }

  void read_names() {
    const auto count = [&] {
      Number n = 0;
      in_ >> n;
      return n;
    }();
    for (Number k = 0; k < count && in_; ++k) {
      int dimension = 0;
      Number tag = 0;
      std::string line;
      in_ >> dimension >> tag;
      std::getline(in_, line);
      const auto from = line.find('"'), to = line.rfind('"');
      if (dimension == 1 && from != std::string::npos && to > from)
        names_[tag] = line.substr(from + 1, to - from - 1);
    }
  }

  /// The physical curves of all curves, in format 4.1.
  void read_entities() {
    std::array<Number, 4> counts{};
    for (auto& count : counts) count = next_number();
    for (std::size_t dimension = 0; dimension < 2; ++dimension) {
      for (Number k = 0; k < counts[dimension]; ++k) {
        const int tag = next<int>();
        for (int box = 0; box < (dimension == 0 ? 3 : 6); ++box) next<double>();
        const Number physical = next_number();
        for (Number p = 0; p < physical; ++p) {
          const int group = next<int>();
          if (dimension == 1 && p == 0) curve_[tag] = std::abs(group);  // negative: the curve reversed
        }
        const Number ends = dimension == 0 ? 0 : next_number();
        for (Number e = 0; e < ends; ++e) next<int>();
      }
    }
    // Surfaces follow, which nobody asks for; as text or not, no line among them begins with a section's
    // name.
  }

  void read_nodes(const Give& give) {
    const Number blocks = next_count(), all = blocks_ ? next_number() : blocks;
    if (all < 1) throw Error(file_ + ": the mesh has no nodes");
    const auto rank = [&](Number k) { return parallel::share_owner(all, k); };
    const auto point = [&] {
      const double x = next<double>(), y = next<double>();
      next<double>();
      return Point{x, y};
    };
    if (!blocks_) {
      for (Number k = 0; k < all; ++k) {
        give(rank(k), {Record::Kind::node, {next<int>()}, {}});
        give(rank(k), {Record::Kind::point, {}, point()});
      }
      return;
    }
    next_number();
    next_number();
    Number begin = 0;
    for (Number block = 0; block < blocks; ++block) {
      next<int>();
      next<int>();
      if (next<int>() != 0)
        throw Error(file_ +
                    ": nodes with parameters aren't read; gmsh without -parametric makes a file without");
      const Number count = next_number();
      if (begin + count > all) throw Error(file_ + ": the mesh can't be read: more nodes than it says");
      for (Number k = begin; k < begin + count; ++k) give(rank(k), {Record::Kind::node, {next_number()}, {}});
      for (Number k = begin; k < begin + count; ++k) give(rank(k), {Record::Kind::point, {}, point()});
      begin += count;
    }
  }

  void read_elements(const Give& give) {
    const Number count = next_count(), all = blocks_ ? next_number() : count;
    if (blocks_) {
      next_number();
      next_number();
    }
    for (Number done = 0; done < all;) {
      int type = 0, tags = 0, entity = 0;
      Number follow = 1;
      if (blocks_) {
        next<int>();
        entity = next<int>();
        type = next<int>();
        follow = next_number();
      } else if (binary_) {
        type = next<int>();
        follow = next<int>();
        tags = next<int>();
      }
      for (Number k = 0; k < follow; ++k, ++done) {
        next_number();  // the element's own tag
        if (!blocks_ && !binary_) {
          type = next<int>();
          tags = next<int>();
        }
        Number physical = blocks_ && curve_.contains(entity) ? curve_.at(entity) : no_curve;
        for (int t = 0; t < tags; ++t) {
          const Number tag = next<int>();
          if (t == 0) physical = tag;
        }
        give_element(give, parallel::share_owner(all, std::min(done, all - 1)), type, physical);
      }
    }
  }

  void give_element(const Give& give, int rank, int type, Number physical) {
    const GmshElement* const found = gmsh_element(type);
    if (found == nullptr)
      throw Error(
          fmt::format("{}: the mesh holds elements of type {}, which are no triangles; gmsh -2 makes a "
                      "mesh of a surface",
                      file_, type));
    const GmshElement& element = *found;
    if (element.corners == 4) throw Error(file_ + ": the mesh holds cells that are no triangles");
    std::array<Number, 3> corners{0, 0, physical};
    for (int n = 0; n < element.nodes; ++n) {
      const Number tag = next_number();
      if (n < element.corners) corners[static_cast<std::size_t>(n)] = tag;
    }
    if (element.dimension > 0)
      give(rank, {element.dimension == 1 ? Record::Kind::line : Record::Kind::triangle, corners, {}});
  }

  std::string file_;
  std::map<Number, std::string>& names_;
  std::ifstream in_;
  std::map<int, Number> curve_;  // the physical curve of each curve
  bool binary_ = false, blocks_ = false;
};

/// The numbers of nodes by their tags: each rank knows those of some tags.
class Directory {
 public:
  /// Of this rank's nodes, of which the first has this number. Collective.
  Directory(const std::string& file, const std::vector<Number>& tags, Number first) : file_(file) {
    auto to = for_ranks<Entry>();
    for (const Number tag : tags) to[home(tag)].push_back({tag, first++});
    entries_ = parallel::exchange(std::move(to));
    std::ranges::sort(entries_);
    used_.resize(entries_.size());
    parallel::agree([&] {
      for (std::size_t k = 1; k < entries_.size(); ++k) {
        if (entries_[k][0] == entries_[k - 1][0])
          throw Error(fmt::format("{}: the mesh has two nodes {}", file_, entries_[k][0]));
      }
    });
  }
  /// Puts numbers in the place of the first `count` tags of each; where these use nodes, they are counted.
  /// Collective.
  void number(std::vector<std::array<Number, 3>>& lists, std::size_t count, bool use) {
    std::vector<Number> tags;
    for (const auto& list : lists)
      tags.insert(tags.end(), list.begin(), list.begin() + std::ptrdiff_t(count));
    std::ranges::sort(tags);
    tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
    auto questions = for_ranks<Number>();
    for (const Number tag : tags) questions[home(tag)].push_back(tag);
    const auto answers = parallel::asked(parallel::ForRanks<Number>(questions), [&](Number tag) {
      const auto at = std::ranges::lower_bound(entries_, tag, {}, [](const Entry& e) { return e[0]; });
      if (at == entries_.end() || (*at)[0] != tag) return Number{-1};
      if (use) used_[static_cast<std::size_t>(at - entries_.begin())] = 1;
      return (*at)[1];
    });
    std::vector<Entry> known;
    for (const auto& list : questions) {
      for (const Number tag : list) known.push_back(Entry{tag, answers[known.size()]});
    }
    std::ranges::sort(known);
    parallel::agree([&] {
      for (auto& list : lists) {
        for (std::size_t k = 0; k < count; ++k) {
          const Number tag = list[k];
          list[k] = (*std::ranges::lower_bound(known, tag, {}, [](const Entry& e) { return e[0]; }))[1];
          if (list[k] < 0)
            throw Error(fmt::format("{}: an element of the mesh has node {}, which isn't there", file_, tag));
        }
      }
    });
  }
  /// How many nodes have been used. Collective.
  Number used() const { return parallel::sum(static_cast<Number>(std::ranges::count(used_, 1))); }

 private:
  using Entry = std::array<Number, 2>;  // tag, number
  static std::size_t home(Number tag) {
    return static_cast<std::size_t>(tag) % static_cast<std::size_t>(parallel::size());
  }
  const std::string& file_;
  std::vector<Entry> entries_;
  std::vector<char> used_;
};

/// The sides that one triangle alone has, with the physical curves of the lines there. Each side is looked at
/// by the rank that has a share of such low ends. Collective.
std::vector<Triangles::Side> outer_sides(const std::string& file, const Triangles& t,
                                         const std::vector<std::array<Number, 3>>& lines, Number all_nodes) {
  struct Edge {
    std::array<Number, 2> ends;
    Number curve, sender;  // no sender for a line
    auto operator<=>(const Edge&) const = default;
  };
  auto to = for_ranks<Edge>();
  const auto add = [&](Number a, Number b, Number curve, Number sender) {
    const std::array<Number, 2> ends{std::min(a, b), std::max(a, b)};
    to[static_cast<std::size_t>(parallel::share_owner(all_nodes, ends[0]))].push_back({ends, curve, sender});
  };
  for (const auto& [i, j, k] : t.cells) {
    add(i, j, no_curve, parallel::rank());
    add(j, k, no_curve, parallel::rank());
    add(k, i, no_curve, parallel::rank());
  }
  for (const auto& [a, b, curve] : lines) add(a, b, curve, -1);
  auto edges = parallel::exchange(std::move(to));
  std::ranges::sort(edges);
  auto back = for_ranks<Triangles::Side>();
  parallel::agree([&] {
    for (auto edge = edges.begin(); edge != edges.end();) {
      Number curve = no_curve, triangles = 0, sender = 0;
      const auto same = edge->ends;
      for (; edge != edges.end() && edge->ends == same; ++edge) {
        if (edge->sender < 0)
          curve = edge->curve;
        else
          sender = (++triangles, edge->sender);
      }
      if (triangles > 2)
        throw Error(
            fmt::format("{}: {} triangles of the mesh meet in the edge between its nodes in places {} "
                        "and {} of $Nodes; in a plane no more than 2 can",
                        file, triangles, same[0] + 1, same[1] + 1));
      if (triangles == 1) back[static_cast<std::size_t>(sender)].push_back({same, curve});
    }
  });
  release(edges);
  return parallel::exchange(std::move(back));
}

}  // namespace

Triangles read_gmsh(const std::string& file) {
  check_gmsh(file);
  Triangles t;
  std::map<Number, std::string> names;
  std::vector<Number> tags;
  std::vector<std::array<Number, 3>> lines;
  parallel::deal<Record>([&](const Give& give) { Reader(file, names).read(give); },
                         [&](const Record& record) {
                           switch (record.kind) {
                             case Record::Kind::node:
                               tags.push_back(record.nodes[0]);
                               break;
                             case Record::Kind::point:
                               t.vertices.push_back(record.point);
                               break;
                             case Record::Kind::line:
                               lines.push_back(record.nodes);
                               break;
                             case Record::Kind::triangle:
                               t.cells.push_back(record.nodes);
                           }
                         });
  t.cells = parallel::evened(std::move(t.cells));
  const auto begins = parallel::offsets(std::ssize(t.vertices));
  const Number all_nodes = begins.back();
  t.all_cells = parallel::sum(static_cast<Number>(t.cells.size()));
  if (t.all_cells == 0) throw Error(file + ": the mesh holds no surface; gmsh -2 makes one");
  Directory directory(file, tags, begins[static_cast<std::size_t>(parallel::rank())]);
  directory.number(t.cells, 3, true);
  directory.number(lines, 2, false);
  t.all_vertices = directory.used();
  t.sides = outer_sides(file, t, lines, all_nodes);
  t.all_sides = parallel::sum(static_cast<Number>(t.sides.size()));

  // The curves that bear a side anywhere, in order; of those of one name, one boundary.
  std::set<Number> curves;
  for (const auto& side : t.sides) curves.insert(side.boundary);
  const auto everywhere = parallel::exchange(
      parallel::ForRanks<Number>(static_cast<std::size_t>(parallel::size()), {curves.begin(), curves.end()}));
  curves.insert(everywhere.begin(), everywhere.end());
  std::string text;
  for (const Number curve : curves) {
    if (parallel::rank() == 0)
      text += (names.contains(curve) ? names.at(curve)
               : curve == no_curve   ? "boundary"
                                     : fmt::format("curve {}", curve)) +
              "\n";
  }
  text = parallel::broadcast(text);
  std::map<Number, Number> boundary;
  std::size_t at = 0;
  for (const Number curve : curves) {
    const std::size_t end = text.find('\n', at);
    const std::string name = text.substr(at, end - at);
    at = end + 1;
    const auto known = std::ranges::find(t.boundaries, name);
    boundary[curve] = known - t.boundaries.begin();
    if (known == t.boundaries.end()) t.boundaries.push_back(name);
  }
  for (auto& side : t.sides) side.boundary = boundary.at(side.boundary);
  return t;
}

}  // namespace cotangent::overland
