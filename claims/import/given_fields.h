// --fields: what somebody says about a log or a table that does not say it itself. The fields are
// those of a published row. This knows no form of log. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "claims/rows/row.h"

namespace scalemark::importing {

class GivenFields {
 public:
  // Reads "gpus=1/2/4,system=8x H100": each field has one value for all `files` files, or one for
  // each of them. A comma without FIELD= behind it is part of the value. Throws configuration()
  // (78) for an unknown field, a field that is given twice, a value that should be a number and is
  // none, a number format that no row can have, and any other number of values.
  GivenFields(std::string_view text, std::size_t files);

  // Fills in what `row` does not say. Throws configuration() (78) for a value that contradicts the
  // row; `where` names the row in messages: "'a.log'".
  void fill(published::Row& row, std::size_t file, const std::string& where) const;

  std::optional<std::string> text(const std::string& field, std::size_t file) const;

  GivenFields without(const std::string& field) const;

 private:
  std::map<std::string, std::vector<std::string>> values_;
};

// Whether two words for the same field can both be true: "amp" and "amp_fp16", "resnet" and
// "ResNet-50", "H100" and "8x H100 SXM".
bool can_both_be(std::string_view field, const std::string& said, const std::string& given);

// Throws configuration() (78) where GPUs, batches and accumulation steps of `row` contradict each
// other.
void refuse_other_batch(const published::Row& row, const std::string& where);

// Throws configuration() (78) unless `fields` is empty: `files` lack these fields, and the message
// shows the one option that gives them.
void refuse_missing(const std::vector<std::string>& fields, const std::string& where,
                    std::size_t files);

// Throws configuration() (78) where rows with several counts of nodes have no GPUs: one count of
// GPUs cannot be that of each.
void refuse_unsized_nodes(std::span<const published::Row> rows, const std::string& where);

// Throws configuration() (78) for what a row with a rate must have and some of these have not.
void refuse_incomplete(std::span<const published::Row> rows, const std::string& where);

}  // namespace scalemark::importing
