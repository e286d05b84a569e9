// Finds lines, numbers and JSON values in the text of a log, for the readers of single forms of
// log, which are declared here. Private to this folder. Pure.
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

// Calls `take` with each line, without colours and without blanks at both ends. Each state of a
// progress bar, which begins a line again with a carriage return, is a line of its own. `number`
// counts the lines of the file from 1.
void for_each_line(std::string_view text,
                   const std::function<void(std::string_view line, std::size_t number)>& take);

// Returns the number at the begin of `text`, after blanks: "1,234.5 img/s", "-1e-3". Returns
// nothing for another text, infinities, and a number that no double holds.
std::optional<double> number_at(std::string_view text);

// Returns the number right behind, or before, the first `key`: behind "tps: ", before " ms".
std::optional<double> number_after(std::string_view line, std::string_view key);
std::optional<double> number_before(std::string_view line, std::string_view key);

// Returns a count from 1 to 10^15 as an integer, and nothing for any other number.
std::optional<std::int64_t> count_of(const std::optional<double>& number);

// Returns a value of JSON that is a finite number, or a text that is nothing but one.
std::optional<double> number_of(const nlohmann::json& value);
std::optional<double> number_of(const nlohmann::json& object, const char* key);

// Returns an object of JSON. NaN and Infinity, which Python writes and JSON does not know, become
// null. Returns nothing for anything else, and for what nests deeper than any log.
std::optional<nlohmann::json> json_object(std::string_view text);

// Returns the nearest number with so many digits.
double rounded_to(double value, int digits);

// Each reader returns nothing for a text of another form. It throws bad_data() (65) for a text of
// its own form that it cannot use.

std::optional<Log> read_nccl_tests(std::string_view text);   // nccl_tests.cpp
std::optional<Log> read_trainer_log(std::string_view text);  // summaries.cpp
std::optional<Log> read_dlll(std::string_view text);         // marked_lines.cpp
std::optional<Log> read_mllog(std::string_view text);        // marked_lines.cpp
std::optional<Log> read_torchtitan(std::string_view text);   // step_lines.cpp
std::optional<Log> read_llm_c(std::string_view text);
std::optional<Log> read_nanogpt(std::string_view text);

// The rates are of one GPU: nobody has multiplied them yet.
std::optional<TableFile> read_superbench(std::string_view text,
                                         const std::string& file);  // summaries.cpp

}  // namespace scalemark::importing
