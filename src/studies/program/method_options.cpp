// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/method_options.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "integrators/method_list.hpp"

namespace cotangent::studies {

using integrators::MethodOptions;
using integrators::Option;

std::vector<Option> options_of(const std::string& method) {
  const auto methods = integrators::method_list();
  return std::ranges::find(methods, method, &integrators::MethodInfo::name)->options;
}

void read(const io::Table& table, const Option& option, MethodOptions& options) {
  const auto into = [&]<class Value>(Value MethodOptions::*field) {
    Value& value = options.*field;
    if (!table.has(option.name) && value == Value{}) return;
    if constexpr (std::is_same_v<Value, int>) {
      const std::int64_t number = table.integer(option.name, value);
      if (number < option.least || number > option.most)
        throw table.error(option.name, fmt::format("{} takes {} {}, not {}", options.name, range_of(option),
                                                   option.name, number));
      value = static_cast<int>(number);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      value = table.choice(option.name, value, option.valid());
    } else if constexpr (std::is_same_v<Value, double>) {
      value = table.positive(option.name, value);
    } else {
      value = table.positive(option.name);
    }
  };
  std::visit(into, option.field);
}

std::string range_of(const Option& option) {
  if (std::holds_alternative<int MethodOptions::*>(option.field))
    return fmt::format("{} to {}", option.least, option.most);
  const auto choices = option.valid();
  return choices.empty() ? "positive" : fmt::format("{}", fmt::join(choices, ", "));
}

std::string value_of(const Option& option, const MethodOptions& options) {
  const auto text = [&]<class Value>(Value MethodOptions::*field) -> std::string {
    const Value& value = options.*field;
    if (value == Value{}) return "";
    if constexpr (std::is_same_v<Value, std::string>)
      return fmt::format("\"{}\"", value);
    else if constexpr (std::is_same_v<Value, std::optional<double>>)
      return fmt::format("{}", *value);
    else
      return fmt::format("{}", value);
  };
  return std::visit(text, option.field);
}

std::string in_words(const MethodOptions& options) {
  std::string text = options.name;
  for (const Option& option : options_of(options.name)) {
    const std::string value = value_of(option, options);
    if (option.table == "method" && !value.empty()) text += fmt::format(", {} = {}", option.name, value);
  }
  return text;
}

void warn_of_rounding(Task& task, std::string_view place, const MethodOptions& options) {
  const auto methods = integrators::method_list();
  const auto method = std::ranges::find(methods, options.name, &integrators::MethodInfo::name);
  if (method->least_tolerance == nullptr) return;
  const double least = method->least_tolerance(options.stages);
  if (*options.tolerance >= least) return;
  task.warnings.push_back(fmt::format("{}: {:g} is less than {} of {} stages rounds by; it takes {:.1e}",
                                      place, *options.tolerance, options.name, options.stages, least));
}

}  // namespace cotangent::studies
