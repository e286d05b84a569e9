// Files and folders of an image tree that are not read are reported.
#include "data/images/tree_notes.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/error.h"
#include "tests/data/text/temporary_folder.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

// Scanning reads names alone: the files are empty.
class TreeNotes : public ::testing::Test {
 protected:
  TemporaryFolder folder_;

  std::string root() const { return folder_.path().string(); }
  void touch(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      fs::create_directories((folder_.path() / file).parent_path());
      std::ofstream(folder_.path() / file).flush();
    }
  }
  // Without the root that each begins with.
  Names notes() {
    Names notes = scan_image_tree(root()).notes;
    for (std::string& note : notes) {
      EXPECT_EQ(note.find(root() + ": "), 0u) << note;
      note.erase(0, root().size() + 2);
    }
    return notes;
  }
  ErrorRecord refusal() {
    return error_of([&] { scan_image_tree(root()); });
  }
};

TEST_F(TreeNotes, AnOrdinaryTreeHasNone) {
  touch({"train/a/1.jpg", "train/b/1.jpg", "val/a/1.jpg", "val/b/1.jpg", "README.txt",
         "train/a/Thumbs.db", "train/b/.DS_Store", "train/b/1.xml", "labels.csv"});
  EXPECT_EQ(notes(), Names{});
}

TEST_F(TreeNotes, FilesOfOtherFormatsAreCounted) {
  touch({"train/a/1.jpg", "train/a/2.WebP", "train/a/3.bmp", "train/a/4.PPM", "train/a/5.pgm",
         "train/a/6.TIF", "train/a/deep/7.tiff", "train/b/1.png", "train/b/2.gif", "val/a/1.jpg",
         "val/b/1.jpeg", "val/b/2.tif", "train.tar"});
  EXPECT_EQ(scan_image_tree(root()).train.size(), 6u);
  EXPECT_EQ(notes(), (Names{"5 files with .gif, .tar, .tif, .tiff are not read (archives are not "
                            "unpacked); .jpg, .jpeg, .png, .webp, .ppm, .pgm or .bmp files are"}));
}

TEST_F(TreeNotes, AClassOfOtherFormatsAloneIsRefusedWithThem) {
  touch({"train/a/1.tif", "train/a/2.tif", "train/b/1.jpg"});
  EXPECT_EQ(refusal().exit_code, ExitCode::kBadData);
  EXPECT_EQ(refusal().what,
            "class folder " + root() + "/train/a holds no image: 2 files with .tif are not read");
}

TEST_F(TreeNotes, FoldersNamedAsSplitsAreReported) {
  touch({"train/a/1.jpg", "train/a/2.jpg", "validation/a/1.jpg"});
  const std::string held_out =
      " not read: there is no val/, and a tenth of train/ is held out for evaluation; a folder "
      "named val/ would be evaluated instead";
  EXPECT_EQ(notes(), Names{"validation/ is" + held_out});
  touch({"Valid/a/1.jpg", "TEST/a/1.jpg"});
  EXPECT_EQ(notes(), Names{"TEST/, Valid/, validation/ are" + held_out});
  touch({"val/a/1.jpg"});
  EXPECT_EQ(notes(), Names{"TEST/, Valid/, validation/ are not read: train/ and val/ are"});
}

TEST_F(TreeNotes, ImagesInNoClassFolderAreReported) {
  touch({"train/a/1.jpg", "train/2.jpg", "train/3.jpg", "val/a/1.jpg", "val/2.png", "4.jpg"});
  EXPECT_EQ(notes(), (Names{"1 image lies directly in it, in no class folder, and is not read",
                            "2 images lie directly in train/, in no class folder, and are not read",
                            "1 image lies directly in val/, in no class folder, and is not read"}));
}

TEST_F(TreeNotes, AFlatSplitIsRefusedWithTheReasonAndTheWayOn) {
  touch({"train/a/1.jpg", "val/1.JPEG", "val/2.JPEG"});
  EXPECT_EQ(refusal().exit_code, ExitCode::kNoInput);
  EXPECT_EQ(refusal().what, root() + "/val holds no class folder: 2 images lie directly in val/");
  EXPECT_EQ(refusal().hint,
            "sort the images into class folders, or move val/ away: then a tenth of train/ is "
            "held out");
  fs::remove_all(folder_.path() / "train");
  touch({"train/1.jpg"});
  EXPECT_EQ(refusal().what,
            root() + "/train holds no class folder: 1 image lies directly in train/");
  fs::remove_all(folder_.path() / "train");
  touch({"train/n01440764.tar"});
  EXPECT_EQ(refusal().what, root() +
                                "/train holds no class folder: 1 file with .tar is not read "
                                "(archives are not unpacked)");
}

TEST_F(TreeNotes, ClassesThatValLacksAreReported) {
  touch({"train/a/1.jpg", "train/b/1.jpg", "train/c/1.jpg", "val/b/1.jpg"});
  EXPECT_EQ(notes(), Names{"val/ lacks 2 of the 3 classes of train/: a, c"});
}

TEST_F(TreeNotes, ClassesOneFolderDeeperAreReported) {
  touch({"train/imagenet/a/1.jpg", "train/imagenet/b/1.jpg"});
  EXPECT_EQ(notes(),
            Names{"all images of train/ are of one class, 'imagenet', whose images lie in 2 "
                  "folders (a, b): if those are the classes, move them up into train/"});
  touch({"train/imagenet/1.jpg"});
  EXPECT_EQ(notes(), Names{});
}

TEST_F(TreeNotes, WithoutTrainAHintSaysWhatMayBeMeant) {
  const auto refused = [&](const std::string& reason, const std::string& hint) {
    EXPECT_EQ(refusal().exit_code, ExitCode::kNoInput);
    EXPECT_EQ(refusal().what, "there is no folder " + root() + "/train" + reason);
    EXPECT_EQ(refusal().hint, hint);
    fs::remove_all(folder_.path());
  };
  refused("", "scalemark data generate images " + root() + " makes a small one");
  touch({"1.jpg", "2.jpg"});
  refused(": 2 images lie directly in " + root(),
          "sort the images into " + root() + "/train/<class>/");
  touch({"Train/a/1.jpg"});
  refused("", "rename " + root() + "/Train to train");
  touch({"imagenet/train/a/1.jpg"});
  refused("", "give " + root() + "/imagenet, which holds train/");
  touch({"cats/1.jpg", "dogs/1.jpg"});
  refused("", "class folders belong into " + root() + "/train/");
  touch({"images.zip"});
  refused(": 1 file with .zip is not read (archives are not unpacked)",
          "scalemark data generate images " + root() + " makes a small one");
}

}  // namespace
}  // namespace scalemark::data
