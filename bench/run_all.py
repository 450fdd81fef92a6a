"""Runs every comparison (or those named), keeps the results in results/*.json, puts the tables into README.md.

    python bench/run_all.py [models] [aba] [crowd] [stability] [table1] [crowd_budget] [detail] [view] [constraints] [contact]
                            [drift] [structure_drag]
"""

from __future__ import annotations

import re
import sys

import aba
import common
import constraints
import contact
import crowd
import crowd_budget
import detail
import drift
import models
import stability
import structure_drag
import table1
import view

README = common.ROOT / "bench" / "README.md"
PARTS = {
    "models": models,
    "aba": aba,
    "crowd": crowd,
    "stability": stability,
    "table1": table1,
    "crowd_budget": crowd_budget,
    "detail": detail,
    "view": view,
    "constraints": constraints,
    "contact": contact,
    "drift": drift,
    "structure_drag": structure_drag,
}


def main() -> None:
    text = README.read_text()
    for name in sys.argv[1:] or PARTS:
        part = PARTS[name]
        print(f"{name} …", flush=True)
        result = part.run()
        figures = f"{part.report(result)}\n\nMeasured on {result['machine']}."
        print(figures, end="\n\n", flush=True)
        block = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text = block.sub(lambda m: f"{m[1]}{figures}\n{m[2]}", text)
        README.write_text(text)


if __name__ == "__main__":
    main()
