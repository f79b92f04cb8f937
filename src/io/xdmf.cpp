// SPDX-License-Identifier: BSD-3-Clause
#include "io/xdmf.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

#include "io/hdf5.hpp"
#include "io/posix.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::io {

namespace {

/// What an element says of the numbers of a data set.
std::string kind_of(const DataSet& set) {
  const bool real = set.type() == DataType::float64 || set.type() == DataType::float32;
  return fmt::format(R"(NumberType="{}" Precision="{}" Format="HDF")", real ? "Float" : "Int",
                     size_of(set.type()));
}

/// Where a data set is: beside the text.
std::string place_of(const File& file, const std::string& path) {
  std::string name;
  for (const char letter : file.path().filename().string())
    name += letter == '&'   ? "&amp;"
            : letter == '<' ? "&lt;"
            : letter == '>' ? "&gt;"
                            : std::string(1, letter);
  return name + ":" + path;
}

/// A data set as it lies in the file.
std::string whole(const File& file, const std::string& path) {
  const DataSet set = file.data_set(path);
  return fmt::format(R"(<DataItem Dimensions="{}" {}>{}</DataItem>)", fmt::join(set.dims(), " "),
                     kind_of(set), place_of(file, path));
}

/// A box within a data set: its first place, and its extents in the file and in what becomes of it.
struct Box {
  std::vector<std::int64_t> start, count, dims;
};

/// The numbers within a box. XDMF 2 and 3 say this differently, and each overlooks what the other says: the
/// library of XDMF 2 takes an element whose Type is HyperSlab by its two children, that of XDMF 3 by its
/// text, FILE:PATH|start:stride:count:extent. (It knows HyperSlab as an ItemType too, but ParaView asks such
/// an item for its type of numbers before they are read, finds none, and leaves it out.)
std::string part(const File& file, const std::string& path, const Box& box) {
  const DataSet set = file.data_set(path);
  const std::string start = fmt::format("{}", fmt::join(box.start, " ")),
                    stride = fmt::format("{}", fmt::join(std::vector(box.start.size(), 1), " ")),
                    count = fmt::format("{}", fmt::join(box.count, " "));
  return fmt::format(R"(<DataItem Type="HyperSlab" Dimensions="{}" {}>{}|{}:{}:{}:{})"
                     R"(<DataItem Dimensions="3 {}" Format="XML">{} {} {}</DataItem>{}</DataItem>)",
                     fmt::join(box.dims, " "), kind_of(set), place_of(file, path), start, stride, count,
                     fmt::join(set.dims(), " "), box.start.size(), start, stride, count, whole(file, path));
}

/// The times of rows that were written: as long as they rise.
std::vector<double> times_of(const File& file, const std::string& path) {
  std::vector<double> times = file.read<double>(path);
  std::size_t count = times.empty() ? 0 : 1;
  while (count < times.size() && times[count] > times[count - 1]) ++count;
  times.resize(count);
  return times;
}

/// Row k of a data set [rows, n, d] as `shape` (its product is n) of d numbers each.
std::string row(const File& file, const std::string& path, std::int64_t k, std::vector<std::int64_t> shape) {
  const std::int64_t n = file.dims(path).at(1), d = file.dims(path).at(2);
  shape.push_back(d);
  return part(file, path, {{k, 0, 0}, {1, n, d}, std::move(shape)});
}

/// Row k of a data set [rows, n], or one column of that of [rows, n, d].
std::string numbers(const File& file, const std::string& path, std::int64_t k, std::int64_t column = 0) {
  const std::int64_t n = file.dims(path).at(1);
  if (file.dims(path).size() == 2) return part(file, path, {{k, 0}, {1, n}, {n}});
  return part(file, path, {{k, 0, column}, {1, n, 1}, {n}});
}

/// `data` at the points, under a name.
std::string attribute(const char* name, const char* kind, const std::string& data) {
  return fmt::format("<Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"Node\">{}</Attribute>\n", name,
                     kind, data);
}

/// The beginning of a file with one collection over time.
std::string beginning(const char* name) {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\" xmlns:xi=\"http://www.w3.org/2001/XInclude\"><Domain>\n"
      "<Grid Name=\"{}\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
      name);
}

/// The file's first topology, once more.
constexpr const char* same_topology =
    R"xml(<xi:include xpointer="xpointer((/Xdmf/Domain//Topology)[1])"/>)xml";

/// Points by themselves. XDMF 3 wants each of them named.
std::string points_alone(std::int64_t count) {
  std::string all;
  for (std::int64_t i = 0; i < count; ++i) all += fmt::format("{} ", i);
  if (!all.empty()) all.pop_back();
  return fmt::format(
      R"(<Topology TopologyType="Polyvertex" NodesPerElement="1" NumberOfElements="{0}">)"
      R"(<DataItem Dimensions="{0}" NumberType="Int" Precision="8" Format="XML">{1}</DataItem></Topology>)",
      count, all);
}

/// Lines from point to point.
std::string lines_between(const File& file, const std::string& path) {
  return fmt::format(
      R"(<Topology TopologyType="Polyline" NodesPerElement="2" NumberOfElements="{}">{}</Topology>)",
      file.dims(path).at(0), whole(file, path));
}

/// Triangles with their normals, that stay where they are.
std::string surface_grid(const File& file) {
  return fmt::format(
      "<Grid Name=\"surface\" GridType=\"Uniform\">\n"
      "<Topology TopologyType=\"Triangle\" NumberOfElements=\"{}\">{}</Topology>\n"
      "<Geometry GeometryType=\"XYZ\">{}</Geometry>\n{}</Grid>\n",
      file.dims("/surface/triangles").at(0), whole(file, "/surface/triangles"),
      whole(file, "/surface/vertices"), attribute("normal", "Vector", whole(file, "/surface/normals")));
}

/// The collection's end, and the file beside the result.
void write(const std::filesystem::path& result, std::string text) {
  text += "</Grid>\n</Domain></Xdmf>\n";
  const std::filesystem::path extension = result.extension();
  const bool known = extension == ".h5" || extension == ".hdf5";
  const auto name = (known ? std::filesystem::path(result).replace_extension() : result).string() + ".xdmf";
  Descriptor target(name, Descriptor::Mode::create);
  target.write(0, std::as_bytes(std::span(text)));
  target.sync();
}

}  // namespace

void write_particles_xdmf(const std::filesystem::path& result) {
  parallel::on_rank_zero([&] {
    const File file = File::open(result);
    const std::vector<double> times = times_of(file, "/particles/time");
    const std::int64_t points = file.dims("/particles/position").at(1),
                       dimension = file.dims("/particles/position").at(2);
    const bool joined = file.contains("/particles/ends") && file.dims("/particles/ends").at(0) > 0;
    const std::string surface = file.contains("/surface/triangles") ? surface_grid(file) : "";
    std::string text = beginning("particles over time"),
                topology = joined ? lines_between(file, "/particles/ends") : points_alone(points);
    for (std::size_t t = 0; t < times.size(); ++t) {
      const std::int64_t k = static_cast<std::int64_t>(t);
      text += "<Grid Name=\"instant\" GridType=\"Collection\" CollectionType=\"Spatial\">\n";
      text += fmt::format(
          "<Time Value=\"{}\"/>\n<Grid Name=\"particles\" GridType=\"Uniform\">\n{}\n"
          "<Geometry GeometryType=\"{}\">{}</Geometry>\n",
          times[t], topology, dimension == 2 ? "XY" : "XYZ", row(file, "/particles/position", k, {points}));
      if (dimension == 3) {
        text += attribute("velocity", "Vector", row(file, "/particles/velocity", k, {points}));
      } else {  // a vector has three components
        text += attribute("vx", "Scalar", numbers(file, "/particles/velocity", k, 0));
        text += attribute("vy", "Scalar", numbers(file, "/particles/velocity", k, 1));
      }
      text += "</Grid>\n" + surface + "</Grid>\n";
      topology = same_topology;
    }
    write(result, text);
  });
}

void write_water_xdmf(const std::filesystem::path& result) {
  parallel::on_rank_zero([&] {
    const File file = File::open(result);
    const std::vector<double> times = times_of(file, "/water/time");
    const std::string mesh = fmt::format(
        "<Topology TopologyType=\"Triangle\" NumberOfElements=\"{}\">{}</Topology>\n"
        "<Geometry GeometryType=\"XY\">{}</Geometry>\n",
        file.dims("/mesh/cells").at(0), whole(file, "/mesh/cells"), whole(file, "/mesh/vertices"));
    std::string text = beginning("water over time");
    for (std::size_t t = 0; t < times.size(); ++t) {
      const std::int64_t k = static_cast<std::int64_t>(t);
      text += fmt::format("<Grid Name=\"water\" GridType=\"Uniform\">\n<Time Value=\"{}\"/>\n", times[t]) +
              mesh + attribute("bed", "Scalar", whole(file, "/mesh/bed")) +
              attribute("depth", "Scalar", numbers(file, "/water/depth", k)) +
              attribute("qx", "Scalar", numbers(file, "/water/discharge", k, 0)) +
              attribute("qy", "Scalar", numbers(file, "/water/discharge", k, 1)) + "</Grid>\n";
    }
    write(result, text);
  });
}

void write_grid_xdmf(const std::filesystem::path& result, std::int64_t length, std::int64_t rows) {
  parallel::on_rank_zero([&] {
    const File file = File::open(result);
    const std::vector<double> times = times_of(file, "/lattice/frame_time");
    const bool moving = file.dims("/lattice/v").at(2) == 3;
    std::string text = beginning("lattice over time");
    for (std::size_t t = 0; t < times.size(); ++t) {
      const std::int64_t k = static_cast<std::int64_t>(t);
      // The reader of XDMF 2 takes attributes of a grid wrongly unless both have three dimensions.
      text += fmt::format(
          "<Grid Name=\"lattice\" GridType=\"Uniform\">\n<Time Value=\"{}\"/>\n"
          "<Topology TopologyType=\"3DSMesh\" Dimensions=\"1 {} {}\"/>\n"
          "<Geometry GeometryType=\"XYZ\">{}</Geometry>\n",
          times[t], rows, length, row(file, "/lattice/position", k, {rows * length}));
      if (moving) text += attribute("velocity", "Vector", row(file, "/lattice/v", k, {1, rows, length}));
      text += "</Grid>\n";
    }
    write(result, text);
  });
}

}  // namespace cotangent::io
