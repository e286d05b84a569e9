"""promtool takes the configuration and the rules that configs/monitoring/ ships, and each alert fires for whom it should and for
nobody else (rules_test.yml)."""

import re
import shutil
import subprocess

from expressions import FOLDER, rules
from program import check, skip

promtool = shutil.which("promtool")
if not promtool:
    skip("there is no promtool (Debian: prometheus)")


def ask(*words):
    done = subprocess.run([promtool, *words], cwd=FOLDER, capture_output=True, text=True, timeout=600)
    check(done.returncode == 0, f"promtool {' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


ask("check", "config", "prometheus.yml")
ask("check", "rules", "rules.yml")
ask("test", "rules", "rules_test.yml")
recorded, alerts = rules()
tried = (FOLDER / "rules_test.yml").read_text()
for name in alerts:
    check(re.search(rf'alertname="{name}", alertstate="firing"', tried), f"rules_test.yml never sees {name} fire")
for name in recorded:
    check(f"{name}{{" in tried, f"rules_test.yml asks for no value of {name}")
print(f"{len(recorded)} recording rules and {len(alerts)} alerts do as their tests say")
