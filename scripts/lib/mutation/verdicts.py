# The verdicts on mutants that survive (tests/mutation/survivors.txt), and the table of results.
import json
import os

KINDS = ("equivalent", "performance", "untested")


class Verdict:
    def __init__(self, kind, identity):
        self.kind, self.id, self.lines = kind, identity, []


def verdicts_of(path):
    """({identity: Verdict}, problems of the list)"""
    verdicts, problems, verdict = {}, [], None
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        where = f"{path.name}:{number}"
        if line.startswith("  ") and verdict:
            verdict.lines.append(line.strip())
        elif line and not line.startswith("#"):
            kind, _, identity = line.partition(" ")
            verdict = Verdict(kind, identity)
            if kind not in KINDS:
                problems.append(f"{where}: '{kind}' is no verdict; verdicts: {', '.join(KINDS)}")
            if identity in verdicts:
                problems.append(f"{where}: a second verdict on {identity}")
            verdicts[identity] = verdict
    problems += [f"{path.name}: no reason for {v.id}" for v in verdicts.values() if len(v.lines) < 2]
    return verdicts, problems


def results_of(path):
    """{identity: last result}"""
    lines = path.read_text().splitlines() if path.exists() else []
    return {result["id"]: result for result in map(json.loads, lines)}


# unfinished: the time was up before all tests had run; refused: by the compiler
COLUMNS = ("mutants", "killed", *KINDS, "undecided", "unfinished", "not run", "refused")


def column_of(mutant, results, verdicts, dropped):
    result = results.get(mutant.id)
    if mutant.id in dropped:
        return "refused"
    if result and result["outcome"] == "killed":
        return "killed"
    if mutant.id in verdicts:
        return verdicts[mutant.id].kind
    if result is None:
        return "not run"
    return "unfinished" if result["left"] else "undecided"


def table(mutants, results, verdicts, dropped):
    """Lines: the mutants of each folder and operator by their fates, and the share that a test kills."""
    rows = {}
    for mutant in mutants:
        for name in (os.path.dirname(mutant.file), mutant.operator, "all"):
            row = rows.setdefault(name, dict.fromkeys(COLUMNS, 0))
            row["mutants"] += 1
            row[column_of(mutant, results, verdicts, dropped)] += 1
    yield f"{'folder, operator':26}" + "".join(f"{column:>12}" for column in COLUMNS) + f"{'killed, %':>11}"
    for name in sorted(rows, key=lambda name: (name == "all", not name.startswith("jobs"), name)):
        row = rows[name]
        judged = row["killed"] + row["untested"] + row["undecided"]
        share = f"{100 * row['killed'] / judged:11.1f}" if judged else f"{'':>11}"
        yield f"{name:26}" + "".join(f"{row[column]:12}" for column in COLUMNS) + share
