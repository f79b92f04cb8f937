// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/shared_out.hpp"

#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <string>

#include "core/error.hpp"
#include "parallel/mpi.hpp"
#include "parallel/signals.hpp"
#include "parallel/task_sharing.hpp"

namespace cotangent::studies {

std::vector<Answer> shared_out(std::int64_t count, const run::Settings& settings,
                               const std::function<Answer(std::int64_t)>& task) {
  std::vector<double> mine;  // task, length, answer, task, length, answer ...
  {
    parallel::TaskSharing sharing(count);
    const auto work = [&] {
      while (const auto k = sharing.take()) {
        if (const int signal = parallel::stop_signal()) {
          throw Error(fmt::format("stopped by {} before the result was made", parallel::signal_name(signal)),
                      exit_stopped);
        }
        if (parallel::wall_time() - settings.began > 60 * settings.wall_minutes)
          throw Error(fmt::format(
              "[output] wall_minutes = {}: over before the search was, {} of {} parts begun; a search "
              "can't go on later: give it more minutes, or more ranks",
              settings.wall_minutes, *k, count));
        const Answer answer = task(*k);
        mine.push_back(static_cast<double>(*k));
        mine.push_back(static_cast<double>(answer.size()));
        mine.insert(mine.end(), answer.begin(), answer.end());
      }
    };
    parallel::agree([&] {
      try {
        work();
      } catch (...) {
        sharing.end();  // so that the others don't work at what nobody will see
        throw;
      }
    });
  }
  const auto texts =
      parallel::gather(std::string(reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(double)));
  std::vector<std::byte> bytes;
  for (const std::string& text : texts) {
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    bytes.insert(bytes.end(), first, first + text.size());
  }
  bytes = parallel::broadcast(std::move(bytes));
  std::vector<double> all(bytes.size() / sizeof(double));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  std::vector<Answer> answers(static_cast<std::size_t>(count));
  for (auto at = all.begin(); at != all.end();) {
    Answer& answer = answers[static_cast<std::size_t>(*at)];
    const auto length = static_cast<std::ptrdiff_t>(at[1]);
    answer.assign(at + 2, at + 2 + length);
    at += 2 + length;
  }
  return answers;
}

}  // namespace cotangent::studies
