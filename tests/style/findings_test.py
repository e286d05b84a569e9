"""Nobody searches the text of a finding or of a verdict's reason to learn what it says: its code, values, words and place are data
(report/record/finding_list.inc). Looked at are variables of these types, and strings that one function makes of their texts.
Not seen: a text that a function gets as a plain string, and one that is kept in a member or map first."""

import os
import re
from pathlib import Path

from program import check

SOURCE = Path(os.environ["SCALEMARK_SOURCE_DIR"])
# An earlier version wrote no codes beside the text.
ALLOWED = {("report/judge/point/disturbances.cpp", "record.disturbed")}

TYPES = r"(?:Finding|VerdictReason|CollectiveRecord|FingerprintRecord)"
BOUND = (rf"\b{TYPES}\s*[&*]?\s*(?:const\s*)?(\w+)", r"\bauto\s*[&*]{0,2}\s*(\w+)\s*:\s*[^;{]*\b(?:findings|reasons)\b",
         r"\b(?:findings|reasons)\b[^;{]*\[[^\]]*\]\s*\(\s*(?:const\s+)?auto\s*[&*]?\s*(\w+)",
         r"\bauto\s*[&*]?\s*(\w+)\s*=[^;{]*\b(?:findings|reasons)\b")
SEARCH = r"(?:find\w*|rfind|starts_with|ends_with|contains|compare|substr)"
PASSED = r"\b(?:regex_search|regex_match|strstr|search|contains|contains_subrange|starts_with|holds|sscanf|find)\s*\("
JS = (r"\.(?:text|reason)\s*\??\.\s*(?:includes|indexOf|startsWith|endsWith|match|search|split|slice)\s*\(", r"\.test\s*\(\s*\w+\.(?:text|reason)\b")


def functions(text):
    """The file, cut where something at its outermost level ends."""
    return re.split(r"(?m)^\}.*$", text)


def searched(text):
    """Every expression of C++ that searches a text of a finding or reason."""
    text = re.sub(r"//[^\n]*", "", text)
    found = []
    for body in functions(text):
        names = {name for pattern in BOUND for name in re.findall(pattern, body)}
        owners = [rf"\b{name}(?:\.|->)" for name in names] + [r"\b(?:findings|reasons)(?:\.\w+\(\w*\)|\[[^\]]*\])\."]
        one = rf"(?:(?:{'|'.join(owners)})(?:text|disturbed)\b)"
        copies = re.findall(rf"\b(\w+)\s*\+?=[^;=]*{one}", body) + re.findall(rf"\bstring(?:_view)?\s+(\w+)\s*[({{][^;]*?{one}", body)
        any_text = rf"(?:{one}|\b(?:{'|'.join(copies)})\b)" if copies else one
        for pattern in (rf"{any_text}\s*(?:\.c_str\(\)\s*)?[)}}]?\s*\.\s*{SEARCH}\s*\(", rf"{one}\s*[!=]=\s*\"[^\"]", rf"\"\s*[!=]=\s*{one}",
                        rf"{PASSED}[^;{{)]*?{one}"):
            found += [match[0] for match in re.finditer(pattern, body)]
    return found


# Ways in which this was done, or could be.
PLANTED = [
    'if (reason.text.starts_with("other programs")) stop();',
    'const bool lists = finding.text.rfind(": ") != std::string::npos;',
    'std::string all; all += finding->text; return all.find("CPU quota") != all.npos;',
    'for (const auto& one : report.findings) if (one.text.contains("slow")) ++n;',
    'return std::ranges::any_of(report.findings, [](const auto& one) { return one.text.ends_with("disturbed"); });',
    'if (report.findings.front().text.find("GPU") == 0) ++n;',
    'if (std::regex_search(finding.text, kPattern)) ++n;',
    'if (finding.text == "one run") ++n;',
    'const std::string_view said(reason.text); if (said.starts_with("the machine")) ++n;',
    'if (run.disturbed.find(kind.code) != std::string::npos) ++n;',
    'const auto& first = verdict.reasons.front(); if (first.text.substr(0, 5) == "other") ++n;',
]
INNOCENT = [
    'notes.push_back(finding.text + " (and more)");',
    'if (finding.code == finding_kinds::shared.code) text += finding.text;',
    'if (value.text.find(\',\') != std::string::npos) ++n;',
    'if (record.disturbed.empty()) ++n;',
]
HEAD = ("void f(const Report& report, const Finding& finding, const VerdictReason& reason, const CollectiveRecord& run,"
        " const FingerprintRecord& record, const Value& value) {\n")
PLANTED_JS = ["f.text.includes('shared')", "/quota/.test(f.text)", "p.reason?.startsWith('x')"]

for planted in PLANTED:
    check(searched(HEAD + planted + "\n}\n"), f"not seen: {planted}")
for innocent in INNOCENT:
    check(not searched(HEAD + innocent + "\n}\n"), f"no search: {innocent}")
for planted in PLANTED_JS:
    check(any(re.search(pattern, planted) for pattern in JS), f"not seen: {planted}")

files = [file for top in ("apps", "core", "report", "claims", "engine") for file in sorted((SOURCE / top).rglob("*"))]
sources = [file for file in files if file.suffix in (".cpp", ".h") and re.search(r"\b" + TYPES + r"\b|\bfindings\b|\breasons\b", file.read_text())]
wrong = [f"{file.relative_to(SOURCE)}: {found}" for file in sources for found in searched(file.read_text())
         if not any(str(file.relative_to(SOURCE)) == name and text in found for name, text in ALLOWED)]
pages = [file for file in files if file.suffix == ".js"]
wrong += [f"{file.relative_to(SOURCE)}: {match[0]}" for file in pages for pattern in JS for match in re.finditer(pattern, file.read_text())]
check(not wrong, "a text is searched for what its finding has as data:\n" + "\n".join(wrong))
print(f"{len(sources)} files that know findings, and {len(pages)} of pages, search no text of one")
