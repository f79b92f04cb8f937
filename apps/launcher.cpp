// SPDX-License-Identifier: BSD-3-Clause
// Starts the program that was built for the highest level of x86-64 that this processor has, of those in
// ../libexec/cotangent; COTANGENT_CPU=x86-64-v3, say, names another. The levels are those of the System V ABI
// for x86-64, 1.0 (2020), 3.1.1.
#include <array>
#include <cerrno>
#include <cpuid.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace fs = std::filesystem;

namespace {

struct Level {
  const char* name;
  bool had;  ///< by this processor and its operating system
};

/// LZCNT, MOVBE and F16C, for which not every compiler has a name.
bool has_unnamed_of_v3() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_MOVBE) == 0 || (c & bit_F16C) == 0) return false;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT) != 0;
}

/// The highest first.
std::array<Level, 3> levels() {
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && has_unnamed_of_v3();
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return {{{"x86-64-v4", v4}, {"x86-64-v3", v3}, {"x86-64-v2", v2}}};
}

int refuse(const std::string& why) {
  std::fprintf(stderr, "cotangent: %s\n", why.c_str());
  return 2;
}

}  // namespace

int main(int, char** argv) {
  std::error_code none;
  const fs::path self = fs::read_symlink("/proc/self/exe", none);
  const fs::path folder = self.parent_path().parent_path() / "libexec" / "cotangent";
  const char* const variable = std::getenv("COTANGENT_CPU");
  const std::string wanted = variable ? variable : "";
  std::string there;
  for (const Level& level : levels()) {
    const fs::path program = folder / (std::string("cotangent-") + level.name);
    if (!fs::exists(program, none)) continue;
    there += (there.empty() ? "" : ", ") + std::string(level.name);
    if (wanted.empty() ? !level.had : wanted != level.name) continue;
    if (!level.had) return refuse("COTANGENT_CPU=" + wanted + ": this processor is of a lower level");
    ::unsetenv("COTANGENT_CPU");  // heeded; to a program that is started without this one it says nothing
    ::execv(program.c_str(), argv);
    return refuse(program.string() + " can't be started: " + std::strerror(errno));
  }
  if (there.empty()) return refuse("no program in " + folder.string() + ": the installation isn't whole");
  if (wanted.empty())
    return refuse("this processor is of a lower level than all that are installed: " + there);
  return refuse("COTANGENT_CPU=" + wanted + " isn't installed; there are " + there);
}
