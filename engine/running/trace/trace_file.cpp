#include "engine/running/trace/trace_file.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "core/base/error.h"
#include "core/base/number_words.h"

namespace scalemark::running {
namespace {

namespace fs = std::filesystem;

bool is_whole(const fs::path& file) {
  std::ifstream text(file, std::ios::binary);
  return text && nlohmann::json::accept(text);
}

Error not_written(const fs::path& file) {
  std::error_code unknown;
  const fs::space_info disk = fs::space(file.parent_path(), unknown);
  return io_error("cannot write " + file.string() + ": it is missing or ends too early" +
                      (unknown ? "" : "; its disk has " + size_text(disk.available) + " left"),
                  {}, "free space there, or choose another --trace");
}

}  // namespace

fs::path trace_file(const fs::path& folder, int rank) {
  return folder / ("rank" + std::to_string(rank) + ".pt.trace.json");
}

void remove_traces_from(const fs::path& folder, int first) {
  std::error_code ignored;
  for (int rank = first; fs::remove(trace_file(folder, rank), ignored); ++rank) {
  }
}

void write_trace(const StepTrace& trace, const fs::path& file) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) {
    throw cannot_create("cannot create " + file.parent_path().string() + ": " + error.message(),
                        "a folder that can be written to is expected as --trace");
  }
  fs::remove(file, error);  // an old one would pass for the new one
  if (error) throw cannot_create("cannot replace " + file.string() + ": " + error.message());
  trace->save(file.string());
  if (is_whole(file)) return;
  const Error problem = not_written(file);  // while what was written still takes its space
  fs::remove(file, error);
  fs::remove(file.string() + ".tmp", error);  // Kineto's
  throw problem;
}

}  // namespace scalemark::running
