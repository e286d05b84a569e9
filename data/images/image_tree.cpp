// Scans a folder of images into classes, training and held-out files, and makes its identity.

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "data/hash128.h"
#include "data/images/image_folder.h"
#include "data/images/tree_notes.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;

// Turns std::filesystem's errors into ours.
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

FolderView list_folder(const fs::path& folder, const Progress& progress) {
  return reading(folder, [&] {
    FolderView view;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (is_folder(entry)) {
        view.folders.push_back(entry.path().filename().string());
      } else if (is_image_name(entry.path())) {
        ++view.images;
      } else {
        view.unread.inspect(entry.path());
      }
      still_alive(progress);
    }
    std::sort(view.folders.begin(), view.folders.end());
    return view;
  });
}

// The root is listed only for notes and hints, so a root that may not be listed is no error.
FolderView list_root(const std::string& root, const Progress& progress) {
  try {
    return list_folder(root, progress);
  } catch (const Error&) {
    return {};
  }
}

// Walks a folder and the targets of its links.
class ImageFinder {
 public:
  // `above`: folders to which no link may lead back.
  ImageFinder(std::initializer_list<fs::path> above, UnreadFiles& unread, const Progress& progress)
      : above_(above), unread_(unread), progress_(progress) {}

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
      } else {
        unread_.inspect(entry.path());
      }
    }
    above_.pop_back();
  }

  // Sorts like torchvision: by folder, then by file name.
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
  UnreadFiles& unread_;
  const Progress& progress_;
  std::vector<std::pair<std::string, std::string>> found_;
};

std::vector<std::string> image_paths(const fs::path& split, const std::string& name,
                                     UnreadFiles& unread, const Progress& progress) {
  const fs::path folder = split / name;
  return reading(folder, [&] {
    ImageFinder finder({split.parent_path(), split}, unread, progress);
    finder.walk(folder);
    return std::move(finder).sorted();
  });
}

std::string so(const std::string& reason) { return reason.empty() ? "" : ": " + reason; }

// Reads both splits of a tree and collects notes on it.
class TreeReader {
 public:
  TreeReader(ImageTree& tree, const Progress& progress) : tree_(tree), progress_(progress) {}

  void run() {
    root_ = list_root(tree_.root, progress_);
    read_train();
    std::error_code ignored;
    tree_.held_out = !fs::is_directory(fs::path(tree_.root) / "val", ignored);
    if (!tree_.held_out) read_val();
    ((unread_ += root_.unread) += train_.unread) += val_.unread;
    tree_.left_out = unread_.by_suffix();
    tree_.notes = notes_on(tree_, root_, train_, val_, unread_);
  }

 private:
  void append_class(const fs::path& split, std::size_t label, std::vector<ImageFile>& files) {
    const fs::path folder = split / tree_.classes[label];
    const std::size_t root_length = tree_.root.size() + 1;
    UnreadFiles unread;
    auto paths = image_paths(split, tree_.classes[label], unread, progress_);
    if (paths.empty()) {
      throw bad_data("class folder " + folder.string() + " holds no image" + so(unread.text()),
                     kImageSuffixes);
    }
    unread_ += unread;
    for (std::string& path : paths) {
      files.push_back(
          {.path = path.substr(root_length), .label = static_cast<std::int64_t>(label)});
    }
  }

  [[noreturn]] void refuse_without_train(const fs::path& split) const {
    const std::string hint = hint_without_train(tree_.root, root_);
    std::string reason = loose_images(root_, tree_.root);
    if (reason.empty()) reason = root_.unread.text();
    throw no_input("there is no folder " + split.string() + so(reason),
                   "an image tree: train/<class>/*.jpg, and val/ if there is one",
                   hint.empty()
                       ? "scalemark data generate images " + tree_.root + " makes a small one"
                       : hint);
  }

  void read_train() {
    const fs::path split = fs::path(tree_.root) / "train";
    std::error_code failed;
    if (!fs::is_directory(split, failed)) {
      if (failed && failed != std::errc::no_such_file_or_directory &&
          failed != std::errc::not_a_directory) {
        throw no_input(split.string() + ": " + failed.message(), "a folder that can be read");
      }
      refuse_without_train(split);
    }
    train_ = list_folder(split, progress_);
    tree_.classes = train_.folders;
    if (tree_.classes.empty()) refuse_without_classes(split, train_, "");
    for (std::size_t c = 0; c < tree_.classes.size(); ++c) append_class(split, c, tree_.train);
  }

  void read_val() {
    const fs::path split = fs::path(tree_.root) / "val";
    val_ = list_folder(split, progress_);
    for (const std::string& name : val_.folders) {
      const auto found = std::lower_bound(tree_.classes.begin(), tree_.classes.end(), name);
      if (found == tree_.classes.end() || *found != name) {
        throw bad_data("val/ of " + tree_.root + " holds class '" + name + "' that train/ lacks",
                       "the same class names in train/ and val/");
      }
      append_class(split, static_cast<std::size_t>(found - tree_.classes.begin()), tree_.evaluate);
    }
    if (tree_.evaluate.empty()) {
      refuse_without_classes(split, val_,
                             ", or move val/ away: then a tenth of train/ is held out");
    }
  }

  [[noreturn]] void refuse_without_classes(const fs::path& split, const FolderView& view,
                                           const std::string& else_do) const {
    const std::string name = split.filename().string();
    std::string reason = loose_images(view, name + "/");
    if (reason.empty()) reason = view.unread.text();
    throw no_input(split.string() + " holds no class folder" + so(reason),
                   name + "/<class>/ with the images of each class",
                   "sort the images into class folders" + else_do);
  }

  ImageTree& tree_;
  const Progress& progress_;
  UnreadFiles unread_;
  FolderView root_, train_, val_;
};

void hold_out(ImageTree& tree) {
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
  TreeReader(tree, progress).run();
  if (tree.held_out) hold_out(tree);
  return tree;
}

namespace {

// Returns "-" where there is no file with a size, which is a bad sample and no error.
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

// Returns "-" for what is not there or may not be seen.
std::string place_text(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) return "-";
  std::string text;
  for (const auto number :
       {static_cast<std::uint64_t>(info.st_ino), static_cast<std::uint64_t>(info.st_size),
        static_cast<std::uint64_t>(info.st_ctim.tv_sec),
        static_cast<std::uint64_t>(info.st_ctim.tv_nsec)}) {
    text += std::to_string(number) + ' ';
  }
  return text;
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

std::string mark_of(const ImageTree& tree, std::size_t most, const Progress& progress) {
  Hash128 hash;
  const auto add = [&](const std::string& path) {
    hash.add(path + '\n' + place_text(tree.root + '/' + path) + '\n');
    still_alive(progress);
  };
  add("train");
  const std::size_t all = tree.train.size() + tree.evaluate.size();
  for (std::size_t k = 0; k < std::min(most, all); ++k) {
    const std::size_t i = k * all / std::min(most, all);
    add(i < tree.train.size() ? tree.train[i].path : tree.evaluate[i - tree.train.size()].path);
  }
  return to_hex(hash.digest());
}

}  // namespace scalemark::data
