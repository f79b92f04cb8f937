// SPDX-License-Identifier: BSD-3-Clause
#include "run/checkpoint.hpp"

#include <algorithm>
#include <numeric>

#include "core/error.hpp"
#include "core/names.hpp"
#include "io/deck.hpp"
#include "io/mpi_io.hpp"
#include "io/result_file.hpp"
#include "io/seal.hpp"
#include "parallel/mpi.hpp"
#include "parallel/runs.hpp"
#include "run/terminal.hpp"

namespace cotangent::run {

Share Share::even(std::int64_t all) {
  const parallel::Runs runs{all, parallel::size()};
  return {all, runs.begin(parallel::rank()), runs.size(parallel::rank()), nullptr};
}

Share Share::in_turn(std::int64_t all) {
  auto ids = std::make_shared<std::vector<std::int64_t>>();
  for (std::int64_t k = parallel::rank(); k < all; k += parallel::size()) ids->push_back(k);
  return {all, 0, std::ssize(*ids), ids};
}

namespace {

constexpr const char* format = "cotangent checkpoint";

std::string path_of(std::string_view field) {
  return "/state/" + std::string(field);
}

/// The first visit: learns names, types and shapes of the fields, and where this rank's rows begin.
class Description : public StateFields {
 public:
  std::vector<io::DataSetSpec> fields;
  std::vector<std::int64_t> first_rows;

  bool reading() const override { return false; }
  void numbers(std::string_view name, std::span<double> values) override {
    add(name, io::DataType::float64, {std::ssize(values)}, 0);
  }
  void numbers(std::string_view name, std::span<std::int64_t> values) override {
    add(name, io::DataType::int64, {std::ssize(values)}, 0);
  }
  void list(std::string_view name, std::vector<double>& values) override {
    add(name, io::DataType::float64, {std::ssize(values)}, 0);
  }
  void rows(std::string_view name, const Share& share, int width, std::vector<double>&) override {
    add(name, io::DataType::float64, {share.all, width}, share.first);
  }
  void loose_rows(std::string_view name, int width, std::vector<double>& values) override {
    const std::int64_t mine = std::ssize(values) / width;
    const std::int64_t before = parallel::sum_before(mine);
    add(name, io::DataType::float64, {parallel::sum(mine), width}, before);
  }

 private:
  void add(std::string_view name, io::DataType type, std::vector<std::int64_t> dims, std::int64_t first) {
    fields.push_back({path_of(name), type, std::move(dims), "1", "state of the run"});
    first_rows.push_back(first);
  }
};

/// The second visit: writes the fields, in the order in which they were described.
class Writer : public StateFields {
 public:
  Writer(io::SharedFile& file, const Description& description) : file_(file), description_(description) {}

  bool reading() const override { return false; }
  void numbers(std::string_view, std::span<double> values) override { common(values); }
  void numbers(std::string_view, std::span<std::int64_t> values) override { common(values); }
  void list(std::string_view, std::vector<double>& values) override { common(std::span(values)); }
  void rows(std::string_view, const Share& share, int width, std::vector<double>& values) override {
    if (share.ids)
      file_.write_by_id(field_++, -1, share.ids, values);
    else
      run_of_rows(width, values);
    file_.flush_together();
  }
  void loose_rows(std::string_view, int width, std::vector<double>& values) override {
    run_of_rows(width, values);
    file_.flush_together();
  }

 private:
  template <class Number>
  void common(std::span<Number> values) {
    if (parallel::rank() == 0) file_.write_rows(field_, 0, std::ssize(values), values.data());
    ++field_;
  }
  void run_of_rows(int width, const std::vector<double>& values) {
    file_.write_rows(field_, description_.first_rows[static_cast<std::size_t>(field_)],
                     std::ssize(values) / width, values.data());
    ++field_;
  }
  io::SharedFile& file_;
  const Description& description_;
  int field_ = 0;
};

/// The visit of a run that goes on: reads each field by its name.
class Reader : public StateFields {
 public:
  explicit Reader(const io::File& file) : file_(file), stored_(file.names_in("/state")) {}

  bool reading() const override { return true; }
  Error error(std::string_view text) const override {
    return Error(file_.path().string() + ": " + std::string(text));
  }
  void numbers(std::string_view name, std::span<double> values) override { common(name, values); }
  void numbers(std::string_view name, std::span<std::int64_t> values) override { common(name, values); }
  void list(std::string_view name, std::vector<double>& values) override {
    const io::DataSet set = field(name, io::DataType::float64, {-1});
    values.resize(static_cast<std::size_t>(set.dims()[0]));
    set.read_rows(0, set.dims()[0], values.data());
  }
  void rows(std::string_view name, const Share& share, int width, std::vector<double>& values) override {
    const io::DataSet set = field(name, io::DataType::float64, {share.all, width});
    if (share.ids) return listed_rows(set, *share.ids, width, values);
    values.resize(static_cast<std::size_t>(share.count * width));
    set.read_rows(share.first, share.count, values.data());
  }
  void loose_rows(std::string_view name, int width, std::vector<double>& values) override {
    const io::DataSet set = field(name, io::DataType::float64, {-1, width});
    const Share share = Share::even(set.dims()[0]);
    values.resize(static_cast<std::size_t>(share.count * width));
    set.read_rows(share.first, share.count, values.data());
  }
  /// Throws where there are fields that nobody asked for.
  void finish() const {
    for (const std::string& name : stored_) {
      if (std::ranges::count(asked_, name) == 0)
        throw error("holds a field '" + name + "', of which this program's checkpoints know nothing");
    }
  }

 private:
  template <class Number>
  void common(std::string_view name, std::span<Number> values) {
    const io::DataSet set = field(name, io::data_type<Number>, {std::ssize(values)});
    set.read_rows(0, std::ssize(values), values.data());
  }
  /// The rows of these ids, in pieces of the file of bounded length.
  static void listed_rows(const io::DataSet& set, const std::vector<std::int64_t>& ids, int width,
                          std::vector<double>& values) {
    const auto columns = static_cast<std::size_t>(width);
    values.resize(ids.size() * columns);
    std::vector<std::size_t> order(ids.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t k) { return ids[k]; });
    std::vector<double> piece;
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      const std::int64_t first = ids[order[begin]];
      while (end < order.size() && ids[order[end]] - first < (1 << 16)) ++end;
      piece.resize(static_cast<std::size_t>(ids[order[end - 1]] - first + 1) * columns);
      set.read_rows(first, ids[order[end - 1]] - first + 1, piece.data());
      for (std::size_t k = begin; k < end; ++k)
        std::copy_n(piece.data() + static_cast<std::size_t>(ids[order[k]] - first) * columns, columns,
                    values.data() + order[k] * columns);
    }
  }
  /// A field of this type and shape, in which -1 stands for any extent.
  io::DataSet field(std::string_view name, io::DataType type, const std::vector<std::int64_t>& dims) {
    asked_.emplace_back(name);
    if (std::ranges::count(stored_, name) == 0) {
      const std::string near = stored_.empty() ? "" : nearest(name, stored_);
      throw error("has no field '" + std::string(name) + "', from which this run would go on" +
                  (is_likely(name, near) ? "; it holds '" + near + "'" : ""));
    }
    io::DataSet set = file_.data_set(path_of(name));
    bool fits = set.type() == type && set.dims().size() == dims.size();
    std::vector<std::int64_t> wanted = dims;
    for (std::size_t d = 0; fits && d < dims.size(); ++d) {
      if (dims[d] < 0) wanted[d] = set.dims()[d];
      fits = wanted[d] == set.dims()[d];
    }
    if (!fits)
      throw error("the field '" + std::string(name) + "' is " + io::shape(set.type(), set.dims()) +
                  ", this run would go on from " + io::shape(type, wanted));
    return set;
  }

  const io::File& file_;
  std::vector<std::string> stored_, asked_;
};

/// The newest checkpoint that isn't damaged; empty where there is none at all. Collective.
std::filesystem::path first_whole(const std::filesystem::path& newest) {
  std::string damages;
  for (const std::filesystem::path& path : {newest, io::older_checkpoint(newest)}) {
    std::int64_t there = 0;
    parallel::on_rank_zero([&] { there = std::filesystem::exists(path) ? 1 : 0; });
    if (parallel::broadcast(there) == 0) continue;
    const std::string damage = io::damage(path);
    if (damage.empty()) {
      if (!damages.empty() && parallel::rank() == 0)
        say(damages + ": the run goes on from the checkpoint before it\n");
      return path;
    }
    damages += (damages.empty() ? "" : "\n") + path.string() + ": " + damage;
  }
  if (!damages.empty())
    throw Error(damages + "\nNo checkpoint is whole to go on from. To begin anew, leave out --resume.");
  return {};
}

/// Throws where it isn't the checkpoint of this run, or of a moment that its result hasn't reached.
void require_owner(const io::File& file, const CheckpointOwner& owner) {
  const std::string path = file.path().string();
  if (!file.has_attribute("/", "format") || file.text_attribute("/", "format") != format)
    throw Error(path + ": not a checkpoint that this program can read");
  if (const std::int64_t version = file.integer_attribute("/", "format_version");
      version != checkpoint_version)
    throw Error(path + ": a checkpoint of another version: format_version = " + std::to_string(version) +
                ", and this program goes on from version " + std::to_string(checkpoint_version));
  const std::string study = file.text_attribute("/", "study");
  if (study != owner.study)
    throw Error(path + ": the checkpoint of study = \"" + study + "\", not \"" + owner.study + "\"");
  if (file.has_attribute("/", "number") && file.integer_attribute("/", "number") > owner.number)
    throw Error(path +
                ": the checkpoint is of a later moment than the result, which lacks rows of before it: was "
                "an older copy of the result put back? Put back the one that belongs to it, or delete the "
                "checkpoint to begin anew.");
  const std::vector<std::string> free{"output"};
  const std::string difference = io::difference(file.read_text("/deck"), owner.deck, free);
  if (!difference.empty())
    throw Error(path + ": the checkpoint of another deck:\n" + difference + "\nDelete it to begin anew.");
}

}  // namespace

std::int64_t checkpoint_bytes(Evolution& evolution) {
  Description description;
  evolution.state(description);
  std::int64_t bytes = 1 << 16;
  for (const io::DataSetSpec& field : description.fields) bytes += field.bytes() + 8192;
  return bytes;
}

void write_checkpoint(const std::filesystem::path& path, const CheckpointOwner& owner,
                      const io::FileOptions& options, Evolution& evolution) {
  Description description;
  evolution.state(description);
  const std::filesystem::path unfinished = path.string() + ".new";
  parallel::on_rank_zero([&] {
    io::lay_out(unfinished, options.hints);
    io::File file = io::File::create(unfinished);
    file.write_attribute("/", "format", std::string(format));
    file.write_attribute("/", "format_version", checkpoint_version);
    file.write_attribute("/", "study", owner.study);
    file.write_attribute("/", "number", owner.number);
    file.write_text("/deck", owner.deck);
    file.create_group("/state");
    for (const io::DataSetSpec& field : description.fields) file.create_data_set(field);
    file.close();
  });
  io::SharedFile file(unfinished, description.fields, options);
  Writer writer(file, description);
  evolution.state(writer);
  file.flush_together();
  parallel::agree([&] { file.sync(); });
  file.close();
  io::seal(unfinished);
  if (const std::string damage = io::damage(unfinished); !damage.empty())
    throw FileError(unfinished.string() + ": " + damage);
  parallel::on_rank_zero([&] {
    if (std::filesystem::exists(path)) io::name_also(path, io::older_checkpoint(path));
    io::rename_file(unfinished, path);
    io::sync_name(path);
  });
}

bool read_checkpoint(const std::filesystem::path& newest, const CheckpointOwner& owner,
                     Evolution& evolution) {
  const std::filesystem::path path = first_whole(newest);
  if (path.empty()) return false;
  std::optional<io::File> file;
  std::optional<Reader> reader;
  parallel::agree([&] {
    try {
      file = io::File::open(path);
      require_owner(*file, owner);
      reader.emplace(*file);
    } catch (const FileError& error) {  // its seal is whole: what can't be read was never there
      throw Error(std::string(error.what()) + ": not a checkpoint that this program can read");
    }
  });
  evolution.state(*reader);
  parallel::agree([&] { reader->finish(); });
  // The next one keeps the newest as the older one: that must be this one.
  file.reset();
  if (path != newest) parallel::on_rank_zero([&] { io::rename_file(path, newest); });
  return true;
}

void remove_checkpoint(const std::filesystem::path& path) {
  parallel::on_rank_zero([&] {
    io::remove_file(path);
    io::remove_file(io::older_checkpoint(path));
    io::remove_file(path.string() + ".new");
  });
}

}  // namespace cotangent::run
