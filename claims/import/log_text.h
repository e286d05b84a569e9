// Readers of single forms of log share this: a text's lines, numbers and JSON values; and these are
// the readers. Private to this folder. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "claims/import/log.h"
#include "claims/import/tables.h"

namespace scalemark::importing {

// Without colours, and without blanks at both ends. Progress bars, which begin a line again with a
// carriage return, are lines of their own. `number`: of the line in the file, from 1.
void for_each_line(std::string_view text,
                   const std::function<void(std::string_view line, std::size_t number)>& take);

// The number that `text` begins with, apart from blanks: "1,234.5 img/s", "-1e-3". Absent for
// another text, infinities and what no double holds.
std::optional<double> number_at(std::string_view text);

// The number behind the first `key`, or before it: after "tps: ", before " ms".
std::optional<double> number_after(std::string_view line, std::string_view key);
std::optional<double> number_before(std::string_view line, std::string_view key);

// A count from 1 to 10^15, as an integer; absent for any other number.
std::optional<std::int64_t> count_of(const std::optional<double>& number);

// A value of JSON: a finite number, or a text that is one and nothing else.
std::optional<double> number_of(const nlohmann::json& value);
std::optional<double> number_of(const nlohmann::json& object, const char* key);

// An object, also with NaN and Infinity, which Python writes and JSON does not know; they become
// null. Absent for anything else, and for what nests deeper than any log.
std::optional<nlohmann::json> json_object(std::string_view text);

// Objects of the lines that hold `mark`, which ends with the brace that begins the object. Returns
// whether there is one.
bool for_each_record(std::string_view text, std::string_view mark,
                     const std::function<void(const nlohmann::json& record)>& take);

// The nearest number of so many digits.
double rounded_to(double value, int digits);

// Each reader returns nothing for a text of another form, and throws bad_data() (65) for one of its
// own that cannot be used.

std::optional<Log> read_nccl_tests(std::string_view text);   // nccl_tests.cpp
std::optional<Log> read_trainer_log(std::string_view text);  // summaries.cpp
std::optional<Log> read_dlll(std::string_view text);         // marked_lines.cpp
std::optional<Log> read_mllog(std::string_view text);        // marked_lines.cpp
std::optional<Log> read_torchtitan(std::string_view text);   // step_lines.cpp
std::optional<Log> read_llm_c(std::string_view text);
std::optional<Log> read_nanogpt(std::string_view text);

// Rates of one GPU: nobody has multiplied them yet.
std::optional<TableFile> read_superbench(std::string_view text,
                                         const std::string& file);  // summaries.cpp

}  // namespace scalemark::importing
