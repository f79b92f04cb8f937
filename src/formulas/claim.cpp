// SPDX-License-Identifier: BSD-3-Clause
#include "formulas/claim.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "core/error.hpp"

namespace cotangent::formulas {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int most_turns = 100;  // owners that died one after the other: then each makes it for itself

std::string host() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// When a file was touched last, by the clock of whoever keeps it; 0 where there is none.
long long touched(const fs::path& file) {
  struct stat of {};
  if (::stat(file.c_str(), &of) != 0) return 0;
  return static_cast<long long>(of.st_mtim.tv_sec) * 1000000000 + of.st_mtim.tv_nsec;
}

/// Whether a claim's owner was a process of this host that is no more.
bool is_dead(const std::string& claim) {
  std::istringstream in(claim);
  std::string on;
  pid_t process = 0;
  if (!(in >> on >> process) || on != host() || process <= 0) return false;
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

}  // namespace

Claim::Claim(fs::path folder, std::string key, Patience patience)
    : folder_(std::move(folder)), key_(std::move(key)), patience_(patience) {}

Claim::~Claim() {
  std::error_code none;
  for (int turn = 0; turn <= turn_; ++turn) fs::remove(file(turn, ".compiling"), none);
}

fs::path Claim::file(int turn, const char* extension) const {
  return folder_ / (key_ + "." + std::to_string(turn) + extension);
}

/// Opening a folder makes a network's client ask for what is new in it.
void Claim::refresh() const {
  if (DIR* const open = ::opendir(folder_.c_str())) ::closedir(open);
}

bool Claim::create(int turn) {
  const int made = ::open(file(turn, ".compiling").c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (made < 0 && errno == EEXIST) return false;
  turn_ = turn;  // where none can be made at all, work goes on without one
  if (made < 0) return true;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const std::string text = host() + " " + std::to_string(::getpid()) + " " + std::to_string(now) + "." +
                           std::to_string(turn) + "\n";
  [[maybe_unused]] const auto written = ::write(made, text.data(), text.size());
  ::close(made);
  std::error_code none;
  for (int k = 0; k <= turn; ++k) fs::remove(file(k, ".failed"), none);
  renewed_ = Clock::now();
  return true;
}

bool Claim::gain() {
  const fs::path object = folder_ / (key_ + ".so");
  for (int turn = 0; turn < most_turns;) {
    refresh();
    if (fs::exists(object)) return false;
    if (create(turn)) {
      // Made between the look and the claim?
      refresh();
      return !fs::exists(object);
    }
    bool dead = false;
    if (wait_for(turn, dead)) return false;
    turn = dead ? turn + 1 : 0;
  }
  return true;
}

/// Until the object is there: true; or until the owner has given up, or is dead.
bool Claim::wait_for(int turn, bool& dead) {
  const fs::path object = folder_ / (key_ + ".so"), claim = file(turn, ".compiling"),
                 next = file(turn + 1, ".compiling");
  std::string owner = read(claim);
  auto last = touched(claim);
  for (auto heard = Clock::now();; std::this_thread::sleep_for(patience_.poll)) {
    refresh();
    if (fs::exists(object)) return true;
    const std::string now = read(claim);
    if (now.empty() && !fs::exists(claim)) break;
    if (owner.empty()) owner = now;  // it is written right after it is made
    if (now != owner) return false;
    if (const auto time = touched(claim); time != last) {
      last = time;
      heard = Clock::now();
    }
    dead = is_dead(owner) || Clock::now() - heard > patience_.silence || fs::exists(next);
    if (dead) return false;
  }
  const std::string failed = read(file(turn, ".failed"));
  if (!owner.empty() && failed.starts_with(owner)) throw Error(failed.substr(owner.size()));
  return fs::exists(object);
}

void Claim::renew() {
  if (turn_ < 0 || Clock::now() - renewed_ < patience_.renewal) return;
  renewed_ = Clock::now();
  ::utimensat(AT_FDCWD, file(turn_, ".compiling").c_str(), nullptr, 0);
}

void Claim::fail(const std::string& why) {
  if (turn_ < 0) return;
  const std::string owner = read(file(turn_, ".compiling"));
  const std::string own = "." + host() + "." + std::to_string(::getpid()) + ".failed";
  const fs::path told = file(turn_, ".failed"), other = file(turn_, own.c_str());
  std::ofstream(other, std::ios::binary) << owner << why;
  std::error_code none;
  fs::rename(other, told, none);
}

}  // namespace cotangent::formulas
