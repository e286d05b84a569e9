#include "core/launching/error_file.h"

#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/error_json.h"

namespace scalemark::launching {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::int64_t monotonic_now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void write_error_file(const fs::path& path, const ErrorRecord& record) {
  Json json = to_json_value(record);
  json["monotonic_ns"] = monotonic_now_ns();
  AtomicFile file(path);
  file.append(dump(json) + '\n');
  file.commit_unless_there();
}

std::optional<RankError> read_error_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::ostringstream text;
  text << file.rdbuf();
  try {
    const Json json = Json::parse(text.str());
    auto record = error_from_json(json);
    if (!record) return {};
    return RankError{.record = *std::move(record),
                     .monotonic_ns = json.at("monotonic_ns").get<std::int64_t>()};
  } catch (const Json::exception&) {
    return {};
  }
}

std::optional<ErrorRecord> killed_rank_beside(const fs::path& own_file) noexcept try {
  for (const auto& entry : fs::directory_iterator(own_file.parent_path())) {
    if (entry.path().filename() == own_file.filename()) continue;
    auto error = read_error_file(entry.path());
    if (error && error->record.code == kRankKilled) return std::move(error->record);
  }
  return std::nullopt;
} catch (const std::exception&) {  // the launcher has removed the folder, or memory is lacking
  return std::nullopt;
}

void write_torchelastic_error_file(const fs::path& path, const ErrorRecord& record) {
  const Json json = {{"message",
                      {{"message", format_error_line(record)},
                       {"errorCode", static_cast<int>(record.exit_code)},
                       {"extraInfo",
                        {{"py_callstack", format_error_line(record)},
                         {"timestamp", std::to_string(std::time(nullptr))}}}}}};
  AtomicFile file(path);
  file.append(dump(json) + '\n');
  file.commit();
}

}  // namespace scalemark::launching
