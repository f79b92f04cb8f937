// SPDX-License-Identifier: BSD-3-Clause
#include "la/petsc.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <string_view>

namespace cotangent::la {
namespace {

// What PETSc said of the failure under way, innermost first.
std::string& reason() {
  static std::string text;
  return text;
}

PetscErrorCode remember(MPI_Comm, int, const char* function, const char*, PetscErrorCode code,
                        PetscErrorType kind, const char* message, void*) {
  if (kind == PETSC_ERROR_INITIAL) {
    reason() = function == nullptr ? "" : std::string("in ") + function + ": ";
    const char* generic = nullptr;
    PetscErrorMessage(code, &generic, nullptr);
    if (generic != nullptr) reason() += generic;
    if (message != nullptr && *message != '\0' && *message != ' ') reason() += std::string(": ") + message;
    while (!reason().empty() && reason().back() == '\n') reason().pop_back();
  }
  return code;
}

bool is_open = false;
/// PetscFree, whose macro reads a variable of PETSc's: found by its name, for the program isn't linked with
/// it.
void free_by_petsc(void* memory) {
  using Free = PetscErrorCode (*)(void*, int, const char*, const char*);
  const auto* const release = static_cast<const Free*>(::dlsym(RTLD_DEFAULT, "PetscTrFree"));
  if (release != nullptr) check((*release)(memory, __LINE__, __func__, __FILE__), "PetscFree");
}

}  // namespace

void open_petsc() {
#ifdef COTANGENT_PETSC_LIBRARY
  if (!is_open && ::dlopen(COTANGENT_PETSC_LIBRARY, RTLD_LAZY | RTLD_GLOBAL) == nullptr)
    throw Error(std::string("cannot open PETSc: ") + ::dlerror());
#endif
  is_open = true;
}

void check(PetscErrorCode code, const char* call) {
  if (code == PetscErrorCode{}) return;
  std::string text = std::string(call) + " failed";
  text += reason().empty() ? " with PETSc's error " + std::to_string(static_cast<int>(code)) : " " + reason();
  reason().clear();
  throw PetscFailure(text);
}

bool active() noexcept {
  if (!is_open) return false;
  PetscBool begun = PETSC_FALSE, ended = PETSC_FALSE;
  PetscInitialized(&begun);
  PetscFinalized(&ended);
  return begun && !ended;
}

Petsc::Petsc(const std::vector<std::string>& options) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    const bool value = i > 0 && options[i - 1].starts_with("-");
    if (!options[i].starts_with("-") && !value)
      throw Error("'" + options[i] +
                  "' after -- is no PETSc option: they are written '-name' or '-name value'");
  }
  open_petsc();
  if (active()) return;
  std::vector<std::string> words{"cotangent", "-no_signal_handler", "-skip_petscrc"};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(words.size());
  char** arguments = pointers.data();
  check(PetscInitialize(&count, &arguments, nullptr, nullptr), "PetscInitialize");
  owner_ = true;
  check(PetscPushErrorHandler(remember, nullptr), "PetscPushErrorHandler");
}

Petsc::~Petsc() {
  // PETSc ends on all ranks together: one that fails alone must not wait for the others here.
  if (owner_ && active() && std::uncaught_exceptions() == 0) {
    PetscPopErrorHandler();
    PetscFinalize();
  }
}

bool has_option(const std::string& prefix) {
  char* all = nullptr;
  check(PetscOptionsGetAll(nullptr, &all), "PetscOptionsGetAll");
  const bool found = (" " + std::string(all)).find(" -" + prefix) != std::string::npos;
  free_by_petsc(all);
  return found;
}

namespace {
bool asked_for_at_the_end(std::string_view name) {
  constexpr std::string_view names[] = {"options_left", "options_view", "objects_dump", "malloc_dump",
                                        "memory_view",  "malloc_view",  "log"};
  return std::ranges::any_of(names, [&](std::string_view one) { return name.starts_with(one); });
}
}  // namespace

std::vector<std::string> unused_options() {
  if (!active()) return {};
  PetscInt count = 0;
  char **names = nullptr, **values = nullptr;
  check(PetscOptionsLeftGet(nullptr, &count, &names, &values), "PetscOptionsLeftGet");
  std::vector<std::string> unused;
  for (PetscInt i = 0; i < count; ++i) {
    if (asked_for_at_the_end(names[i])) continue;
    unused.push_back(std::string("-") + names[i]);
    if (values[i] != nullptr) unused.back() += std::string(" ") + values[i];
  }
  check(PetscOptionsLeftRestore(nullptr, &count, &names, &values), "PetscOptionsLeftRestore");
  return unused;
}

std::string petsc_version() {
  return std::to_string(PETSC_VERSION_MAJOR) + "." + std::to_string(PETSC_VERSION_MINOR) + "." +
         std::to_string(PETSC_VERSION_SUBMINOR);
}

}  // namespace cotangent::la
