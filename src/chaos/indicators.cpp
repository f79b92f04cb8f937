// SPDX-License-Identifier: BSD-3-Clause
#include "chaos/indicators.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

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
  Growth(const Indicators& indicators, int dimensions)
      : indicators_(indicators), count_(deviations(indicators, dimensions)) {
    triangle_.assign(place(count_, count_), R(0.0));
    stretching_.resize(count_);
    narrowing_.resize(count_);
    for (int lane = 0; lane < numerics::width_of<R>; ++lane) begin(lane);
  }

  void begin(int lane) override {
    for_each_number([&](R& number) { numerics::set_lane(number, lane, 0.0); });
    for (int i = 0; i < count_; ++i) {
      numerics::set_lane(triangle_[place(i, i)], lane, 1.0);
      numerics::set_lane(stretching_[i].product, lane, 1.0);
      numerics::set_lane(narrowing_[i].product, lane, 1.0);
    }
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
  }

  bool decided(int lane) const override {
    const double megno = mean_megno(lane);
    return megno > 3 && verdict(megno, sali_of(gali(lane, 2))) == Verdict::chaotic;
  }

  void finish(int lane, std::vector<double>& tallies) const override {
    const double time = numerics::lane(time_, lane);
    const bool moved = time != 0;
    const auto exponent = [&](int i) { return moved ? logarithm(stretching_[i], lane) / time : nan; };
    const double mean = mean_megno(lane), sali = sali_of(gali(lane, 2));
    tallies.assign(1, static_cast<double>(verdict(mean, sali)));
    if (indicators_.lyapunov) tallies.push_back(exponent(0));
    if (indicators_.spectrum) {
      for (int i = 0; i < count_; ++i) tallies.push_back(exponent(i));
    }
    if (indicators_.sali) tallies.push_back(sali);
    for (const int k : indicators_.gali) tallies.push_back(gali(lane, k));
    if (indicators_.megno) {
      tallies.push_back(moved ? 2 * numerics::lane(weighted_, lane) / time : nan);
      tallies.push_back(mean);
    }
  }

  std::size_t state_size() const override {
    return 3 + triangle_.size() + 4 * static_cast<std::size_t>(count_);
  }
  void save(int lane, double* state) const override {
    for_each_number([&](const R& number) { *state++ = numerics::lane(number, lane); });
  }
  void restore(int lane, const double* state) override {
    for_each_number([&](R& number) { numerics::set_lane(number, lane, *state++); });
  }

 private:
  // Of a lane's trajectory; NaN before its first step.
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
  R time_{0.0}, weighted_{0.0}, megno_integral_{0.0};
  std::vector<R> triangle_;  ///< what the first frame has become, columns of unit length
  std::vector<Product> stretching_, narrowing_;
  std::vector<R> column_;
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
    Column& spectrum = add("spectrum", "all Lyapunov exponents, over the whole time");
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
  return list;
}

std::shared_ptr<const sections::GrowthRule> growth_rule(const Indicators& indicators, int dimensions) {
  auto rule = std::make_shared<sections::GrowthRule>();
  rule->deviations = deviations(indicators, dimensions);
  rule->watch = [=](int lanes) -> std::unique_ptr<sections::GrowthWatch> {
    using namespace numerics;
    if (lanes == native_width) return std::make_unique<Growth<Lanes<native_width>>>(indicators, dimensions);
    if (lanes == 2 * native_width)
      return std::make_unique<Growth<Lanes<2 * native_width>>>(indicators, dimensions);
    if (lanes == 1) return std::make_unique<Growth<double>>(indicators, dimensions);
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
