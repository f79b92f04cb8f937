#include "io/xdmf.hpp"

#include <fmt/format.h>
#include <span>

#include "io/posix.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::io {

void write_particles_xdmf(const std::filesystem::path& result, const std::vector<double>& times,
                          std::int64_t points, int dimension, std::int64_t lines) {
  parallel::on_rank_zero([&] {
    const std::string file = result.filename().string();
    const auto slab = [&](const char* name, std::size_t k) {
      return fmt::format(
          "<DataItem ItemType=\"HyperSlab\" Dimensions=\"{1} {2}\">"
          "<DataItem Dimensions=\"3 3\" Format=\"XML\">{0} 0 0 1 1 1 1 {1} {2}</DataItem>"
          "<DataItem Dimensions=\"{3} {1} {2}\" NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">"
          "{4}:/particles/{5}</DataItem></DataItem>",
          k, points, dimension, times.size(), file, name);
    };
    std::string text =
        "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\"><Domain>\n"
        "<Grid Name=\"rods\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
    for (std::size_t k = 0; k < times.size(); ++k) {
      text += fmt::format(
          "<Grid><Time Value=\"{}\"/>\n<Topology TopologyType=\"Polyline\" NodesPerElement=\"2\" "
          "NumberOfElements=\"{}\"><DataItem Dimensions=\"{} 2\" NumberType=\"Int\" Precision=\"8\" "
          "Format=\"HDF\">{}:/particles/ends</DataItem></Topology>\n<Geometry "
          "GeometryType=\"{}\">{}</Geometry>\n",
          times[k], lines, lines, file, dimension == 2 ? "XY" : "XYZ", slab("position", k));
      if (dimension == 3)
        text += fmt::format(
            "<Attribute Name=\"velocity\" AttributeType=\"Vector\" Center=\"Node\">{}</Attribute>\n",
            slab("velocity", k));
      text += "</Grid>\n";
    }
    text += "</Grid>\n</Domain></Xdmf>\n";
    Descriptor target(std::filesystem::path(result).replace_extension(".xdmf"), Descriptor::Mode::create);
    target.write(0, std::as_bytes(std::span(text)));
    target.sync();
  });
}

}  // namespace cotangent::io
