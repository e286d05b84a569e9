#include "claims/import/given_fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <variant>

#include "claims/import/log_text.h"
#include "claims/rows/mapping.h"
#include "claims/rows/names.h"
#include "claims/rows/text_tables.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/settings/problem.h"

namespace scalemark::importing {
namespace {

using published::Row;
using Text = std::string Row::*;
using OptionalText = std::optional<std::string> Row::*;
using Count = std::optional<std::int64_t> Row::*;
using Number = std::optional<double> Row::*;

struct FieldOfRow {
  std::string_view name;
  std::variant<Text, OptionalText, Count, Number> member;
  std::string_view example;  // shown where the field is asked for
};
constexpr auto kFields = std::to_array<FieldOfRow>({
    {"gpus", &Row::gpus, "N"},
    {"nodes", &Row::nodes, "N"},
    {"batch_per_gpu", &Row::batch_per_gpu, "N"},
    {"accum", &Row::gradient_accumulation_steps, "N"},
    {"global_batch", &Row::global_batch_size, "N"},
    {"seq_len", &Row::sequence_length, "N"},
    {"precision", &Row::precision, "fp32|tf32|amp_fp16|amp_bf16|..."},
    {"system", &Row::system, "MACHINE"},
    {"workload", &Row::workload, "NETWORK"},
    {"unit", &Row::unit, "img/s|samples/s|seq/s|tokens/s"},
    {"collective", &Row::collective, "all-reduce|all-gather|..."},
    {"framework", &Row::framework, "NAME"},
    {"phase", &Row::phase, "WORD"},
    {"data", &Row::data, "synthetic|real"},
    {"scaling_label", &Row::scaling_label, "weak|strong"},
    {"backend", &Row::backend, "nccl|gloo|mpi"},
    {"repo", &Row::repo, "OWNER/NAME"},
    {"path", &Row::path, "FILE"},
    {"commit", &Row::commit, "HASH"},
    {"counts", &Row::counts, "TEXT"},
    {"note", &Row::note, "TEXT"},
});

const FieldOfRow* find_field(std::string_view name) {
  const auto found = std::ranges::find(kFields, name, &FieldOfRow::name);
  return found == kFields.end() ? nullptr : &*found;
}

bool is_text(const FieldOfRow& field) {
  return std::holds_alternative<Text>(field.member) ||
         std::holds_alternative<OptionalText>(field.member);
}

// Returns the field as a text, or nothing where the row lacks it.
std::optional<std::string> text_of(const Row& row, const FieldOfRow& field) {
  if (const auto* text = std::get_if<Text>(&field.member))
    return (row.**text).empty() ? std::nullopt : std::optional(row.**text);
  if (const auto* text = std::get_if<OptionalText>(&field.member)) return row.**text;
  if (const auto* count = std::get_if<Count>(&field.member))
    return row.**count ? std::optional(std::to_string(*(row.**count))) : std::nullopt;
  const auto& number = row.*std::get<Number>(field.member);
  return number ? std::optional(significant(*number, 9)) : std::nullopt;
}

void set_field(Row& row, const FieldOfRow& field, const std::string& value) {
  if (const auto* text = std::get_if<Text>(&field.member)) row.** text = value;
  if (const auto* text = std::get_if<OptionalText>(&field.member)) row.** text = value;
  if (const auto* count = std::get_if<Count>(&field.member))
    row.** count = count_of(number_at(value));
  if (const auto* number = std::get_if<Number>(&field.member)) row.** number = number_at(value);
}

void refuse_bad_value(const FieldOfRow& field, const std::string& value) {
  const std::string seen = "--fields: " + std::string(field.name) + " is '" + value + "'";
  if (value.empty()) throw configuration(seen, "a value is expected");
  if (is_text(field)) return;
  const bool plain = value.find_first_not_of("0123456789.,") == std::string::npos;
  const auto number = plain ? number_at(value) : std::nullopt;
  const bool whole = !std::holds_alternative<Number>(field.member);
  if (!number || !(*number > 0) || *number > 1e12 || (whole && !count_of(number)))
    throw configuration(seen, whole ? "a whole number from 1 on" : "a number above 0");
}

// Takes both spellings of a word, and returns the one that rows hold.
std::string own_spelling(std::string_view name, std::string value) {
  if (name == "collective") std::ranges::replace(value, '_', '-');
  if (name != "precision") return value;
  std::ranges::replace(value, '-', '_');
  const auto known = published::known_precisions();
  if (std::ranges::find(known, value) == known.end())
    throw configuration("--fields: precision is '" + value + "'", joined(known, ", "));
  return value;
}

// Splits "gpus=8" or "system=a, b". A part without FIELD= belongs to the value on its left.
std::vector<std::pair<std::string, std::string>> assignments(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::string_view piece : split(text, ",")) {
    const std::string part(piece);
    const std::size_t equal = part.find('=');
    if (equal != std::string::npos) {
      all.emplace_back(tables::trimmed(part.substr(0, equal)),
                       tables::trimmed(part.substr(equal + 1)));
    } else if (!all.empty()) {
      all.back().second += "," + part;
    } else {
      throw configuration("--fields begins with '" + part + "'",
                          "FIELD=VALUE,... is expected: gpus=8,precision=amp_bf16");
    }
  }
  return all;
}

// Slashes separate a count's values for the files. A text may have slashes of its own.
std::vector<std::string> values_of(const FieldOfRow& field, const std::string& value,
                                   std::size_t files) {
  const auto parts = split(value, "/");
  if (parts.size() == 1 || parts.size() == files) return {parts.begin(), parts.end()};
  if (is_text(field)) return {value};
  throw configuration("--fields: " + std::string(field.name) + " has " +
                          counted(parts.size(), "value") + ": '" + value + "'",
                      "one, or with slashes one for each of " + counted(files, "file"));
}

// Whether a table that prints "amp" or "fp16" can mean the precision that is given.
bool can_mean(std::string_view said, std::string_view given) {
  constexpr std::string_view kPairs =
      ",amp=amp_fp16,amp=amp_bf16,amp=amp (submission),fp16=amp_fp16,fp16=fp16_cast,bf16=amp_bf16,"
      "bf16=bf16_cast,fp32=fp32_or_tf32,fp32_or_tf32=fp32,fp32_or_tf32=tf32,";
  return has_any(kPairs, {"," + std::string(said) + "=" + std::string(given) + ","});
}

}  // namespace

bool can_both_be(std::string_view field, const std::string& said, const std::string& given) {
  const std::string a = published::letters_of(said), b = published::letters_of(given);
  if (a == b) return true;
  if (field == "precision") return can_mean(said, given);
  if (field == "unit") return said == "samples/s" && given != "tokens/s";
  if (field == "workload") return a.starts_with(b) || b.starts_with(a);
  if (field != "system") return false;
  const auto one = published::chip_in(said), other = published::chip_in(given);
  return !one || !other || one->name == other->name;
}

GivenFields::GivenFields(std::string_view text, std::size_t files) {
  if (text.empty()) return;
  for (const auto& [name, value] : assignments(text)) {
    const FieldOfRow* field = find_field(name);
    if (!field) {
      std::vector<std::string_view> known;
      for (const FieldOfRow& one : kFields) known.push_back(one.name);
      throw configuration("--fields names '" + name + "', which cannot be said of a row",
                          joined(known, ", "), settings::did_you_mean(name, known));
    }
    if (values_.contains(name)) throw configuration("--fields gives " + name + " twice");
    auto values = values_of(*field, value, files);
    for (std::string& one : values) {
      refuse_bad_value(*field, one);
      one = own_spelling(name, std::move(one));
    }
    values_.emplace(name, std::move(values));
  }
}

std::optional<std::string> GivenFields::text(const std::string& field, std::size_t file) const {
  const auto found = values_.find(field);
  if (found == values_.end()) return std::nullopt;
  return found->second.size() == 1 ? found->second.front() : found->second.at(file);
}

GivenFields GivenFields::without(const std::string& field) const {
  GivenFields others = *this;
  others.values_.erase(field);
  return others;
}

void GivenFields::fill(Row& row, std::size_t file, const std::string& where) const {
  for (const auto& entry : values_) {
    const std::string& name = entry.first;
    const FieldOfRow& field = *find_field(name);
    const std::string given = text(name, file).value();
    const auto said = text_of(row, field);
    const bool descriptive = name == "note" || name == "counts" || name == "path" ||
                             name == "repo" || name == "framework";
    if (said && !descriptive) {
      const bool same =
          is_text(field) ? can_both_be(name, *said, given) : number_at(*said) == number_at(given);
      if (!same)
        throw configuration(
            "--fields gives " + name + "=" + given + ", and " + where + " says " + *said,
            "leave " + name + " out, or give what is there");
    }
    set_field(row, field, said && name == "note" ? *said + "; " + given : given);
  }
}

void refuse_other_batch(const Row& row, const std::string& where) {
  if (!row.gpus || !row.batch_per_gpu || !row.global_batch_size) return;
  const double micro = static_cast<double>(*row.gpus) * *row.batch_per_gpu,
               global = static_cast<double>(*row.global_batch_size);
  const auto accumulated = row.gradient_accumulation_steps;
  const double product = micro * static_cast<double>(accumulated.value_or(1));
  const bool fits =
      accumulated ? std::fabs(product - global) <= 1e-3 * global : product <= global * (1 + 1e-3);
  if (fits) return;
  throw configuration(where + ": " + significant(*row.batch_per_gpu, 6) + " samples per GPU x " +
                          counted(*row.gpus, "GPU") +
                          (accumulated ? " x " + counted(*accumulated, "micro-step") : "") + " = " +
                          significant(product, 9) + ", and the global batch is " +
                          std::to_string(*row.global_batch_size),
                      "values of one run are expected");
}

void refuse_missing(const std::vector<std::string>& fields, const std::string& where,
                    std::size_t files) {
  if (fields.empty()) return;
  std::string words;
  for (const std::string& name : fields) {
    const FieldOfRow* field = find_field(name);
    words +=
        (words.empty() ? "" : ",") + name + "=" + std::string(field ? field->example : "VALUE");
  }
  throw configuration(
      where + (files == 1 ? " does not say: " : " do not say: ") + joined(fields, ", "),
      "add --fields '" + words + "'",
      files == 1 ? "" : "a value for each file in turn: gpus=1/2/4");
}

void refuse_unsized_nodes(std::span<const Row> rows, const std::string& where) {
  std::set<std::int64_t> counts;
  for (const Row& row : rows) {
    if (row.nodes && !row.gpus) counts.insert(*row.nodes);
  }
  if (counts.size() < 2) return;
  throw configuration(where + " counts nodes (" + std::to_string(*counts.begin()) + " to " +
                          std::to_string(*counts.rbegin()) + ") and does not say how many GPUs",
                      "a column of GPUs, or of GPUs per node, is expected", "add it to the table");
}

void refuse_incomplete(std::span<const Row> rows, const std::string& where) {
  std::vector<std::string> fields;
  const auto need = [&](const char* name, auto missing) {
    if (std::ranges::any_of(rows,
                            [&](const Row& row) { return row.metric.empty() && missing(row); }))
      fields.emplace_back(name);
  };
  need("gpus", [](const Row& row) { return !row.gpus; });
  need("system", [](const Row& row) { return row.system.empty(); });
  need("workload", [](const Row& row) { return row.workload.empty(); });
  need("precision", [](const Row& row) { return row.precision.empty() || row.precision == "amp"; });
  need("unit", [](const Row& row) { return row.unit.empty(); });
  refuse_missing(fields, where, 1);
}

}  // namespace scalemark::importing
