// SPDX-License-Identifier: BSD-3-Clause
#include "formulas/loader.hpp"

#include <array>
#include <cstdio>
#include <dlfcn.h>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.hpp"
#include "formulas/compiler.hpp"
#include "formulas/interpreted.hpp"
#include "formulas/labels.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::formulas {

namespace {

/// The texts and formulas that a loaded model looks at.
struct Texts {
  Statement statement;
  std::vector<mechanics::Coordinate> coordinates;
  std::vector<mechanics::Parameter> parameters;
  mechanics::Formulas formulas;

  Labels labels() const { return {statement.name, statement.about, coordinates, parameters, &formulas}; }

  explicit Texts(Statement given) : statement(std::move(given)), formulas(statement.formulas()) {
    for (const Variable& q : statement.coordinates) coordinates.push_back({q.name, q.unit, q.angle});
    for (const Parameter& p : statement.parameters) parameters.push_back({p.name, p.value, "", p.unit});
  }
};

void* opened(const std::vector<std::byte>& bytes) {
  const int file = ::memfd_create("cotangent_formula", MFD_CLOEXEC);
  if (file < 0) throw Error("cannot load the compiled formula: no memory file");
  for (std::size_t done = 0; done < bytes.size();) {
    const auto written = ::write(file, bytes.data() + done, bytes.size() - done);
    if (written <= 0) throw Error("cannot load the compiled formula: out of memory");
    done += static_cast<std::size_t>(written);
  }
  void* const object = ::dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  const std::string why = object ? "" : ::dlerror();
  if (!object) {
    ::close(file);
    throw Error("cannot load the compiled formula: " + why);
  }
  // The file stays open: another of the same number, and so of the same name, would be taken for this one.
  return object;
}

}  // namespace

Library::Library(const std::string& source, const CompiledFiles& files) {
  SharedObject made;
  parallel::on_rank_zero([&] {
    if (!files.write.empty()) judge_compiled_file(files.write);
    made = files.read.empty() ? shared_object(source) : read_compiled(source, files.read);
    if (!files.write.empty()) write_compiled(source, made, files.write);
  });
  std::array<char, 80> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%.*f s", made.compiled || made.awaited ? 1 : 2,
                made.seconds);
  how_ = !files.read.empty() ? "from " + files.read
         : made.compiled     ? "compiled in " + std::string(seconds.data())
         : made.awaited
             ? "from the cache, into which another run compiled it in " + std::string(seconds.data())
             : "from the cache, in " + std::string(seconds.data());
  if (!made.note.empty()) how_ += "; " + made.note;
  const std::vector<std::byte> bytes = parallel::broadcast(std::move(made.bytes));
  const std::string file = made.file.string();
  parallel::agree([&] {
    try {
      handle_ = opened(bytes);
    } catch (const Error& error) {
      throw Error(error.what() +
                  (file.empty() ? "" : "; it is " + file + ": remove it to have it made again"));
    }
  });
}

void* Library::symbol(const char* name) const {
  void* const found = ::dlsym(handle_, name);
  if (!found) throw Error(std::string("the compiled formula holds no ") + name);
  return found;
}

Loaded load(const Statement& statement, const Methods& methods, const CompiledFiles& files, Use use) {
  auto texts = std::make_unique<const Texts>(statement);
  // What is loaded looks at the texts as long as the program runs, like its code.
  const auto loaded = [&](std::shared_ptr<const sections::Problem> problem, std::string how) {
    static_cast<void>(texts.release());
    return Loaded{std::move(problem), std::move(how)};
  };
  if (use == Use::judged && files.read.empty() && files.write.empty()) {
    try {
      return loaded(interpreted_problem(texts->statement, methods.name, texts->labels()), "interpreted");
    } catch (const Error&) {  // what can't be interpreted is compiled
    }
  }
  const std::string text = source(statement, methods);
  bool compiled = true;
  parallel::on_rank_zero([&] { compiled = !files.read.empty() || !files.write.empty() || can_have(text); });
  if (use != Use::compiled && !parallel::all(compiled))
    return loaded(interpreted_problem(texts->statement, methods.name, texts->labels()),
                  "interpreted, since there is no compiler: slower than compiled");
  const Library library(text, files);
  using Make = sections::Problem*(const Labels&);
  auto* const make = library.function<Make>("cotangent_formula_problem");
  return loaded(std::shared_ptr<const sections::Problem>(make(texts->labels())), library.how());
}

}  // namespace cotangent::formulas
