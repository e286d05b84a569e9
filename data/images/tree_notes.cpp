#include "data/images/tree_notes.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/base/text.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;

constexpr auto kRead =
    std::to_array<std::string_view>({".jpg", ".jpeg", ".png", ".webp", ".ppm", ".pgm", ".bmp"});

constexpr auto kPictureSuffixes = std::to_array<std::string_view>(
    {".tif",  ".tiff", ".gif", ".jfif",     ".jpe",     ".jif",   ".jp2",    ".j2k", ".jpx", ".jxl",
     ".heic", ".heif", ".hif", ".avif",     ".apng",    ".pbm",   ".pnm",    ".pam", ".pfm", ".tga",
     ".ico",  ".psd",  ".svg", ".exr",      ".hdr",     ".dds",   ".pcx",    ".dib", ".sgi", ".xcf",
     ".qoi",  ".dng",  ".cr2", ".cr3",      ".nef",     ".arw",   ".raw",    ".dcm", ".npy", ".npz",
     ".h5",   ".hdf5", ".mat", ".tfrecord", ".parquet", ".arrow", ".pickle", ".pkl", ".pt"});

constexpr auto kArchiveSuffixes = std::to_array<std::string_view>(
    {".tar", ".tgz", ".zip", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar"});

// Splits have many names.
constexpr auto kSplits = std::to_array<std::string_view>(
    {"train", "training", "val", "valid", "validate", "validation", "eval", "evaluation", "dev",
     "test", "tests", "testing", "holdout", "held_out", "held-out"});

// Starts at the last dot, like torchvision: ".jpg" is the suffix of a file without another name.
std::string suffix_of(const fs::path& file) {
  const std::string name = file.filename().string();
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : lower_case(name.substr(dot));
}

bool holds(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Returns folders beside train/ and val/ that have the name of a split.
std::vector<std::string> other_splits(const FolderView& root) {
  std::vector<std::string> names;
  for (const std::string& name : root.folders) {
    if (name != "train" && name != "val" && holds(kSplits, lower_case(name)))
      names.push_back(name + "/");
  }
  return names;
}

std::string note_on_splits(const ImageTree& tree, const FolderView& root) {
  const auto names = other_splits(root);
  if (names.empty()) return "";
  const std::string what =
      listed(names) + (names.size() == 1 ? " is not read: " : " are not read: ");
  if (!tree.held_out) return what + "train/ and val/ are";
  return what +
         "there is no val/, and a tenth of train/ is held out for evaluation; a folder named val/ "
         "would be evaluated instead";
}

std::string note_on_loose(const FolderView& view, const std::string& name) {
  if (view.images == 0) return "";
  return loose_images(view, name) + ", in no class folder, and " +
         (view.images == 1 ? "is" : "are") + " not read";
}

std::string note_on_missing_classes(const ImageTree& tree) {
  if (tree.held_out) return "";
  std::set<std::int64_t> evaluated;
  for (const ImageFile& file : tree.evaluate) evaluated.insert(file.label);
  std::vector<std::string> missing;
  for (std::size_t c = 0; c < tree.classes.size(); ++c) {
    if (!evaluated.contains(static_cast<std::int64_t>(c))) missing.push_back(tree.classes[c]);
  }
  if (missing.empty()) return "";
  return "val/ lacks " + std::to_string(missing.size()) + " of the " +
         counted(tree.classes.size(), "class", "classes") + " of train/: " + listed(missing);
}

// Without this note, such a tree would train silently on images that are all of one class.
std::string note_on_deeper_classes(const ImageTree& tree) {
  if (tree.classes.size() != 1) return "";
  std::set<std::string> below;
  const std::size_t class_bytes = std::string_view("train/").size() + tree.classes[0].size() + 1;
  for (const ImageFile& file : tree.train) {
    const std::size_t end = file.path.find('/', class_bytes);
    if (end == std::string::npos) return "";  // an image of the class itself
    below.insert(file.path.substr(class_bytes, end - class_bytes));
  }
  if (below.size() < 2) return "";
  return "all images of train/ are of one class, '" + tree.classes[0] + "', whose images lie in " +
         std::to_string(below.size()) + " folders (" + listed(below, 3) +
         "): if those are the classes, move them up into train/";
}

}  // namespace

bool is_image_name(const fs::path& file) { return holds(kRead, suffix_of(file)); }

void UnreadFiles::inspect(const fs::path& file) {
  const std::string suffix = suffix_of(file);
  if (holds(kPictureSuffixes, suffix) || holds(kArchiveSuffixes, suffix)) ++by_suffix_[suffix];
}

UnreadFiles& UnreadFiles::operator+=(const UnreadFiles& more) {
  for (const auto& [suffix, count] : more.by_suffix_) by_suffix_[suffix] += count;
  return *this;
}

std::string UnreadFiles::text() const {
  std::int64_t files = 0;
  std::vector<std::string_view> suffixes;
  bool archives = false;
  for (const auto& [suffix, count] : by_suffix_) {
    files += count;
    suffixes.push_back(suffix);
    archives = archives || holds(kArchiveSuffixes, suffix);
  }
  if (files == 0) return "";
  return counted(files, "file") + " with " + joined(suffixes, ", ") +
         (files == 1 ? " is not read" : " are not read") +
         (archives ? " (archives are not unpacked)" : "");
}

std::string loose_images(const FolderView& view, const std::string& name) {
  if (view.images == 0) return "";
  return counted(view.images, "image") + (view.images == 1 ? " lies" : " lie") + " directly in " +
         name;
}

std::vector<std::string> notes_on(const ImageTree& tree, const FolderView& root,
                                  const FolderView& train, const FolderView& val,
                                  const UnreadFiles& unread) {
  std::string of_files = unread.text();
  if (!of_files.empty()) of_files += std::string("; ") + kImageSuffixes + " are";
  std::vector<std::string> notes{of_files,
                                 note_on_splits(tree, root),
                                 note_on_loose(root, "it"),
                                 note_on_loose(train, "train/"),
                                 note_on_loose(val, "val/"),
                                 note_on_missing_classes(tree),
                                 note_on_deeper_classes(tree)};
  std::erase(notes, "");
  for (std::string& note : notes) note = on_one_line(tree.root + ": " + note);
  return notes;
}

std::string hint_without_train(const std::string& root, const FolderView& view) {
  for (const std::string& name : view.folders) {
    const std::string word = lower_case(name);
    if (word == "train" || word == "training") return "rename " + root + "/" + name + " to train";
  }
  for (const std::string& name : view.folders) {
    std::error_code ignored;
    if (fs::is_directory(fs::path(root) / name / "train", ignored)) {
      return "give " + root + "/" + name + ", which holds train/";
    }
  }
  if (fs::path(root).filename() == "train") return "give the folder that holds " + root;
  const bool visible =
      std::ranges::any_of(view.folders, [](const std::string& name) { return !is_hidden(name); });
  if (visible) return "class folders belong into " + root + "/train/";
  return view.images > 0 ? "sort the images into " + root + "/train/<class>/" : "";
}

}  // namespace scalemark::data
