#include "core/launching/error_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

namespace scalemark::launching {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr ErrorDomain kDomains[] = {ErrorDomain::kHardware, ErrorDomain::kNetwork,
                                    ErrorDomain::kSoftware, ErrorDomain::kData,
                                    ErrorDomain::kLaunch};

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json to_json(const ErrorRecord& record, std::int64_t now_ns) {
  Json json = {{"code", record.code},
               {"exit_code", static_cast<int>(record.exit_code)},
               {"domain", to_string(record.domain)},
               {"what", record.what},
               {"expected", record.expected},
               {"hint", record.hint},
               {"host", record.host},
               {"phase", record.phase},
               {"point", record.point},
               {"monotonic_ns", now_ns}};
  if (record.rank) json["rank"] = *record.rank;
  if (record.step) json["step"] = *record.step;
  return json;
}

ErrorDomain domain_of(const std::string& name) {
  for (const auto domain : kDomains) {
    if (to_string(domain) == name) return domain;
  }
  return ErrorDomain::kSoftware;
}

RankError from_json(const Json& json) {
  RankError error;
  ErrorRecord& record = error.record;
  json.at("code").get_to(record.code);
  record.exit_code = static_cast<ExitCode>(json.at("exit_code").get<int>());
  record.domain = domain_of(json.at("domain").get<std::string>());
  json.at("what").get_to(record.what);
  json.at("expected").get_to(record.expected);
  json.at("hint").get_to(record.hint);
  json.at("host").get_to(record.host);
  json.at("phase").get_to(record.phase);
  json.at("point").get_to(record.point);
  if (json.contains("rank")) record.rank = json["rank"].get<int>();
  if (json.contains("step")) record.step = json["step"].get<std::int64_t>();
  json.at("monotonic_ns").get_to(error.monotonic_ns);
  return error;
}

fs::path write_beside(const fs::path& path, const std::string& text) {
  fs::path temporary = path;
  temporary += ".tmp-" + std::to_string(getpid());
  std::ofstream file(temporary, std::ios::binary);
  file << text << '\n';
  file.close();
  if (!file) throw io_error("cannot write " + temporary.string());
  return temporary;
}

}  // namespace

std::int64_t monotonic_now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void write_error_file(const fs::path& path, const ErrorRecord& record) {
  const auto temporary = write_beside(path, dump(to_json(record, monotonic_now_ns())));
  // link() refuses to replace what stands there, rename() would not.
  const int failed = link(temporary.c_str(), path.c_str());
  const int reason = errno;
  unlink(temporary.c_str());
  if (failed != 0 && reason != EEXIST) {
    throw io_error("cannot write " + path.string() + ": " + std::strerror(reason));
  }
}

std::optional<RankError> read_error_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::ostringstream text;
  text << file.rdbuf();
  try {
    return from_json(Json::parse(text.str()));
  } catch (const Json::exception&) {
    return {};
  }
}

void write_torchelastic_error_file(const fs::path& path, const ErrorRecord& record) {
  const Json json = {{"message",
                      {{"message", format_error_line(record)},
                       {"errorCode", static_cast<int>(record.exit_code)},
                       {"extraInfo",
                        {{"py_callstack", format_error_line(record)},
                         {"timestamp", std::to_string(std::time(nullptr))}}}}}};
  const auto temporary = write_beside(path, dump(json));
  std::error_code failed;
  fs::rename(temporary, path, failed);
  if (failed) throw io_error("cannot write " + path.string() + ": " + failed.message());
}

}  // namespace scalemark::launching
