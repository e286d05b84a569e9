#include <algorithm>
#include <cctype>
#include <filesystem>
#include <initializer_list>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "data/hash128.h"
#include "data/images/image_folder.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;

bool is_image_name(const fs::path& path) {
  std::string suffix = path.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return suffix == ".jpg" || suffix == ".jpeg" || suffix == ".png";
}

// std::filesystem's errors in our form.
template <class Read>
auto reading(const fs::path& folder, const Read& read) {
  try {
    return read();
  } catch (const fs::filesystem_error& error) {
    throw no_input(folder.string() + ": " + error.code().message(), "a folder that can be read");
  }
}

bool is_folder(const fs::directory_entry& entry) {
  std::error_code failed;
  const bool folder = entry.is_directory(failed);
  if (failed && failed != std::errc::no_such_file_or_directory) {
    throw no_input(entry.path().string() + ": " + failed.message(), "a folder that can be read");
  }
  return folder;
}

std::vector<std::string> class_names(const fs::path& split, const Progress& progress) {
  return reading(split, [&] {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(split)) {
      if (is_folder(entry)) names.push_back(entry.path().filename().string());
      still_alive(progress);
    }
    std::sort(names.begin(), names.end());
    return names;
  });
}

// Walks a folder and what links in it lead to.
class ImageFinder {
 public:
  // `above`: folders that no link may lead back to.
  ImageFinder(std::initializer_list<fs::path> above, const Progress& progress)
      : above_(above), progress_(progress) {}

  void walk(const fs::path& folder) {
    refuse_circle(folder);
    above_.push_back(folder);
    for (const auto& entry : fs::directory_iterator(folder)) {
      still_alive(progress_);
      std::error_code ignored;  // a link that leads nowhere is a bad sample
      if (entry.is_directory(ignored)) {
        walk(entry.path());
      } else if (is_image_name(entry.path())) {
        found_.emplace_back(folder.string(), entry.path().filename().string());
      }
    }
    above_.pop_back();
  }

  // As torchvision sorts them: by folder, then by file name.
  std::vector<std::string> sorted() && {
    std::sort(found_.begin(), found_.end());
    std::vector<std::string> paths;
    paths.reserve(found_.size());
    for (const auto& [parent, name] : found_) paths.push_back(parent + '/' + name);
    return paths;
  }

 private:
  void refuse_circle(const fs::path& folder) const {
    for (const fs::path& one : above_) {
      if (!fs::equivalent(one, folder)) continue;
      throw bad_data(
          "folder " + folder.string() + " is " + one.string() + " again: links in a circle",
          "links that lead out of the folders above them", "remove the link");
    }
  }

  std::vector<fs::path> above_;
  const Progress& progress_;
  std::vector<std::pair<std::string, std::string>> found_;
};

std::vector<std::string> image_paths(const fs::path& split, const std::string& name,
                                     const Progress& progress) {
  const fs::path folder = split / name;
  return reading(folder, [&] {
    ImageFinder finder({split.parent_path(), split}, progress);
    finder.walk(folder);
    return std::move(finder).sorted();
  });
}

void append_class(ImageTree& tree, const fs::path& split, std::size_t label,
                  std::vector<ImageFile>& files, const Progress& progress) {
  const fs::path folder = split / tree.classes[label];
  const std::size_t root_length = tree.root.size() + 1;
  auto paths = image_paths(split, tree.classes[label], progress);
  if (paths.empty()) {
    throw bad_data("class folder " + folder.string() + " holds no image",
                   ".jpg, .jpeg or .png files");
  }
  for (std::string& path : paths) {
    files.push_back({.path = path.substr(root_length), .label = static_cast<std::int64_t>(label)});
  }
}

void read_train(ImageTree& tree, const Progress& progress) {
  const fs::path split = fs::path(tree.root) / "train";
  std::error_code failed;
  if (!fs::is_directory(split, failed)) {
    if (failed && failed != std::errc::no_such_file_or_directory &&
        failed != std::errc::not_a_directory) {
      throw no_input(split.string() + ": " + failed.message(), "a folder that can be read");
    }
    throw no_input("there is no folder " + split.string(),
                   "an image tree: train/<class>/*.jpg, and val/ if there is one",
                   "scalemark data generate images " + tree.root + " makes a small one");
  }
  tree.classes = class_names(split, progress);
  if (tree.classes.empty()) throw no_input(split.string() + " holds no class folder");
  for (std::size_t c = 0; c < tree.classes.size(); ++c) {
    append_class(tree, split, c, tree.train, progress);
  }
}

void read_val(ImageTree& tree, const Progress& progress) {
  const fs::path split = fs::path(tree.root) / "val";
  for (const std::string& name : class_names(split, progress)) {
    const auto found = std::lower_bound(tree.classes.begin(), tree.classes.end(), name);
    if (found == tree.classes.end() || *found != name) {
      throw bad_data("val/ of " + tree.root + " holds class '" + name + "' that train/ lacks",
                     "the same class names in train/ and val/");
    }
    append_class(tree, split, static_cast<std::size_t>(found - tree.classes.begin()), tree.evaluate,
                 progress);
  }
  if (tree.evaluate.empty()) throw no_input(split.string() + " holds no class folder");
}

void hold_out(ImageTree& tree) {
  tree.held_out = true;
  const std::vector<ImageFile> all = std::exchange(tree.train, {});
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end = std::find_if(
        begin, all.end(), [&](const ImageFile& file) { return file.label != begin->label; });
    const auto kept = end - held_out_of(end - begin);
    tree.train.insert(tree.train.end(), begin, kept);
    tree.evaluate.insert(tree.evaluate.end(), kept, end);
    begin = end;
  }
}

}  // namespace

std::int64_t held_out_of(std::int64_t files) {
  return files < 2 ? 0 : std::max<std::int64_t>(1, files / 10);
}

ImageTree scan_image_tree(const std::string& root, const Progress& progress) {
  ImageTree tree;
  tree.root = root;
  while (tree.root.size() > 1 && tree.root.back() == '/') tree.root.pop_back();
  read_train(tree, progress);
  std::error_code ignored;
  if (fs::is_directory(fs::path(tree.root) / "val", ignored)) {
    read_val(tree, progress);
  } else {
    hold_out(tree);
  }
  return tree;
}

namespace {

// Of what is no file with a size, which is a bad sample, "-".
std::string size_text(const std::string& path) {
  std::error_code failed;
  const std::uintmax_t bytes = fs::file_size(path, failed);
  if (!failed) return std::to_string(bytes);
  for (const std::errc bad :
       {std::errc::no_such_file_or_directory, std::errc::too_many_symbolic_link_levels,
        std::errc::not_supported, std::errc::is_a_directory, std::errc::operation_not_supported}) {
    if (failed == bad) return "-";
  }
  throw no_input(path + ": " + failed.message());
}

}  // namespace

std::string identity_of(const std::string& root, const std::vector<ImageFile>& files,
                        const Progress& progress) {
  Hash128 hash;
  for (const ImageFile& file : files) {
    hash.add(file.path + '\n' + size_text(root + '/' + file.path) + '\n');
    still_alive(progress);
  }
  return to_hex(hash.digest());
}

std::string identity_of_sample(const ImageTree& tree, std::size_t most, const Progress& progress) {
  const std::size_t all = tree.train.size() + tree.evaluate.size();
  std::vector<ImageFile> chosen;
  for (std::size_t k = 0; k < std::min(most, all); ++k) {
    const std::size_t i = k * all / std::min(most, all);
    chosen.push_back(i < tree.train.size() ? tree.train[i] : tree.evaluate[i - tree.train.size()]);
  }
  return identity_of(tree.root, chosen, progress);
}

}  // namespace scalemark::data
