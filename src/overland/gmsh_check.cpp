// SPDX-License-Identifier: BSD-3-Clause
// Checks Gmsh files: sections begun and ended, counts, nodes with positive numbers of their own and finite
// coordinates, elements of known types with as many nodes as these have, nodes that exist. Text has to stand
// as Gmsh writes it, a record a line, so that what a line lacks isn't taken from the next one. Numbers of
// binary files are checked alike; what no number shows in either, a node moved to where it may be, passes.
// Memory: nodes whose numbers follow one another are kept as a run, so that a file as Gmsh writes it takes a
// few bytes, and one whose numbers are in disorder 32 bytes a node; besides, 8 for each node of a block
// of 4.1. Reference: Gmsh 4.11 reference manual, section 10 (the file formats).
#include "overland/gmsh_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "overland/gmsh_elements.hpp"
#include "overland/gmsh_input.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::overland {

namespace {

using gmsh::Input;
using gmsh::Nodes;
using gmsh::Number;

class Check {
 public:
  explicit Check(const std::string& file) : in_(file) {}

  void run() {
    format();
    while (in_.next_line()) {
      const std::string mark(in_.line());
      if (!mark.starts_with('$'))
        throw in_.wrong(
            fmt::format("'{}' stands outside all sections: a section must begin here, by its "
                        "name after $",
                        in_.shown()));
      if (mark.starts_with("$End"))
        throw in_.wrong(fmt::format("{} ends a section that hasn't begun", in_.shown()));
      section_ = mark.substr(1);
      begun_ = in_.place();
      const bool ours = section_ == "PhysicalNames" || section_ == "Entities" || section_ == "Nodes" ||
                        section_ == "Elements";
      if (ours && !seen_.insert(section_).second)
        throw in_.wrong(fmt::format("a second ${}; a mesh has one", section_));
      if (section_ == "PhysicalNames") physical_names();
      if (section_ == "Entities") entities();
      if (section_ == "Nodes") nodes();
      if (section_ == "Elements") elements();
      if (ours)
        end();
      else
        leave_out();
    }
    for (const char* name : {"Nodes", "Elements"}) {
      if (!seen_.contains(name))
        throw in_.wrong(fmt::format("the mesh can't be read: the file ends without ${}", name));
    }
  }

 private:
  void format() {
    if (!in_.next_line()) throw in_.wrong("not a Gmsh file: it is empty, and must begin with $MeshFormat");
    if (in_.line() != "$MeshFormat")
      throw in_.wrong(
          fmt::format("not a Gmsh file: it begins with '{}', not $MeshFormat", in_.shown().substr(0, 20)));
    section_ = "MeshFormat";
    begun_ = in_.place();
    in_.words_of_section(section_);
    const double format = in_.real("the format");
    if (format != 2.2 && format != 4.1)
      throw in_.wrong(
          fmt::format("a Gmsh file of format {}; formats 2.2 and 4.1 are read: "
                      "gmsh -2 -format msh41",
                      format));
    blocks_ = format == 4.1;
    const Number binary = in_.whole("0 (text) or 1 (binary)");
    if (binary != 0 && binary != 1)
      throw in_.wrong(
          fmt::format("the format's second number is {}; it must be 0 (text) or 1 (binary)", binary));
    if (const Number size = in_.whole("the size of numbers"); size != 8)
      throw in_.wrong(fmt::format("numbers of {} bytes; those of 8 are read", size));
    in_.no_more("the line of the format");
    if (binary == 1) {
      in_.set_binary();
      if (const Number one = in_.whole("the number 1"); one != 1)
        throw in_.wrong(
            fmt::format("a binary Gmsh file of another machine: its number 1 reads as {} here; "
                        "gmsh -2 -format msh41 without -bin makes a file for all",
                        one));
    }
    end();
  }

  /// The section's end has to stand here.
  void end() {
    const std::string mark = "$End" + section_;
    if (!in_.next_line()) throw in_.wrong(in_.cut_short(section_));
    if (in_.line() == mark) return;
    if (in_.line().starts_with('$'))
      throw in_.wrong(fmt::format("${}, begun at {}, must be ended by {} before {}", section_,
                                  in_.named(begun_), mark, in_.shown()));
    if (said_ && !in_.binary() && !blocks_) {  // what would have been right
      const Error error =
          in_.wrong(fmt::format("more {} than the {} that {} says", records_, *said_, in_.named(said_at_)));
      Number more = 1;
      while (in_.next_line() && !in_.line().starts_with('$')) ++more;
      if (in_.line() == mark)
        throw Error(fmt::format("{}; up to {} there are {}", error.what(), mark, *said_ + more));
      throw Error(error);
    }
    throw in_.wrong(fmt::format("here ${} must end by {}, as its counts say; there stands '{}'", section_,
                                mark, in_.shown()));
  }

  /// A section that the mesh isn't made of.
  void leave_out() {
    const std::string mark = "$End" + section_;
    for (const char* known : {"PhysicalNames", "Entities", "Nodes", "Elements"}) {
      if (section_.starts_with(known))
        throw in_.wrong(fmt::format("no section is called ${}; is it ${}?", section_, known));
    }
    partitioned_ = partitioned_ || section_ == "PartitionedEntities";
    while (in_.next_line()) {
      if (in_.line() == mark) return;
      for (const char* known : {"$PhysicalNames", "$Entities", "$Nodes", "$Elements"}) {
        if (in_.line().starts_with(known))
          throw in_.wrong(fmt::format("${}, begun at {}, must be ended by {} before {}", section_,
                                      in_.named(begun_), mark, known));
      }
    }
    throw in_.wrong(in_.cut_short(section_));
  }

  /// A record whose section's end comes too soon is none.
  void record(Number k) {
    in_.record(section_);
    if (!in_.binary() && in_.at_section_mark())
      throw in_.wrong(fmt::format("{} stands here after {} {}; line {} says {}", in_.shown(), k, records_,
                                  said_at_, said_.value_or(0)));
  }
  void says(Number count, const char* records, Number least_bytes) {
    said_ = count;
    said_at_ = in_.place();
    records_ = records;
    if (count < 0) throw in_.wrong(fmt::format("a count of {} {}; it can't be below 0", count, records));
    if (!in_.holds(count, least_bytes))
      throw in_.wrong(
          fmt::format("the mesh can't be read: a count of {} {}, for which the rest of the file is too short",
                      count, records));
  }
  /// A count that stands alone in its line, as text also in binary files.
  void says_in_a_line(const char* records, Number least_bytes) {
    in_.text_record(true);
    in_.words_of_section(section_);
    const Number count = in_.whole("the count", 8);
    in_.no_more("the line of the count");
    in_.text_record(false);
    says(count, records, least_bytes);
  }

  void physical_names() {
    says_in_a_line("names", 6);
    std::map<std::pair<Number, Number>, Number> places;
    in_.text_record(true);
    for (Number k = 0; k < *said_; ++k) {
      in_.words_of_section(section_);
      if (in_.at_section_mark())
        throw in_.wrong(fmt::format("{} stands here after {} names; {} says {}", in_.shown(), k,
                                    in_.named(said_at_), *said_));
      const Number dimension = in_.whole("the dimension of a name"), tag = in_.whole("the number of a name");
      if (dimension < 0 || dimension > 3)
        throw in_.wrong(fmt::format("a name of dimension {}; it must be 0 to 3", dimension));
      const auto from = in_.line().find('"');
      if (from == std::string_view::npos || in_.line().size() < from + 2 || in_.line().back() != '"')
        throw in_.wrong(fmt::format("the name of group {} must stand between quotation marks", tag));
      const auto [known, is_new] = places.emplace(std::pair{dimension, tag}, in_.place());
      if (!is_new)
        throw in_.wrong(fmt::format("a second name for group {} of dimension {}; {} has one", tag, dimension,
                                    in_.named(known->second)));
    }
    in_.text_record(false);
  }

  void finite(double x, const char* what, Number of) {
    if (!std::isfinite(x)) throw in_.wrong(fmt::format("{} {} is {}, which isn't finite", what, of, x));
  }

  void entities() {
    if (!blocks_) throw in_.wrong("$Entities, which files of format 2.2 don't have; those of 4.1 do");
    in_.record(section_);
    std::array<Number, 4> counts{};
    for (auto& count : counts) {
      count = in_.whole("the count of points, curves, surfaces or volumes", 8);
      says(count, "entities", in_.binary() ? 12 : 4);
    }
    in_.no_more("the line of counts");
    for (int dimension = 0; dimension < 4; ++dimension) {
      const Number count = counts[static_cast<std::size_t>(dimension)];
      said_ = count;
      for (Number k = 0; k < count; ++k) {
        record(k);
        const Number tag = in_.whole("the number of an entity");
        if (!entities_.emplace(dimension, tag).second)
          throw in_.wrong(fmt::format("a second entity {} of dimension {}", tag, dimension));
        for (int x = 0; x < (dimension == 0 ? 3 : 6); ++x)
          finite(in_.real("a coordinate"), "a coordinate of entity", tag);
        list("the count of physical groups", "a physical group");
        if (dimension > 0) list("the count of bounding entities", "a bounding entity");
        in_.no_more(fmt::format("entity {} of dimension {}", tag, dimension));
      }
    }
    said_.reset();
  }
  void list(const char* count, const char* item) {
    const Number n = in_.whole(count, 8);
    if (n < 0) throw in_.wrong(fmt::format("{} is {}; it can't be below 0", count, n));
    for (Number k = 0; k < n; ++k) in_.whole(item);
  }

  void node_number(Number number, int bytes) {
    if (number < 1)
      throw in_.wrong(
          fmt::format("node {}: nodes have numbers from 1{}", number, bytes == 4 ? " to 2^31 - 1" : ""));
    nodes_.add(number, in_.place());
  }
  void point(Number number) {
    for (const char* which : {"x", "y", "z"}) {
      const double x = in_.real("a coordinate");
      if (!std::isfinite(x))
        throw in_.wrong(fmt::format("{} of node {} is {}, which isn't finite", which, number, x));
    }
  }
  void nodes() {
    if (blocks_)
      node_blocks();
    else {
      says_in_a_line("nodes", in_.binary() ? 28 : 8);
      for (Number k = 0; k < *said_; ++k) {
        record(k);
        const Number number = in_.whole("a node's number");
        node_number(number, 4);
        point(number);
        in_.no_more(fmt::format("node {}, its number and x, y, z,", number));
      }
    }
    if (nodes_.empty()) throw in_.wrong("the mesh has no nodes");
    if (const auto twice = nodes_.sort())
      throw in_.wrong_at(twice->place,
                         fmt::format("a second node {}; {} has one, and numbers of nodes must differ",
                                     twice->number, in_.named(twice->before)));
  }
  struct Counts {
    Number blocks, all;
  };
  /// The line that begins a section of blocks: how many, and of how many nodes or elements in all, which take
  /// so many bytes each at least.
  Counts block_counts(const char* what, Number bytes_each) {
    in_.record(section_);
    const Number blocks = in_.whole("the count of blocks", 8);
    const Number all = in_.whole(fmt::format("the count of {}", what).c_str(), 8);
    in_.whole("the least number", 8);
    in_.whole("the largest number", 8);
    in_.no_more("the line of counts");
    says(blocks, "blocks", in_.binary() ? 20 : 8);
    says(all, what, bytes_each);
    return {blocks, all};
  }
  void node_blocks() {
    const auto [blocks, all] = block_counts("nodes", in_.binary() ? 32 : 8);
    const Number at = said_at_;
    Number done = 0;
    for (Number block = 0; block < blocks; ++block) {
      said_ = blocks, said_at_ = at, records_ = "blocks";
      record(block);
      const Number dimension = in_.whole("a block's dimension"), entity = in_.whole("a block's entity");
      if (in_.whole("0, for nodes without parameters") != 0)
        throw in_.wrong("nodes with parameters aren't read; gmsh without -parametric makes a file without");
      const Number count = in_.whole("a block's count of nodes", 8);
      in_.no_more("the line of a block");
      known_entity(dimension, entity);
      says(count, "nodes of the block", in_.binary() ? 32 : 8);
      if (done + count > all)
        throw in_.wrong(fmt::format("more nodes than it says: with this block's {} there are {}, not {}",
                                    count, done + count, all));
      std::vector<Number> numbers;  // of this block, for what is wrong with a coordinate
      for (Number k = 0; k < count; ++k) {
        record(k);
        numbers.push_back(in_.whole("a node's number", 8));
        node_number(numbers.back(), 8);
        in_.no_more("the line of a node's number");
      }
      for (const Number number : numbers) {
        record(count);
        point(number);
        in_.no_more(fmt::format("the line of x, y, z of node {}", number));
      }
      done += count;
    }
    said_.reset();
    if (done != all)
      throw in_.wrong(fmt::format("the blocks have {} nodes; {} says {}", done, in_.named(at), all));
  }
  void known_entity(Number dimension, Number entity) {
    if (dimension < 0 || dimension > 3)
      throw in_.wrong(fmt::format("a block of dimension {}; it must be 0 to 3", dimension));
    if (!entities_.empty() && !partitioned_ && !entities_.contains({static_cast<int>(dimension), entity}))
      throw in_.wrong(
          fmt::format("a block of entity {} of dimension {}, which $Entities hasn't", entity, dimension));
  }

  /// What an element of this type is.
  const GmshElement& kind(Number type) {
    const GmshElement* const element = gmsh_element(type);
    if (element == nullptr)
      throw in_.wrong(
          fmt::format("the mesh holds elements of type {}, which are no triangles; gmsh -2 makes a "
                      "mesh of a surface: points (type 15), lines (1) and triangles (2)",
                      type));
    if (element->corners == 4)
      throw in_.wrong(fmt::format(
          "the mesh holds cells that are no triangles, of type {}; triangles are of type 2", type));
    return *element;
  }
  void element_nodes(Number element, const GmshElement& kind, int bytes) {
    std::array<Number, 3> corners{};
    for (int n = 0; n < kind.nodes; ++n) {
      const Number node = in_.whole("a node of an element", bytes);
      if (!nodes_.has(node))
        throw in_.wrong(fmt::format("element {} has node {}, which isn't there; there are numbers from {}",
                                    element, node, nodes_.range()));
      if (n >= kind.corners) continue;
      if (std::find(corners.begin(), corners.begin() + n, node) != corners.begin() + n)
        throw in_.wrong(fmt::format("element {} has node {} twice; its corners must differ", element, node));
      corners[static_cast<std::size_t>(n)] = node;
    }
  }
  Number element_number(int bytes) {
    const Number number = in_.whole("an element's number", bytes);
    if (number < 1) throw in_.wrong(fmt::format("element {}: elements have numbers from 1", number));
    return number;
  }
  void elements() {
    if (!seen_.contains("Nodes")) throw in_.wrong("$Elements before $Nodes; nodes must come first");
    if (blocks_) return element_blocks();
    says_in_a_line("elements", 8);
    if (in_.binary()) return binary_elements();
    for (Number k = 0; k < *said_; ++k) {
      record(k);
      const Number number = element_number(4), type = in_.whole("an element's type"),
                   tags = in_.whole("an element's count of tags");
      const GmshElement& element = kind(type);
      const auto has = static_cast<Number>(in_.words());
      if (tags < 0 || tags > has || has != 3 + tags + element.nodes)
        throw in_.wrong(
            fmt::format("element {} of type {} has {} nodes, and {} tags as it says: {} numbers with "
                        "these three; this line has {}",
                        number, type, element.nodes, tags, 3 + tags + element.nodes, has));
      for (Number t = 0; t < tags; ++t) in_.whole("a tag of an element");
      element_nodes(number, element, 4);
    }
  }
  void binary_elements() {
    for (Number done = 0; done < *said_;) {
      const Number type = in_.whole("an element's type");
      const GmshElement& element = kind(type);
      const Number follow = in_.whole("how many elements of a type follow");
      if (follow < 1 || follow > *said_ - done)
        throw in_.wrong(
            fmt::format("{} elements of type {} follow; it must be 1 to {}, of the {} elements that "
                        "{} says",
                        follow, type, *said_ - done, *said_, in_.named(said_at_)));
      const Number tags = in_.whole("an element's count of tags");
      if (tags < 0 || !in_.holds(tags, 4))
        throw in_.wrong(fmt::format("elements with {} tags; as a rule it is 2", tags));
      for (Number k = 0; k < follow; ++k) {
        const Number number = element_number(4);
        for (Number t = 0; t < tags; ++t) in_.whole("a tag of an element");
        element_nodes(number, element, 4);
      }
      done += follow;
    }
  }
  void element_blocks() {
    const auto [blocks, all] = block_counts("elements", in_.binary() ? 16 : 4);
    const Number at = said_at_;
    Number done = 0;
    for (Number block = 0; block < blocks; ++block) {
      said_ = blocks, said_at_ = at, records_ = "blocks";
      record(block);
      const Number dimension = in_.whole("a block's dimension"), entity = in_.whole("a block's entity"),
                   type = in_.whole("a block's type of elements");
      const Number count = in_.whole("a block's count of elements", 8);
      in_.no_more("the line of a block");
      const GmshElement& element = kind(type);
      if (dimension != element.dimension)
        throw in_.wrong(fmt::format("a block of dimension {} with elements of type {}, whose dimension is {}",
                                    dimension, type, element.dimension));
      known_entity(dimension, entity);
      says(count, "elements of the block", in_.binary() ? 8 : 4);
      if (done + count > all)
        throw in_.wrong(fmt::format("more elements than it says: with this block's {} there are {}, not {}",
                                    count, done + count, all));
      for (Number k = 0; k < count; ++k) {
        record(k);
        const Number number = element_number(8);
        if (!in_.binary() && static_cast<Number>(in_.words()) != 1 + element.nodes)
          throw in_.wrong(
              fmt::format("element {} of type {} has {} nodes: {} numbers with its own; this line has {}",
                          number, type, element.nodes, 1 + element.nodes, in_.words()));
        element_nodes(number, element, 8);
      }
      done += count;
    }
    said_.reset();
    if (done != all)
      throw in_.wrong(fmt::format("the blocks have {} elements; {} says {}", done, in_.named(at), all));
  }

  Input in_;
  std::string section_;
  Number begun_ = 0;
  std::optional<Number> said_;  // how many records the section says it has
  Number said_at_ = 0;
  const char* records_ = "";
  std::set<std::string> seen_;
  std::set<std::pair<int, Number>> entities_;
  Nodes nodes_;
  bool blocks_ = false, partitioned_ = false;
};

}  // namespace

void check_gmsh(const std::string& file) {
  parallel::on_rank_zero([&] { Check(file).run(); });
}

}  // namespace cotangent::overland
