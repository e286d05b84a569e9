#include "core/published/library.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/error.h"
#include "core/base/file_kind.h"

namespace scalemark::published {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw no_input("'" + path.string() + "' cannot be read");
  return text;
}

std::vector<fs::path> files_of(const std::string& folder) {
  std::error_code failure;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    std::error_code none;
    if (is_library_file(entry.path()) && entry.is_regular_file(none)) files.push_back(entry.path());
  }
  if (failure) throw no_input("'" + folder + "' cannot be read: " + failure.message());
  if (files.empty()) throw no_input("'" + folder + "' holds no published rows", "*.jsonl files");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

bool is_library_file(const fs::path& path) {
  return path.extension() == ".jsonl" && !is_hidden(path);
}

void order_by_id(std::vector<Row>& rows, const std::string& where) {
  std::ranges::sort(rows, {}, &Row::id);
  const auto twice = std::ranges::adjacent_find(rows, {}, &Row::id);
  if (twice != rows.end()) throw bad_data("two rows in " + where + " have the id " + twice->id);
}

std::vector<Row> own_library() {
  std::vector<Row> rows;
  for (const NamedText& file : library_files()) {
    std::ranges::move(parse_rows(file.text, file.name), std::back_inserter(rows));
  }
  order_by_id(rows, "the program");
  return rows;
}

std::vector<Row> read_library(const std::string& folder) {
  std::vector<Row> rows;
  for (const fs::path& file : files_of(folder)) {
    std::ranges::move(parse_rows(text_of(file), file.string()), std::back_inserter(rows));
  }
  order_by_id(rows, "'" + folder + "'");
  return rows;
}

}  // namespace scalemark::published
