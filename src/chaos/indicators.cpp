// SPDX-License-Identifier: BSD-3-Clause
#include "chaos/indicators.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.hpp"
#include "core/names.hpp"
#include "numerics/dense.hpp"

namespace cotangent::chaos {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A product of many factors, its logarithm taken now and then.
template <class R>
struct LongProduct {
  R product{1.0}, logarithm{0.0};

  void multiply(numerics::mask_of<R> lanes, const R& factor) {
    product = select(lanes, product * factor, product);
    const auto far = lanes & !((product > R(1e-100)) & (product < R(1e100)));
    if (!any(far)) return;
    using std::log;
    logarithm = select(far, logarithm + log(product), logarithm);
    product = select(far, R(1.0), product);
  }
};

/// The growth in the lanes of R. All numbers that a lane's rest depends on stand in `state_`.
template <class R>
class Growth final : public sections::GrowthWatch {
  using Mask = numerics::mask_of<R>;
  using Product = LongProduct<R>;

 public:
  Growth(const Indicators& indicators, int dimensions, bool friction)
      : indicators_(indicators), count_(deviations(indicators, dimensions)), friction_(friction) {
    triangle_.assign(place(count_, count_), R(0.0));
    stretching_.resize(count_);
    narrowing_.resize(count_);
    row_length_ = indicators.rows > 0 ? 1 + at_end(0).size() : 0;
    for (int lane = 0; lane < numerics::width_of<R>; ++lane) begin(lane);
  }

  void begin(int lane) override {
    for_each_number([&](R& number) { numerics::set_lane(number, lane, 0.0); });
    for (int i = 0; i < count_; ++i) {
      numerics::set_lane(triangle_[place(i, i)], lane, 1.0);
      numerics::set_lane(stretching_[i].product, lane, 1.0);
      numerics::set_lane(narrowing_[i].product, lane, 1.0);
    }
    history_[static_cast<std::size_t>(lane)].clear();
    plan_row(lane);
  }

  void grow(const double* taken, const double* time, const double* step, const double* factor) override {
    using std::log;
    const Mask lanes = load(taken) > R(0.5);
    const R h = load(step), t = load(time);
    const auto f = [&](int i, int j) { return load(factor + place(i, j) * numerics::width_of<R>); };
    for (int i = 0; i < count_; ++i) stretching_[i].multiply(lanes, f(i, i));
    const R end = t + h;
    weighted_ = select(lanes, fma(log(f(0, 0)), fma(R(0.5), h, t), weighted_), weighted_);
    megno_integral_ = select(lanes, fma(h, R(2.0) * weighted_ / end, megno_integral_), megno_integral_);
    time_ = select(lanes, end, time_);
    for (int j = 1; j < count_; ++j) {
      R size(0.0);
      std::vector<R>& column = column_;
      column.assign(static_cast<std::size_t>(j) + 1, R(0.0));
      for (int i = 0; i <= j; ++i) {
        for (int l = i; l <= j; ++l) column[i] = fma(f(i, l), triangle_[place(l, j)], column[i]);
        size = fma(column[i], column[i], size);
      }
      const R scale = R(1.0) / sqrt(size);
      narrowing_[j].multiply(lanes, f(j, j) * scale);
      for (int i = 0; i <= j; ++i) {
        R& entry = triangle_[place(i, j)];
        entry = select(lanes, column[i] * scale, entry);
      }
    }
    if (const Mask due = lanes & (time_ >= next_row_); any(due)) {
      numerics::for_lanes(due, [&](int lane) {
        while (numerics::lane(time_, lane) >= numerics::lane(next_row_, lane)) add_row(lane);
      });
    }
  }

  bool decided(int lane) const override {
    const double mean = mean_megno(lane);
    return !friction_ && mean > 3 && verdict(mean, sali_of(gali(lane, 2))) == Verdict::chaotic;
  }

  void finish(int lane, std::vector<double>& tallies) const override {
    const double mean = mean_megno(lane);
    Verdict found = verdict(mean, sali_of(gali(lane, 2)));
    if (friction_ && found == Verdict::chaotic && megno(lane) < mean) found = Verdict::undecided;
    tallies.assign(1, static_cast<double>(found));
    const auto last = at_end(lane);
    tallies.insert(tallies.end(), last.begin(), last.end());
    // Column by column, with places for the rows that weren't reached.
    const auto& rows = history_[static_cast<std::size_t>(lane)];
    for (std::size_t column = 0; column < row_length_; ++column) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(indicators_.rows); ++k) {
        const std::size_t at = k * row_length_ + column;
        tallies.push_back(at < rows.size() ? rows[at] : nan);
      }
    }
  }

  std::size_t state_size() const override {
    return 3 + triangle_.size() + 4 * static_cast<std::size_t>(count_) + history_size();
  }
  void save(int lane, double* state) const override {
    for_each_number([&](const R& number) { *state++ = numerics::lane(number, lane); });
    if (row_length_ == 0) return;
    const auto& rows = history_[static_cast<std::size_t>(lane)];
    std::fill_n(state, history_size(), 0.0);
    state[0] = static_cast<double>(rows.size());
    std::ranges::copy(rows, state + 1);
  }
  void restore(int lane, const double* state) override {
    for_each_number([&](R& number) { numerics::set_lane(number, lane, *state++); });
    if (row_length_ == 0) return;
    history_[static_cast<std::size_t>(lane)].assign(state + 1,
                                                    state + 1 + static_cast<std::size_t>(state[0]));
    plan_row(lane);
  }

 private:
  /// All that was asked for, of a lane's trajectory up to now.
  std::vector<double> at_end(int lane) const {
    std::vector<double> found;
    const double time = numerics::lane(time_, lane);
    const bool moved = time != 0;
    const auto exponent = [&](int i) { return moved ? logarithm(stretching_[i], lane) / time : nan; };
    if (indicators_.lyapunov) found.push_back(exponent(0));
    if (indicators_.spectrum) {
      for (int i = 0; i < count_; ++i) found.push_back(exponent(i));
    }
    if (indicators_.sali) found.push_back(sali_of(gali(lane, 2)));
    for (const int k : indicators_.gali) found.push_back(gali(lane, k));
    if (indicators_.megno) {
      found.push_back(megno(lane));
      found.push_back(mean_megno(lane));
    }
    return found;
  }

  std::size_t history_size() const {
    return row_length_ == 0 ? 0 : 1 + static_cast<std::size_t>(indicators_.rows) * row_length_;
  }
  void add_row(int lane) {
    auto& rows = history_[static_cast<std::size_t>(lane)];
    rows.push_back(numerics::lane(time_, lane));
    const auto now = at_end(lane);
    rows.insert(rows.end(), now.begin(), now.end());
    plan_row(lane);
  }
  void plan_row(int lane) {
    double next = std::numeric_limits<double>::infinity();
    if (row_length_ > 0) {
      const auto made =
          static_cast<std::int64_t>(history_[static_cast<std::size_t>(lane)].size() / row_length_);
      // Within the rounding of a sum of steps.
      if (made < indicators_.rows) next = static_cast<double>(made + 1) * indicators_.history * (1 - 1e-12);
    }
    numerics::set_lane(next_row_, lane, next);
  }
  // Of a lane's trajectory; NaN before its first step.
  double megno(int lane) const {
    const double time = numerics::lane(time_, lane);
    return time != 0 ? 2 * numerics::lane(weighted_, lane) / time : nan;
  }
  double mean_megno(int lane) const {
    const double time = numerics::lane(time_, lane);
    return time != 0 ? numerics::lane(megno_integral_, lane) / time : nan;
  }
  double gali(int lane, int k) const {
    double sum = 0;
    for (int i = 1; i < k; ++i) sum += logarithm(narrowing_[i], lane);
    return numerics::lane(time_, lane) != 0 ? std::exp(sum) : nan;
  }
  static double logarithm(const Product& p, int lane) {
    return numerics::lane(p.logarithm, lane) + std::log(numerics::lane(p.product, lane));
  }

  static R load(const double* from) {
    R real;
    std::memcpy(&real, from, sizeof real);
    return real;
  }
  /// Of entry (i, j) in the upper triangle.
  std::size_t place(int i, int j) const {
    return static_cast<std::size_t>(i == count_ ? count_ * (count_ + 1) / 2
                                                : i * count_ - i * (i + 1) / 2 + j);
  }
  template <class Act>
  void for_each_number(const Act& act) {
    visit(*this, act);
  }
  template <class Act>
  void for_each_number(const Act& act) const {
    visit(*this, act);
  }
  template <class Self, class Act>
  static void visit(Self& self, const Act& act) {
    act(self.time_);
    act(self.weighted_);
    act(self.megno_integral_);
    for (auto& number : self.triangle_) act(number);
    for (auto* products : {&self.stretching_, &self.narrowing_}) {
      for (auto& one : *products) {
        act(one.product);
        act(one.logarithm);
      }
    }
  }

  Indicators indicators_;
  int count_;
  bool friction_;
  R time_{0.0}, weighted_{0.0}, megno_integral_{0.0};
  std::vector<R> triangle_;  ///< what the first frame has become, columns of unit length
  std::vector<Product> stretching_, narrowing_;
  std::vector<R> column_;
  std::size_t row_length_ = 0;  ///< of the history: time, then what was asked for; 0: none
  std::array<std::vector<double>, numerics::width_of<R>> history_;
  R next_row_{std::numeric_limits<double>::infinity()};
};

/// The k of "gali-k"; 0 of another name.
int gali_order(const std::string& name) {
  constexpr std::string_view prefix = "gali-";
  int k = 0;
  if (!name.starts_with(prefix)) return 0;
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + prefix.size(), end, k);
  return read.ec == std::errc() && read.ptr == end ? k : 0;
}

}  // namespace

Indicators read_indicators(const std::vector<std::string>& names, int dimensions, const std::string& where,
                           const std::vector<std::string>& others) {
  Indicators result;
  std::vector<std::string> known{"lyapunov", "spectrum", "sali", "megno"};
  known.insert(known.end(), others.begin(), others.end());
  for (int k = 2; k <= dimensions; ++k) known.push_back("gali-" + std::to_string(k));
  for (const std::string& name : names) {
    if (std::ranges::count(known, name) == 0) unknown_name("indicator", name, known, where);
    if (std::ranges::count(names, name) > 1) throw Error("indicator '" + name + "' is named twice " + where);
    result.lyapunov |= name == "lyapunov";
    result.spectrum |= name == "spectrum";
    result.sali |= name == "sali";
    result.megno |= name == "megno";
    if (const int k = gali_order(name); k > 0) result.gali.push_back(k);
  }
  return result;
}

int deviations(const Indicators& indicators, int dimensions) {
  int count = 2;
  for (const int k : indicators.gali) count = std::max(count, k);
  return indicators.spectrum ? dimensions : count;
}

std::vector<Column> columns(const Indicators& indicators, int dimensions) {
  std::vector<Column> list;
  const auto add = [&](std::string name, std::string meaning) -> Column& {
    return list.emplace_back(Column{std::move(name), "1", std::move(meaning), 1, false, {}});
  };
  add("verdict", "whether the trajectory is chaotic").names = {"undecided", "regular", "chaotic"};
  if (indicators.lyapunov) add("lyapunov", "largest Lyapunov exponent, over the whole time");
  if (indicators.spectrum) {
    Column& spectrum =
        add("spectrum",
            "all Lyapunov exponents, over the whole time, deviation by deviation of the frame: "
            "the largest first once they are apart");
    spectrum.numbers = dimensions;
    spectrum.list = true;
  }
  if (indicators.sali)
    add("sali", "smaller alignment index: by what unit deviations, or one and the other's opposite, differ");
  for (const int k : indicators.gali) {
    const std::string number = std::to_string(k);
    add("gali_" + number, "generalised alignment index: the volume of " + number + " unit deviations");
  }
  if (indicators.megno) {
    add("megno", "mean exponential growth of nearby orbits, at the end");
    add("mean_megno", "its mean over the time: tends to 2 for regular motion");
  }
  if (indicators.rows > 0) {
    const auto at_end = std::vector<Column>(list.begin() + 1, list.end());
    const auto add_history = [&](const std::string& name, const std::string& meaning) {
      Column& column = add(name, meaning);
      column.history = true;
      column.numbers = static_cast<int>(indicators.rows);
      column.list = true;
    };
    add_history("time", "when the rows of the history were made: at the ends of steps; NaN where none was");
    for (const Column& column : at_end) {
      for (int k = 0; k < column.numbers; ++k)
        add_history(column.name + (column.list ? "_" + std::to_string(k + 1) : ""),
                    column.meaning + ", up to then");
    }
  }
  return list;
}

std::shared_ptr<const sections::GrowthRule> growth_rule(const Indicators& indicators, int dimensions,
                                                        bool friction) {
  auto rule = std::make_shared<sections::GrowthRule>();
  rule->deviations = deviations(indicators, dimensions);
  rule->watch = [=](int lanes) -> std::unique_ptr<sections::GrowthWatch> {
    using namespace numerics;
    if (lanes == native_width)
      return std::make_unique<Growth<Lanes<native_width>>>(indicators, dimensions, friction);
    if (lanes == 2 * native_width)
      return std::make_unique<Growth<Lanes<2 * native_width>>>(indicators, dimensions, friction);
    if (lanes == 1) return std::make_unique<Growth<double>>(indicators, dimensions, friction);
    throw Error("no indicators for " + std::to_string(lanes) + " lanes");
  };
  return rule;
}

Verdict verdict(double mean_megno, double sali) {
  if (mean_megno < 2.5) return Verdict::regular;
  return mean_megno > 3 && sali < 1e-8 ? Verdict::chaotic : Verdict::undecided;
}

double sali_of(double gali_2) {
  const double sine = std::min(gali_2, 1.0);
  return gali_2 == gali_2 ? sine * std::sqrt(2 / (1 + std::sqrt(1 - sine * sine))) : nan;
}

}  // namespace cotangent::chaos
