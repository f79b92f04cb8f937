#include "overland/raster.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "core/error.hpp"

namespace cotangent::overland {

Raster read_raster(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw FileError(file + ": the raster can't be read");
  std::map<std::string, double> head;
  Raster raster;
  raster.file = file;
  int number = 0;
  std::string line, word;
  const auto refuse = [&](const std::string& what) {
    throw Error(file + ":" + std::to_string(number) + ": " + what);
  };
  std::streampos data = in.tellg();
  while (std::getline(in, line)) {
    ++number;
    std::istringstream words(line);
    if (!(words >> word)) continue;
    if (std::isalpha(static_cast<unsigned char>(word[0])) == 0 || word.starts_with("nan")) {
      --number;
      break;
    }
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
    double value = 0;
    if (!(words >> value)) refuse("'" + word + "' of the raster's head has no number");
    head[word] = value;
    data = in.tellg();
  }
  in.clear();
  in.seekg(data);
  for (const char* key : {"ncols", "nrows", "cellsize"}) {
    if (!head.contains(key)) refuse(std::string("the raster's head lacks ") + key);
  }
  raster.columns = static_cast<int>(head["ncols"]);
  raster.rows = static_cast<int>(head["nrows"]);
  raster.size = head["cellsize"];
  if (raster.columns < 1 || raster.rows < 1 || !(raster.size > 0))
    refuse("ncols, nrows and cellsize must be positive");
  for (const bool across : {true, false}) {
    const std::string axis = across ? "x" : "y";
    double& middle = across ? raster.x : raster.y;
    if (head.contains(axis + "llcenter"))
      middle = head[axis + "llcenter"];
    else if (head.contains(axis + "llcorner"))
      middle = head[axis + "llcorner"] + raster.size / 2;
    else
      refuse("the raster's head lacks " + axis + "llcorner");
  }
  const double none = head.contains("nodata_value") ? head["nodata_value"] : -9999.0;
  const auto width = static_cast<std::size_t>(raster.columns), height = static_cast<std::size_t>(raster.rows);
  raster.values.resize(width * height);
  for (std::size_t row = 0; row < height; ++row) {
    for (std::size_t i = 0; i < width; ++i) {
      double value = 0;
      if (!(in >> value)) {
        in.clear();
        in >> word;
        refuse("row " + std::to_string(row + 1) + " of the raster, column " + std::to_string(i + 1) +
               ": a number is missing or isn't one");
      }
      raster.values[(height - 1 - row) * width + i] =
          value == none ? std::numeric_limits<double>::quiet_NaN() : value;
    }
  }
  return raster;
}

double Raster::value(const Point& p) const {
  const double u = (p[0] - x) / size, v = (p[1] - y) / size, beyond = 0.5 + 1e-9;
  const auto refuse = [&](const std::string& why) {
    throw Error(file + ": the raster doesn't cover the domain: " + why + " at (" + std::to_string(p[0]) +
                ", " + std::to_string(p[1]) + ")");
  };
  if (!(u >= -beyond && u <= columns - 1 + beyond && v >= -beyond && v <= rows - 1 + beyond))
    refuse("it ends before the mesh");
  const double a = std::clamp(u, 0.0, columns - 1.0), b = std::clamp(v, 0.0, rows - 1.0);
  const int i = std::min(static_cast<int>(a), std::max(0, columns - 2));
  const int j = std::min(static_cast<int>(b), std::max(0, rows - 2));
  double sum = 0;
  for (int dj = 0; dj < 2; ++dj) {
    for (int di = 0; di < 2; ++di) {
      const double weight = (di == 1 ? a - i : 1 - (a - i)) * (dj == 1 ? b - j : 1 - (b - j));
      if (weight > 1e-9) sum += weight * at(i + di, j + dj);
    }
  }
  if (!std::isfinite(sum)) refuse("it has no data");
  return sum;
}

Triangles triangles(const Raster& raster) {
  Triangles t;
  t.boundaries = {"boundary"};
  std::vector<int> number(raster.values.size(), -1);
  const auto place = [&](int i, int j) {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(raster.columns) +
           static_cast<std::size_t>(i);
  };
  const auto full = [&](int i, int j) {
    if (i < 0 || j < 0 || i + 1 >= raster.columns || j + 1 >= raster.rows) return false;
    return std::isfinite(raster.at(i, j) + raster.at(i + 1, j) + raster.at(i, j + 1) +
                         raster.at(i + 1, j + 1));
  };
  const auto vertex = [&](int i, int j) {
    int& n = number[place(i, j)];
    if (n < 0) {
      n = static_cast<int>(t.vertices.size());
      t.vertices.push_back({raster.x + i * raster.size, raster.y + j * raster.size});
    }
    return n;
  };
  for (int j = 0; j + 1 < raster.rows; ++j) {
    for (int i = 0; i + 1 < raster.columns; ++i) {
      if (!full(i, j)) continue;
      const int a = vertex(i, j), b = vertex(i + 1, j), c = vertex(i + 1, j + 1), d = vertex(i, j + 1);
      if ((i + j) % 2 == 0) {
        t.cells.push_back({a, b, c});
        t.cells.push_back({a, c, d});
      } else {
        t.cells.push_back({a, b, d});
        t.cells.push_back({b, c, d});
      }
      if (!full(i - 1, j)) t.sides.push_back({{d, a}, 0});
      if (!full(i + 1, j)) t.sides.push_back({{b, c}, 0});
      if (!full(i, j - 1)) t.sides.push_back({{a, b}, 0});
      if (!full(i, j + 1)) t.sides.push_back({{c, d}, 0});
    }
  }
  return t;
}

}  // namespace cotangent::overland
