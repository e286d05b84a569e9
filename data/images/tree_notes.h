// Notes for people on files and folders of an image tree that are not read. Checks names, never
// contents.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "data/images/image_folder.h"

namespace scalemark::data {

// Checks the suffix, in any case: those of torchvision's ImageFolder, except TIFF.
bool is_image_name(const std::filesystem::path& file);

// Messages list the suffixes like this.
inline constexpr const char* kImageSuffixes = ".jpg, .jpeg, .png, .webp, .ppm, .pgm or .bmp files";

// Counts files that may hold images but are not read: pictures of other formats, archives.
class UnreadFiles {
 public:
  // Ignores all other files.
  void inspect(const std::filesystem::path& file);
  UnreadFiles& operator+=(const UnreadFiles& more);

  const std::map<std::string, std::int64_t>& by_suffix() const { return by_suffix_; }

  // "10 files with .gif, .tif are not read"; empty: there are none.
  std::string text() const;

 private:
  std::map<std::string, std::int64_t> by_suffix_;
};

// One folder without those below it.
struct FolderView {
  std::vector<std::string> folders;  // sorted
  std::int64_t images = 0;           // files that could be read
  UnreadFiles unread;
};

// Returns notes on `tree`. `root`, `train` and `val` are its listed folders (without val/, `val` is
// empty); `unread` are the unread files in these and in the class folders.
std::vector<std::string> notes_on(const ImageTree& tree, const FolderView& root,
                                  const FolderView& train, const FolderView& val,
                                  const UnreadFiles& unread);

// Returns "2 images lie directly in `name`", or nothing where there are none.
std::string loose_images(const FolderView& view, const std::string& name);

// Returns a hint at the folder that may be meant where `root` has no train/, or nothing.
std::string hint_without_train(const std::string& root, const FolderView& view);

}  // namespace scalemark::data
