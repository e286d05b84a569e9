// A failure is one record with a fixed set of fields, and one line when printed. This file knows
// nothing of who catches it.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/base/exit_code.h"
#include "core/base/words.h"

namespace scalemark {

// Who has to act on an error: the class that fault-finding starts from.
enum class ErrorDomain { kHardware, kNetwork, kSoftware, kData, kLaunch };
constexpr auto words_of(ErrorDomain) {
  return std::to_array<Word<ErrorDomain>>({{ErrorDomain::kHardware, "hardware"},
                                           {ErrorDomain::kNetwork, "network"},
                                           {ErrorDomain::kSoftware, "software"},
                                           {ErrorDomain::kData, "data"},
                                           {ErrorDomain::kLaunch, "launch"}});
}

// The thrower sets code, exit_code, domain, what, expected and hint; its callers add rank, host,
// phase, point and step where they know them.
struct ErrorRecord {
  std::string code;  // "E_BAD_SAMPLE": stable, for scripts; listed in docs/FAULTS.md
  ExitCode exit_code = ExitCode::kBug;
  ErrorDomain domain = ErrorDomain::kSoftware;
  std::string what;      // what was seen
  std::string expected;  // what is allowed or was expected; empty when `what` says it all
  std::string hint;      // what to do; empty when nothing helps
  std::optional<int> rank;
  std::string host;
  std::string phase;
  std::string point;
  std::optional<std::int64_t> step;
};

// `scalemark: error E_NAME (exit 76) rank=3 host=n7 phase=preflight: seen; expected. Hint: do
// this.` Always one line: control characters inside the fields are escaped.
std::string format_error_line(const ErrorRecord& record);

// Control characters of `text` escaped: one line, whatever file name or message it quotes.
std::string on_one_line(std::string_view text);

// The one exception type that our code throws on purpose. Everything else that arrives at main is a
// bug (70) or is translated where the foreign library is called.
class Error : public std::runtime_error {
 public:
  explicit Error(ErrorRecord record);
  const ErrorRecord& record() const { return record_; }

 private:
  ErrorRecord record_;
};

// Shorthands for the commonest errors. `what`, `expected` and `hint` as in ErrorRecord.
Error bad_data(std::string what, std::string expected = {},
               std::string hint = {});  // E_BAD_DATA, 65
Error no_input(std::string what, std::string expected = {},
               std::string hint = {});  // E_NO_INPUT, 66
Error io_error(std::string what, std::string expected = {}, std::string hint = {});  // E_IO, 74
Error cannot_create(std::string what, std::string expected = {},
                    std::string hint = {});  // E_CANNOT_CREATE, 73
Error configuration(std::string what, std::string expected = {},
                    std::string hint = {});  // E_CONFIGURATION, 78
Error usage(std::string what, std::string expected = {}, std::string hint = {});  // E_USAGE, 64
Error system_error(std::string what, std::string expected = {},
                   std::string hint = {});  // E_SYSTEM, 71
Error bug(std::string what);                // E_BUG, 70

}  // namespace scalemark
