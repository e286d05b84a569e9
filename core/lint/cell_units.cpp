#include "core/lint/cell_units.h"

#include <algorithm>
#include <cctype>

#include "core/lint/columns.h"
#include "core/lint/table.h"
#include "core/lint/text_tables.h"

namespace scalemark::lint {

Unit unit_of(const std::string& cell) {
  const auto number = read_printed(cell);
  if (!number) return Unit::kOther;
  const std::string digits = number->text.substr(0, number->text.find_first_of("kM"));
  const std::size_t at = cell.find(digits);
  std::string rest = cell.substr(at == std::string::npos ? 0 : at + digits.size());
  if (rest.starts_with('k') || rest.starts_with('K') || number->text.ends_with('M'))
    rest.erase(0, 1);
  rest = trimmed(rest);
  if (is_rate_kind(meaning_of(rest).kind)) return Unit::kRate;
  if (rest.starts_with('x') || rest.starts_with('X') || rest.starts_with("\xC3\x97"))
    return Unit::kTimes;
  const auto plain = read_duration(cell, 1), other = read_duration(cell, 3600);
  if (plain && other && plain->value == other->value && plain->value > 0) return Unit::kTime;
  const bool letters = std::ranges::any_of(
      rest.substr(0, 6), [](char c) { return std::isalpha(static_cast<unsigned char>(c)); });
  const bool bare = rest.find_first_not_of("*_`)]}~") == std::string::npos ||
                    rest.starts_with('(') || rest.starts_with('/');
  return bare && !rest.starts_with('%')     ? Unit::kNone
         : letters || rest.starts_with('%') ? Unit::kOther
                                            : Unit::kNone;
}

}  // namespace scalemark::lint
