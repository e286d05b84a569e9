// Draws the answer of a report as a badge for a README: one line of text in the colour of its
// verdict.

#include <string>

#include "core/base/error.h"
#include "core/base/number_words.h"
#include "core/base/text.h"
#include "report/record/surety.h"
#include "report/record/verdict.h"
#include "report/say/render/answer/answer.h"
#include "report/say/render/render.h"
#include "report/say/render/text.h"
#include "report/say/words/words.h"

namespace scalemark::reporting {
namespace {

constexpr double kHeight = 20, kLetter = 6.2, kMargin = 7;  // px; letters of 11 px, on average

// Writes "2 ranks 1.41x, 70 % (64 to 77)".
std::string in_brief(const ScalingRow& row) {
  const std::string text = counted(row.world_size, "rank") + " " + speed_up_text(row) + "x, " +
                           efficiency_text(row, " %");
  return surety_of(row) == Surety::kNoInterval ? text
                                               : text + " (" + efficiency_interval(row) + ")";
}

std::string badge_text(const Report& report) {
  if (!report.verdict) return "nothing was measured";
  const std::string words = quoting_words(report.verdict->level);
  const Answer answer = answer_of(report, "");
  // A badge is all that its reader sees: nothing in it excuses a number.
  if (report.verdict->level == VerdictLevel::kDoNotQuote) return words;
  if (answer.asked && answer.asked->efficiency) return in_brief(*answer.asked) + ", " + words;
  if (answer.figures.empty()) return words;
  return answer.figures.front().value + " " + answer.figures.front().label + ", " + words;
}

// White text stands out from each of these.
const char* badge_color(const Report& report) {
  if (!report.verdict) return "#5d6878";
  switch (report.verdict->level) {
    case VerdictLevel::kQuotable:
      return "#1a7f4b";
    case VerdictLevel::kWithCare:
      return "#8a6100";
    case VerdictLevel::kDoNotQuote:
      return "#c0392b";
  }
  return "";
}

std::string box(double x, double width, const char* color, const std::string& text) {
  const double middle = x + width / 2;
  return "<rect x=\"" + significant(x, 6) + "\" width=\"" + significant(width, 6) + "\" height=\"" +
         significant(kHeight, 6) + "\" fill=\"" + color + "\"/><text x=\"" +
         significant(middle, 6) + "\" y=\"14\" text-anchor=\"middle\" textLength=\"" +
         significant(width - 2 * kMargin, 6) +
         "\" lengthAdjust=\"spacingAndGlyphs\" fill=\"#fff\">" + xml_escaped(text) + "</text>";
}

double box_width(const std::string& text) {
  return 2 * kMargin + kLetter * static_cast<double>(text.size());
}

}  // namespace

std::string render_badge(std::span<const Report> reports) {
  if (reports.size() != 1) throw takes_one_report("badge", reports.size());
  const std::string name = "scalemark", text = badge_text(reports.front());
  const double left = box_width(name), right = box_width(text);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + significant(left + right, 6) +
         "\" height=\"" + significant(kHeight, 6) +
         "\" role=\"img\" font-family=\"Verdana, Helvetica, Arial, sans-serif\" "
         "font-size=\"11\"><title>" +
         xml_escaped(name + ": " + text) + "</title>" + box(0, left, "#1b2330", name) +
         box(left, right, badge_color(reports.front()), text) + "</svg>\n";
}

}  // namespace scalemark::reporting
