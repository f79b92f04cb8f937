// SPDX-License-Identifier: BSD-3-Clause
// Who makes an object of the cache, where many want the same at once: one does, the others wait for it. No
// locks, which network file systems have or haven't: who makes it owns a file KEY.0.compiling that only one
// can create, with its host, process and time inside, and touches it while at work. Where the owner is dead
// (its process, on the same host; on another, where the file is no more touched) the next to create
// KEY.1.compiling takes over, and so on. A failure is left in KEY.n.failed, for those who waited for this
// owner; who comes later tries anew. Nothing rests on it but work: who would make the object without a claim,
// or two at once, writes under another name and renames.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace cotangent::formulas {

class Claim {
 public:
  struct Patience {
    std::chrono::milliseconds poll{100};
    std::chrono::milliseconds silence{120000};  ///< of an owner on another host, until it is taken for dead
    std::chrono::milliseconds renewal{5000};    ///< how often an owner at work touches its file
  };

  /// A claim on folder/key.so, not made yet.
  Claim(std::filesystem::path folder, std::string key, Patience patience);
  Claim(std::filesystem::path folder, std::string key)
      : Claim(std::move(folder), std::move(key), Patience{}) {}
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  /// Gives up what is owned: who waits looks for the object, and else makes it.
  ~Claim();

  /// True where the caller is to make the object; false where it is there, made by another meanwhile. Throws
  /// an Error of another's failure.
  bool gain();
  /// While at work, often.
  void renew();
  /// What those who wait are told.
  void fail(const std::string& why);

 private:
  std::filesystem::path file(int turn, const char* extension) const;
  bool wait_for(int turn, bool& dead);
  bool create(int turn);
  void refresh() const;

  std::filesystem::path folder_;
  std::string key_;
  Patience patience_;
  int turn_ = -1;  ///< the file that is owned, none where negative
  std::chrono::steady_clock::time_point renewed_;
};

}  // namespace cotangent::formulas
