// SPDX-License-Identifier: BSD-3-Clause
#include "io/mpi_io.hpp"

#include <cerrno>
#include <fmt/format.h>
#include <hdf5.h>
#include <mpi.h>
#include <semaphore.h>

#include "core/error.hpp"
#include "io/hdf5_calls.hpp"
#include "io/posix.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::io {
namespace {

// Of the FileFailureHandler that lives.
const std::function<void(const std::string&)>* file_failed = nullptr;

}  // namespace
}  // namespace cotangent::io

// HDF5's writes of a shared file pass here, by MPI's profiling interface: Open MPI calls no error handler
// where one fails, and doesn't even return an error, but writes fewer bytes; the reason is the system's last.
extern "C" int MPI_File_write_at(MPI_File file, MPI_Offset place, const void* data, int count,
                                 MPI_Datatype type, MPI_Status* status) {
  MPI_Status own;
  MPI_Status& result = status == MPI_STATUS_IGNORE ? own : *status;
  errno = 0;
  const int error = PMPI_File_write_at(file, place, data, count, type, &result);
  const int last = errno;
  int written = count;
  if (cotangent::io::file_failed != nullptr && error == MPI_SUCCESS) MPI_Get_count(&result, type, &written);
  if (cotangent::io::file_failed != nullptr && (error != MPI_SUCCESS || written != count)) {
    const std::string disk = cotangent::io::disk_failure(last);
    char reason[MPI_MAX_ERROR_STRING] = "fewer bytes were written than were to be";
    int length = 0;
    if (error != MPI_SUCCESS) MPI_Error_string(error, reason, &length);
    (*cotangent::io::file_failed)(disk.empty() ? reason : disk);
  }
  return error;
}

// And its reads: where one fails Open MPI says that it went well and read less, HDF5 takes what lies beyond a
// file's end for zeros, and may write back what it made of them.
extern "C" int MPI_File_read_at(MPI_File file, MPI_Offset place, void* data, int count, MPI_Datatype type,
                                MPI_Status* status) {
  MPI_Status own;
  MPI_Status& result = status == MPI_STATUS_IGNORE ? own : *status;
  errno = 0;
  const int error = PMPI_File_read_at(file, place, data, count, type, &result);
  const std::string disk = cotangent::io::disk_failure(errno);
  if (error != MPI_SUCCESS) return error;
  int got = count;
  MPI_Get_count(&result, type, &got);
  if (got == count || disk.empty()) return MPI_SUCCESS;
  if (cotangent::io::file_failed != nullptr) (*cotangent::io::file_failed)(disk);
  return MPI_ERR_IO;
}

namespace cotangent::io {

FileFailureHandler::FileFailureHandler(std::function<void(const std::string&)> failed)
    : failed_(std::move(failed)), outer_(file_failed) {
  if (parallel::size() > 1) file_failed = &failed_;
}

FileFailureHandler::~FileFailureHandler() {
  file_failed = outer_;
}

namespace {

MPI_Info info_of(const std::vector<std::pair<std::string, std::string>>& hints) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (const auto& [name, value] : hints) {
    if (MPI_Info_set(info, name.c_str(), value.c_str()) != MPI_SUCCESS)
      throw Error("[output] hints: MPI-IO takes no hint '" + name + "' = \"" + value +
                  "\"; names have at most " + std::to_string(MPI_MAX_INFO_KEY) + " characters, values 1 to " +
                  std::to_string(MPI_MAX_INFO_VAL));
  }
  return info;
}

}  // namespace

void access_on_all_ranks(std::int64_t properties,
                         const std::vector<std::pair<std::string, std::string>>& hints) {
  MPI_Info info = info_of(hints);
  H5Pset_fapl_mpio(properties, MPI_COMM_WORLD, info);
  MPI_Info_free(&info);
}

void forget_lock(const std::filesystem::path& path) {
  ::sem_unlink(("/OMPIO_" + path.filename().string()).c_str());
}

std::filesystem::path with_folder(const std::filesystem::path& path) {
  return path.has_parent_path() ? path : "." / path;
}

void require_scratch() {
  const std::filesystem::path folder = parallel::scratch_folder();
  try {
    require_page(folder);
  } catch (const FileError& error) {
    std::error_code unknown;
    const auto free = std::filesystem::space(folder, unknown).available;
    throw FileError(
        fmt::format("{}; {:.1f} MB are free there, where MPI keeps files of its own: name another "
                    "folder by TMPDIR",
                    error.what(), unknown ? 0.0 : static_cast<double>(free) / 1e6));
  }
}

void lay_out(const std::filesystem::path& path,
             const std::vector<std::pair<std::string, std::string>>& hints) {
  if (hints.empty()) return;
  MPI_Info info = info_of(hints);
  require_scratch();
  forget_lock(path);
  MPI_File file = MPI_FILE_NULL;
  const int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY,
            code = MPI_File_open(MPI_COMM_SELF, with_folder(path).c_str(), mode, info, &file);
  MPI_Info_free(&info);
  if (code == MPI_SUCCESS) MPI_File_close(&file);  // what forbids it is told when the file is made
}

}  // namespace cotangent::io
