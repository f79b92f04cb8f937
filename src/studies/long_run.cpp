#include "studies/long_run.hpp"

#include "parallel/mpi.hpp"
#include "parallel/signals.hpp"

namespace cotangent::studies {

io::ResultFile begin_result(const Task& task, const std::string& file, io::ResultContent content,
                            const std::vector<std::string>& free) {
  if (!task.resume) return io::ResultFile::create(file, content);
  const io::StoredResult earlier = io::stored_result(file);
  const std::string difference = io::difference(earlier.deck, content.deck, free);
  if (!difference.empty()) throw Error("--resume: " + file + " was begun with another deck:\n" + difference);
  content.deck = earlier.deck;
  return io::ResultFile::resume(file, content);
}

std::uint64_t fingerprint(const io::ResultContent& content) {
  return io::fnv1a(content.study + "\n" + content.deck.substr(0, content.deck.find("[output]")));
}

std::vector<io::CheckpointState> carried_states(const Task& task, const std::string& file,
                                                const io::ResultContent& content) {
  if (!task.resume) return {};
  return io::CheckpointFile::read_all(io::checkpoint_path(file), fingerprint(content));
}

Clock::Clock(double started, double wall_minutes, double checkpoint_minutes)
    : started_(started),
      wall_minutes_(wall_minutes),
      checkpoint_minutes_(checkpoint_minutes),
      last_checkpoint_(parallel::wall_time()),
      next_line_(last_checkpoint_ + 5) {}

Wish Clock::wish() const {
  const double now = parallel::wall_time();
  const bool first = parallel::rank() == 0;
  const bool stop = parallel::stop_signal() != 0 || (first && now - started_ > 60 * wall_minutes_);
  const bool store = first && now - last_checkpoint_ > 60 * checkpoint_minutes_;
  return static_cast<Wish>(parallel::maximum(static_cast<std::int64_t>(stop    ? Wish::stop
                                                                       : store ? Wish::store
                                                                               : Wish::go_on)));
}

void Clock::stored() {
  last_checkpoint_ = parallel::wall_time();
}

bool Clock::line_due() {
  const double now = parallel::wall_time();
  if (parallel::rank() != 0 || !(now > next_line_)) return false;
  next_line_ = now + 10;
  return true;
}

}  // namespace cotangent::studies
