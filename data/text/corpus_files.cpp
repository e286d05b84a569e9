// The files of a corpus: where they lie, not what they hold.
#include <algorithm>
#include <system_error>

#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "data/text/corpus_reader.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;

bool is_among(const fs::path& path, const std::vector<fs::path>& files) {
  return std::any_of(files.begin(), files.end(), [&path](const fs::path& file) {
    std::error_code ignored;
    return !file.empty() && fs::equivalent(path, file, ignored);
  });
}

// Walks a folder and what links in it lead to.
class TextFinder {
 public:
  TextFinder(const std::vector<fs::path>& excluded, CorpusFiles& found)
      : excluded_(excluded), found_(found) {}

  void walk(const fs::path& folder) {
    above_.push_back(folder);
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (!is_hidden(entry.path())) add(entry);
    }
    above_.pop_back();
  }

 private:
  void add(const fs::directory_entry& entry) {
    const fs::path& path = entry.path();
    std::error_code nowhere;
    if (entry.is_directory(nowhere)) {
      if (!is_among(path, above_)) return walk(path);
      leave_out(path, "a link to a folder above it");
    } else if (is_among(path, excluded_)) {
      return;
    } else if (entry.is_regular_file(nowhere)) {
      found_.files.push_back(path);
    } else {
      const std::string special = special_kind(path);
      leave_out(path, special.empty() ? "a link that leads nowhere" : special);
    }
  }

  void leave_out(const fs::path& path, std::string what) {
    found_.left_out.push_back({path, {std::move(what), {}, "give --data the text alone"}});
  }

  const std::vector<fs::path>& excluded_;
  CorpusFiles& found_;
  std::vector<fs::path> above_;
};

}  // namespace

CorpusFiles corpus_files(const fs::path& path, const std::vector<fs::path>& excluded) try {
  if (!fs::exists(path)) throw no_input("corpus " + path.string() + " does not exist");
  if (!fs::is_directory(path)) return {.files = {path}, .left_out = {}};
  CorpusFiles found;
  TextFinder(excluded, found).walk(path);
  if (found.files.empty() && found.left_out.empty()) {
    throw no_input("corpus folder " + path.string() + " holds no files");
  }
  std::sort(found.files.begin(), found.files.end());
  std::sort(found.left_out.begin(), found.left_out.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return found;
} catch (const fs::filesystem_error& failed) {
  throw unreadable_path(failed);
}

}  // namespace scalemark::data
