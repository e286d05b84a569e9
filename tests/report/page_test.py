"""The HTML page in a browser: it opens offline, every chart has drawn, the console is clean, tables
sort, figures can be saved, names stay text. Chromium runs headless; skipped with a reason where there is none.

`page_test.py FOLDER` keeps the page and screenshots (light, dark, phone, print) there.
"""
import base64
import csv
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree

from browser import Browser, program

BINARY = pathlib.Path(os.environ["SCALEMARK_BINARY_DIR"])
PROBE = """<script>
window.addEventListener('load', () => setTimeout(async () => {
  const drawn = [...document.querySelectorAll('canvas')].map(canvas => {
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    const colours = new Set();
    for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3] > 200) colours.add(pixels[i] >> 4 << 8 | pixels[i + 1] >> 4 << 4 | pixels[i + 2] >> 4);
    return {name: canvas.getAttribute('aria-label'), colours: colours.size, width: canvas.width};
  });
  const plots = [...document.querySelectorAll('.plot svg')].filter(svg => getComputedStyle(svg).display !== 'none').map(svg => {
    const box = svg.getBoundingClientRect(), marks = [...svg.querySelectorAll('circle, path, rect')];
    return {name: svg.querySelector('title').textContent, marks: marks.length, width: box.width, room: svg.parentElement.clientWidth,
            letters: parseFloat(getComputedStyle(svg.querySelector('text')).fontSize) * box.width / svg.viewBox.baseVal.width,
            inks: new Set(marks.map(mark => getComputedStyle(mark).fill + getComputedStyle(mark).stroke)).size,
            outside: [...svg.querySelectorAll('text')].filter(text => {
              const at = text.getBoundingClientRect();
              return at.left < box.left - 1 || at.right > box.right + 1 || at.bottom > box.bottom + 1;
            }).map(text => text.textContent)};
  });
  const saved = [], click = HTMLAnchorElement.prototype.click;
  HTMLAnchorElement.prototype.click = function() { saved.push({file: this.download, url: this.href}); };
  document.querySelectorAll('.save button').forEach(button => button.click());
  for (let i = 0; i < 200 && saved.length < document.querySelectorAll('.save button').length; i++) await new Promise(done => setTimeout(done, 10));
  HTMLAnchorElement.prototype.click = click;
  const cells = row => [...row.cells].map(cell => cell.textContent);
  const tables = [...document.querySelectorAll('table')].map(table => ({
    title: table.closest('section').querySelector('h2').textContent, heads: cells(table.tHead.rows[0]),
    rows: [...table.tBodies[0].rows].map(cells)}));
  const sorted = [...document.querySelectorAll('table')].map(table => {
    const head = [...table.querySelectorAll('th')].find(th => ['samples/s', 'samples per s'].includes(th.textContent));
    if (!head) return null;
    const column = [...head.parentNode.children].indexOf(head);
    head.firstChild.click();
    return [...table.tBodies[0].rows].map(row => row.cells[column].textContent.replaceAll(',', '')).filter(text => !isNaN(text)).map(Number);
  }).filter(Boolean);
  const picker = document.querySelector('select[aria-label="x axis"]');
  const axes = picker ? [...picker.options].map(option => option.textContent) : [];
  const images = axes.map((_, i) => {
    picker.value = String(i);
    picker.dispatchEvent(new Event('change'));
    return picker.closest('p').parentElement.querySelector('.plot').textContent;
  });
  const links = [...document.querySelectorAll('.contents a')].map(link => [link.textContent, document.querySelector(`[id="${link.hash.slice(1)}"] h2`)?.textContent]);
  const cards = [...document.querySelectorAll('.card h2')].map(head => head.textContent);
  const seen = [...document.querySelectorAll('th')].filter(head => head.getBoundingClientRect().right <= innerWidth + 1 && head.offsetWidth).map(head => head.textContent);
  const explained = [...document.querySelectorAll('abbr')].map(word => [word.textContent, word.title]);
  const headings = [...document.querySelectorAll('figure h3')].map(head => head.textContent);
  const words = [...document.querySelectorAll('ul.words li')].map(item => item.textContent);
  const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
  document.body.replaceChildren();
  const answer = document.createElement('pre');
  answer.id = 'found';
  answer.textContent = JSON.stringify({drawn, plots, saved, axes, pictures: new Set(images).size, sorted, tables, words, wide, links, cards, seen, explained, headings, theme: document.documentElement.dataset.theme, alerted: window.alerted || 0});
  document.body.append(answer);
}, 100));
</script></body>"""
CHARTS = {"Histogram", "Timeline", "Ranks"}
PLOTS = {"Effects", "Speed-up", "Scaling efficiency", "From ideal to measured", "Throughput against an option", "Where a step goes",
         "Every run", "Peak against estimate", "Devices"}


def chromium(folder, page, *options):
    return subprocess.run([program(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                           f"--user-data-dir={folder}/profile", "--hide-scrollbars", "--enable-logging=stderr", "--v=0",
                           "--run-all-compositor-stages-before-draw", "--virtual-time-budget=4000", *options,
                           page.resolve().as_uri()], capture_output=True, text=True, timeout=120)


class Pages:
    """Opens pages one after the other in one browser, which takes a second to start."""

    def __init__(self, browser, folder):
        self.browser, self.folder, self.count = browser, folder, 0

    def open(self, text, width=800, height=600, dark=False):
        """Opens a page and returns what the probe found in it."""
        self.count += 1
        page = self.folder / f"probe-{self.count}.html"
        head = "<script>window.alerted = 0; window.alert = () => { window.alerted++; };</script>"
        csp = text.replace("<head>", "<head>" + head, 1)
        page.write_text(csp[:csp.rindex("</body>")] + PROBE + csp[csp.rindex("</body>") + len("</body>"):], encoding="utf-8")
        self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.browser.call("Page.navigate", url=page.resolve().as_uri())
        found = self.browser.until(f"location.href.endsWith('/{page.name}') && document.getElementById('found')?.textContent")
        assert not self.browser.console, self.browser.console
        answer = json.loads(found)
        assert answer["alerted"] == 0, "a name ran as a script"
        return answer


def check_drawn(answer, charts, plots):
    """Charts (canvas) and plots (SVG) are those, none of them empty, and no text of a plot leaves its picture."""
    assert {chart["name"] for chart in answer["drawn"]} == charts, answer["drawn"]
    assert {plot["name"] for plot in answer["plots"]} == plots, [plot["name"] for plot in answer["plots"]]
    blank = [chart for chart in answer["drawn"] if chart["colours"] < 3 or chart["width"] < 100]
    blank += [plot for plot in answer["plots"] if plot["marks"] < 3 or plot["inks"] < 2 or plot["width"] < 100 or plot["outside"]]
    assert not blank, blank
    empty = [plot for plot in answer["plots"] if plot["width"] < 0.97 * plot["room"] or not 9 <= plot["letters"] <= 24]
    assert not empty, f"figures that leave room, or whose letters are too small or large: {empty}"


def check_saved(answer, figures):
    """Each figure's buttons give its SVG, a picture and its numbers: those that --format svg writes, where it writes them."""
    of_pages = {}
    for one in answer["saved"]:
        kind, _, content = one["url"].partition(",")
        of_pages[one["file"]] = content
        if one["file"].endswith(".png"):
            assert kind == "data:image/png;base64" and base64.b64decode(content).startswith(b"\x89PNG"), one["file"]
    stems = {file.stem for file in figures.glob("*.csv")}
    on_page = {pathlib.Path(file).stem for file in of_pages}
    assert len(of_pages) == 3 * len(answer["plots"]) + 2 * len(answer["drawn"]), sorted(of_pages)
    assert len(on_page & stems) == len(answer["plots"]), (on_page, stems)
    for stem in on_page & stems:
        for page, file in ((f"{stem}.svg", f"{stem}-89mm.svg"), (f"{stem}.csv", f"{stem}.csv")):
            assert urllib.parse.unquote(of_pages[page]) == (figures / file).read_bytes().decode(), file


LIGHT_DARK_PHONE = ({}, {"dark": True}, {"width": 390, "height": 900})


def check_sweep(pages, folder):
    text = (folder / "sweep.html").read_text(encoding="utf-8")
    for options in LIGHT_DARK_PHONE:
        answer, theme = pages.open(text, **options), "dark" if "dark" in options else "light"
        check_drawn(answer, CHARTS, PLOTS)
        check_saved(answer, folder / "sweep.figures")
        assert answer["theme"] == theme, answer["theme"]
        assert not answer["wide"], f"{options}: the page is wider than the window"
        assert {"efficiency (95 %)", "effic. %"} <= set(answer["seen"]), f"{options}: these heads are in sight: {answer['seen']}"
        assert [text for text, _ in answer["links"]] == [target for _, target in answer["links"]] == answer["cards"][:-1], answer["links"]
        assert answer["cards"][-1] == "Words" and {"rank", "window"} <= {word.lower() for word, _ in answer["explained"]}, answer["explained"]
        assert any(head.startswith("From ideal to measured: ") and "ranks" in head for head in answer["headings"]), answer["headings"]
        assert answer["axes"] == ["batch per rank", "ranks"] and answer["pictures"] == 2, answer["axes"]
        assert len(answer["sorted"]) >= 4
        for column in answer["sorted"]:
            assert len(column) > 1 and column == sorted(column), column
    return len(text)


def table_of(answer, title, *heads):
    """The rows of a page's table as they stand there: one dict per row."""
    found = [t for t in answer["tables"] if t["title"] == title and set(heads) <= set(t["heads"])]
    assert found, (title, [(t["title"], t["heads"]) for t in answer["tables"]])
    return [dict(zip(table["heads"], row)) for table in found for row in table["rows"]]


def readable(value):
    """Writes a value as every rendering shows numbers from 0.1 to 1e7."""
    return f"{value:,.{0 if value >= 999.95 else 1 if value >= 99.995 else 2 if value >= 0.9995 else 3}f}"


def check_cells(pages, folder):
    """The page holds the values of the report."""
    report = json.loads((folder / "planted.json").read_text(encoding="utf-8"))
    answer = pages.open((folder / "planted.html").read_text(encoding="utf-8"))
    rows = table_of(answer, "Scaling", "ranks", "effic. %")
    expected = [row for table in report["scaling"] for row in table["rows"]]
    assert len(rows) == len(expected) >= 4 and all(any(key in row for row in expected) for key in ("unsteady_runs", "at_least"))
    for row, scaling in zip(rows, expected):
        assert int(row["ranks"]) == scaling["world_size"]
        assert row["samples per s"] == readable(scaling["samples_per_sec"])
        assert row["step ms"] == readable(1000 * scaling["step_time_s"])
        if "efficiency" not in scaling:
            assert (row["speed-up"], row["effic. %"], row["effic. 95 %"]) == ("\u2013", "\u2013", "baseline"), row
            continue
        if "at_least" in scaling:  # the row that write-sweeps made so
            assert row["effic. 95 %"] == "one run", row
        low, high = scaling.get("efficiency_ci95", (1, 1))
        if "unsteady_runs" in scaling or not 0 < high <= 4 * low:
            assert (row["speed-up"], row["effic. %"]) == (f"~{scaling['speedup']:.1f}", f"~{100 * scaling['efficiency']:.0f}"), row
        else:
            assert row["effic. %"] == f"{100 * scaling['efficiency']:.1f}", (row, scaling["efficiency"])
    runs = table_of(answer, "Runs", "id", "status")
    assert [(run["id"], run["status"]) for run in runs] == [(p["id"], p["status"]) for p in report["points"]]
    for run, point in zip(runs, report["points"]):
        assert run["samples/s"] == readable(point["samples_per_sec"])
        assert run["step ms"] == readable(1000 * point["wall_s"] / point["iterations"])
    groups = table_of(answer, "Points over their repetitions", "min to max of the runs")
    assert len(groups) == len(report["groups"]) > 4
    for row, group in zip(groups, report["groups"]):
        assert row["min to max of the runs"] == " to ".join(map(readable, group["range"]))
    devices = table_of(answer, "Devices, each by itself (no exchange)", "uuid begins")
    assert len(devices) == len(report["devices"]) == 8
    for row, device in zip(devices, report["devices"]):
        assert row["rank"] == str(device["rank"]) and device["uuid"].startswith(row["uuid begins"]), (row, device)
        assert readable(device["samples_per_sec"]) in row.values(), (row, device)
    rank, = table_of(answer, "Ranks that stand out", "slower by %")
    assert (rank["rank"], rank["slower by %"], rank["at least % (95 %)"], rank["slow in runs"]) == ("3", "64.9", "49.2", "5 of 5"), rank
    effects = table_of(answer, "What options give", "faster by % (95 %)", "verdict")
    heads = list(effects[0])
    assert heads.index("verdict") == heads.index("faster by % (95 %)") + 1, f"the verdict is cut off in narrow windows: {heads}"
    assert [row["ranks"] for row in effects] == ["2", "4"]
    assert {key: effects[0][key] for key in ("option", "value", "against", "faster by % (95 %)", "pairs", "memory MiB", "verdict")} == {
        "option": "bucket_cap_mb", "value": "100", "against": "25", "faster by % (95 %)": "+2.8  (+1.4 to +4.2)", "pairs": "5",
        "memory MiB": "+210", "verdict": "real"}, effects
    split = table_of(answer, "Where variance comes from", "to buy")
    groups = [group for group in report["groups"] if "variance" in group]
    assert [row["point"] for row in split] == [group["group"] for group in groups] and len(groups) >= 4
    for row, variance in zip(split, (group["variance"] for group in groups)):
        assert row["by steps %"] == f"{100 * variance['steps']:.2f}", (row, variance)
        assert row["to buy"] == variance["buy"], (row, variance)
    cost, = table_of(answer, "Communication cost over repetitions", "cost ms")
    assert (cost["cost ms"], cost["contention ms"], cost["comm. effic. %"]) == ("2.10", "-0.100", "87.5"), cost
    product, lone, held = table_of(answer, "What the machine does by itself", "rate")
    assert "1.43 TFLOP/s" in product["rate"] and lone["rate"] == "not measured" and "held for 60 s" in held["how"], (product, lone, held)
    errors = [row for row in table_of(answer, "Findings", "severity", "what") if row["severity"] == "error"]
    assert [(e["code"], e["what"]) for e in errors] == [
        ("E_BAD_DATA", "seen this; expected that; planted suggestion")], errors


def check_whole_steps(pages, folder):
    """A sweep whose steps have no phases: the figures that need them are left out, the others drawn."""
    answer = pages.open((folder / "whole_steps.html").read_text(encoding="utf-8"))
    check_drawn(answer, CHARTS, PLOTS - {"Effects", "Where a step goes", "From ideal to measured", "Throughput against an option"})


def check_collectives(pages, folder):
    """The page of collectives: its charts are drawn, and its tables hold the values of the report."""
    report = json.loads((folder / "collectives.json").read_text(encoding="utf-8"))
    text = (folder / "collectives.html").read_text(encoding="utf-8")
    for options in LIGHT_DARK_PHONE:
        answer = pages.open(text, **options)
        check_drawn(answer, set(), {"Bus bandwidth over size", "Latency over size", "Effects"})
        assert not answer["wide"], f"{options}: the page is wider than the window"
    tables = [table for table in answer["tables"] if table["title"] == "Collectives"]
    shown = [cell for table in tables for row in table["rows"] for cell in row]
    groups = report["collective_groups"]
    assert len(groups) > 40
    for group in groups:
        if "time_s" in group:
            assert readable(1e6 * group["latency_s"]["p99"]) in shown, group
            assert any(cell.split(" +- ")[0] == readable(1e6 * group["time_s"]) for cell in shown), group
    for winner in report["collective_winners"]:
        assert winner["in_words"] in answer["words"], winner
    effects = table_of(answer, "What backends and options give", "times faster")
    assert [row["verdict"] for row in effects] == [effect["verdict"] for effect in report["effects"]]
    fits = table_of(answer, "Latency and bandwidth, fitted", "bandwidth GB/s")
    assert [row["bandwidth GB/s"].split(" ")[0] for row in fits] == [readable(fit["bandwidth_GBps"]) for fit in report["collective_fits"]]
    link, = table_of(answer, "Links", "from")
    assert (link["from"], link["to"], link["latency us"]) == ("gpu-node-07", "gpu-node-08", "6,500"), link
    runs = table_of(answer, "Runs", "id", "#wrong")
    assert [run["id"] for run in runs] == [run["id"] for run in report["collectives"]]


def check_acceptance(pages, folder):
    """The page of a fleet: a figure of its parts, and a table that holds what did not pass."""
    subprocess.run([BINARY / "tests/core_tool", "write-fleets", folder / "fleet", "1", "12"], check=True, timeout=60)
    page = folder / "fleet.html"
    subprocess.run([BINARY / "scalemark", "accept", folder / "fleet/0/acc", "--format", f"html={page}"], check=False, capture_output=True, timeout=60)
    for options in LIGHT_DARK_PHONE:
        answer = pages.open(page.read_text(encoding="utf-8"), **options)
        check_drawn(answer, set(), {"Parts against the reference"})
        assert not answer["wide"], f"{options}: the page is wider than the window"
    rows = table_of(answer, "What did not pass", "outcome")
    assert [row["part"] for row in rows if row["outcome"] == "failed"] == ["node002 cuda:1", "node003"], rows


def csv_rows(file):
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


def check_figures(folder):
    """The files of --format svg: SVG of two widths whose text is text, drawn by librsvg as well, and the report's numbers as CSV."""
    report = json.loads((folder / "sweep.json").read_text(encoding="utf-8"))
    figures = folder / "sweep.figures"
    pictures = sorted(figures.glob("*.svg"))
    assert len(pictures) == 2 * len(list(figures.glob("*.csv"))) > 20, pictures
    for picture in pictures:
        root = xml.etree.ElementTree.parse(picture).getroot()
        width = "89mm" if picture.stem.endswith("-89mm") else "183mm"
        texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
        assert root.get("width") == width and len(texts) > 4, (picture, root.get("width"), texts)
        if shutil.which("rsvg-convert"):
            drawn = subprocess.run(["rsvg-convert", picture], capture_output=True, check=True, timeout=60)
            assert drawn.stdout.startswith(b"\x89PNG") and not drawn.stderr, (picture, drawn.stderr)
    for name, value in (("speed-up", "speedup"), ("efficiency", "efficiency")):
        lines = csv_rows(figures / f"{name}.csv")
        for row in (row for table in report["scaling"] for row in table["rows"] if row.get(value)):
            low, high = (edge * row[value] / row["efficiency"] for edge in row["efficiency_ci95"])
            same = [line for line in lines if int(line["ranks"]) == row["world_size"] and float(line[name]) == row[value]]
            assert same and math.isclose(float(same[0]["low"]), low) and math.isclose(float(same[0]["high"]), high), (row, lines)
    parts = [line for file in figures.glob("step-*.csv") for line in csv_rows(file)]
    forward = {float(line["ms per step"]) for line in parts if line["series"] == "forward"}
    groups = {}
    for point in report["points"]:
        if point["status"] == "ok":
            groups.setdefault(point["group"], []).append(1000 * point["phases_s"]["forward"])
    means = [sum(of) / len(of) for of in groups.values()]
    assert forward and all(any(math.isclose(one, mean) for mean in means) for one in forward), (forward, means)
    bandwidths = {float(line["busbw, GB/s"]) for file in (folder / "collectives.figures").glob("bandwidth-*.csv") for line in csv_rows(file)
                  if not line["series"].startswith("expected")}
    measured = {group["busbw_GBps"] for group in json.loads((folder / "collectives.json").read_text(encoding="utf-8"))["collective_groups"]
                if group.get("busbw_GBps") and group["bytes"]}
    assert bandwidths == measured, bandwidths ^ measured


def check_generated(pages, folder, count):
    """Whatever the report is, there is no script error. What there is to draw differs."""
    for i in range(count):
        pages.open((folder / f"{i}.html").read_text(encoding="utf-8"))


def keep_pictures(folder):
    page = folder / "sweep.html"
    for name, options in (("light", ("--window-size=1200,7600",)),
                          ("dark", ("--window-size=1200,7600", "--blink-settings=preferredColorScheme=0")),
                          ("phone", ("--window-size=500,11500",))):
        chromium(folder, page, f"--screenshot={folder}/{name}.png", *options)
    chromium(folder, folder / "collectives.html", f"--screenshot={folder}/collectives.png", "--window-size=1200,6500")
    chromium(folder, folder / "collectives.html", f"--screenshot={folder}/collectives_phone.png", "--window-size=500,6500")
    chromium(folder, page, f"--print-to-pdf={folder}/print.pdf", "--no-pdf-header-footer")


def main():
    if not program():
        print("skipped: there is no chromium")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else name)
        subprocess.run([BINARY / "tests/core_tool", "write-sweeps", folder], check=True, timeout=60)
        generated = 20 if os.environ.get("SCALEMARK_SOAK") == "full" else 2
        subprocess.run([BINARY / "tests/core_tool", "write-sweeps", folder / "more", str(generated), "7"], check=True, timeout=60)
        with Browser() as browser:
            pages = Pages(browser, folder)
            size = check_sweep(pages, folder)
            check_cells(pages, folder)
            check_whole_steps(pages, folder)
            check_collectives(pages, folder)
            check_acceptance(pages, folder)
            check_generated(pages, folder / "more", generated)
        check_figures(folder)
        if len(sys.argv) > 1:
            keep_pictures(folder)
        print(f"a page of {size / 1e6:.1f} MB: {len(CHARTS | PLOTS)} charts drawn light, dark and on a phone; "
              f"{generated} generated pages without an error")


if __name__ == "__main__":
    main()
