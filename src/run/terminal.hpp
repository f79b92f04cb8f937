// SPDX-License-Identifier: BSD-3-Clause
// What a run says while it goes: one line renewed on a terminal, plain lines now and then elsewhere; or, for
// programs that watch it, a JSON object a line.
#pragma once

#include <string>

#include "run/evolution.hpp"

namespace cotangent::run {

/// "12.3 s", "4.5 min", "2.1 h".
std::string duration(double seconds);
/// "1.2 MB".
std::string size_text(double bytes);
/// Writes to the standard output at once.
void say(const std::string& text);

/// How the progress is told.
enum class Telling { text, json };

/// Done, rate, time left. On one rank.
class Terminal {
 public:
  explicit Terminal(Telling telling = Telling::text);
  /// Shows how far the run is, if it is time to.
  void show(const Progress& progress);
  void finish();

 private:
  double started_, next_;
  double first_ = -1;  // done when it was first asked to show
  double last_ = 0;    // and when it was last
  bool terminal_, json_, shown_ = false;
};

}  // namespace cotangent::run
