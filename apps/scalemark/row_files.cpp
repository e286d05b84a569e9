#include "apps/scalemark/row_files.h"

#include <filesystem>

#include "apps/scalemark/outputs.h"
#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/base/number_words.h"
#include "core/importing/given_fields.h"
#include "core/published/library.h"
#include "core/published/show.h"
#include "core/settings/config_file.h"

namespace scalemark::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30;

}  // namespace

std::string read_row_text(const std::string& path) {
  std::error_code none;
  const std::uintmax_t bytes = fs::file_size(path, none);
  if (!none && bytes > kMostBytes)
    throw bad_data("'" + path + "' has " + size_text(bytes), "at most 1024 MiB are expected");
  if (const std::string special = special_kind(path); !special.empty())
    throw no_input("'" + path + "' is " + special, "a file is expected");
  std::string text = settings::read_text_file(path);
  refuse_wide_text(text, "'" + path + "'");
  return text;
}

importing::TableFile read_row_file(const std::string& path, const settings::ToolValues& values) {
  const importing::GivenFields given(values.text("fields").value_or(""), 1);
  const auto group = values.text("group");
  auto read = importing::read_table_file(read_row_text(path),
                                         {.file = path,
                                          .group = group.value_or(fs::path(path).stem().string()),
                                          .named = group.has_value()},
                                         given);
  published::order_by_id(read.rows, "'" + path + "'");
  return read;
}

void refuse_idle_fields(const settings::ToolValues& values) {
  if (values.given("fields"))
    throw usage("--fields is about a file, and the table comes from a library",
                "a .jsonl, .csv or .md file is expected with it");
}

void write_row_file(const std::string& path, const std::vector<published::Row>& rows) {
  const std::string text = published::export_json_lines(published::tables_of(rows));
  published::parse_rows(text, path);
  write_output(path, text);
}

}  // namespace scalemark::cli
