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

/// A data set as it lies in the file.
std::string whole(const File& file, const std::string& path) {
  const DataSet set = file.data_set(path);
  return fmt::format(
      R"(<DataItem Dimensions="{}" NumberType="{}" Precision="{}" Format="HDF">{}:{}</DataItem>)",
      fmt::join(set.dims(), " "),
      set.type() == DataType::float64 || set.type() == DataType::float32 ? "Float" : "Int",
      size_of(set.type()), file.path().filename().string(), path);
}

/// The times of rows that were written: as long as they rise.
std::vector<double> times_of(const File& file, const std::string& path) {
  std::vector<double> times = file.read<double>(path);
  std::size_t count = times.empty() ? 0 : 1;
  while (count < times.size() && times[count] > times[count - 1]) ++count;
  times.resize(count);
  return times;
}

/// Row k of a data set [rows, n, d]. The comment is the name that ParaView's cache gives to these points,
/// which it takes from the first thing in here, and complains of where that is an element.
std::string row(const File& file, const std::string& path, std::size_t k) {
  const std::vector<std::int64_t> dims = file.dims(path);
  return fmt::format(
      R"(<DataItem ItemType="HyperSlab" Dimensions="{1} {2}"><!-- {0} -->)"
      R"(<DataItem Dimensions="3 3" Format="XML">{0} 0 0 1 1 1 1 {1} {2}</DataItem>{3}</DataItem>)",
      k, dims.at(1), dims.at(2), whole(file, path));
}

/// Triangles with their normals, that stay where they are.
std::string surface_grid(const File& file) {
  return fmt::format(
      "<Grid Name=\"surface\" GridType=\"Uniform\">\n"
      "<Topology TopologyType=\"Triangle\" NumberOfElements=\"{}\">{}</Topology>\n"
      "<Geometry GeometryType=\"XYZ\">{}</Geometry>\n"
      "<Attribute Name=\"normal\" AttributeType=\"Vector\" Center=\"Node\">{}</Attribute>\n</Grid>\n",
      file.dims("/surface/triangles").at(0), whole(file, "/surface/triangles"),
      whole(file, "/surface/vertices"), whole(file, "/surface/normals"));
}

/// The collection's end, and the file beside the result.
void write(const std::filesystem::path& result, std::string text) {
  text += "</Grid>\n</Domain></Xdmf>\n";
  Descriptor target(std::filesystem::path(result).replace_extension(".xdmf"), Descriptor::Mode::create);
  target.write(0, std::as_bytes(std::span(text)));
  target.sync();
}

}  // namespace

void write_particles_xdmf(const std::filesystem::path& result) {
  parallel::on_rank_zero([&] {
    const File file = File::open(result);
    const std::vector<double> times = times_of(file, "/particles/time");
    const std::vector<std::int64_t> extent = file.dims("/particles/position");
    const std::int64_t points = extent.at(1), dimension = extent.at(2),
                       lines = file.contains("/particles/ends") ? file.dims("/particles/ends").at(0) : 0;
    const std::string surface = file.contains("/surface/triangles") ? surface_grid(file) : "";
    const std::string topology =
        lines > 0
            ? fmt::format(
                  R"(<Topology TopologyType="Polyline" NodesPerElement="2" NumberOfElements="{}">{}</Topology>)",
                  lines, whole(file, "/particles/ends"))
            : fmt::format(
                  R"(<Topology TopologyType="Polyvertex" NodesPerElement="1" NumberOfElements="{}"/>)",
                  points);
    std::string text =
        "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\"><Domain>\n"
        "<Grid Name=\"particles over time\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
    for (std::size_t k = 0; k < times.size(); ++k) {
      text += "<Grid Name=\"instant\" GridType=\"Collection\" CollectionType=\"Spatial\">\n";
      text += fmt::format("<Time Value=\"{}\"/>\n<Grid Name=\"particles\" GridType=\"Uniform\">\n{}\n",
                          times[k], topology);
      text += fmt::format("<Geometry GeometryType=\"{}\">{}</Geometry>\n", dimension == 2 ? "XY" : "XYZ",
                          row(file, "/particles/position", k));
      if (dimension == 3)
        text += fmt::format(
            "<Attribute Name=\"velocity\" AttributeType=\"Vector\" Center=\"Node\">{}</Attribute>\n",
            row(file, "/particles/velocity", k));
      text += "</Grid>\n" + surface + "</Grid>\n";
    }
    write(result, text);
  });
}

void write_water_xdmf(const std::filesystem::path& result) {
  parallel::on_rank_zero([&] {
    const File file = File::open(result);
    const std::vector<double> times = times_of(file, "/water/time");
    const std::int64_t vertices = file.dims("/mesh/vertices").at(0), cells = file.dims("/mesh/cells").at(0);
    const auto scalar = [](const char* name, const std::string& item) {
      return fmt::format("<Attribute Name=\"{}\" AttributeType=\"Scalar\" Center=\"Node\">{}</Attribute>\n",
                         name, item);
    };
    const auto slab = [&](std::size_t k, const char* path, int width, int column) {
      const std::string tail = width > 1 ? fmt::format(" {}", column) : "", one = width > 1 ? " 1" : "";
      return fmt::format(
          R"(<DataItem ItemType="HyperSlab" Dimensions="{0}"><DataItem Dimensions="3 {1}" Format="XML">{2} 0{3} 1 1{4} 1 {0}{4}</DataItem>{5}</DataItem>)",
          vertices, width > 1 ? 3 : 2, k, tail, one, whole(file, path));
    };
    const std::string mesh = fmt::format(
        "<Topology TopologyType=\"Triangle\" NumberOfElements=\"{}\">{}</Topology>\n"
        "<Geometry GeometryType=\"XY\">{}</Geometry>\n",
        cells, whole(file, "/mesh/cells"), whole(file, "/mesh/vertices"));
    std::string text =
        "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\"><Domain>\n"
        "<Grid Name=\"water over time\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
    for (std::size_t k = 0; k < times.size(); ++k) {
      text += fmt::format("<Grid Name=\"water\" GridType=\"Uniform\">\n<Time Value=\"{}\"/>\n", times[k]);
      text += mesh + scalar("bed", whole(file, "/mesh/bed")) +
              scalar("depth", slab(k, "/water/depth", 1, 0)) +
              scalar("qx", slab(k, "/water/discharge", 2, 0)) +
              scalar("qy", slab(k, "/water/discharge", 2, 1)) + "</Grid>\n";
    }
    write(result, text);
  });
}

void write_grid_xdmf(const std::filesystem::path& result, std::int64_t length, std::int64_t rows) {
  parallel::on_rank_zero([&] {
    const File file = File::open(result);
    const std::vector<double> times = times_of(file, "/lattice/frame_time");
    const bool moving = file.dims("/lattice/v").at(2) == 3;
    std::string text =
        "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\"><Domain>\n"
        "<Grid Name=\"lattice over time\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
    for (std::size_t k = 0; k < times.size(); ++k) {
      text += fmt::format(
          "<Grid Name=\"lattice\" GridType=\"Uniform\">\n<Time Value=\"{}\"/>\n"
          "<Topology TopologyType=\"2DSMesh\" Dimensions=\"{} {}\"/>\n"
          "<Geometry GeometryType=\"XYZ\">{}</Geometry>\n",
          times[k], rows, length, row(file, "/lattice/position", k));
      if (moving)
        text += fmt::format(
            "<Attribute Name=\"velocity\" AttributeType=\"Vector\" Center=\"Node\">{}</Attribute>\n",
            row(file, "/lattice/v", k));
      text += "</Grid>\n";
    }
    write(result, text);
  });
}

}  // namespace cotangent::io
