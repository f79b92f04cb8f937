#include "io/checkpoint_file.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::io {
namespace {

constexpr std::int64_t page = 4096;
constexpr char magic[24] = "cotangent checkpoint 1\n";

struct FileHeader {
  char magic[24];
  std::uint64_t fingerprint;
  std::int64_t payload_bytes;
  std::int64_t buffers;
};

struct RecordHeader {
  std::uint64_t checksum;  // of all that follows, payload included
  std::int64_t id;
  std::int64_t sequence;
  std::int64_t length;
};
static_assert(std::is_trivially_copyable_v<FileHeader> && std::is_trivially_copyable_v<RecordHeader>);

std::int64_t stride(std::int64_t payload_bytes) {
  return (static_cast<std::int64_t>(sizeof(RecordHeader)) + payload_bytes + page - 1) / page * page;
}

std::int64_t place(std::int64_t buffer, std::int64_t payload_bytes) {
  return page + buffer * stride(payload_bytes);
}

std::uint64_t checksum(std::span<const std::byte> record) {
  return fnv1a(record.subspan(sizeof(std::uint64_t)));
}

std::vector<std::byte> record_of(std::int64_t id, std::int64_t sequence, std::span<const std::byte> payload) {
  RecordHeader header = {0, id, sequence, static_cast<std::int64_t>(payload.size())};
  std::vector<std::byte> record(sizeof header + payload.size());
  std::memcpy(record.data(), &header, sizeof header);
  std::ranges::copy(payload, record.begin() + sizeof header);
  header.checksum = checksum(record);
  std::memcpy(record.data(), &header.checksum, sizeof header.checksum);
  return record;
}

// One buffer's state, or none where it was never written, or torn.
bool parse(std::span<const std::byte> record, CheckpointState& state) {
  RecordHeader header;
  if (record.size() < sizeof header) return false;
  std::memcpy(&header, record.data(), sizeof header);
  const auto room = static_cast<std::int64_t>(record.size() - sizeof header);
  if (header.length < 0 || header.length > room || header.sequence <= 0) return false;
  record = record.first(sizeof header + static_cast<std::size_t>(header.length));
  if (header.checksum != checksum(record)) return false;
  state = {header.id, header.sequence, {record.begin() + sizeof header, record.end()}};
  return true;
}

std::vector<CheckpointState> read_states(const std::filesystem::path& path, std::uint64_t fingerprint) {
  if (!std::filesystem::exists(path)) return {};
  const Descriptor file(path, Descriptor::Mode::read);
  FileHeader header = {};
  const std::size_t got = file.read(0, std::as_writable_bytes(std::span(&header, 1)));
  if (got < sizeof header || !std::equal(std::begin(magic), std::end(magic), header.magic) ||
      header.payload_bytes < 0)
    throw Error(path.string() + ": not a checkpoint of this program's version");
  if (header.fingerprint != fingerprint)
    throw Error(path.string() +
                ": the checkpoint of another run; delete it to begin its unfinished trajectories anew");
  std::map<std::int64_t, CheckpointState> newest;
  std::vector<std::byte> record(static_cast<std::size_t>(stride(header.payload_bytes)));
  for (std::int64_t buffer = 0; buffer < header.buffers; ++buffer) {
    const std::size_t length = file.read(place(buffer, header.payload_bytes), record);
    CheckpointState state;
    if (!parse(std::span(record).first(length), state)) continue;
    CheckpointState& known = newest[state.id];
    if (state.sequence > known.sequence) known = std::move(state);
  }
  std::vector<CheckpointState> states;
  for (auto& [id, state] : newest) states.push_back(std::move(state));
  return states;
}

// A list of states as one run of bytes, to go to all ranks.
std::vector<std::byte> packed(const std::vector<CheckpointState>& states) {
  std::vector<std::byte> bytes;
  for (const CheckpointState& state : states) {
    const std::vector<std::byte> record = record_of(state.id, state.sequence, state.payload);
    bytes.insert(bytes.end(), record.begin(), record.end());
  }
  return bytes;
}

std::vector<CheckpointState> unpacked(std::span<const std::byte> bytes) {
  std::vector<CheckpointState> states;
  for (CheckpointState state; !bytes.empty() && parse(bytes, state); states.push_back(state))
    bytes = bytes.subspan(sizeof(RecordHeader) + state.payload.size());
  return states;
}

}  // namespace

std::uint64_t fnv1a(std::span<const std::byte> bytes, std::uint64_t hash) noexcept {
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
  return hash;
}

std::uint64_t fnv1a(std::string_view text) noexcept {
  return fnv1a(std::as_bytes(std::span(text)));
}

std::vector<CheckpointState> CheckpointFile::read_all(const std::filesystem::path& path,
                                                      std::uint64_t fingerprint) {
  std::vector<CheckpointState> states;
  parallel::on_rank_zero([&] { states = read_states(path, fingerprint); });
  if (parallel::size() == 1) return states;
  return unpacked(parallel::broadcast(packed(states)));
}

void CheckpointFile::remove(const std::filesystem::path& path) {
  parallel::on_rank_zero([&] {
    remove_file(path);
    remove_file(path.string() + ".new");
  });
}

std::int64_t CheckpointFile::file_bytes(std::int64_t slots, std::int64_t payload_bytes) {
  return place(2 * slots, payload_bytes);
}

CheckpointFile::CheckpointFile(const std::filesystem::path& path, int lanes, std::int64_t payload_bytes,
                               std::uint64_t fingerprint, const std::vector<CheckpointState>& carried)
    : path_(path), payload_bytes_(payload_bytes), first_slot_(std::int64_t{parallel::rank()} * lanes) {
  std::int64_t sequence = 0;
  parallel::on_rank_zero([&] {
    const std::int64_t own = 2 * std::int64_t{parallel::size()} * lanes;
    FileHeader header = {{}, fingerprint, payload_bytes, own + static_cast<std::int64_t>(carried.size())};
    std::ranges::copy(magic, header.magic);
    const std::filesystem::path unfinished = path.string() + ".new";
    Descriptor file(unfinished, Descriptor::Mode::create);
    file.allocate(place(header.buffers, payload_bytes));
    file.write(0, std::as_bytes(std::span(&header, 1)));
    for (std::int64_t buffer = own; const CheckpointState& state : carried) {
      if (static_cast<std::int64_t>(state.payload.size()) > payload_bytes)
        throw Error(path.string() + ": the state of trajectory " + std::to_string(state.id) + " is too long");
      file.write(place(buffer++, payload_bytes), record_of(state.id, state.sequence, state.payload));
      sequence = std::max(sequence, state.sequence);
    }
    // With no states yet, nothing is lost with power until the first sync().
    std::filesystem::exists(path) ? replace_file(file, unfinished, path) : rename_file(unfinished, path);
  });
  sequence = parallel::broadcast(sequence);  // whatever is written from now on is later than what was carried
  slots_.assign(static_cast<std::size_t>(lanes), Slot{sequence, 0});
  parallel::agree([&] { file_ = Descriptor(path, Descriptor::Mode::write); });
}

void CheckpointFile::write(int lane, std::int64_t id, std::span<const std::byte> payload) {
  Slot& slot = slots_.at(static_cast<std::size_t>(lane));
  if (static_cast<std::int64_t>(payload.size()) > payload_bytes_)
    throw Error("the state of trajectory " + std::to_string(id) + " has " + std::to_string(payload.size()) +
                " bytes, the checkpoint's slots " + std::to_string(payload_bytes_));
  const std::int64_t buffer = 2 * (first_slot_ + lane) + slot.next;
  file_.write(place(buffer, payload_bytes_), record_of(id, slot.sequence + 1, payload));
  slot.sequence += 1;
  slot.next = 1 - slot.next;  // only now: a write that failed is tried again in the same buffer
}

void CheckpointFile::sync() {
  file_.sync();
  if (!std::exchange(name_synced_, true)) sync_name(path_);
}

}  // namespace cotangent::io
