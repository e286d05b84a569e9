// The readers of single forms. Each returns nothing for a text of another form, and throws
// bad_data() (65) for one of its own that cannot be used. Private to this folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/importing/log.h"
#include "core/importing/tables.h"

namespace scalemark::importing {

std::optional<Log> read_nccl_tests(std::string_view text);   // nccl_tests.cpp
std::optional<Log> read_trainer_log(std::string_view text);  // trainer_log.cpp
std::optional<Log> read_dlll(std::string_view text);         // dlll.cpp
std::optional<Log> read_mllog(std::string_view text);        // mllog.cpp
std::optional<Log> read_torchtitan(std::string_view text);   // step_lines.cpp
std::optional<Log> read_llm_c(std::string_view text);
std::optional<Log> read_nanogpt(std::string_view text);

// Rates of one GPU: nobody has multiplied them yet.
std::optional<TableFile> read_superbench(std::string_view text,
                                         const std::string& file);  // superbench.cpp

}  // namespace scalemark::importing
