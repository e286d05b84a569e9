#include "core/launching/error_file.h"

#include <ctime>
#include <fstream>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/field.h"
#include "core/base/record_json.h"
#include "core/monitoring/text_file.h"

namespace scalemark::launching {

template <class A>
constexpr void fields(A& a, typename A::template Field<RankError>& e) {
  a.part(e.record, [&](auto& inner) { fields(inner, e.record); });
  a("monotonic_ns", e.monotonic_ns, {});
}

namespace {

namespace fs = std::filesystem;

std::string dump(const FieldJson& json) {
  return json.dump(-1, ' ', false, FieldJson::error_handler_t::replace);
}

fs::path verdict_mark(const fs::path& error_file) { return error_file.string() + ".verdict"; }

}  // namespace

std::int64_t monotonic_now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void write_error_file(const fs::path& path, const ErrorRecord& record) {
  const RankError error{.record = record, .monotonic_ns = monotonic_now_ns()};
  AtomicFile file(path);
  file.append(dump(as_json(error, "error")) + '\n');
  file.commit_unless_there();
}

void write_verdict_mark(const fs::path& error_file) noexcept {
  const std::ofstream mark(verdict_mark(error_file));
}

bool has_verdict_mark(const fs::path& error_file) noexcept {
  std::error_code unknown;
  return fs::exists(verdict_mark(error_file), unknown);
}

std::optional<RankError> read_error_file(const fs::path& path) {
  const auto text = monitoring::read_text(path);
  if (!text) return {};
  try {
    return record_in<RankError>(FieldJson::parse(*text), "error");
  } catch (const FieldJson::exception&) {
    return {};
  } catch (const Error&) {
    return {};
  }
}

std::optional<ErrorRecord> cause_beside(const fs::path& own_file) noexcept try {
  std::optional<RankError> first;
  for (const auto& entry : fs::directory_iterator(own_file.parent_path())) {
    if (entry.path().filename() == own_file.filename()) continue;
    auto error = read_error_file(entry.path());
    if (!error || error->record.code == "E_PEER_LOST") continue;
    if (!first || error->monotonic_ns < first->monotonic_ns) first = std::move(error);
  }
  if (!first) return std::nullopt;
  return std::move(first->record);
} catch (const std::exception&) {  // the launcher has removed the folder, or memory is lacking
  return std::nullopt;
}

void write_torchelastic_error_file(const fs::path& path, const ErrorRecord& record) {
  const FieldJson json = {{"message",
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
