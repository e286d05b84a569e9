#include "report/keep/raw_steps.h"

#include <array>
#include <bit>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/base/record_json.h"
#include "report/keep/disk.h"
#include "report/keep/output_folder.h"

namespace scalemark::reporting {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "scalemark.raw_steps/1";
constexpr const char* kFolder = "raw";
constexpr const char* kEnding = ".steps";
constexpr const char* kTemporary = ".tmp";
constexpr std::size_t kAlignment = 64;  // bytes; readers may map the numbers

class PartMaker {
 public:
  // `numbers`: about how many there will be.
  PartMaker(std::int64_t steps_per_mark, std::size_t numbers) {
    part_.steps_per_mark = steps_per_mark;
    part_.values.reserve(numbers * sizeof(double));
  }

  void begin_table(const char* name, std::size_t rows) {
    part_.tables.push_back({.name = name, .rows = static_cast<std::int64_t>(rows)});
  }

  // `value(i)` is the value in row i of the newest table.
  template <class Value>
  void add_column(const char* name, const char* unit, Value value) {
    RawTable& table = part_.tables.back();
    table.columns.push_back({name, unit});
    for (std::size_t i = 0; i < static_cast<std::size_t>(table.rows); ++i) {
      const auto bytes =
          std::bit_cast<std::array<char, sizeof(double)>>(static_cast<double>(value(i)));
      part_.values.append(bytes.data(), bytes.size());
    }
  }

  RawPart part() && { return std::move(part_); }

 private:
  RawPart part_;
};

void add_windows(PartMaker& maker, const std::vector<RawWindow>& windows) {
  maker.begin_table("windows", windows.size());
  maker.add_column("wall_s", "s", [&](std::size_t i) { return windows[i].wall_s; });
  const auto add_count = [&](const char* name, std::int64_t RawWindow::*count) {
    maker.add_column(name, "", [&](std::size_t i) { return windows[i].*count; });
  };
  add_count("steps", &RawWindow::steps);
  add_count("entries", &RawWindow::entries);
  add_count("epoch", &RawWindow::epoch);
}

void add_steps(PartMaker& maker, const RawSteps& steps) {
  maker.begin_table("steps", steps.step_s.size());
  maker.add_column("step_s", "s", [&](std::size_t i) { return steps.step_s[i]; });
  if (steps.phases_s.empty()) return;
  if (steps.phases_s.size() != steps.step_s.size()) throw bug("phases of some steps only");
  for (const auto& [name, phase] : kPhases) {
    maker.add_column(name, "s", [&](std::size_t i) { return steps.phases_s[i].*phase; });
  }
}

void add_blocks(PartMaker& maker, const std::vector<CostBlock>& blocks) {
  if (blocks.empty()) return;
  maker.begin_table("communication_cost_blocks", blocks.size());
  maker.add_column("step_s", "s", [&](std::size_t i) { return blocks[i].step_s; });
  if (!blocks.front().own_s) return;
  maker.add_column("own_s", "s", [&](std::size_t i) { return blocks[i].own_s.value(); });
}

Json tables_json(const std::vector<RawTable>& tables) {
  Json list = Json::array();
  for (const RawTable& table : tables) {
    Json columns = Json::array();
    for (const RawColumn& column : table.columns) {
      columns.push_back({{"name", column.name}, {"unit", column.unit}});
    }
    list.push_back({{"name", table.name}, {"rows", table.rows}, {"columns", columns}});
  }
  return list;
}

bool is_of_raw_steps(const fs::path& file) {
  const std::string name = file.filename().string();
  if (name.ends_with(std::string(kEnding) + kTemporary)) return true;
  if (!name.ends_with(kEnding)) return false;
  std::string begin(kAlignment, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return in.gcount() == 0 || begin.find(kFormat) != std::string::npos;
}

// Makes the folder of `file`, and puts its name on the disk.
fs::path with_folder(const fs::path& output, fs::path file) {
  make_folder(file.parent_path());
  sync_folder(file.parent_path().parent_path(), file_failure);
  sync_folder(output, file_failure);
  return file;
}

}  // namespace

RawPart raw_part(const RawSteps& steps) {
  PartMaker maker(steps.steps_per_mark,
                  steps.step_s.size() + steps.phases_s.size() * kPhases.size());
  add_windows(maker, steps.windows);
  add_steps(maker, steps);
  add_blocks(maker, steps.cost_blocks);
  return std::move(maker).part();
}

std::string raw_steps_header(const std::string& point, const RawPart& part,
                             std::span<const RawRank> ranks) {
  Json header{{"format", kFormat},
              {"point", point},
              {"type", "float64"},
              {"byte_order", std::endian::native == std::endian::little ? "little" : "big"},
              {"steps_per_mark", part.steps_per_mark},
              {"ranks", Json::array()},
              {"tables", tables_json(part.tables)}};
  for (const RawRank& rank : ranks) {
    header["ranks"].push_back({{"rank", rank.rank}, {"samples", rank.samples}});
  }
  std::string line = dumped(header);
  line.append(kAlignment - 1 - line.size() % kAlignment, ' ');
  return line + "\n";
}

std::string raw_steps_name(const std::string& point) {
  return std::string(kFolder) + "/" + point + kEnding;
}

void remove_raw_steps(const fs::path& output) {
  std::error_code error;
  if (fs::is_symlink(output / kFolder, error)) return;  // a link may lead to files of the user's
  std::vector<fs::path> all{output / kFolder};
  for (fs::recursive_directory_iterator entry(all.front(), error), end; !error && entry != end;
       entry.increment(error)) {
    all.push_back(entry->path());
  }
  if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory) return;
  // Removes folders from the innermost on. One that holds something else stays.
  for (auto path = all.rbegin(); !error && path != all.rend(); ++path) {
    const bool is_folder = fs::is_directory(fs::symlink_status(*path, error));
    const bool is_ours = is_folder ? fs::is_empty(*path, error) : is_of_raw_steps(*path);
    if (!error && is_ours) fs::remove(*path, error);
  }
  if (error) {
    throw cannot_create("cannot replace " + all.front().string() + ": " + error.message());
  }
}

RawStepsFile::RawStepsFile(const fs::path& output, const std::string& point,
                           std::string_view header, std::size_t ranks, std::size_t bytes_per_rank)
    : path_(with_folder(output, output / raw_steps_name(point))),
      header_bytes_(header.size()),
      bytes_per_rank_(bytes_per_rank),
      missing_(ranks * bytes_per_rank),
      file_(path_, path_.string() + kTemporary, file_failure) {
  file_.write(std::as_bytes(std::span(header)), 0);
}

void RawStepsFile::write(std::size_t place, std::size_t at, std::string_view bytes) {
  if (at + bytes.size() > bytes_per_rank_ || bytes.size() > missing_) {
    throw bug("more raw steps than the header says");
  }
  missing_ -= bytes.size();
  file_.write(std::as_bytes(std::span(bytes)),
              static_cast<std::int64_t>(header_bytes_ + place * bytes_per_rank_ + at));
}

void RawStepsFile::finish() {
  if (missing_ != 0) throw bug(std::to_string(missing_) + " bytes of raw steps are missing");
  file_.commit();
}

}  // namespace scalemark::reporting
