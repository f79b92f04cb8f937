// SPDX-License-Identifier: BSD-3-Clause
#include "run/earlier.hpp"

#include <fmt/format.h>

#include "io/deck.hpp"
#include "io/run_lock.hpp"
#include "parallel/mpi.hpp"
#include "run/checkpoint.hpp"
#include "run/terminal.hpp"

namespace cotangent::run {

namespace {

/// Keys of the deck that a user may change before --resume; all others must stay as they were.
const std::vector<std::string> free_keys{"output.file",  "output.checkpoint_minutes", "output.wall_minutes",
                                         "output.hints", "output.collective",         "output.compression"};

/// Whether there is such a file.
bool there(const std::filesystem::path& path) {
  std::int64_t found = 0;
  parallel::on_rank_zero([&] { found = std::filesystem::exists(path) ? 1 : 0; });
  return parallel::broadcast(found) != 0;
}

/// Whether there is a checkpoint, be it the one before the last.
bool any_checkpoint(const std::filesystem::path& path) {
  return there(path) || there(io::older_checkpoint(path));
}

/// What the file holds that the settings name; none where there is none.
std::optional<io::StoredResult> result_of_this_deck(const Settings& settings) {
  if (!there(settings.file)) return std::nullopt;
  io::StoredResult stored = io::stored_result(settings.file);
  const std::string difference = io::difference(stored.deck, settings.deck, free_keys);
  if (!difference.empty())
    throw Error("--resume: " + settings.file + " was begun with another deck:\n" + difference);
  if (!stored.tells && !any_checkpoint(io::checkpoint_path(settings.file)))
    throw Error("--resume: " + settings.file +
                " is of a program before this one, and has no checkpoint: whether it came to its end isn't "
                "known; without --resume the run begins anew");
  return stored;
}

}  // namespace

std::optional<io::StoredResult> earlier_result(const Settings& settings) {
  if (!settings.resume) return std::nullopt;
  auto stored = result_of_this_deck(settings);
  const std::filesystem::path checkpoint = io::checkpoint_path(settings.file);
  if (!stored && any_checkpoint(checkpoint))
    throw Error("--resume: there is " + checkpoint.string() + ", and no " + settings.file +
                " that it belongs to: put the result back, or delete the checkpoint to begin anew");
  if (!stored && parallel::rank() == 0)
    say("--resume: no " + settings.file + " yet: the run begins from its start\n");
  return stored;
}

std::optional<ExitCode> complete_already(const Settings& settings) {
  if (!settings.resume) return std::nullopt;
  std::optional<io::RunLock> lock;
  parallel::on_rank_zero([&] { lock.emplace(settings.file); });
  const auto earlier = result_of_this_deck(settings);
  if (!earlier || !earlier->ended || (settings.options.compression > 0 && !earlier->compressed))
    return std::nullopt;
  remove_checkpoint(io::checkpoint_path(settings.file));  // of a run that was killed right after its end
  if (parallel::rank() == 0) say_complete(settings);
  return earlier->ended;
}

void say_complete(const Settings& settings) {
  say(fmt::format("{:<17} {} was complete\n", "result", settings.file));
}

}  // namespace cotangent::run
