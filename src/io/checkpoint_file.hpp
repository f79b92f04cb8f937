// The states of trajectories under way, kept beside the result so that a killed run goes on from them.
//
// Each lane of each rank has a slot with two buffers, written in turn: while one is overwritten the other
// stays whole, and a torn one is known by its checksum (FNV-1a, 64 bits). Ranks write for themselves, at
// their own time. A restart, on any number of ranks, makes a new file under a temporary name with the old
// states in it and renames it: at no moment is there no valid checkpoint. What a state's bytes mean is the
// caller's affair. Limits: plain bytes of the machine that wrote them; slots begin on pages, so that ranks
// share no page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "io/posix.hpp"

namespace cotangent::io {

/// The state of one trajectory, as it was last written.
struct CheckpointState {
  std::int64_t id = -1;
  std::int64_t sequence = 0;  ///< of two states of one trajectory, the larger is the later
  std::vector<std::byte> payload;
};

/// FNV-1a, 64 bits: for checksums and fingerprints.
std::uint64_t fnv1a(std::span<const std::byte> bytes, std::uint64_t hash = 0xcbf29ce484222325u) noexcept;
std::uint64_t fnv1a(std::string_view text) noexcept;

class CheckpointFile {
 public:
  /// The newest valid state of each trajectory, by id, whatever number of ranks wrote them; none where there
  /// is no file. Throws Error where the file's fingerprint (of deck and state layout) is another. Collective,
  /// and the same on every rank.
  static std::vector<CheckpointState> read_all(const std::filesystem::path& path, std::uint64_t fingerprint);
  /// Deletes the file, when the run is complete. Collective.
  static void remove(const std::filesystem::path& path);
  /// How many bytes a file for so many slots (of all ranks together) takes on disk.
  static std::int64_t file_bytes(std::int64_t slots, std::int64_t payload_bytes);

  /// A new file with `lanes` slots for each rank and states of at most `payload_bytes`; it holds the
  /// `carried` states (of read_all(), from rank 0) from its first moment on. `lanes` and `payload_bytes` are
  /// the same on all ranks. Collective; a failure is thrown on every rank and leaves an older file whole.
  CheckpointFile(const std::filesystem::path& path, int lanes, std::int64_t payload_bytes,
                 std::uint64_t fingerprint, const std::vector<CheckpointState>& carried = {});

  /// The state of trajectory `id`, in this rank's slot `lane`. FileError on this rank alone, and then the
  /// state written before is still there.
  void write(int lane, std::int64_t id, std::span<const std::byte> payload);
  /// Waits until what this rank wrote is on disk; once after all lanes.
  void sync();

 private:
  struct Slot {
    std::int64_t sequence = 0;  // of the last write
    int next = 0;               // the buffer that the next write may overwrite
  };

  std::filesystem::path path_;
  Descriptor file_;
  bool name_synced_ = false;
  std::int64_t payload_bytes_;
  std::int64_t first_slot_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace cotangent::io
