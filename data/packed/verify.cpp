#include "data/packed/verify.h"

#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "data/images/image_folder.h"
#include "data/packed/index.h"
#include "data/packed/ordered_work.h"
#include "data/packed/shard_check.h"

namespace scalemark::data {
namespace {

namespace fs = std::filesystem;
using namespace packed;
using Faults = std::vector<std::string>;

// A fault is what a reader would be told; anything else ends the verification.
std::optional<std::string> fault_of(const Error& error) {
  const ExitCode code = error.record().exit_code;
  if (code != ExitCode::kBadData && code != ExitCode::kNoInput) throw error;
  return error.record().what;
}

void append(Faults& to, Faults from) {
  std::move(from.begin(), from.end(), std::back_inserter(to));
}

VerifyReport verify_packed(const VerifyOptions& options) {
  VerifyReport report{.packed = true};
  std::optional<Index> index;
  try {
    index.emplace(options.path);
  } catch (const Error& error) {
    if (!fs::exists(fs::path(options.path) / kIndexName)) throw;
    report.faults.push_back(*fault_of(error));
    return report;
  }
  const auto shards = index->shards();
  make_in_order<Faults>(
      0, shards.size(), options.threads,
      [&](std::size_t i) { return faults_of(*index, shards[i]); },
      [&](std::size_t i, Faults faults) {
        append(report.faults, std::move(faults));
        report.bytes += static_cast<std::int64_t>(shards[i].bytes);
        report.samples += static_cast<std::int64_t>(shards[i].samples);
        if (options.progress) options.progress(report.samples, std::ssize(index->samples()));
      });
  report.shards = std::ssize(shards);
  return report;
}

std::optional<std::string> check_file(const std::string& path) {
  try {
    const auto bytes = read_image_file(path);
    open_image(bytes, path)->decode_whole();
    return std::nullopt;
  } catch (const Error& error) {
    return fault_of(error);
  }
}

VerifyReport verify_tree(const VerifyOptions& options) {
  const ImageTree tree = scan_image_tree(options.path);
  std::vector<ImageFile> files = tree.train;
  files.insert(files.end(), tree.evaluate.begin(), tree.evaluate.end());
  VerifyReport report{.samples = std::ssize(files), .faults = {}, .notes = tree.notes};
  make_in_order<std::optional<std::string>>(
      0, files.size(), options.threads,
      [&](std::size_t i) { return check_file(tree.root + '/' + files[i].path); },
      [&](std::size_t i, std::optional<std::string> fault) {
        if (fault) report.faults.push_back(*std::move(fault));
        if (options.progress) options.progress(static_cast<std::int64_t>(i) + 1, report.samples);
      });
  return report;
}

}  // namespace

VerifyReport verify_images(const VerifyOptions& options) {
  return is_packed(options.path) ? verify_packed(options) : verify_tree(options);
}

}  // namespace scalemark::data
