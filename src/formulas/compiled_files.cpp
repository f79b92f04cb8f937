// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "formulas/compiler.hpp"
#include "formulas/kept.hpp"

namespace cotangent::formulas {

namespace fs = std::filesystem;

namespace {

// The whole file: this line, then of each object its key, its size and its bytes' fingerprint in a line, and
// its bytes.
constexpr std::string_view compiled_title = "compiled formulas of cotangent";

using Objects = std::vector<std::pair<std::string, std::string>>;  ///< by their keys

/// The objects of a file; none at all where it is another one, or isn't as it was written.
std::optional<Objects> parse_compiled(const std::string& text) {
  Objects found;
  std::istringstream in(text);
  std::string line;
  if (!std::getline(in, line) || line != compiled_title) return std::nullopt;
  while (std::getline(in, line)) {
    std::istringstream head(line);
    std::string key, print, bytes;
    std::size_t size = 0;
    if (!(head >> key >> size >> print) || size > text.size()) return std::nullopt;
    bytes.resize(size);
    if (!in.read(bytes.data(), std::ssize(bytes)) || fingerprint(bytes) != print) return std::nullopt;
    found.emplace_back(std::move(key), std::move(bytes));
  }
  return found;
}

constexpr const char* make_again = ": make it again by 'cotangent --compile DECK -o FILE'";

}  // namespace

SharedObject read_compiled(const std::string& source, const fs::path& file) {
  struct stat of {};
  if (::stat(file.c_str(), &of) != 0)
    throw FileError("cannot read the compiled formula " + file.string() + ": " + std::strerror(errno));
  if (!S_ISREG(of.st_mode)) throw Error("the compiled formula " + file.string() + " is no file to read");
  if (!is_trusted(of, ::geteuid()))  // it is machine code
    throw Error("the compiled formula " + file.string() +
                " belongs to another user, or others may write to it: take a copy of your own, by 'cp', and "
                "'chmod go-w'");
  if (::access(file.c_str(), R_OK) != 0)
    throw FileError("cannot read the compiled formula " + file.string() + ": " + std::strerror(errno));
  const auto objects = parse_compiled(read(file));
  if (!objects)
    throw Error(
        file.string() +
        " isn't as 'cotangent --compile' leaves it: it is damaged or something else, or of another formula "
        "and another build of this program" +
        make_again);
  const std::string key = program_key(source);
  const auto found = std::ranges::find(*objects, key, &Objects::value_type::first);
  if (found == objects->end())
    throw Error(file.string() +
                " was compiled from another formula, for another method or number of stages, or by another "
                "build of this program" +
                make_again);
  SharedObject object;
  object.bytes = bytes_of(found->second);
  object.file = file;
  return object;
}

void judge_compiled_file(const fs::path& file) {
  struct stat of {};
  if (::stat(file.c_str(), &of) != 0) return;
  if (!S_ISREG(of.st_mode))
    throw Error("cannot leave compiled formulas in " + file.string() + ": it is no file");
  std::ifstream in(file, std::ios::binary);
  std::string line;
  if (of.st_size > 0 && (!std::getline(in, line) || line != compiled_title))
    throw Error("cannot leave compiled formulas in " + file.string() +
                ": it is a file of another kind, which would be lost; give another name, or remove it");
}

void write_compiled(const std::string& source, const SharedObject& object, const fs::path& file) {
  static std::map<fs::path, Objects> begun;  // what a run before this one left is replaced
  judge_compiled_file(file);
  Objects& objects = begun[file];
  const std::string key = program_key(source);
  if (std::ranges::find(objects, key, &Objects::value_type::first) == objects.end())
    objects.emplace_back(
        key, std::string(reinterpret_cast<const char*>(object.bytes.data()), object.bytes.size()));
  const fs::path other = file.string() + "." + own_name();  // others may write the same file
  std::ofstream out(other, std::ios::binary);
  out << compiled_title << '\n';
  for (const auto& [of, bytes] : objects)
    out << of << ' ' << bytes.size() << ' ' << fingerprint(bytes) << '\n' << bytes;
  out.close();
  std::error_code failed;
  if (!out) {
    fs::remove(other, failed);
    throw FileError("cannot write " + other.string());
  }
  fs::permissions(other, fs::perms::group_write | fs::perms::others_write, fs::perm_options::remove, failed);
  fs::rename(other, file, failed);
  if (failed)
    throw FileError("cannot rename " + other.string() + " to " + file.string() + ": " + failed.message());
}

}  // namespace cotangent::formulas
