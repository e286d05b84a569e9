// --fields: what somebody says about a log or a table that does not say it itself. Fields are those
// of a published row. Knows no form of log. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "claims/rows/row.h"

namespace scalemark::importing {

class GivenFields {
 public:
  // "gpus=1/2/4,system=8x H100": for each of `files` files one value, or one for all. A comma that
  // no FIELD= follows belongs to the value. Throws configuration() (78) for a field that is none,
  // one given twice, a number that is none, and another number of values than there are files.
  GivenFields(std::string_view text, std::size_t files);

  // Fills in what `row` does not say. Throws configuration() (78) for a value that contradicts what
  // the row says; `where` says it: "'a.log'".
  void fill(published::Row& row, std::size_t file, const std::string& where) const;

  std::optional<std::string> text(const std::string& field, std::size_t file) const;

  GivenFields without(const std::string& field) const;

 private:
  std::map<std::string, std::vector<std::string>> values_;
};

// Whether two words for the same field can both be true: "amp" and "amp_fp16", "resnet" and
// "ResNet-50", "H100" and "8x H100 SXM".
bool can_both_be(std::string_view field, const std::string& said, const std::string& given);

// Throws configuration() (78) where GPUs, batches and accumulation steps of `row` cannot be those
// of one run.
void refuse_other_batch(const published::Row& row, const std::string& where);

// Throws configuration() (78) when `fields` is not empty: they are missing in `files`, and one
// option says them.
void refuse_missing(const std::vector<std::string>& fields, const std::string& where,
                    std::size_t files);

}  // namespace scalemark::importing
