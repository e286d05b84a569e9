// A page of an answer that is no report's, in the frame of reports' pages: answer, figures,
// sections. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/reporting/render/answer/answer.h"
#include "core/reporting/render/figures/plot.h"
#include "core/reporting/table/section.h"

namespace scalemark::reporting {

struct AnswerPage {
  std::string title, verdict;  // one of the `verdicts` of page/sections.js
  Answer answer;
  std::vector<Section> sections;
  std::vector<Plot> figures;
  std::vector<std::string> facts;  // where and when the numbers are from
  std::string text;                // for a browser without scripts
};

std::string render_page(const AnswerPage& page);

}  // namespace scalemark::reporting
