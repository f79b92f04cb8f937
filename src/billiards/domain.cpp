// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/domain.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/names.hpp"

namespace cotangent::billiards {

namespace {

/// Recursive descent: or < and < not < names and parentheses.
class Reader {
 public:
  Reader(const std::string& text, const std::vector<std::string>& names, const std::vector<Region>& regions)
      : text_(text), names_(names), regions_(regions) {
    next();
  }

  Region read() {
    Region result = any();
    if (!word_.empty()) throw Error("'" + word_ + "' is one word too many in \"" + text_ + "\"");
    return result;
  }

 private:
  Region any() {
    Region result = all();
    while (take("or")) result = united(result, all());
    return result;
  }
  Region all() {
    Region result = one();
    while (take("and")) result = intersected(result, one());
    return result;
  }
  Region one() {
    if (take("not")) return complement(one());
    if (take("(")) {
      Region result = any();
      if (!take(")")) throw Error("a ) is missing in \"" + text_ + "\"");
      return result;
    }
    const auto at = std::ranges::find(names_, word_);
    if (word_.empty()) throw Error("a set's name is missing at the end of \"" + text_ + "\"");
    if (at == names_.end()) unknown_name("set", word_, names_, "in \"" + text_ + "\"");
    next();
    return regions_[static_cast<std::size_t>(at - names_.begin())];
  }
  bool take(const char* word) {
    if (word_ != word) return false;
    next();
    return true;
  }
  void next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const std::size_t begin = at_;
    const auto part = [&](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
    };
    while (at_ < text_.size() && part(text_[at_])) ++at_;
    if (at_ == begin && at_ < text_.size()) ++at_;
    word_ = text_.substr(begin, at_ - begin);
  }

  const std::string& text_;
  const std::vector<std::string>& names_;
  const std::vector<Region>& regions_;
  std::string word_;
  std::size_t at_ = 0;
};

}  // namespace

template <int D>
void Domain<D>::add(const std::string& name, const SetKind& kind, const std::vector<double>& parameters,
                    const Place<D>& place, const Law& law) {
  const Walls<D> more = std::get<MakeWalls<D>>(kind.walls)(parameters, place);
  members_.push_back({name, kind.region(static_cast<int>(walls_.size())), law, place});
  walls_.insert(walls_.end(), more.begin(), more.end());
  member_of_.resize(walls_.size(), static_cast<int>(members_.size()) - 1);
}

template <int D>
void Domain<D>::enclose(const std::string& expression) {
  std::vector<std::string> names;
  std::vector<Region> regions;
  for (const Member<D>& member : members_) {
    names.push_back(member.name);
    regions.push_back(member.region);
  }
  region_ = Reader(expression, names, regions).read();
}

template <int D>
void Domain<D>::enclose_all() {
  region_.clear();
  for (const Member<D>& member : members_) region_ = united(region_, member.region);
}

template <int D>
Pack Domain<D>::omega(const Region& region, const Point<D>& x, const Pack& t) const {
  Pack best(-never);
  for (const Cell& cell : region) {
    Pack least(never);
    for (const Side& side : cell)
      least = min(side.sign * walls_[static_cast<std::size_t>(side.wall)]->value(x, t), least);
    best = max(least, best);
  }
  return best;
}

template <int D>
double Domain<D>::omega(const Vector<D>& x, double t) const {
  return omega(spread<D>(x), Pack(t))[0];
}

template <int D>
double Domain<D>::omega(const Vector<D>& x, Vector<D>& gradient) const {
  double best = -never;
  for (const Cell& cell : region_) {
    double least = never;
    const Side* nearest = nullptr;
    for (const Side& side : cell) {
      const double value =
          side.sign * walls_[static_cast<std::size_t>(side.wall)]->value(spread<D>(x), Pack(0.0))[0];
      if (value < least) nearest = &side;
      least = std::min(least, value);
    }
    if (!(least > best) || nearest == nullptr) continue;
    best = least;
    const Contact<D> c = walls_[static_cast<std::size_t>(nearest->wall)]->contact(spread<D>(x), Pack(0.0));
    for (int d = 0; d < D; ++d) gradient[d] = nearest->sign * c.gradient[d][0];
  }
  return best;
}

template <int D>
double Domain<D>::depth(const Vector<D>& x, double t) const {
  double best = -never;
  for (const Cell& cell : region_) {
    double least = never;
    for (const Side& side : cell) {
      const Contact<D> c = walls_[static_cast<std::size_t>(side.wall)]->contact(spread<D>(x), Pack(t));
      double square = 0;
      for (int d = 0; d < D; ++d) square += c.gradient[d][0] * c.gradient[d][0];
      least = std::min(least, side.sign * c.value[0] / std::sqrt(square));
    }
    best = std::max(best, least);
  }
  return best;
}

template class Domain<2>;
template class Domain<3>;

}  // namespace cotangent::billiards
