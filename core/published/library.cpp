#include "core/published/library.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/error.h"

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
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  if (failure) throw no_input("'" + folder + "' cannot be read: " + failure.message());
  if (files.empty()) throw no_input("'" + folder + "' holds no published rows", "*.jsonl files");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<Row> read_library(const std::string& folder) {
  std::vector<Row> rows;
  for (const fs::path& file : files_of(folder)) {
    for (Row& row : parse_rows(text_of(file), file.string())) rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.id < b.id; });
  const auto twice = std::adjacent_find(rows.begin(), rows.end(),
                                        [](const Row& a, const Row& b) { return a.id == b.id; });
  if (twice != rows.end()) throw bad_data("two rows in '" + folder + "' have the id " + twice->id);
  return rows;
}

}  // namespace scalemark::published
