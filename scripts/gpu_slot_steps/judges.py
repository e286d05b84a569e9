"""Pure judges: from reports and logs to a verdict with the number that matters. Tested on written-down reports."""

import json
import math

from .step import failed, passed

DRAM_SHARE = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
ATTENTION_LIMITS = {"bfloat16": 2e-2, "float16": 4e-3, "float32": 1e-4}  # relative to the largest value


def ok_point(result):
    """The first row of a complete report; raises ValueError, saying what is wrong with it."""
    if result.report is None:
        raise ValueError("no report.json")
    point = result.point()
    if result.report["status"] != "complete" or point["status"] != "ok":
        raise ValueError(f"report {result.report['status']}, row {point['status']} {point.get('reason', '')}".strip())
    losses = [point["loss"].get(k) for k in ("first", "last")]
    if not all(isinstance(loss, float) and math.isfinite(loss) for loss in losses):
        raise ValueError(f"losses {losses}")
    return point


def shown(point):
    """'3041.2 /s, 12.3 GiB, mfu 0.41'."""
    mfu = f", mfu {point['mfu']:.2f}" if "mfu" in point else ""
    return f"{point['samples_per_sec']:.1f} /s, {point['memory_peak_bytes'] / 2**30:.2f} GiB{mfu}"


def trains(run):
    """It has trained on a GPU and measured what a report must hold."""
    def judge(results):
        point = ok_point(results[run])
        if not point["device"].startswith("cuda"):
            return failed(f"trained on {point['device']}")
        if point["memory_peak_bytes"] <= 0 or point["samples_per_sec"] <= 0:
            return failed(f"peak {point['memory_peak_bytes']} bytes, {point['samples_per_sec']} samples/s")
        return passed(shown(point))
    return judge


def answered(*runs):
    """Each claim was measured; the figure has what came of it."""
    def judge(results):
        claims = [claim for run in runs for claim in (results[run].report or {}).get("claims", [])]
        text = ", ".join(f"{claim['row']} {claim['verdict'].replace('_', ' ')}" for claim in claims)
        return passed(text) if claims and all("measured" in claim for claim in claims) else failed(text or "no report has claims")
    return judge


def keeps_its_bits(run):
    """Every replay was done and gave the same bits; a product that is held is no slower than nine tenths of a short one."""
    def judge(results):
        ok_point(results[run])
        report = results[run].report
        bad = [f"{one['work']} {one['precision']}: {one.get('reason') or one['first_wrong']}" for one in report["replays"]
               if one["wrong"] or not one.get("digest")]
        if bad or not report["replays"]:
            return failed("; ".join(bad) or "nothing was replayed")
        held = next(one for one in report["fingerprint"] if one["what"] == "sustained-product")
        burst = next(one for one in report["fingerprint"]
                     if one["what"] == "matrix-product" and one["precision"] == held["precision"])
        rounds = sum(one["rounds"] for one in report["replays"])
        text = (f"{rounds} rounds, the same bits; {held['precision']} {held['value'] / 1e12:.0f} of {burst['value'] / 1e12:.0f} TFLOP/s held, "
                f"{held.get('sm_clock_MHz', 0):.0f} MHz, {held.get('power_W', 0):.0f} W, {held.get('temperature_C', 0):.0f} C")
        return passed(text) if held["value"] >= 0.9 * burst["value"] else failed(text)
    return judge


def ended_as_expected(figure):
    """The exit code decides alone, and it was checked before."""
    return lambda results: passed(figure)


def last_line_of(run):
    """Ended as expected; the number that matters is in its last line."""
    def judge(results):
        lines = [line for line in results[run].log.splitlines() if line.strip()]
        return passed(lines[-1].strip()[:120] if lines else "")
    return judge


def memcheck_clean(run):
    """compute-sanitizer has run to its end and found nothing."""
    def judge(results):
        sums = [line.strip("= ").strip() for line in results[run].log.splitlines() if "ERROR SUMMARY" in line]
        if not sums:
            return failed("compute-sanitizer said nothing of errors: see its log")
        text = f"{sums[-1]} ({last_said(results[run].log, 'checking')})"
        return passed(text) if sums[-1].startswith("ERROR SUMMARY: 0 errors") else failed(text)
    return judge


def last_said(log, start):
    return next((line for line in reversed(log.splitlines()) if line.startswith(start)), "")


def profiled(run):
    """ncu has measured kernels; the figure is the nearest that one came to the memory's peak."""
    def judge(results):
        lines = [line.split() for line in results[run].log.splitlines()]
        shares = [float(words[-1].replace(",", "")) for words in lines if words[:1] == [DRAM_SHARE]]
        if not shares:
            return failed("no kernel was profiled: see its log")
        return passed(f"{len(shares)} kernels, at most {max(shares):.0f} % of the memory's peak")
    return judge


def sees_a_gpu(run):
    """doctor names the GPU and its compute capability: the driver's library was found and understood."""
    def judge(results):
        found = [line.strip() for line in results[run].log.splitlines() if "compute capability" in line]
        return passed(found[0]) if found else failed("doctor names no GPU: see its log")
    return judge


def relative(a, b):
    return abs(a - b) / max(abs(a), abs(b))


def same_losses(one, other, first_limit, last_limit):
    """Compares two runs with the same seed: the first step's loss shows forward alone, the last's all of a step."""
    def judge(results):
        a, b = (ok_point(results[run])["loss"] for run in (one, other))
        first, last = relative(a["first"], b["first"]), relative(a["last"], b["last"])
        text = f"first {first:.1e} (<= {first_limit:g}), last {last:.1e} (<= {last_limit:g}) relative"
        return passed(text) if first <= first_limit and last <= last_limit else failed(
            f"{text}: {one} {a['first']:.6f} -> {a['last']:.6f}, {other} {b['first']:.6f} -> {b['last']:.6f}")
    return judge


def same_evaluation(cpu, cuda, limit):
    """Losses on held-out samples, where dropout is off, after an epoch that hardly moves the weights."""
    def judge(results):
        a, b = (ok_point(results[run])["evaluation"][-1]["loss"] for run in (cpu, cuda))
        text = f"{relative(a, b):.1e} relative (<= {limit:g}): cpu {a:.6f}, cuda {b:.6f}"
        return passed(text) if relative(a, b) <= limit else failed(text)
    return judge


def learned(run, vocabulary, share):
    """The loss on held-out documents is far below ln(vocabulary), the loss of guessing the masked tokens."""
    def judge(results):
        loss = ok_point(results[run])["evaluation"][-1]["loss"]
        guessing = math.log(len(vocabulary.read_text().splitlines()))
        text = f"held-out loss {loss:.3f} = {loss / guessing:.2f} ln(vocabulary), at most {share:g}"
        return passed(text) if loss <= share * guessing else failed(text)
    return judge


def refused(run, *quoted):
    """The one error line names what was seen."""
    def judge(results):
        missing = [text for text in quoted if text not in results[run].log]
        return failed(f"the error line lacks {missing}") if missing else passed(
            f"exit {results[run].code}, as it should")
    return judge


def out_of_memory_row(run):
    """The small batch is ok, the large one a row `oom` with what was asked for, and the sweep ran to its end."""
    def judge(results):
        report = results[run].report
        rows = {row["batch_size"]: row for row in report["points"]}
        small, large = rows[min(rows)], rows[max(rows)]
        if report["status"] != "complete" or small["status"] != "ok" or large["status"] != "oom":
            return failed(f"report {report['status']}, rows {[(b, row['status']) for b, row in sorted(rows.items())]}")
        asked = large.get("oom", {}).get("requested_bytes")
        return passed(
            f"batch {max(rows)}: oom{f', {asked / 2**20:.0f} MiB refused' if asked else ''}; batch {min(rows)}: ok")
    return judge


def attention_agrees(run, limits=ATTENTION_LIMITS):
    """Every backend that takes the input is as near to float32 math as its precision allows; the figure: the worst."""
    def judge(results):
        rows = [json.loads(line) for line in results[run].log.splitlines() if line.startswith("{")]
        compared = [row for row in rows if "output_error" in row]
        wrong = [row for row in compared if not worst_error(row) <= limits[row["dtype"]]]
        if wrong:
            return failed("; ".join(f"{name_of(row)}: {worst_error(row):.1e}" for row in wrong[:3]))
        if not {"math"} < {row["backend"] for row in compared}:
            return failed("no backend but math could be compared")
        worst = max(compared, key=lambda row: worst_error(row) / limits[row["dtype"]])
        refusals = sum("refused" in row for row in rows)
        return passed(f"{len(compared)} agree, {refusals} refused; worst {name_of(worst)}: {worst_error(worst):.1e}; "
                      f"torch takes {', '.join(sorted({row['choice'] for row in rows if 'choice' in row}))}")
    return judge


def worst_error(row):
    """NaN counts as the worst."""
    return max((row[key] for key in ("output_error", "gradient_error")),
               key=lambda error: math.inf if math.isnan(error) else error)


def name_of(row):
    return f"{row['backend']} {row['dtype']} {'padded' if row['padded'] else 'full'} s={row['tokens']}"
