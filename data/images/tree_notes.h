// Notes for people on files and folders of an image tree that are not read. Looks at names, never
// into files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "data/images/image_folder.h"

namespace scalemark::data {

// By its suffix, in any case: what torchvision's ImageFolder reads, except TIFF.
bool is_image_name(const std::filesystem::path& file);

// For messages.
inline constexpr const char* kImageSuffixes = ".jpg, .jpeg, .png, .webp, .ppm, .pgm or .bmp files";

// Counts files that may hold images and are not read: pictures of other formats, archives.
class UnreadFiles {
 public:
  // Anything else is passed over.
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

// Notes on `tree`, of which `root`, `train` and `val` are the folders that have been looked into
// (without val/, `val` is empty), and `unread` is what they and the class folders hold.
std::vector<std::string> notes_on(const ImageTree& tree, const FolderView& root,
                                  const FolderView& train, const FolderView& val,
                                  const UnreadFiles& unread);

// "2 images lie directly in `name`"; empty: none does.
std::string loose_images(const FolderView& view, const std::string& name);

// A hint at the folder that may be meant where `root` holds no train/, or empty.
std::string hint_without_train(const std::string& root, const FolderView& view);

}  // namespace scalemark::data
