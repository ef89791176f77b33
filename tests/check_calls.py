"""Hold every call outside the packages to what it calls: names that are there, arguments that fit.

`make check` runs it over all Python files but those of the packages. Of what the type checker says
there, only such sentences count: a mistake of these kinds stops a program, and no test may ever
have run it. The packages themselves are held to all rules.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONFIG = ROOT / "pyrightconfig.calls.json"
STOPS = re.compile(
    r"No parameter named|Expected \d+ (more )?positional|Arguments? missing|is not defined"
    r"|is not a known attribute of module|is unknown import symbol"
)
# The first goes through the **options of transformers; after *values nobody can count.
BEYOND_IT = re.compile(r'No parameter named "attn_implementation"')
COUNTED, SPREAD = re.compile(r"Expected \d+ "), re.compile(r"[(,]\s*\*[^*]")


def mistakes(config: Path = CONFIG) -> list[str]:
    """Run the type checker, and return what would stop a program, a sentence each."""
    command = [sys.executable, "-m", "basedpyright", "-p", config, "--outputjson"]
    done = subprocess.run(
        [*map(str, command), "--pythonpath", sys.executable], capture_output=True, text=True
    )
    try:
        told = json.loads(done.stdout)["generalDiagnostics"]
    except ValueError:
        raise RuntimeError(f"basedpyright did not run: {done.stdout}{done.stderr}") from None
    return [f"{place(one)}: {one['message']}" for one in told if stops(one)]


def place(one: dict) -> str:
    """Write file and line."""
    return f"{one['file']}:{one['range']['start']['line'] + 1}"


def stops(one: dict) -> bool:
    """Decide whether what the type checker says of a line would stop a program there."""
    if not STOPS.search(one["message"]) or BEYOND_IT.search(one["message"]):
        return False
    lines = Path(one["file"]).read_text(encoding="utf-8").splitlines()
    line = lines[one["range"]["start"]["line"]]
    return not (COUNTED.search(one["message"]) and SPREAD.search(line))


if __name__ == "__main__":
    found = mistakes()
    print(*found, f"{len(found)} calls or names that would stop a program", sep="\n")
    sys.exit(bool(found))
