// SPDX-License-Identifier: BSD-3-Clause
#include "overland/raster.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <tuple>

#include "core/error.hpp"
#include "core/read_number.hpp"
#include "parallel/records.hpp"

namespace cotangent::overland {

namespace {

constexpr double most_cells = 0x1p53;  // up to there a double counts

std::string lower_case(std::string word) {
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word;
}
/// As other programs write it: nan, NaN, -nan, -nan(ind).
bool is_nan(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  const std::string text = lower_case(std::string(word.substr(0, 4)));
  return text == "nan" || (text == "nan(" && word.ends_with(')'));
}
/// NaN, or a finite number.
std::optional<double> number_of(const std::string& word) {
  if (is_nan(word)) return std::numeric_limits<double>::quiet_NaN();
  const auto value = read_number<double>(word);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// The raster's file on rank 0, read once.
struct Reader {
  explicit Reader(std::string name) : file(std::move(name)), in(file) {
    if (!in) throw FileError(file + ": the raster can't be read");
    std::string line, word;
    std::streampos data = in.tellg();
    while (std::getline(in, line)) {
      ++number;
      std::istringstream words(line);
      if (!(words >> word)) continue;
      if (std::isalpha(static_cast<unsigned char>(word[0])) == 0 || is_nan(word)) {
        --number;
        break;
      }
      std::string text;
      words >> text;
      const auto value = number_of(text);
      if (!value) refuse("'" + word + "' of the raster's head has no number");
      head[lower_case(word)] = *value;
      data = in.tellg();
    }
    in.clear();
    in.seekg(data);
  }
  /// Each takes a character, and one that separates it from the next.
  double numbers_at_most() {
    const std::streampos data = in.tellg();
    in.seekg(0, std::ios::end);
    const auto bytes = static_cast<double>(in.tellg() - data);
    in.seekg(data);
    return std::floor((bytes + 1) / 2);
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(file + ":" + std::to_string(number) + ": " + what);
  }

  std::string file;
  std::ifstream in;
  std::map<std::string, double> head;
  int number = 0;  // the line's
};

}  // namespace

Raster open_raster(const std::string& file) {
  Raster raster;
  parallel::deal<std::array<double, 5>>(
      [&](const auto& give) {
        Reader reader(file);
        auto& head = reader.head;
        for (const char* key : {"ncols", "nrows", "cellsize"}) {
          if (!head.contains(key)) reader.refuse(std::string("the raster's head lacks ") + key);
        }
        const double size = head["cellsize"];
        if (!(size > 0 && std::isfinite(size))) reader.refuse("cellsize must be positive");
        for (const char* key : {"ncols", "nrows"}) {
          const double count = head[key];
          if (!(count >= 1 && count < most_cells && count == std::floor(count)))
            reader.refuse(fmt::format("{} = {}; it must be a whole number from 1 on", key, count));
        }
        const double cells = head["ncols"] * head["nrows"];
        if (const double room = reader.numbers_at_most();
            cells > 2 * room)  // else load() says where one is missing
          reader.refuse(
              fmt::format("ncols = {} times nrows = {} are {} cells, and the file holds at most {} numbers",
                          head["ncols"], head["nrows"], cells, room));
        double middle[2];
        for (const int d : {0, 1}) {
          const std::string axis = d == 0 ? "x" : "y";
          if (head.contains(axis + "llcenter"))
            middle[d] = head[axis + "llcenter"];
          else if (head.contains(axis + "llcorner"))
            middle[d] = head[axis + "llcorner"] + size / 2;
          else
            reader.refuse("the raster's head lacks " + axis + "llcorner");
          if (!std::isfinite(middle[d] + size * (d == 0 ? head["ncols"] : head["nrows"])))
            reader.refuse("the raster reaches beyond all numbers: " + axis +
                          "llcorner, or cellsize, is too large");
        }
        for (int rank = 0; rank < parallel::size(); ++rank)
          give(rank, {head["ncols"], head["nrows"], middle[0], middle[1], size});
      },
      [&](const auto& head) {
        raster = {file,
                  static_cast<std::int64_t>(head[0]),
                  static_cast<std::int64_t>(head[1]),
                  head[2],
                  head[3],
                  head[4],
                  {},
                  {}};
      });
  return raster;
}

void Raster::load(const Window& wanted) {
  window = wanted;
  std::vector<Window> windows =
      parallel::exchange(parallel::ForRanks<Window>(static_cast<std::size_t>(parallel::size()), {wanted}));
  values.clear();
  values.reserve(static_cast<std::size_t>(window.columns * window.rows));
  parallel::deal<double>(
      [&](const auto& give) {
        Reader reader(file);
        const double none = reader.head.contains("nodata_value") ? reader.head["nodata_value"] : -9999.0;
        std::vector<double> row(static_cast<std::size_t>(columns));
        std::string word;
        for (std::int64_t j = rows - 1; j >= 0; --j) {
          for (std::size_t i = 0; i < row.size(); ++i) {
            word.clear();
            reader.in >> word;
            const auto value = number_of(word);
            if (!value)
              reader.refuse("row " + std::to_string(rows - j) + " of the raster, column " +
                            std::to_string(i + 1) + ": a number is missing or isn't one");
            row[i] = *value == none ? std::numeric_limits<double>::quiet_NaN() : *value;
          }
          for (std::size_t rank = 0; rank < windows.size(); ++rank) {
            const Window& w = windows[rank];
            if (j < w.row || j >= w.row + w.rows) continue;
            for (std::int64_t i = w.column; i < w.column + w.columns; ++i)
              give(static_cast<int>(rank), row[static_cast<std::size_t>(i)]);
          }
        }
        if (std::string more; reader.in >> more)
          reader.refuse(fmt::format("'{}' stands after the {} numbers that ncols = {} and nrows = {} say",
                                    more.substr(0, 40), columns * rows, columns, rows));
      },
      [&](double value) { values.push_back(value); });
  // They came from the north.
  for (std::int64_t low = 0, high = window.rows - 1; low < high; ++low, --high)
    std::swap_ranges(values.begin() + low * window.columns, values.begin() + (low + 1) * window.columns,
                     values.begin() + high * window.columns);
}

namespace {

/// Where points lie among the middles: the lower of two neighbours, and how far on the way to the other.
struct Place {
  std::int64_t low;
  double share;
};
Place place(double p, double begin, double size, std::int64_t count) {
  const double a = std::clamp((p - begin) / size, 0.0, static_cast<double>(count - 1));
  const std::int64_t low = std::min(static_cast<std::int64_t>(a), std::max<std::int64_t>(0, count - 2));
  return {low, a - static_cast<double>(low)};
}

}  // namespace

double Raster::value(const Point& p) const {
  const double u = (p[0] - x) / size, v = (p[1] - y) / size, beyond = 0.5 + 1e-9;
  const auto refuse = [&](const std::string& why) {
    throw Error(file + ": the raster doesn't cover the domain: " + why + " at (" + std::to_string(p[0]) +
                ", " + std::to_string(p[1]) + ")");
  };
  if (!(u >= -beyond && u <= static_cast<double>(columns - 1) + beyond && v >= -beyond &&
        v <= static_cast<double>(rows - 1) + beyond))
    refuse("it ends before the mesh");
  const auto [i, a] = place(p[0], x, size, columns);
  const auto [j, b] = place(p[1], y, size, rows);
  double sum = 0;
  for (int dj = 0; dj < 2; ++dj) {
    for (int di = 0; di < 2; ++di) {
      const double weight = (di == 1 ? a : 1 - a) * (dj == 1 ? b : 1 - b);
      if (weight > 1e-9) sum += weight * at(i + di, j + dj);
    }
  }
  if (!std::isfinite(sum)) refuse("it has no data");
  return sum;
}

Raster::Window Raster::around(std::span<const Point> points) const {
  Window w;
  if (points.empty()) return w;
  const auto span = [&](std::size_t d, double begin, std::int64_t count) {
    const auto [least, most] = std::ranges::minmax(points, {}, [d](const Point& p) { return p[d]; });
    const std::int64_t from = place(least[d], begin, size, count).low;
    return std::pair(from, std::min(place(most[d], begin, size, count).low + 2, count) - from);
  };
  std::tie(w.column, w.columns) = span(0, x, columns);
  std::tie(w.row, w.rows) = span(1, y, rows);
  return w;
}

Triangles triangles(Raster raster) {
  using Number = Triangles::Number;
  Triangles t;
  t.boundaries = {"boundary"};
  // This rank's squares, row by row; vertices are numbered as squares come upon them, so that those of the
  // row below must be gone through as well.
  const Number nx = std::max<Number>(0, raster.columns - 1), ny = std::max<Number>(0, raster.rows - 1);
  const int rank = parallel::rank();
  const Number begin = parallel::share_begin(nx * ny, rank), end = parallel::share_begin(nx * ny, rank + 1);
  const Number bottom = begin == end ? 0 : std::max<Number>(0, begin / nx - 2);
  const Number top = begin == end ? 0 : std::min(raster.rows, (end - 1) / nx + 3);
  raster.load({0, bottom, raster.columns, top - bottom});
  const auto full = [&](Number i, Number j) {
    if (i < 0 || j < 0 || i >= nx || j >= ny) return false;
    return std::isfinite(raster.at(i, j) + raster.at(i + 1, j) + raster.at(i, j + 1) +
                         raster.at(i + 1, j + 1));
  };
  std::vector<Number> number(raster.values.size(), -1);
  const auto number_of = [&](Number i, Number j) -> Number& {
    return number[static_cast<std::size_t>((j - bottom) * raster.columns + i)];
  };
  // As seen from each rank's first square, then among all.
  Number next = 0, before = 0;
  for (Number n = begin == end ? end : std::max<Number>(0, begin / nx - 1) * nx; n < end; ++n) {
    if (n == begin) before = next;
    const Number i = n % nx, j = n / nx;
    if (!full(i, j)) continue;
    for (const auto& [a, b] : {std::pair(i, j), {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}) {
      const bool known = number_of(a, b) >= 0 || (b == j && (full(a - 1, j - 1) || full(a, j - 1)));
      if (known) continue;
      number_of(a, b) = next++;
      if (n >= begin)
        t.vertices.push_back({raster.x + static_cast<double>(a) * raster.size,
                              raster.y + static_cast<double>(b) * raster.size});
    }
  }
  const auto begins = parallel::offsets(std::ssize(t.vertices));
  for (Number& n : number) n += begins[static_cast<std::size_t>(rank)] - before;
  for (Number n = begin; n < end; ++n) {
    const Number i = n % nx, j = n / nx;
    if (!full(i, j)) continue;
    const Number a = number_of(i, j), b = number_of(i + 1, j), c = number_of(i + 1, j + 1),
                 d = number_of(i, j + 1);
    add_square(t, (i + j) % 2 == 0, {a, b, c, d});
    if (!full(i - 1, j)) t.sides.push_back({{d, a}, 0});
    if (!full(i + 1, j)) t.sides.push_back({{b, c}, 0});
    if (!full(i, j - 1)) t.sides.push_back({{a, b}, 0});
    if (!full(i, j + 1)) t.sides.push_back({{c, d}, 0});
  }
  t.all_vertices = begins.back();
  t.all_cells = parallel::sum(static_cast<Number>(t.cells.size()));
  t.all_sides = parallel::sum(static_cast<Number>(t.sides.size()));
  return t;
}

}  // namespace cotangent::overland
