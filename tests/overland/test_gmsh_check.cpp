// SPDX-License-Identifier: BSD-3-Clause
// Damage of every kind, planted into Gmsh files line by line, number by number: each is refused where it is,
// with what would be right. Then the dam's mesh, damaged at random: whatever is not refused must be a mesh.
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <random>

#include "core/error.hpp"
#include "la/petsc.hpp"
#include "mpi_test.hpp"
#include "overland/gmsh_check.hpp"
#include "overland/mesh.hpp"

namespace cotangent::overland {
namespace {

using Lines = std::vector<std::string>;

// A square of two triangles, its left side a physical curve.
const Lines older{"$MeshFormat",
                  "2.2 0 8",
                  "$EndMeshFormat",
                  "$PhysicalNames",
                  "1",  // 1
                  "1 7 \"left side\"",
                  "$EndPhysicalNames",
                  "$Nodes",
                  "4",  // 6
                  "1 0 0 0",
                  "2 1 0 0",
                  "3 1 1 0",
                  "4 0 1 0",
                  "$EndNodes",  // 10
                  "$Elements",
                  "3",
                  "1 1 2 7 1 4 1",
                  "2 2 2 1 1 1 2 3",  // 15
                  "3 2 2 1 1 1 3 4",
                  "$EndElements"};  // 19
const Lines newer{"$MeshFormat",
                  "4.1 0 8",
                  "$EndMeshFormat",
                  "$Entities",
                  "0 1 1 0",  // 1
                  "1 0 0 0 0 1 0 1 7 0",
                  "1 0 0 0 1 1 0 0 1 1",
                  "$EndEntities",
                  "$Nodes",  // 6
                  "1 4 1 4",
                  "2 1 0 4",
                  "1",
                  "2",
                  "3",
                  "4",  // 10
                  "0 0 0",
                  "1 0 0",
                  "1 1 0",
                  "0 1 0",
                  "$EndNodes",  // 16
                  "$Elements",
                  "2 3 1 3",
                  "1 1 1 1",
                  "1 4 1",
                  "2 1 2 2",  // 21
                  "2 1 2 3",
                  "3 1 3 4",
                  "$EndElements"};  // 26

std::string with(Lines lines, std::size_t line, const std::string& other) {
  lines.at(line - 1) = other;
  std::string text;
  for (const auto& l : lines) text += l + "\n";
  return text;
}
/// The first lines alone.
std::string cut(Lines lines, std::size_t count) {
  lines.resize(count);
  return with(lines, 1, lines[0]);
}

/// A file of this content, as all ranks see it.
class File {
 public:
  explicit File(const std::string& text)
      : path((std::filesystem::temp_directory_path() /
              parallel::broadcast(fmt::format("cotangent_check_{}.msh", std::random_device{}())))
                 .string()) {
    parallel::on_rank_zero([&] { std::ofstream(path, std::ios::binary) << text; });
  }
  ~File() {
    parallel::all(true);  // nobody reads any longer
    std::error_code ignored;
    if (parallel::rank() == 0) std::filesystem::remove(path, ignored);
  }
  const std::string path;
};

/// What the check says after the file's name; "" where it says nothing.
std::string said(const std::string& text) {
  const File file(text);
  const std::string error = test::text_thrown<Error>([&] { check_gmsh(file.path); });
  return error.starts_with(file.path) ? error.substr(file.path.size()) : error;
}

struct Damage {
  std::size_t line;
  std::string other;
  std::vector<std::string> parts;
};
void refuse_each(const Lines& lines, const std::vector<Damage>& damages) {
  for (const auto& [line, other, parts] : damages) {
    const std::string error = said(with(lines, line, other));
    INFO("line " << line << ": " << other << " gives " << error);
    for (const auto& part : parts) {
      INFO(part);
      CHECK_ALL(error.find(part) != std::string::npos);
    }
  }
}

TEST_CASE("Damage of every kind in a file of format 2.2 is named by line, number and what would be right") {
  CHECK_ALL(said(with(older, 1, older[0])).empty());  // the control
  refuse_each(
      older,
      {{1, "mesh", {":1: ", "begins with 'mesh', not $MeshFormat"}},
       {2, "2.1 0 8", {":2: ", "format 2.1", "2.2 and 4.1"}},
       {2, "2.2 3 8", {":2: ", "3", "0 (text) or 1 (binary)"}},
       {2, "2.2 0 4", {":2: ", "numbers of 4 bytes"}},
       {2, "2.2 0", {":2: ", "the line ends after 2 numbers", "size"}},
       {3, "$Nodes", {":3: ", "$MeshFormat, begun at line 1, must be ended by $EndMeshFormat"}},
       {4, "$PhysicalName", {":8: ", "$PhysicalName, begun at line 4", "must be ended by $EndPhysicalName"}},
       {4, "stray", {":4: ", "'stray' stands outside all sections"}},
       {4, "$EndNodes", {":4: ", "ends a section that hasn't begun"}},
       {5, "2", {":7: ", "$EndPhysicalNames stands here after 1 names; line 5 says 2"}},
       {6, "1 7 left", {":6: ", "group 7", "quotation marks"}},
       {6, "5 7 \"left\"", {":6: ", "dimension 5", "0 to 3"}},
       {8, "", {":9: ", "'4' stands outside all sections"}},
       {9, "5", {":14: ", "$EndNodes stands here after 4 nodes; line 9 says 5"}},
       {9, "-4", {":9: ", "a count of -4 nodes", "below 0"}},
       {9, "3", {":13: ", "more nodes than the 3 that line 9 says", "up to $EndNodes there are 4"}},
       {9, "four", {":9: ", "must be a whole number", "'four'"}},
       {9, "9000000000000000000", {":9: ", "a count of 9000000000000000000 nodes", "too short"}},
       {10, "0 0 0 0", {":10: ", "node 0", "from 1"}},
       {10, "-1 0 0 0", {":10: ", "node -1", "from 1"}},
       {10, "1.5 0 0 0", {":10: ", "whole number", "'1.5'"}},
       {10, "4294967297 0 0 0", {":10: ", "whole number below 2^31", "4294967297"}},
       {12, "2 1 1 0", {":12: ", "a second node 2", "line 11 has one"}},
       {12, "3 nan 1 0", {":12: ", "x of node 3 is nan, which isn't finite"}},
       {12, "3 1 1e999 0", {":12: ", "y of node 3 is inf, which isn't finite"}},
       {12, "3 1 one 0", {":12: ", "must be a number", "'one'"}},
       {12, "3 1 1", {":12: ", "the line ends after 3 numbers", "coordinate"}},
       {12, "3 1 1 0 0", {":12: ", "node 3", "has 4 numbers", "5"}},
       {12, "33 1 1 0", {":18: ", "element 2 has node 3, which isn't there"}},
       {13, "$EndNodes", {":13: ", "$EndNodes stands here after 3 nodes; line 9 says 4"}},
       {14, "$Elements", {":14: ", "$Nodes, begun at line 8, must be ended by $EndNodes"}},
       {15, "$Nodes", {":15: ", "a second $Nodes"}},
       {16, "2", {":19: ", "more elements than the 2 that line 16 says", "there are 3"}},
       {17, "1 1 2 7 1 4", {":17: ", "element 1 of type 1 has 2 nodes", "7 numbers", "has 6"}},
       {18, "2 2 2 1 1 1 2", {":18: ", "element 2 of type 2 has 3 nodes", "8 numbers", "has 7"}},
       {18, "2 2 2 1 1 1 2 3 4", {":18: ", "8 numbers", "has 9"}},
       {18, "2 2 -2 1 1 1 2 3", {":18: ", "-2 tags"}},
       {18, "2 2 2000000000 1 1 1 2 3", {":18: ", "2000000000 tags"}},
       {18, "2 77 2 1 1 1 2 3", {":18: ", "type 77", "triangles (2)"}},
       {18, "2 3 2 1 1 1 2 3 4", {":18: ", "no triangles, of type 3"}},
       {18, "2 2 2 1 1 1 2 5", {":18: ", "element 2 has node 5, which isn't there", "1 to 4"}},
       {18, "2 2 2 1 1 1 2 2", {":18: ", "element 2 has node 2 twice"}},
       {18, "0 2 2 1 1 1 2 3", {":18: ", "element 0", "from 1"}},
       {20, "$EndElement", {":20: ", "$Elements", "$EndElements"}},
       {20, "", {":21: ", "the file ends within $Elements", "$EndElements"}}});
  for (std::size_t lines = 0; lines < older.size(); ++lines) {
    INFO("cut after line " << lines);
    if (lines == 0)
      CHECK_ALL(said("").find("empty") != std::string::npos);
    else
      CHECK_ALL(!said(cut(older, lines)).empty());
  }
}

TEST_CASE("Damage of every kind in a file of format 4.1 is named by line, number and what would be right") {
  CHECK_ALL(said(with(newer, 1, newer[0])).empty());  // the control
  refuse_each(
      newer,
      {{5, "0 1 2 0", {":8: ", "$EndEntities stands here after 1 entities; line 5 says 2"}},
       {5, "0 2 1 0", {":7: ", "a second entity 1 of dimension 1"}},
       {6, "1 0 0 0 0 1 0 2 7 0", {":6: ", "the line ends"}},
       {6, "1 0 0 0 0 inf 0 1 7 0", {":6: ", "entity 1 is inf, which isn't finite"}},
       {10, "1 5 1 4", {":19: ", "the blocks have 4 nodes; line 10 says 5"}},
       {10, "1 3 1 4", {":11: ", "more nodes than it says", "there are 4, not 3"}},
       {10, "2 4 1 4", {":20: ", "$EndNodes stands here after 1 blocks; line 10 says 2"}},
       {11, "2 1 1 4", {":11: ", "-parametric"}},
       {11, "2 9 0 4", {":11: ", "entity 9 of dimension 2, which $Entities hasn't"}},
       {11, "2 1 0 3", {":15: ", "the line ends after 1 number, where a coordinate must stand"}},
       {13, "1", {":13: ", "a second node 1", "line 12 has one"}},
       {13, "0", {":13: ", "node 0"}},
       {18, "1 nan 0", {":18: ", "y of node 3 is nan, which isn't finite"}},
       {19, "0 1", {":19: ", "the line ends after 2 numbers"}},
       {22, "2 4 1 4", {":27: ", "the blocks have 3 elements; line 22 says 4"}},
       {22, "2 2 1 3", {":25: ", "more elements than it says", "there are 3, not 2"}},
       {23, "2 1 1 1", {":23: ", "a block of dimension 2 with elements of type 1, whose dimension is 1"}},
       {25, "2 1 99 2", {":25: ", "type 99"}},
       {26, "2 1 2 8", {":26: ", "element 2 has node 8, which isn't there", "1 to 4"}},
       {26, "2 1 2", {":26: ", "element 2 of type 2 has 3 nodes: 4 numbers with its own; this line has 3"}},
       {27, "$EndElements", {":27: ", "stands here after 1 elements of the block; line 25 says 2"}}});
  for (std::size_t lines = 1; lines < newer.size(); ++lines) {
    INFO("cut after line " << lines);
    CHECK_ALL(!said(cut(newer, lines)).empty());
  }
}

/// A binary file, and where its numbers stand.
struct Binary {
  std::string text;
  std::vector<std::size_t> places;
  template <class Number>
  void put(Number x) {
    places.push_back(text.size());
    text.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  template <class Number>
  std::string with(std::size_t place, Number x) const {
    std::string other = text;
    std::memcpy(other.data() + place, &x, sizeof x);
    return other;
  }
};

TEST_CASE("Numbers of binary files are checked alike, and named by byte") {
  using Size = std::int64_t;
  Binary b;
  b.text = "$MeshFormat\n2.2 1 8\n";
  b.put(1);
  b.text += "\n$EndMeshFormat\n$Nodes\n4\n";
  const std::size_t nodes = b.text.size();
  for (int node = 1; node <= 4; ++node) {
    b.put(node);
    for (const double x : {node == 2 || node == 3 ? 1.0 : 0.0, node > 2 ? 1.0 : 0.0, 0.0}) b.put(x);
  }
  b.text += "\n$EndNodes\n$Elements\n2\n";
  const std::size_t elements = b.text.size();
  for (const int x : {2, 2, 2, 1, 1, 1, 1, 2, 3, 2, 1, 1, 1, 3, 4}) b.put(x);
  b.text += "\n$EndElements\n";
  const auto refuses = [&](const std::string& text, std::size_t byte, const std::string& part) {
    const std::string error = said(text);
    INFO(error);
    return error.starts_with(fmt::format(", byte {}: ", byte)) && error.find(part) != std::string::npos;
  };
  CHECK_ALL(said(b.text).empty());  // the control
  CHECK_ALL(refuses(b.with(b.places[0], 1 << 24), b.places[0], "of another machine"));
  CHECK_ALL(refuses(b.with(nodes, 0), nodes, "node 0"));
  CHECK_ALL(refuses(b.with(nodes + 56, 1), nodes + 56, "a second node 1"));
  CHECK_ALL(refuses(b.with(nodes + 4, std::nan("")), nodes + 4, "x of node 1 is nan"));
  CHECK_ALL(refuses(b.with(elements, 4), elements, "elements of type 4"));
  CHECK_ALL(refuses(b.with(elements + 4, 3), elements + 4, "3 elements of type 2 follow; it must be 1 to 2"));
  CHECK_ALL(refuses(b.with(elements + 4, 0), elements + 4, "0 elements"));
  CHECK_ALL(refuses(b.with(elements + 24, 9), elements + 24, "element 1 has node 9, which isn't there"));
  for (std::size_t size = 0; size + 1 < b.text.size(); size += 7) {
    INFO("cut to " << size << " bytes");
    CHECK_ALL(!said(b.text.substr(0, size)).empty());
  }

  Binary c;
  c.text = "$MeshFormat\n4.1 1 8\n";
  c.put(1);
  c.text += "\n$EndMeshFormat\n$Nodes\n";
  for (const Size x : {1, 4, 1, 4}) c.put(x);
  for (const int x : {2, 1, 0}) c.put(x);
  for (const Size x : {4, 1, 2, 3, 4}) c.put(x);
  for (const double x : {0., 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.}) c.put(x);
  c.text += "\n$EndNodes\n$Elements\n";
  const std::size_t blocks = c.text.size();
  for (const Size x : {1, 2, 1, 2}) c.put(x);
  for (const int x : {2, 1, 2}) c.put(x);
  for (const Size x : {2, 1, 1, 2, 3, 2, 1, 3, 4}) c.put(x);
  c.text += "\n$EndElements\n";
  CHECK_ALL(said(c.text).empty());  // the control
  CHECK_ALL(refuses(c.with(c.places[2], Size{1} << 60), c.places[4], "a count of 1152921504606846976 nodes"));
  CHECK_ALL(refuses(c.with(c.places[10], Size{1}), c.places[10], "a second node 1"));
  CHECK_ALL(refuses(c.with(blocks + 32, 1), blocks + 44, "dimension 1 with elements of type 2"));
}

TEST_CASE("Three triangles at one edge are refused on every rank") {
  const la::Petsc petsc;
  const auto refusal = [](const std::string& text) {
    const File file(text);
    return test::text_thrown<Error>([&] { read_gmsh(file.path); });
  };
  CHECK_ALL(refusal(with(older, 1, older[0])).empty());  // the control
  std::string text = with(older, 16, "4");
  text.insert(text.find("$EndElements"), "4 2 2 1 1 1 2 4\n");
  CHECK_ALL(refusal(text).empty());  // an overlap that shares no edge thrice
  text = with(older, 16, "4");
  text.insert(text.find("$EndElements"), "4 2 2 1 1 1 2 3\n");
  CHECK_ALL(
      refusal(text).find("3 triangles of the mesh meet in the edge between its nodes in places 1 and 3") !=
      std::string::npos);
}

/// One of the ways in which files go wrong.
std::string damaged(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto line_at = [&](std::size_t from) {
    const std::size_t begin = from == 0 ? 0 : text.rfind('\n', from - 1) + 1;
    return std::pair{begin, std::min(text.find('\n', begin), text.size() - 1)};
  };
  const std::size_t at = below(text.size());
  const auto [begin, end] = line_at(at);
  switch (below(8)) {
    case 0:
      text[at] = static_cast<char>(random());
      break;
    case 1:
      text.resize(at);
      break;
    case 2:
      text.erase(begin, end - begin + 1);
      break;
    case 3:
      text.insert(begin, text.substr(begin, end - begin + 1));
      break;
    case 4:
      text.erase(at, 1 + below(40));
      break;
    case 5:
      text.insert(at, std::array{"7", "-", " 0 ", " 99999999999999999999 ", "e9", "\n", "nan"}[below(7)]);
      break;
    case 6:
      text[at] = static_cast<char>('0' + below(10));
      break;
    default: {
      const auto [other, other_end] = line_at(below(text.size()));
      const std::string moved = text.substr(other, other_end - other);
      text.replace(begin, end - begin, moved);
    }
  }
  return text;
}

TEST_CASE("The dam's mesh, damaged at random, is refused by its file or is a mesh") {
  const la::Petsc petsc;
  std::ifstream in(COTANGENT_SOURCE_DIR "/input/overland/dam.msh", std::ios::binary);
  const std::string dam{std::istreambuf_iterator<char>(in), {}};
  REQUIRE_ALL(dam.size() > 100000);
  CHECK_ALL(said(dam).empty());  // the control
  std::mt19937 random(20240611);
  int refused = 0, by_line = 0, meshes = 0;
  for (int k = 0; k < 120; ++k) {
    const std::string text = damaged(dam, random);
    const File file(text);
    const std::string error = test::text_thrown<Error>([&] {
      Triangles t = read_gmsh(file.path);
      judge(t, file.path);
      const std::int64_t cells = t.all_cells;
      CHECK_ALL(distribute(std::move(t), 0).all_cells == cells);
    });
    INFO(error);
    if (error.empty()) {
      ++meshes;
      continue;
    }
    ++refused;
    by_line += error.starts_with(file.path + ":") && std::isdigit(error[file.path.size() + 1]) != 0;
    CHECK_ALL(error.starts_with(file.path));
  }
  INFO(refused << " refused, " << by_line << " of them by a line");
  CHECK_ALL(refused > 100);
  CHECK_ALL(meshes > 1);
  CHECK_ALL(by_line > 90);
}

}  // namespace
}  // namespace cotangent::overland
