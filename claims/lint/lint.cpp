#include "claims/lint/lint.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/number_words.h"
#include "core/base/record_json.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/settings/problem.h"
#include "report/say/table/text_table.h"

namespace scalemark::lint {
namespace {

int rank_of(const std::string& severity) {
  return severity == kError ? 0 : severity == kWarning ? 1 : 2;
}

}  // namespace

Bounds quotient(const Printed& above, const Printed& below) {
  const double least = std::max(below.low(), below.value * 1e-3);  // above 0, for "0.1" as well
  return {std::max(0.0, above.low()) / below.high(), above.high() / least};
}

Bounds times(Bounds bounds, double factor) { return {bounds.low * factor, bounds.high * factor}; }

double gap(Bounds a, Bounds b) {
  if (a.low > b.high) return b.high > 0 ? a.low / b.high - 1 : 1;
  if (b.low > a.high) return a.high > 0 ? b.low / a.high - 1 : 1;
  return 0;
}

std::string gpus_text(const Row& row) {
  return significant(*row.gpus, 9) + (row.counts_nodes ? " node" : " GPU") +
         (*row.gpus == 1 ? "" : "s");
}

namespace {

// An info is said once: of a row, whose rates may be printed in two units, and in the same
// words of several rows.
void say_infos_once(std::vector<Finding>& findings) {
  std::set<std::pair<std::string, std::string>> said;
  std::erase_if(findings, [&](const Finding& one) {
    if (one.severity != kInfo) return false;
    const bool of_row = !one.row.empty() && !said.insert({one.kind->code, one.row}).second;
    return of_row || !said.insert({one.kind->code, "\n" + one.text}).second;
  });
}

}  // namespace

std::vector<Finding> lint(std::span<const Table> tables) {
  std::vector<SiblingFinding> siblings;
  judge_siblings(tables, siblings);
  std::vector<Finding> all;
  for (const Table& table : tables) {
    std::vector<Finding> own;
    Findings findings(table.name, own);
    judge_ratios(table, findings);
    judge_products(table, findings);
    judge_series(table, findings);
    judge_plausibility(table, findings);
    for (const SiblingFinding& one : siblings) {
      if (one.table == &table) own.push_back(one.finding);
    }
    std::ranges::stable_sort(own, {}, [](const Finding& one) { return rank_of(one.severity); });
    say_infos_once(own);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

namespace {

struct Explanation {
  const reporting::FindingKind* kind;
  const char *arithmetic, *example, *action;
};
constexpr auto kExplanations = std::to_array<Explanation>({
#define SCALEMARK_EXPLANATION(code, arithmetic, example, action) \
  {&reporting::finding_kinds::code, arithmetic, example, action},
#include "claims/lint/explanation_list.inc"
#undef SCALEMARK_EXPLANATION
});

constexpr std::size_t kIndent = 2;

std::size_t count_of(std::span<const Finding> findings, std::string_view severity) {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

// Writes "2 tables, 14 rows: 1 error, 3 infos".
std::string counts_line(std::span<const Finding> findings, const Judged& judged) {
  std::vector<std::string> texts;
  for (const char* severity : {kError, kWarning, kInfo}) {
    const std::size_t n = count_of(findings, severity);
    if (n > 0) texts.push_back(counted(n, severity));
  }
  const std::string what =
      counted(judged.tables, "table") + ", " + counted(judged.rows, "row") + ": ";
  if (!texts.empty()) return what + joined(texts, ", ");
  if (judged.compared == 0) return what + "no number could be held against another";
  return what + "nothing contradicts itself in " + counted(judged.compared, "number") +
         " that could be held against others";
}

// A finding that names no row is about the whole table.
std::string where_of(const Finding& finding) {
  return finding.row.empty() ? "" : finding.row + ": ";
}

}  // namespace

std::string findings_text(std::span<const Finding> findings, const Judged& judged,
                          const Terminal& terminal) {
  const auto width = text_width(terminal);
  std::string text = inked(terminal, Ink::kBold, counts_line(findings, judged)) + "\n";
  std::string table;
  for (const Finding& one : findings) {
    if (one.table != table) text += "\n" + with_blanks(table = one.table) + "\n";
    const std::string head =
        "  " + (one.severity == kError ? inked(terminal, Ink::kRed, one.severity) : one.severity) +
        " ";
    text += wrapped(with_blanks(where_of(one) + one.text + " [" + one.kind->code + "]"), width,
                    2 * kIndent, head);
  }
  if (!findings.empty()) {
    text += "\nscalemark lint --explain " + std::string(findings.front().kind->code) +
            "   what a code means, and what to do\n";
  }
  return text;
}

std::string markdown_text(std::span<const Finding> findings, const Judged& judged) {
  const std::string counts = counts_line(findings, judged) + "\n";
  if (findings.empty()) return counts;
  using reporting::column;
  return counts + "\n" +
         reporting::set_markdown(
             {column({"severity"}, true, findings, &Finding::severity),
              column({"code"}, true, findings, [](const Finding& one) { return one.kind->code; }),
              column({"table"}, true, findings, &Finding::table),
              column({"row"}, true, findings,
                     [](const Finding& one) {
                       return one.row.empty() ? std::string(reporting::kAbsent) : one.row;
                     }),
              column({"found"}, true, findings, &Finding::text)});
}

std::string json_lines(std::span<const Finding> findings) {
  std::string text;
  for (const Finding& one : findings) {
    nlohmann::ordered_json line{
        {"code", one.kind->code}, {"severity", one.severity}, {"table", one.table}};
    if (!one.row.empty()) line["row"] = one.row;
    line["text"] = one.text;
    text += dumped(line) + "\n";
  }
  return text;
}

std::string explanation_text(const std::string& code, const Terminal& terminal) {
  const auto found = std::ranges::find_if(
      kExplanations, [&](const Explanation& one) { return code == one.kind->code; });
  if (const auto* kind = reporting::find_finding_kind(code); kind && found == kExplanations.end()) {
    return code + " (" + kind->severity + ")\nsaid when " + kind->said_when +
           "\ndocs/reference/REPORT.md has all findings of reports, METRICS.md there their definitions\n";
  }
  if (found == kExplanations.end()) {
    std::vector<std::string> codes;
    for (const Explanation& one : kExplanations) codes.emplace_back(one.kind->code);
    const std::vector<std::string_view> names(codes.begin(), codes.end());
    throw no_input("lint has no rule '" + code + "'", joined(codes, ", "),
                   settings::did_you_mean(code, names));
  }
  const auto width = text_width(terminal);
  const auto part = [&](const char* head, const char* body) {
    return wrapped(body, width, 10, std::string(head));
  };
  return inked(terminal, Ink::kBold, code) + " (" + found->kind->severity + ")\n" +
         part("said when ", found->kind->said_when) + part("how       ", found->arithmetic) +
         part("example   ", found->example) + part("do        ", found->action);
}

std::string explanations_markdown() {
  std::string text =
      "| code | severity | said when | how | example | what to do |\n|---|---|---|---|---|---|\n";
  for (const Explanation& one : kExplanations) {
    text += "| `" + std::string(one.kind->code) + "` | " + one.kind->severity + " | " +
            one.kind->said_when + " | " + one.arithmetic + " | " + one.example + " | " +
            one.action + " |\n";
  }
  return text;
}

}  // namespace scalemark::lint
