// Our entropy decoder against libjpeg's own: coefficients, damaged files, parts of a scan.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <random>

#include "core/base/error.h"
#include "data/images/decode.h"
#include "data/images/jpeg/scan_loops.h"
#include "tests/data/images/made_jpeg.h"

// After jpeglib.h, which it extends.
#include <jerror.h>

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;
using namespace jpeg;

// Smooth and noisy, coarse and fine: short and long codes, tables of the standard and its own.
std::vector<JpegForm> forms() {
  std::vector<JpegForm> all;
  for (const int quality : {1, 50, 92, 100}) {
    for (const int noise : {0, 20, 127}) {
      for (const auto& [across, down] : {std::pair{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 2}}) {
        for (const int restart : {0, 1, 5}) {
          all.push_back({.width = 203,
                         .height = 61,
                         .across = across,
                         .down = down,
                         .restart = restart,
                         .quality = quality,
                         .own_tables = across == down,
                         .noise = noise});
        }
      }
      for (const auto stored : {JCS_GRAYSCALE, JCS_RGB, JCS_CMYK}) {
        all.push_back({.width = 97,
                       .height = 40,
                       .stored = stored,
                       .across = 1,
                       .down = 1,
                       .quality = quality,
                       .noise = noise});
      }
      all.push_back({.stored = JCS_GRAYSCALE, .quality = quality, .noise = noise});  // 2 x 2 of one
    }
  }
  return all;
}

// Errors end the program: the files are whole.
class Libjpeg {
 public:
  explicit Libjpeg(const Bytes& file) : file_(file) {
    info_.err = jpeg_std_error(&errors_);
    jpeg_create_decompress(&info_);
    jpeg_mem_src(&info_, file.data(), file.size());
    jpeg_read_header(&info_, TRUE);
  }
  ~Libjpeg() { jpeg_destroy_decompress(&info_); }
  Libjpeg(const Libjpeg&) = delete;
  Libjpeg& operator=(const Libjpeg&) = delete;

  jpeg_decompress_struct& info() { return info_; }

  std::span<const std::uint8_t> data() const {
    return {info_.src->next_input_byte, file_.data() + file_.size()};
  }

  const HuffmanTable& table(const JHUFF_TBL& table, Coefficients kind) {
    HuffmanCodes codes;
    std::copy(std::begin(table.bits), std::end(table.bits), codes.counts.begin());
    std::copy(std::begin(table.huffval), std::end(table.huffval), codes.symbols.begin());
    tables_.push_back(std::make_unique<HuffmanTable>());
    tables_.back()->build(codes, kind);
    return *tables_.back();
  }

 private:
  const Bytes& file_;
  jpeg_error_mgr errors_;
  jpeg_decompress_struct info_{};
  std::vector<std::unique_ptr<HuffmanTable>> tables_;
};

// Must be called before libjpeg reads on.
ScanLayout layout_of(Libjpeg& libjpeg) {
  jpeg_decompress_struct& info = libjpeg.info();
  ScanLayout layout{.restart_interval = info.restart_interval};
  for (int c = 0; c < info.num_components; ++c) {
    const jpeg_component_info& component = info.comp_info[c];
    const BlockPlan plan{
        .dc = &libjpeg.table(*info.dc_huff_tbl_ptrs[component.dc_tbl_no], Coefficients::kDc),
        .ac = &libjpeg.table(*info.ac_huff_tbl_ptrs[component.ac_tbl_no], Coefficients::kAc),
        .component = static_cast<unsigned>(c)};
    const int blocks =
        info.num_components == 1 ? 1 : component.h_samp_factor * component.v_samp_factor;
    for (int b = 0; b < blocks; ++b) layout.block[layout.blocks++] = plan;
  }
  return layout;
}

// One MCU of libjpeg's coefficients against ours; blocks beyond the image's edge are padding.
void expect_same_mcu(jpeg_decompress_struct& info, jvirt_barray_ptr* coefficients, JDIMENSION row,
                     JDIMENSION column, const Block* blocks) {
  std::size_t b = 0;
  for (int c = 0; c < info.num_components; ++c) {
    const jpeg_component_info& component = info.comp_info[c];
    const bool alone = info.num_components == 1;
    const auto wide = static_cast<JDIMENSION>(alone ? 1 : component.h_samp_factor);
    const auto high = static_cast<JDIMENSION>(alone ? 1 : component.v_samp_factor);
    for (JDIMENSION y = row * high; y < (row + 1) * high; ++y) {
      for (JDIMENSION x = column * wide; x < (column + 1) * wide; ++x, ++b) {
        if (y >= component.height_in_blocks || x >= component.width_in_blocks) continue;
        JBLOCKARRAY line = info.mem->access_virt_barray(reinterpret_cast<j_common_ptr>(&info),
                                                        coefficients[c], y, 1, FALSE);
        ASSERT_EQ(std::memcmp(line[0][x], blocks[b], sizeof(Block)), 0)
            << "component " << c << ", block " << x << ", " << y;
      }
    }
  }
}

// Uses the given loops, which a processor with BMI2 would not all choose; the file has no restarts.
void expect_same_coefficients(const Bytes& file, const ScanLoops* loops) {
  Libjpeg libjpeg(file);
  jpeg_decompress_struct& info = libjpeg.info();
  ScanLayout layout = layout_of(libjpeg);
  const auto data = libjpeg.data();
  jvirt_barray_ptr* const coefficients = jpeg_read_coefficients(&info);
  const JDIMENSION across = info.MCUs_per_row;
  layout.mcus = across * info.MCU_rows_in_scan;
  Segment segment;
  ScanDecoder decoder(data, layout, segment);
  ScanPlace place;
  place.reader.begin(segment.bytes.data(), 0);
  for (std::uint32_t mcu = 0; mcu < layout.mcus; ++mcu) {
    Block blocks[kMostBlocks] = {};
    Block* pointers[kMostBlocks];
    for (std::size_t b = 0; b < kMostBlocks; ++b) pointers[b] = &blocks[b];
    const ScanFault fault = loops != nullptr ? loops->decode(layout, segment, place, pointers)
                                             : decoder.decode(pointers);
    ASSERT_EQ(fault, ScanFault::kNone) << "MCU " << mcu;
    ASSERT_NO_FATAL_FAILURE(
        expect_same_mcu(info, coefficients, mcu / across, mcu % across, blocks));
  }
  if (loops == nullptr) {
    EXPECT_EQ(decoder.marker()[1], JPEG_EOI);
  }
}

TEST(ScanDecoder, CoefficientsAreLibjpegs) {
  for (const JpegForm& form : forms()) {
    SCOPED_TRACE(text_of(form));
    const Bytes file = jpeg_of(form);
    ASSERT_NO_FATAL_FAILURE(expect_same_coefficients(file, nullptr));
    if (form.restart > 0) continue;
    ASSERT_NO_FATAL_FAILURE(expect_same_coefficients(file, &portable_scan_loops()));
  }
}

TEST(ScanDecoder, PhotosCoefficientsAreLibjpegs) {
  const fs::path folder = fs::path(SCALEMARK_TEST_DATA) / "photos";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no photos under " << folder;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".JPEG") continue;
    SCOPED_TRACE(entry.path());
    const Bytes file = read_image_file(entry.path().string());
    ASSERT_NO_FATAL_FAILURE(expect_same_coefficients(file, nullptr));
  }
}

// Both ways over a scan end at the same bit with the same predictions, wherever one begins.
TEST(ScanDecoder, WhatIsReadOverIsReadToTheSameBit) {
  for (const JpegForm& form : forms()) {
    if (form.restart > 0) continue;
    SCOPED_TRACE(text_of(form));
    const Bytes file = jpeg_of(form);
    Libjpeg libjpeg(file);
    const ScanLayout layout = layout_of(libjpeg);
    constexpr int kSteps = 5;
    constexpr int kMcus = 5;
    if (form.width < 90) continue;  // fewer
    for (const ScanLoops* loops : {&scan_loops(), &portable_scan_loops()}) {
      Segment segment;
      segment.read(libjpeg.data());
      ScanPlace decoded, over;
      decoded.reader.begin(segment.bytes.data(), 0);
      over.reader.begin(segment.bytes.data(), 0);
      for (int step = 0; step < kSteps; ++step) {
        for (int mcu = 0; mcu < kMcus; ++mcu) {
          Block blocks[kMostBlocks] = {};
          Block* pointers[kMostBlocks];
          for (std::size_t b = 0; b < kMostBlocks; ++b) pointers[b] = &blocks[b];
          ASSERT_EQ(loops->decode(layout, segment, decoded, pointers), ScanFault::kNone);
        }
        ASSERT_EQ(loops->read_over(layout, segment, over, kMcus), ScanFault::kNone);
        const std::uint8_t* const first = segment.bytes.data();
        ASSERT_EQ(decoded.reader.read_since(first), over.reader.read_since(first));
        ASSERT_EQ(decoded.dc, over.dc);
      }
    }
  }
}

constexpr int kWidth = 203;
constexpr int kHeight = 61;

// Opens a file like our decoder does, but with libjpeg's entropy decoder.
struct ByLibjpeg {
  JpegErrorManager error;
  jpeg_decompress_struct info{};
  Bytes pixels = Bytes(3 * kWidth * kHeight);

  ByLibjpeg() {
    info.err = error.install();
    error.base.emit_message = [](j_common_ptr common, int level) {
      // Bytes behind the last block leave every pixel as it is.
      const bool harmless = common->err->msg_code == JWRN_EXTRANEOUS_DATA;
      if (level < 0 && !harmless) JpegErrorManager::leave(common);
    };
  }
  ~ByLibjpeg() { jpeg_destroy_decompress(&info); }
  ByLibjpeg(const ByLibjpeg&) = delete;
  ByLibjpeg& operator=(const ByLibjpeg&) = delete;

  // False where libjpeg warns. Holds nothing that a jump would leak.
  bool run(const Bytes& file) {
    if (setjmp(error.jump) != 0) return false;
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, file.data(), file.size());
    jpeg_read_header(&info, TRUE);
    info.out_color_space = JCS_RGB;
    jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
      JSAMPROW row = pixels.data() + std::size_t{info.output_scanline} * 3 * kWidth;
      jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
    return true;
  }
};

std::optional<Bytes> pixels_by_us(const Bytes& file, std::string& reason) {
  try {
    const auto image = open_image(file, "it");
    const Pixels whole = image->decode_whole();
    return Bytes(whole.row(0), whole.row(0) + whole.stride() * kHeight);
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kBadData);
    reason = error.record().what;
    return std::nullopt;
  }
}

// Bits flipped and bytes lost within the scan: refused wherever libjpeg warns, else its pixels.
TEST(ScanDecoder, DamagedFilesAreRefusedWhereLibjpegWarns) {
  std::mt19937 random(5);
  int refused = 0;
  int shown = 0;
  for (const int restart : {0, 4}) {
    for (const int noise : {0, 60}) {
      const Bytes whole = jpeg_of({.width = kWidth,
                                   .height = kHeight,
                                   .restart = restart,
                                   .own_tables = noise > 0,
                                   .noise = noise});
      Libjpeg libjpeg(whole);
      const auto scan = static_cast<std::size_t>(libjpeg.data().data() - whole.data());
      for (int trial = 0; trial < 1000; ++trial) {
        Bytes file = whole;
        const std::size_t at = scan + random() % (file.size() - 2 - scan);
        if (trial % 4 == 3) {
          file.erase(file.begin() + static_cast<std::ptrdiff_t>(at));
        } else {
          file[at] ^= static_cast<std::uint8_t>(1U << random() % 8);
        }
        ByLibjpeg libjpegs;
        const bool whole_there = libjpegs.run(file);
        std::string reason;
        const auto got = pixels_by_us(file, reason);
        // Where much follows, libjpeg-turbo takes bits that are no code for a zero and says
        // nothing.
        const bool stricter = whole_there && reason.ends_with("bad Huffman code");
        ASSERT_EQ(whole_there && !stricter, got.has_value())
            << "byte " << at << ", restart " << restart << ", noise " << noise << ": "
            << libjpegs.error.message << reason;
        if (got) {
          ASSERT_TRUE(libjpegs.pixels == *got) << "byte " << at;
        }
        ++(got ? shown : refused);
      }
    }
  }
  EXPECT_GT(refused, 200);
  EXPECT_GT(shown, 200);
}

// A crop's pixels are those of the whole: what stands before, left and right is read over.
TEST(ScanDecoder, CropsShowWhatTheWholeShows) {
  std::mt19937 random(9);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (const JpegForm& form : forms()) {
    SCOPED_TRACE(text_of(form));
    const Bytes file = jpeg_of(form);
    const Pixels whole = open_image(file, "it")->decode_whole();
    for (int i = 0; i < 8; ++i) {
      Box box{.left = below(form.width), .top = below(form.height)};
      box.width = 1 + below(form.width - box.left);
      box.height = 1 + below(form.height - box.top);
      const DecodedRegion part = open_image(file, "it")->decode(box, 8);
      for (int y = box.top; y < box.top + box.height; ++y) {
        ASSERT_EQ(std::memcmp(whole.row(y) + 3 * box.left,
                              part.pixels.row(y - part.top) + 3 * (box.left - part.left),
                              3 * static_cast<std::size_t>(box.width)),
                  0)
            << box.left << ", " << box.top << ": " << box.width << " x " << box.height;
      }
    }
  }
}

}  // namespace
}  // namespace scalemark::data
