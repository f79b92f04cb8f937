// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>
#include <sys/mount.h>

#include "core/error.hpp"
#include "io/hdf5.hpp"
#include "io/posix.hpp"
#include "io/result_file.hpp"
#include "mpi_test.hpp"
#include "scratch_folder.hpp"

using namespace cotangent;
using namespace cotangent::io;

TEST_CASE("what is written by hand comes back, with names that say where") {
  const test::ScratchFolder folder;
  const auto path = folder / "starts.h5";
  parallel::on_rank_zero([&] {
    File file = File::create(path);
    const std::vector<double> starts = {1, 2, 3, 4, 5, 6};
    file.create_data_set({"/starts", DataType::float64, {3, 2}, "1", "q, then v"})
        .write_rows(0, 3, starts.data());
    const std::int32_t number = -7;
    file.create_data_set({"/deep/down/number", DataType::int32, {}, "1", "a scalar"}).write({}, {}, &number);
    file.create_data_set({"/nothing", DataType::float64, {0, 4}, "1", "no rows"});
    file.create_texts("/names", 8, 2);
    file.overwrite_texts("/names", {"Poincaré", "longer than its place"});
    file.write_text("/empty", "");
    file.close();
  });
  const File file = File::open(path);
  CHECK_ALL(file.dims("/starts") == std::vector<std::int64_t>{3, 2});
  CHECK_ALL(file.read<double>("/starts") == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK_ALL(file.read_rows<double>("/starts", 1, 1) == std::vector<double>{3, 4});
  CHECK_ALL(file.read<std::int32_t>("/deep/down/number") == std::vector<std::int32_t>{-7});
  CHECK_ALL(file.read<std::int64_t>("/deep/down/number") == std::vector<std::int64_t>{-7});
  CHECK_ALL(file.read<double>("/deep/down/number") == std::vector<double>{-7.0});
  CHECK_ALL(file.read<double>("/nothing").empty());
  CHECK_ALL(file.read_texts("/names") == std::vector<std::string>{"Poincar\xc3", "longer t"});
  CHECK_ALL(file.read_text("/empty").empty());
  CHECK_ALL((file.contains("/deep/down") && file.contains("/") && !file.contains("/deep/up/number")));
  const auto refusal = [](auto&& function) { return test::text_thrown<Error>(function); };
  CHECK_ALL(refusal([&] {
              file.data_set("/start");
            }).find(path.string() + ": cannot open the data set /start") == 0);
  CHECK_ALL(refusal([&] { file.read<std::int64_t>("/starts"); }).find("holds float64, not int64") !=
            std::string::npos);
  CHECK_ALL(refusal([&] { file.read<double>("/names"); }).find("/names holds no numbers") !=
            std::string::npos);
  CHECK_ALL(refusal([&] { file.read_text("/starts"); }).find("/starts holds no text") != std::string::npos);
  CHECK_ALL(refusal([&] { file.text_attribute("/starts", "unit"); }).find("attribute unit of /starts") !=
            std::string::npos);
}

TEST_CASE("units are those of all columns, or a list of one for each") {
  const test::ScratchFolder folder;
  const auto path = folder / "units.h5";
  using Texts = std::vector<std::string>;
  parallel::on_rank_zero([&] {
    File file = File::create(path);
    const auto make = [&](const char* name, Units units) {
      file.create_data_set({name, DataType::float64, {5, 2}, std::move(units), "q, then v"});
    };
    make("/one", "rad");
    make("/alike", Texts{"rad", "rad"});
    make("/apart", Texts{"rad", "rad/time"});
    CHECK(test::text_thrown<Error>([&] {
            make("/many", Texts{"1", "1", "rad"});
          }).find("3 columns") != std::string::npos);
    CHECK(Units(Texts{}).of_all() == "1");
    file.close();
  });
  const File file = File::open(path);
  CHECK_ALL(file.text_list_attribute("/one", "units") == Texts{"rad"});
  CHECK_ALL(file.text_attribute("/alike", "units") == "rad");
  CHECK_ALL(file.text_list_attribute("/alike", "units") == Texts{"rad"});
  CHECK_ALL((file.text_list_attribute("/apart", "units") == Texts{"rad", "rad/time"}));
}

TEST_CASE("a full disk says so, at the start or in the middle of a run") {
  const test::ScratchFolder folder;
  const auto disk = folder / "disk";
  bool mounted = false;
  if (parallel::rank() == 0) {
    std::filesystem::create_directory(disk);
    mounted = ::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=3m") == 0;
  }
  if (!parallel::any(mounted)) {
    WARN("no right to mount a small disk: skipped");
    return;
  }
  const auto attempt = [&](auto&& function) { return test::text_thrown<FileError>(function); };
  ResultContent content;
  content.study = "poincare";
  content.data_sets = {{"/rows", DataType::float64, {500, 500}, "1", "2 MB"}};
  {
    content.data_sets.push_back({"/more", DataType::float64, {250000}, "1", "another 2 MB"});
    const std::string text = attempt([&] { ResultFile::create(disk / "r.h5", content); });
    CHECK_ALL(text.find("needs 4.3 MB, and 3.1 MB are available in " + disk.string()) != std::string::npos);
    content.data_sets.pop_back();
    ResultFile result = ResultFile::create(disk / "r.h5", content);
    // Somebody else takes the rest: the run's space is its own.
    CHECK_ALL(
        !attempt([&] {
           parallel::on_rank_zero([&] {
             Descriptor(disk / "else", Descriptor::Mode::create).write(0, std::vector<std::byte>(2500000));
           });
         }).empty());
    const std::vector<double> row(500, 1.0);
    for (std::int64_t i = parallel::rank(); i < 500; i += parallel::size())
      result.rows().write_rows(0, i, 1, row.data());
    result.rows().flush_together();
    CHECK_ALL(result.read_rows<double>(0, 499, 1) == row);
    // A new result that no longer fits leaves this one; with more metadata than there is room for, too.
    content.data_sets[0].dims = {1, 1};
    content.deck = std::string(1 << 20, '#');
    CHECK_ALL(!attempt([&] { ResultFile::create(disk / "r.h5", content); }).empty());
    CHECK_ALL(stored_result(disk / "r.h5").deck.empty());
    result.close({});
  }
  parallel::barrier();
  if (parallel::rank() == 0) ::umount2(disk.c_str(), MNT_DETACH);
}
