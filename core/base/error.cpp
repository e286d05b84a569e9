#include "core/base/error.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/base/characters.h"

namespace scalemark {

std::string on_one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  const std::string whole = as_utf8(text);
  for (std::string_view rest = whole; !rest.empty();) {
    const std::size_t acting = acting_length(rest);
    if (acting == 0) {
      line += rest.front();
    } else if (rest.front() == '\n') {
      line += "\\n";
    } else if (rest.front() == '\t') {
      line += ' ';
    } else {
      for (const char c : rest.substr(0, acting)) line += escaped_byte(c);
    }
    rest.remove_prefix(std::max<std::size_t>(acting, 1));
  }
  return line;
}

void throw_unnamed_value() { throw bug("a value without a name"); }

std::string format_error_line(const ErrorRecord& record) {
  std::string line = "scalemark: error " + record.code + " (exit " +
                     std::to_string(static_cast<int>(record.exit_code)) + ")";
  if (record.rank) line += " rank=" + std::to_string(*record.rank);
  if (!record.host.empty()) line += " host=" + on_one_line(record.host);
  if (!record.phase.empty()) line += " phase=" + on_one_line(record.phase);
  if (!record.point.empty()) line += " point=" + on_one_line(record.point);
  if (record.step) line += " step=" + std::to_string(*record.step);
  line += ": " + on_one_line(record.what);
  if (!record.expected.empty()) line += "; " + on_one_line(record.expected);
  if (!line.ends_with('.') && !line.ends_with('?')) line += '.';
  if (!record.hint.empty()) line += " Hint: " + on_one_line(record.hint);
  return line;
}

Error::Error(ErrorRecord record)
    : std::runtime_error(format_error_line(record)), record_(std::move(record)) {}

Error make_error(std::string code, ExitCode exit_code, ErrorDomain domain, std::string what,
                 std::string expected, std::string hint) {
  return Error(ErrorRecord{.code = std::move(code),
                           .exit_code = exit_code,
                           .domain = domain,
                           .what = std::move(what),
                           .expected = std::move(expected),
                           .hint = std::move(hint)});
}

Error bad_data(std::string what, std::string expected, std::string hint) {
  return make_error("E_BAD_DATA", ExitCode::kBadData, ErrorDomain::kData, std::move(what),
                    std::move(expected), std::move(hint));
}
Error no_input(std::string what, std::string expected, std::string hint) {
  return make_error("E_NO_INPUT", ExitCode::kNoInput, ErrorDomain::kData, std::move(what),
                    std::move(expected), std::move(hint));
}
Error io_error(std::string what, std::string expected, std::string hint) {
  return make_error("E_IO", ExitCode::kIo, ErrorDomain::kHardware, std::move(what),
                    std::move(expected), std::move(hint));
}
Error cannot_create(std::string what, std::string expected, std::string hint) {
  return make_error("E_CANNOT_CREATE", ExitCode::kCannotCreateOutput, ErrorDomain::kData,
                    std::move(what), std::move(expected), std::move(hint));
}
Error configuration(std::string what, std::string expected, std::string hint) {
  return make_error("E_CONFIGURATION", ExitCode::kConfiguration, ErrorDomain::kSoftware,
                    std::move(what), std::move(expected), std::move(hint));
}
Error usage(std::string what, std::string expected, std::string hint) {
  return make_error("E_USAGE", ExitCode::kUsage, ErrorDomain::kSoftware, std::move(what),
                    std::move(expected), std::move(hint));
}
Error system_error(std::string what, std::string expected, std::string hint) {
  return make_error("E_SYSTEM", ExitCode::kSystem, ErrorDomain::kSoftware, std::move(what),
                    std::move(expected), std::move(hint));
}
Error bug(std::string what) {
  return make_error(
      "E_BUG", ExitCode::kBug, ErrorDomain::kSoftware, std::move(what), {},
      "this is a bug in scalemark: please report it with the command and report.json");
}

}  // namespace scalemark
