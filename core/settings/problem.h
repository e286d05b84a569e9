// Problems of given settings are data: all are collected, then reported at once.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"

namespace scalemark::settings {

struct Problem {
  std::string option;     // "batch_size", or "" when it is about no single option
  std::string found;      // "-1"
  std::string allowed;    // "a whole number from 1 on"; or the reason of the refusal
  std::string origin;     // "option" | "config FILE" | "environment" | "set" | "default" | "recipe"
  std::string hint;       // "did you mean ..."; may be empty
  bool of_point = false;  // other values are in it, too: a sweep skips the point and goes on
};

struct Remarks {
  std::vector<Problem> problems;
  std::vector<std::string> notes;  // nothing is wrong, but a person may want to know
  void add(Remarks more);
};

// `--batch-size is '-1' (from option); allowed: a whole number from 1 on.`
std::string to_line(const Problem& problem);

// The one error that ends the program when there are problems (78): a single problem in full, or
// how many there are and of which options.
Error refusal(const std::vector<Problem>& problems);

// Throws it when there are any.
void refuse_if_invalid(const std::vector<Problem>& problems);

}  // namespace scalemark::settings
