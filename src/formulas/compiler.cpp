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
#include <map>
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

namespace cotangent::formulas {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t key_length = 32;  // of a fingerprint as text
constexpr rlim_t most_seconds = 120, most_bytes = rlim_t{4} << 30;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> words(const char* text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// Whether this user, root or `another` owns a file, and nobody else may write to it.
bool is_trusted(const struct stat& of, uid_t another) {
  return (of.st_uid == ::geteuid() || of.st_uid == 0 || of.st_uid == another) &&
         (of.st_mode & (S_IWGRP | S_IWOTH)) == 0;
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

/// 128 bits by two runs of FNV-1a: for telling texts apart, not against malice.
class Fingerprint {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      a_ = (a_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
      b_ = (b_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
      b_ ^= b_ >> 29;
    }
    a_ = (a_ ^ text.size()) * 0x100000001b3u;
  }
  std::string text() const {
    std::array<char, key_length + 1> hex{};
    std::snprintf(hex.data(), hex.size(), "%016llx%016llx", static_cast<unsigned long long>(a_),
                  static_cast<unsigned long long>(b_));
    return hex.data();
  }

 private:
  std::uint64_t a_ = 0xcbf29ce484222325u, b_ = 0x9ae16a3b2f90404fu;
};

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

/// $COTANGENT_COMPILER, another of the same kind, or the one that built the program.
fs::path compiler() {
  const char* const other = other_compiler();
  const fs::path given = other ? other : COTANGENT_COMPILER;
  if (can_run(given)) return given;
  throw Error("a formula needs a compiler, and there is none at " + given.string() +
              (other ? ", which COTANGENT_COMPILER names: give a whole path"
                     : ", which built this program: name one of its kind by the variable "
                       "COTANGENT_COMPILER, or compile elsewhere by 'cotangent --compile DECK -o FILE'"));
}

/// A name that no other process has, on any machine that shares the folder.
std::string own_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + "." + std::to_string(::getpid());
}

/// A file as it is now.
std::string identity(const fs::path& file, const struct stat& of) {
  return file.string() + " " + std::to_string(of.st_size) + " " + std::to_string(of.st_mtim.tv_sec) + "." +
         std::to_string(of.st_mtim.tv_nsec);
}

/// What the cache calls a source's object: by everything that it depends on.
std::string cache_key(const std::string& source, const fs::path& compiler) {
  Fingerprint print;
  print.add(program_key(source));
  print.add(processor());
  struct stat of {};
  if (::stat(compiler.c_str(), &of) == 0) print.add(identity(compiler, of));
  for (const std::string& folder : header_folders()) {
    std::vector<std::string> headers;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      struct stat of_header {};
      if (entry.path().extension() == ".hpp" && ::stat(entry.path().c_str(), &of_header) == 0)
        headers.push_back(identity(entry.path(), of_header));
    }
    std::ranges::sort(headers);
    for (const std::string& header : headers) print.add(header);
  }
  return print.text();
}

/// Whether this user owns a file and nobody else may write to it.
bool is_ours(const fs::path& file) {
  struct stat of {};
  return ::lstat(file.c_str(), &of) == 0 && of.st_uid == ::geteuid() &&
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
  const std::string stem = file.stem(), extension = file.extension();
  const auto hex = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
  return stem.size() > key_length && stem[key_length] == '.' &&
         std::all_of(stem.begin(), stem.begin() + key_length, hex) &&
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

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

}  // namespace

std::string program_key(const std::string& source) {
  Fingerprint print;
  for (const char* text : {source.c_str(), version, git_commit, COTANGENT_FORMULA_FLAGS}) print.add(text);
  return print.text();
}

namespace {

// The whole file: this line, then of each object its key and its size in a line, and its bytes.
constexpr std::string_view compiled_title = "compiled formulas of cotangent";

using Objects = std::vector<std::pair<std::string, std::string>>;  ///< by their keys

/// The objects of a file, none of what isn't one.
Objects parse_compiled(const std::string& text) {
  Objects found;
  std::istringstream in(text);
  std::string line;
  if (!std::getline(in, line) || line != compiled_title) return {};
  while (std::getline(in, line)) {
    std::istringstream head(line);
    std::string key, bytes;
    std::size_t size = 0;
    if (!(head >> key >> size) || size > text.size()) return {};
    bytes.resize(size);
    if (!in.read(bytes.data(), std::ssize(bytes))) return {};
    found.emplace_back(std::move(key), std::move(bytes));
  }
  return found;
}

}  // namespace

SharedObject read_compiled(const std::string& source, const fs::path& file) {
  std::ifstream in(file);
  struct stat of {};
  if (!in || ::stat(file.c_str(), &of) != 0)
    throw FileError("cannot read the compiled formula " + file.string());
  if (!is_trusted(of, ::geteuid()))  // it is machine code
    throw Error("the compiled formula " + file.string() +
                " belongs to another user, or others may write to it: take a copy of your own, by 'cp', and "
                "'chmod go-w'");
  const std::string key = program_key(source);
  for (auto& [of, bytes] : parse_compiled(read(file))) {
    if (of != key) continue;
    SharedObject object;
    object.bytes = bytes_of(bytes);
    object.file = file;
    return object;
  }
  throw Error(
      file.string() +
      " was compiled from another formula, for another method or number of stages, or by another build "
      "of this program: make it again by 'cotangent --compile DECK -o FILE'");
}

void write_compiled(const std::string& source, const SharedObject& object, const fs::path& file) {
  static std::map<fs::path, Objects> begun;  // what a run before this one left is replaced
  Objects& objects = begun[file];
  const std::string key = program_key(source);
  if (std::ranges::find(objects, key, &Objects::value_type::first) == objects.end())
    objects.emplace_back(
        key, std::string(reinterpret_cast<const char*>(object.bytes.data()), object.bytes.size()));
  const fs::path other = file.string() + ".new";
  std::ofstream out(other, std::ios::binary);
  out << compiled_title << '\n';
  for (const auto& [of, bytes] : objects) out << of << ' ' << bytes.size() << '\n' << bytes;
  out.close();
  if (!out) throw FileError("cannot write " + other.string());
  fs::permissions(other, fs::perms::group_write | fs::perms::others_write, fs::perm_options::remove);
  fs::rename(other, file);
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
  fs::permissions(made, fs::perms::owner_all);
  fs::rename(made, folder / (name + ".so"));
  fs::remove(text);
  fs::remove(log);
}

}  // namespace

SharedObject shared_object(const std::string& source) {
  const auto began = std::chrono::steady_clock::now();
  const fs::path with = compiler();
  if (!has_headers())
    throw Error(
        "a formula needs this program's headers, and they are neither beside it nor where it was built: "
        "compile where they are, by 'cotangent --compile DECK -o FILE'");
  SharedObject result;
  fs::path folder = cache_folder();
  if (!can_write(folder)) {
    result.note =
        "the cache " + folder.string() + " can't be written, is another user's or may be written by others: ";
    folder = ".cotangent";
    result.note += folder.string() + " here serves";
    if (!can_write(folder)) throw FileError("cannot write to " + fs::absolute(folder).string());
  }
  const std::string name = cache_key(source, with);
  result.file = folder / (name + ".so");
  if (!fs::exists(result.file)) {
    remove_leftovers(folder);
    Claim claim(folder, name);
    result.compiled = claim.gain();
    result.awaited = !result.compiled;
    if (result.compiled) compile(source, with, folder, name, claim);
  }
  if (!is_ours(result.file))
    throw Error(result.file.string() + " belongs to another user, or others may write to it: remove it");
  result.bytes = bytes_of(read(result.file));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

}  // namespace cotangent::formulas
