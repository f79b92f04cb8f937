// SPDX-License-Identifier: BSD-3-Clause
#include "formulas/compiler.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <spawn.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "core/error.hpp"
#include "core/git_commit.hpp"
#include "core/version.hpp"
#include "formulas/claim.hpp"
#include "formulas/kept.hpp"

namespace cotangent::formulas {

namespace fs = std::filesystem;

namespace {

constexpr rlim_t most_seconds = 120, most_bytes = rlim_t{4} << 30;

std::vector<std::string> words(const char* text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

constexpr const char* a_header = "formulas/printed.hpp";

/// Where the headers are: beside an installed program (PREFIX/bin/cotangent, PREFIX/libexec/cotangent/...),
/// where whoever installed it alone can have put them; else where it was built.
std::vector<std::string> header_folders() {
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  struct stat of_program {};
  ::stat(program.c_str(), &of_program);
  fs::path above = program.parent_path();
  for (int level = 0; level < 3; ++level, above = above.parent_path()) {
    const fs::path installed = above / "include" / "cotangent";
    struct stat of {};
    if (::stat((installed / a_header).c_str(), &of) == 0 && is_trusted(of, of_program.st_uid))
      return {installed};
  }
  return {COTANGENT_BUILT_HEADERS, COTANGENT_SOURCE_HEADERS};  // precompiled ones first
}

bool has_headers() {
  // One that src/ holds, and one that the build makes.
  return std::ranges::all_of(std::array{a_header, "sections/compiled_dimensions.hpp"},
                             [](const char* header) {
                               return std::ranges::any_of(header_folders(), [&](const std::string& folder) {
                                 std::error_code none;
                                 return fs::exists(fs::path(folder) / header, none);
                               });
                             });
}

/// The processor that "native" means, by its flags.
std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  std::string line, all;
  while (std::getline(in, line) && !line.empty())  // those of the first
    if (line.starts_with("model name") || line.starts_with("flags") || line.starts_with("Features"))
      all += line;
  return all;
}

/// $COTANGENT_COMPILER, null where it isn't given.
const char* other_compiler() {
  const char* const other = std::getenv("COTANGENT_COMPILER");
  return other && *other ? other : nullptr;
}

bool can_run(const fs::path& file) {
  return ::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file);
}

/// $COTANGENT_COMPILER, another of the same kind, or the one that built the program; none where it can't run.
std::optional<fs::path> compiler() {
  const char* const other = other_compiler();
  const fs::path given = other ? other : COTANGENT_COMPILER;
  return can_run(given) ? std::optional(given) : std::nullopt;
}

/// Why nothing can be compiled here, and the ways out.
std::string why_not() {
  const std::string elsewhere =
      "compile where one is, by 'cotangent --compile DECK -o FILE', and give compiled = \"FILE\"";
  const char* const other = other_compiler();
  if (other && std::string_view(other) == "none")
    return "a formula needs a compiler, and COTANGENT_COMPILER=none says that there is none: " + elsewhere;
  if (!compiler())
    return "a formula needs a compiler, and there is none at " +
           (other ? std::string(other) + ", which COTANGENT_COMPILER names: give a whole path, or "
                  : std::string(COTANGENT_COMPILER) +
                        ", which built this program: name one of its kind by the variable "
                        "COTANGENT_COMPILER, or ") +
           elsewhere;
  return "a formula needs this program's headers, and they are neither beside it nor where it was built: "
         "compile where they are, by 'cotangent --compile DECK -o FILE', and give compiled = \"FILE\"";
}

/// A file as it is now.
std::string identity(const fs::path& file, const struct stat& of) {
  return file.string() + " " + std::to_string(of.st_size) + " " + std::to_string(of.st_mtim.tv_sec) + "." +
         std::to_string(of.st_mtim.tv_nsec);
}

/// What an object of the cache depends on beside the compiler: its source, the library's headers, and the
/// processor.
std::string portable_key(const std::string& source) {
  Fingerprint print;
  print.add(program_key(source));
  print.add(processor());
  for (const std::string& folder : header_folders()) {
    std::vector<std::string> headers;
    std::error_code none;
    for (const auto& entry : fs::recursive_directory_iterator(folder, none)) {
      struct stat of_header {};
      if (entry.path().extension() == ".hpp" && ::stat(entry.path().c_str(), &of_header) == 0)
        headers.push_back(identity(entry.path(), of_header));
    }
    std::ranges::sort(headers);
    for (const std::string& header : headers) print.add(header);
  }
  return print.text();
}

/// What the cache calls a source's object: by everything that it depends on. A machine without the compiler
/// knows the first half.
std::string cache_key(const std::string& source, const fs::path& compiler) {
  struct stat of {};
  return portable_key(source) + "-" +
         fingerprint(::stat(compiler.c_str(), &of) == 0 ? identity(compiler, of) : "");
}

/// Whether this is a file of this user's own, to which nobody else may write.
bool is_ours(const fs::path& file) {
  struct stat of {};
  return ::lstat(file.c_str(), &of) == 0 && S_ISREG(of.st_mode) && of.st_uid == ::geteuid() &&
         (of.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}
/// The same of a folder, which may be this user's link to one.
bool is_our_folder(const fs::path& folder) {
  struct stat link {};
  struct stat of {};
  return ::lstat(folder.c_str(), &link) == 0 && link.st_uid == ::geteuid() &&
         ::stat(folder.c_str(), &of) == 0 && of.st_uid == ::geteuid() &&
         (of.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// A folder made here is this user's alone; one that was there is taken as it is.
bool can_write(const fs::path& folder) {
  std::error_code failed;
  if (fs::create_directories(folder, failed)) fs::permissions(folder, fs::perms::owner_all, failed);
  return !failed && ::access(folder.c_str(), W_OK) == 0 && is_our_folder(folder);
}

/// Whether a file of the cache is one of a compilation, made under its own name: KEY.HOST.PROCESS.cpp, .so or
/// .log, or of a claim on one: KEY.TURN.compiling or .failed.
bool is_temporary(const fs::path& file) {
  const std::string stem = file.stem(), extension = file.extension(), key = stem.substr(0, stem.find('.'));
  const auto of_keys = [](char c) { return c == '-' || std::isxdigit(static_cast<unsigned char>(c)) != 0; };
  return key.size() >= key_length && key.size() < stem.size() && std::ranges::all_of(key, of_keys) &&
         (extension == ".cpp" || extension == ".so" || extension == ".log" || extension == ".compiling" ||
          extension == ".failed");
}

/// Removes what compilations that were killed left in the cache, after a day.
void remove_leftovers(const fs::path& folder) {
  std::error_code failed;
  const auto yesterday = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (const auto& entry : fs::directory_iterator(folder, failed))
    if (is_temporary(entry.path()) && entry.is_regular_file(failed) &&
        entry.last_write_time(failed) < yesterday)
      fs::remove(entry.path(), failed);
}

/// How a program ended.
struct Ending {
  int code = -1;         ///< -1 where it was killed
  bool stopped = false;  ///< by who wants everything to stop, not by a limit
};

/// Runs a program with its words, its output into a file; meanwhile calls `at_work`, often.
template <class AtWork>
Ending run(const std::vector<std::string>& command, const fs::path& log, const AtWork& at_work) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  // Where this program was started with children ignored, nobody would learn how one ended.
  struct sigaction as_it_was = {}, by_default = {};
  by_default.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &by_default, &as_it_was);
  const struct Restored {
    const struct sigaction& action;
    ~Restored() { ::sigaction(SIGCHLD, &action, nullptr); }
  } restored{as_it_was};
  // What it says is looked through: in English.
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with("LC_ALL=")) variables.push_back(*variable);
  std::string language = "LC_ALL=C";
  variables.push_back(language.data());
  variables.push_back(nullptr);
  const int failed = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw Error("cannot start the compiler " + command[0] + ": " + std::strerror(failed));
  // What the compiler starts in turn inherits these.
  const rlimit time{most_seconds, most_seconds}, memory{most_bytes, most_bytes};
  ::prlimit(child, RLIMIT_CPU, &time, nullptr);
  ::prlimit(child, RLIMIT_AS, &memory, nullptr);
  int status = 0;
  for (pid_t ended = 0; ended == 0;) {
    ended = ::waitpid(child, &status, WNOHANG);
    if (ended < 0 && errno != EINTR) return {};
    if (ended < 0) ended = 0;
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    at_work();
  }
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          signal == SIGINT || signal == SIGTERM || signal == SIGHUP};
}

}  // namespace

std::string program_key(const std::string& source) {
  Fingerprint print;
  for (const char* text : {source.c_str(), version, git_commit, COTANGENT_FORMULA_FLAGS}) print.add(text);
  return print.text();
}

bool can_compile() {
  const char* const other = other_compiler();
  return has_headers() && (other ? std::string_view(other) != "none" : can_run(COTANGENT_COMPILER));
}

fs::path cache_folder() {
  if (const char* given = std::getenv("COTANGENT_CACHE"); given && *given) return given;
  if (const char* given = std::getenv("XDG_CACHE_HOME"); given && *given)
    return fs::path(given) / "cotangent";
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".cache" / "cotangent";
  return ".cotangent";
}

namespace {

/// Compiles a source into folder/name.so, which it owns; tells those who wait where that fails.
void compile(const std::string& source, const fs::path& with, const fs::path& folder, const std::string& name,
             Claim& claim) {
  const std::string own = name + "." + own_name();
  const fs::path text = folder / (own + ".cpp"), made = folder / (own + ".so"), log = folder / (own + ".log");
  // Nobody else may write to what is made, at no moment.
  const mode_t usual = ::umask(077);
  const struct Restored {
    mode_t usual;
    ~Restored() { ::umask(usual); }
  } restored{usual};
  std::ofstream(text) << source;
  std::vector<std::string> command{with};
  for (const std::string& flag : words(COTANGENT_FORMULA_FLAGS)) command.push_back(flag);
  for (const std::string& folder_of_headers : header_folders()) command.push_back("-I" + folder_of_headers);
  for (const std::string& word : {std::string("-shared"), text.string(), std::string("-o"), made.string()})
    command.push_back(word);
  const auto says = [&](const char* words) { return read(log).find(words) != std::string::npos; };
  Ending end = run(command, log, [&] { claim.renew(); });
  if (end.code > 0 && says("internal compiler error: Segmentation fault")) {  // GCC 12's, of sums of abs
    command.insert(command.begin() + 1, "-fno-tree-slp-vectorize");
    end = run(command, log, [&] { claim.renew(); });
  }
  if (end.code != 0) {
    // The compiler proper is a child of what is started here, which tells how it ended.
    const bool stopped = end.stopped || std::ranges::any_of(std::array{"Terminated signal terminated program",
                                                                       "Interrupt signal terminated program",
                                                                       "Hangup signal terminated program"},
                                                            says);
    const bool full = std::ranges::any_of(
        std::array{"memory exhausted", "out of memory", "signal terminated program"}, says);
    const std::string limits =
        std::to_string(most_seconds) + " s and " + std::to_string(most_bytes >> 30) + " GB";
    const std::string why = "the compiler " +
                            (stopped                ? "was stopped by a signal"
                             : end.code < 0 || full ? "was stopped by its limits of " + limits +
                                                          " (src/formulas/README.md says what sizes fit)"
                                                    : std::string("failed")) +
                            " on the formula; its source is " + text.string() + ", its log " + log.string();
    if (!stopped) claim.fail(why);  // else one of those who wait takes over
    throw Error(why);
  }
  if (!fs::exists(made)) throw Error("the compiler " + with.string() + " made nothing of " + text.string());
  std::ofstream seal(made, std::ios::binary | std::ios::app);
  seal << fingerprint(read(made));
  seal.close();
  if (!seal) throw FileError("cannot write to " + made.string());
  fs::permissions(made, fs::perms::owner_all);
  fs::rename(made, folder / (name + ".so"));
  fs::remove(text);
  fs::remove(log);
}

/// The bytes of an object of the cache, behind which stands their fingerprint; none where they aren't as they
/// were written.
std::optional<std::string> intact(const fs::path& file) {
  std::string bytes = read(file);
  if (bytes.size() < key_length) return std::nullopt;
  const std::string print = bytes.substr(bytes.size() - key_length);
  bytes.resize(bytes.size() - key_length);
  return fingerprint(bytes) == print ? std::optional(std::move(bytes)) : std::nullopt;
}

void refuse_if_not_ours(const fs::path& file) {
  if (!is_ours(file))
    throw Error(file.string() + " is no file, belongs to another user, or others may write to it: remove it");
}

/// The cache, or where it can't be written a folder here, with a note.
fs::path writable_cache(std::string& note) {
  const fs::path cache = cache_folder(), here = ".cotangent";
  if (can_write(cache)) return cache;
  note = "the cache " + cache.string() + " can't be written, is another user's or may be written by others: ";
  if (!can_write(here))
    throw FileError(note + "and nothing can be written to " + fs::absolute(here).string() +
                    ": name a folder for compiled formulas by the variable COTANGENT_CACHE");
  note += here.string() + " here serves";
  return here;
}

/// Finds the object KEY of a folder or compiles it, anew where it is damaged.
void find_or_compile(const std::string& source, const fs::path& with, const fs::path& folder,
                     const std::string& key, SharedObject& result) {
  constexpr int most_attempts = 5;  // others may take a damaged object away, too
  result.file = folder / (key + ".so");
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    std::error_code failed;
    if (fs::exists(result.file, failed)) {
      refuse_if_not_ours(result.file);
      if (auto bytes = intact(result.file)) {
        result.bytes = bytes_of(*bytes);
        return;
      }
      result.note += (result.note.empty() ? "" : "; ") + std::string("the one in the cache was damaged");
      fs::remove(result.file, failed);
    }
    remove_leftovers(folder);
    Claim claim(folder, key);
    result.compiled = claim.gain();
    result.awaited = !result.compiled;
    if (result.compiled) compile(source, with, folder, key, claim);
  }
  throw FileError("what is written to " + result.file.string() + " doesn't stay as it is");
}

/// The newest object that was compiled for a source on another machine of this kind; none if there is none.
std::optional<SharedObject> compiled_elsewhere(const std::string& source) {
  const fs::path folder = cache_folder();
  if (!is_our_folder(folder)) return std::nullopt;
  const std::string key = portable_key(source) + "-";
  std::error_code failed;
  std::optional<SharedObject> newest;
  fs::file_time_type made;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const fs::path& file = entry.path();
    const std::string name = file.filename();
    if (!name.starts_with(key) || name.size() != key.size() + key_length + 3 || !is_ours(file)) continue;
    const auto time = entry.last_write_time(failed);
    if (newest && time < made) continue;
    if (auto bytes = intact(file)) {
      newest.emplace();
      newest->bytes = bytes_of(*bytes);
      newest->file = file;
      made = time;
    }
  }
  return newest;
}

}  // namespace

bool can_have(const std::string& source) {
  if (can_compile() || other_compiler()) return can_compile();
  return compiled_elsewhere(source).has_value();
}

SharedObject shared_object(const std::string& source) {
  const auto began = std::chrono::steady_clock::now();
  SharedObject result;
  if (const auto with = compiler(); with && has_headers()) {
    const fs::path folder = writable_cache(result.note);
    find_or_compile(source, *with, folder, cache_key(source, *with), result);
  } else if (auto found = compiled_elsewhere(source)) {
    result = std::move(*found);
  } else {
    throw Error(why_not());
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

}  // namespace cotangent::formulas
