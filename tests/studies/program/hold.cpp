// SPDX-License-Identifier: BSD-3-Clause
// Put before a program by LD_PRELOAD, it holds the run in the moment in which its checkpoint number HOLD_AT
// has taken its name, or, where HOLD_READ is given, before its read number HOLD_AT at that place of a file,
// and says so by a file HOLD_WHILE.held, for as long as there is a file HOLD_WHILE: what a test then does to
// the run comes midway, however fast or busy the machine is.
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#define COTANGENT_EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

bool is_checkpoint(const char* path) {
  constexpr char end[] = ".checkpoint";
  const std::size_t length = std::strlen(path), ending = sizeof end - 1;
  return length > ending && std::strcmp(path + length - ending, end) == 0;
}

/// One of what is waited for: holds at the one of this number.
void count() {
  static int made = 0;
  const char *held = std::getenv("HOLD_WHILE"), *at = std::getenv("HOLD_AT");
  if (held == nullptr || ++made != (at == nullptr ? 1 : std::atoi(at))) return;
  close(open((std::string(held) + ".held").c_str(), O_CREAT | O_WRONLY, 0600));
  while (access(held, F_OK) == 0) usleep(1000);
}

template <class Next>
Next next(const char* name) {
  return reinterpret_cast<Next>(dlsym(RTLD_NEXT, name));
}

void count_read(off64_t place) {
  static const char* const wanted = std::getenv("HOLD_READ");
  if (wanted != nullptr && place == std::atoll(wanted)) count();
}

}  // namespace

COTANGENT_EXPORTED int rename(const char* from, const char* to) noexcept {
  static const auto own = next<int (*)(const char*, const char*)>("rename");
  const int result = own(from, to);
  if (result == 0 && is_checkpoint(to) && std::getenv("HOLD_READ") == nullptr) count();
  return result;
}

COTANGENT_EXPORTED ssize_t pread(int file, void* bytes, size_t length, off_t place) {
  static const auto own = next<ssize_t (*)(int, void*, size_t, off_t)>("pread");
  count_read(place);
  return own(file, bytes, length, place);
}

COTANGENT_EXPORTED ssize_t pread64(int file, void* bytes, size_t length, off64_t place) {
  static const auto own = next<ssize_t (*)(int, void*, size_t, off64_t)>("pread64");
  count_read(place);
  return own(file, bytes, length, place);
}
