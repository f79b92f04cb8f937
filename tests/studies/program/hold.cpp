// SPDX-License-Identifier: BSD-3-Clause
// Put before a program by LD_PRELOAD, it holds the run in the moment in which its checkpoint number HOLD_AT
// has taken its name, and says so by a file HOLD_WHILE.held, for as long as there is a file HOLD_WHILE: what
// a test then does to the run comes midway, however fast or busy the machine is.
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace {

bool is_checkpoint(const char* path) {
  constexpr char end[] = ".checkpoint";
  const std::size_t length = std::strlen(path), ending = sizeof end - 1;
  return length > ending && std::strcmp(path + length - ending, end) == 0;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int rename(const char* from, const char* to) noexcept {
  static int made = 0;
  static const auto next = reinterpret_cast<int (*)(const char*, const char*)>(dlsym(RTLD_NEXT, "rename"));
  const int result = next(from, to);
  const char *held = std::getenv("HOLD_WHILE"), *at = std::getenv("HOLD_AT");
  if (result != 0 || held == nullptr || !is_checkpoint(to) || ++made != (at == nullptr ? 1 : std::atoi(at)))
    return result;
  close(open((std::string(held) + ".held").c_str(), O_CREAT | O_WRONLY, 0600));
  while (access(held, F_OK) == 0) usleep(1000);
  return result;
}
