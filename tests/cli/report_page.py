#!/usr/bin/env python3
"""report_page.py JITWARM: a report in headless Chromium: nothing of it runs, the console is empty, and it fits a phone of 390 pixels.

It is looked at in a frame of that width; what the frame holds is written into the page around it. Exit 77: there is no Chromium.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
AROUND = """<body><iframe id=f src=page.html style="border:0;width:390px;height:800px"></iframe><pre id=said></pre><script>
f.onload = () => { const d = f.contentDocument, e = d.documentElement; said.textContent = JSON.stringify({
    wide: e.scrollWidth, cut: [...d.querySelectorAll(".wide")].filter(x => x.scrollWidth > x.clientWidth).length, title: d.title, rows: d.querySelectorAll("tr").length, pictures: d.images.length, scripts: d.scripts.length,
    lanes: d.querySelectorAll(".lanes svg").length, bars: d.querySelectorAll(".lanes rect").length, dark: matchMedia("(prefers-color-scheme: dark)").matches, ink: getComputedStyle(d.body).color, paper: getComputedStyle(d.body).backgroundColor }) }
</script>"""


def look(browser, folder, dark):
    done = subprocess.run([browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--enable-logging=stderr",
                           f"--blink-settings=preferredColorScheme={0 if dark else 1}", f"--user-data-dir={folder}/profile", "--virtual-time-budget=2000",
                           "--dump-dom", (folder / "around.html").as_uri()], capture_output=True, text=True, timeout=120, check=True)
    said = re.search(r"<pre id=\"said\">(.*?)</pre>", done.stdout).group(1)
    return json.loads(said.replace("&quot;", '"')), [line for line in done.stderr.splitlines() if "CONSOLE" in line]


CHROMIUM = ["--headless=new", "--no-sandbox", "--disable-gpu"]


def page_opens_machine(browser, folder):
    """Does the link of the first machine open it?"""
    text = (folder / "page.html").read_text(encoding="utf-8")
    script = '<script>onload = () => { location.hash = "m0"; setTimeout(() => { document.title = document.querySelectorAll("details[open]").length }, 200) }</script>'
    (folder / "linked.html").write_text(re.sub("<meta http-equiv[^>]*>", "", text).replace("</body>", script + "</body>"), encoding="utf-8")
    done = subprocess.run([browser, *CHROMIUM, f"--user-data-dir={folder}/profile", "--virtual-time-budget=2000", "--dump-dom",
                           (folder / "linked.html").as_uri()], capture_output=True, text=True, timeout=120, check=True)
    return "<title>1</title>" in done.stdout


def print_pages(browser, folder):
    """The number of pages on paper, where what is folded is open."""
    subprocess.run([browser, *CHROMIUM, f"--user-data-dir={folder}/profile", f"--print-to-pdf={folder}/page.pdf", (folder / "page.html").as_uri()],
                   capture_output=True, timeout=120, check=True)
    return len(re.findall(rb"/Type /Page\b", (folder / "page.pdf").read_bytes()))


def main():
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not browser:
        print("SKIP: there is no Chromium")
        return 77
    with tempfile.TemporaryDirectory(prefix="jitwarm-report-", ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        many = json.loads((HERE / "in" / "report" / "a.json").read_text(encoding="utf-8"))
        many["software"] = many["software"] * 500
        many["slowest"] = many["slowest"] * 25
        many["timeline"] = [{"name": "k", "worker": i // 625, "began": i % 625 * 10, "milliseconds": 10} for i in range(5000)]
        (folder / "many.json").write_text(json.dumps(many), encoding="utf-8")
        (folder / "around.html").write_text(AROUND, encoding="utf-8")
        for files in (["a.json"], ["a.json", "b.json"], [str(folder / "many.json")]):
            page = subprocess.run([pathlib.Path(sys.argv[1]).resolve(), "report", "--merge", *files], cwd=HERE / "in" / "report", capture_output=True, check=True)
            (folder / "page.html").write_bytes(page.stdout)
            seen = [look(browser, folder, dark) for dark in (False, True)]
            for said, console in seen:
                assert not console, console
                assert said["title"] == "jitwarm report" and not said["pictures"] and not said["scripts"], said
                assert said["wide"] <= 390 and not said["cut"], said
                assert said["rows"] > 2, said
            if len(files) == 1:
                assert (said["lanes"], said["bars"]) == ((8, 5000) if "many" in files[0] else (2, 3)), said
            assert page_opens_machine(browser, folder) == (len(files) == 2)
            assert print_pages(browser, folder) >= len(files)
            assert [said["dark"] for said, _ in seen] == [False, True], seen
            assert seen[0][0]["paper"] != seen[1][0]["paper"] and seen[0][0]["ink"] != seen[1][0]["ink"], seen
    print("three pages, light and dark, at 390 pixels")
    return 0


sys.exit(main())
