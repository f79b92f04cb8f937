// SPDX-License-Identifier: BSD-3-Clause
// The XDMF beside a result: well-formed, and each array that it names is in the file with just these extents.
#include <array>
#include <fstream>
#include <iterator>
#include <limits>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>

#include "io/hdf5.hpp"
#include "io/xdmf.hpp"
#include "mpi_test.hpp"
#include "scratch_folder.hpp"

using namespace cotangent;
using namespace cotangent::io;

namespace {

constexpr std::int64_t frames = 4, points = 5;

/// A result with points that move, joined by one line or none, and a surface or none.
void make(const std::filesystem::path& path, std::int64_t dimension, bool surface, std::int64_t lines,
          const std::array<double, frames>& times = {0.0, 0.5, 1.0, 1.5}) {
  parallel::on_rank_zero([&] {
    File file = File::create(path);
    for (const char* name : {"/particles/position", "/particles/velocity"})
      file.create_data_set({name, DataType::float64, {frames, points, dimension}, "1", ""});
    file.create_data_set({"/particles/time", DataType::float64, {frames}, "1", ""})
        .write_rows(0, frames, times.data());
    if (lines > 0) file.create_data_set({"/particles/ends", DataType::int64, {lines, 2}, "1", ""});
    if (surface) {
      for (const char* name : {"/surface/vertices", "/surface/normals"})
        file.create_data_set({name, DataType::float64, {9, 3}, "1", ""});
      file.create_data_set({"/surface/triangles", DataType::int32, {7, 3}, "1", ""});
    }
    file.close();
  });
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Whether every element that is opened is closed, the inner one first.
bool well_formed(const std::string& text) {
  const std::regex tag(R"re(<!--[^>]*-->|<\?[^>]*\?>|<(/?)([\w:]+)((?: [\w:]+="[^"<]*")*)(/?)>|[<>])re");
  std::vector<std::string> open;
  for (std::sregex_iterator it(text.begin(), text.end(), tag), end; it != end; ++it) {
    const std::smatch& found = *it;
    if (found.length() == 1) return false;  // an angle that belongs to no tag
    if (!found[2].matched) continue;
    if (found[1].length() == 0 && found[4].length() == 0) open.push_back(found[2]);
    if (found[1].length() == 0) continue;
    if (open.empty() || open.back() != found[2]) return false;
    open.pop_back();
  }
  return open.empty();
}

int count(const std::string& text, const std::string& part) {
  const std::regex expression(part);
  return static_cast<int>(std::distance(std::sregex_iterator(text.begin(), text.end(), expression), {}));
}

std::vector<std::int64_t> integers(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::int64_t>(stream), {}};
}

/// Whether a slab says the same, within these extents, as text (start:stride:count:extent) and as children.
bool agrees(const std::string& text, const std::string& children, const std::string& shape,
            const std::vector<std::int64_t>& extent) {
  const std::regex four("([^:]*):([^:]*):([^:]*):([^:]*)");
  std::smatch found;
  if (!std::regex_match(text, found, four) || integers(found[4]) != extent) return false;
  const auto start = integers(found[1]), stride = integers(found[2]), size = integers(found[3]);
  if (start.size() != extent.size() || stride.size() != extent.size() || size.size() != extent.size())
    return false;
  for (std::size_t d = 0; d < extent.size(); ++d)
    if (start[d] < 0 || stride[d] != 1 || start[d] + size[d] > extent[d]) return false;
  const auto product = [](const std::vector<std::int64_t>& n) {
    return std::accumulate(n.begin(), n.end(), std::int64_t{1}, std::multiplies<>());
  };
  const std::string box = "<DataItem Dimensions=\"3 " + std::to_string(extent.size()) + "\" Format=\"XML\">" +
                          found[1].str() + " " + found[2].str() + " " + found[3].str() + "</DataItem>";
  return product(size) == product(integers(shape)) && children.starts_with(box);
}

/// The data sets that the text names; empty where one of them is elsewhere or has another extent or type, or
/// where a part of one isn't said in both ways alike.
std::set<std::string> data_sets(const std::string& text, const std::filesystem::path& result) {
  const std::regex item(
      R"re(<DataItem (Type="HyperSlab" )?Dimensions="([^"]*)" NumberType="(\w+)" Precision="(\d)" Format="HDF">)re"
      R"re(([^:<]*):([^|<]*)(?:\|([^<]*))?<)re");
  const File file = File::open(result);
  std::set<std::string> names;
  int items = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), item), end; it != end; ++it, ++items) {
    const std::smatch& found = *it;
    if (found[5] != result.filename().string() || !file.contains(found[6])) return {};
    const DataSet set = file.data_set(found[6]);
    if ((found[3] == "Float") != (set.type() == DataType::float64) ||
        (found[4] == "4") != (set.type() == DataType::int32) || found[1].matched != found[7].matched)
      return {};
    const auto children = static_cast<std::size_t>(found.position() + found.length()) - 1;
    if (found[1].matched ? !agrees(found[7], text.substr(children, 200), found[2], set.dims())
                         : integers(found[2]) != set.dims())
      return {};
    names.insert(found[6]);
  }
  return items == count(text, "Format=\"HDF\"") ? names : std::set<std::string>{};
}

}  // namespace

TEST_CASE("the XDMF of particles names what is in the file") {
  const test::ScratchFolder folder;
  for (const std::int64_t dimension : {2, 3}) {
    for (const bool surface : {false, true}) {
      for (const std::int64_t lines : {0, 1}) {
        const auto path = folder / "motion.h5";
        make(path, dimension, surface, lines);
        write_particles_xdmf(path);
        const std::string text = text_of(folder / "motion.xdmf");
        std::set<std::string> expected = {"/particles/position", "/particles/velocity"};
        if (lines > 0) expected.insert("/particles/ends");
        if (surface) expected.insert({"/surface/vertices", "/surface/normals", "/surface/triangles"});
        CHECK_ALL(well_formed(text));
        CHECK_ALL(data_sets(text, path) == expected);
        CHECK_ALL(count(text, "<Time Value") == frames);
        CHECK_ALL(count(text, "NumberOfElements=\"7\"") == (surface ? frames : 0));
        CHECK_ALL(count(text, lines > 0 ? "Polyline\" NodesPerElement=\"2\" NumberOfElements=\"1\""
                                        : "Polyvertex\" NodesPerElement=\"1\" NumberOfElements=\"5\"") == 1);
        CHECK_ALL(count(text, ">0 1 2 3 4</DataItem>") == (lines > 0 ? 0 : 1));
        CHECK_ALL(count(text, "<xi:include xpointer=") == frames - 1);
        for (int k = 0; k < frames; ++k) {
          const std::string n = std::to_string(k), d = std::to_string(dimension);
          const auto slabs = [&](const std::string& column, const std::string& width) {
            return count(text, "[|]" + n + " 0 " + column + ":1 1 1:1 5 " + width + ":4 5 " + d + "<");
          };
          CHECK_ALL(slabs("0", d) == (dimension == 3 ? 2 : 1));
          CHECK_ALL(slabs("0", "1") == (dimension == 3 ? 0 : 1));
          CHECK_ALL(slabs("1", "1") == (dimension == 3 ? 0 : 1));
        }
      }
    }
  }
}

TEST_CASE("a result's name is written as XML writes it") {
  const test::ScratchFolder folder;
  make(folder / "salt & <pepper>.h5", 3, false, 0);
  write_particles_xdmf(folder / "salt & <pepper>.h5");
  const std::string text = text_of(folder / "salt & <pepper>.xdmf");
  CHECK_ALL(count(text, ">salt &amp; &lt;pepper&gt;.h5:/particles/position[|]") == frames);
  CHECK_ALL(count(text, "<pepper") == 0);
}

TEST_CASE("the XDMF ends where the samples end") {
  const test::ScratchFolder folder;
  const auto path = folder / "motion.h5";
  for (const double unwritten : {0.0, std::numeric_limits<double>::quiet_NaN()}) {
    make(path, 3, true, 0, {0.0, 0.5, unwritten, unwritten});
    write_particles_xdmf(path);
    const std::string text = text_of(folder / "motion.xdmf");
    CHECK_ALL(well_formed(text));
    CHECK_ALL(count(text, "<Time Value") == 2);
  }
}

TEST_CASE("what isn't well-formed, or names what isn't there, is told") {
  const test::ScratchFolder folder;
  const auto path = folder / "motion.h5";
  make(path, 3, true, 0);
  write_particles_xdmf(path);
  const std::string text = text_of(folder / "motion.xdmf");
  CHECK_ALL(!well_formed(std::regex_replace(text, std::regex("</Geometry>"), "")));
  CHECK_ALL(!well_formed(std::regex_replace(text, std::regex("<Grid"), "<Grid<")));
  CHECK_ALL(!data_sets(text, path).empty());
  CHECK_ALL(data_sets(std::regex_replace(text, std::regex("4 5 3"), "4 5 2"), path).empty());
  CHECK_ALL(data_sets(std::regex_replace(text, std::regex("[|]1 0 0"), "|2 0 0"), path).empty());
  CHECK_ALL(data_sets(std::regex_replace(text, std::regex("3 0 0"), "4 0 0"), path).empty());
  CHECK_ALL(
      data_sets(std::regex_replace(text, std::regex("/surface/normals"), "/surface/normal"), path).empty());
  CHECK_ALL(
      data_sets(std::regex_replace(text, std::regex("Precision=\"4\""), "Precision=\"8\""), path).empty());
}
