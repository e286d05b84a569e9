// An acceptance as one HTML page that opens offline: the hand-over, each class as a strip, and the
// links as a matrix. It has no script, and as light or dark as the reader's system is.
#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/reporting/acceptance/forms.h"
#include "core/reporting/render/text.h"
#include "core/reporting/table/fingerprint_table.h"

namespace scalemark::acceptance {
namespace {

using reporting::html_escaped;

constexpr const char* kHead =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";

std::string paragraph(const std::string& text) {
  return "<p class=\"faint\">" + html_escaped(text) + "</p>\n";
}

std::string card(const std::string& title, const std::string& body) {
  return "<section class=\"card\"><h2>" + html_escaped(title) + "</h2>\n" + body + "</section>\n";
}

std::string notes_list(const Acceptance& acceptance) {
  std::string items;
  for (const std::string& text : remarks_of(acceptance)) {
    items += "<li>" + html_escaped(text) + "</li>\n";
  }
  return items.empty() ? "" : "<ul class=\"notes\">\n" + items + "</ul>\n";
}

std::string sentences_card(const Acceptance& acceptance, const OutcomeTitle& section) {
  std::string rows;
  for (const PartSentence& one : sentences_of(acceptance, section.outcome)) {
    rows += "<tr><td class=\"part " + std::string(name_of(section.outcome)) + "\">" +
            html_escaped(one.part) + "</td><td class=\"long\">" + html_escaped(one.text) +
            "</td></tr>\n";
  }
  if (rows.empty()) return "";
  return card(section.title, "<div class=\"scroll\"><table>\n" + rows + "</table></div>\n");
}

std::vector<const CheckResult*> results_of(const Acceptance& acceptance, const CheckedClass& of) {
  std::vector<const CheckResult*> results;
  for (const CheckResult& one : acceptance.results) {
    if (one.check == of.check && one.of_class == of.of_class) results.push_back(&one);
  }
  return results;
}

// "60 passed, 3 failed"
std::string counts_text(const std::vector<const CheckResult*>& results) {
  std::vector<std::string> texts;
  for (const auto& word : words_of(Outcome())) {
    const auto count = std::ranges::count(results, word.value, &CheckResult::outcome);
    if (count > 0) texts.push_back(std::to_string(count) + " " + std::string(word.name));
  }
  return joined(texts, ", ");
}

std::string strip_card(const Acceptance& acceptance, const CheckedClass& of) {
  const auto results = results_of(acceptance, of);
  std::string about = of.of_class + ": " + counts_text(results);
  if (of.reference) {
    about += "; reference " + reporting::rate_text(*of.reference, of.unit) + " (" +
             of.reference_from + ")";
  }
  if (of.smallest_decidable) {
    about += printed("; finds what is %.1f %% slower", 100 * *of.smallest_decidable);
  }
  const std::string svg = strip_svg(results);
  std::string body = paragraph(about);
  if (!of.doubt.empty()) body += paragraph("! " + of.doubt);
  if (svg.empty()) return card(of.check, body + paragraph("There is no reference yet."));
  return card(of.check, body + "<figure>" + svg + "</figure>\n");
}

std::string links_cards(const Acceptance& acceptance) {
  std::map<std::string, std::vector<const CheckResult*>> checks;
  for (const CheckResult& one : acceptance.results) {
    const bool is_speed = one.part.kind == PartKind::kLink && one.value && !one.unit.empty();
    if (is_speed) checks[one.check].push_back(&one);
  }
  std::string text;
  for (const auto& [check, links] : checks) {
    const std::string svg = links_svg(links);
    if (svg.empty()) continue;
    text += card(check, paragraph(counts_text(links) + "; limit from " + links.front()->limit_from +
                                  "; the darker, the faster") +
                            "<figure>" + svg + "</figure>\n");
  }
  return text;
}

}  // namespace

std::string page_text(const Acceptance& acceptance, const std::string& at) {
  const std::string outcome(name_of(acceptance.outcome));
  std::string text = std::string(kHead) + "<title>Acceptance: " + outcome + "</title>\n<style>\n" +
                     kPageStyle + "</style>\n</head>\n<body>\n<main>\n<h1 class=\"" + outcome +
                     "\">" + html_escaped(head_text(acceptance)) + "</h1>\n";
  for (const std::string& line : resolution(acceptance)) text += paragraph(line);
  for (const std::string& line : acceptance.published) text += paragraph(line);
  text += notes_list(acceptance);
  for (const OutcomeTitle& section : kOutcomeTitles) text += sentences_card(acceptance, section);
  for (const CheckedClass& one : acceptance.classes) text += strip_card(acceptance, one);
  text += links_cards(acceptance);
  text += paragraph(
      "dot: passed; diamond: failed; hollow square: unsure; cross: no speed to judge. "
      "Lines are 99 % intervals. Point at a mark for its name and number.");
  return text +
         paragraph("scalemark accept, " + at + "; exit code " +
                   std::to_string(static_cast<int>(acceptance.exit_code))) +
         "</main>\n</body>\n</html>\n";
}

}  // namespace scalemark::acceptance
