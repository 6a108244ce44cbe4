# The tree of the mutants: a copy of the project's files in which the selected sources of jobs/ are
# instrumented (mutants.py), and its build. A mutant that does not compile is dropped from the tree.
import json
import os
import re
import shutil
import subprocess

ERROR = re.compile(r"^(\S+?):(\d+):\d+: error:", re.M)
CAUSE = re.compile(r"^(\S+?):(\d+):\d+:(?:   required from| note: in expansion of macro)", re.M)
SWITCH = "mutation/switch.hpp"
OPTIONS = ["-DJOBS_BUILD_BENCH=OFF", "-DJOBS_BUILD_SAMPLES=OFF", "-DJOBS_INSTRUMENTED=ON"]
MOST_ROUNDS = 12  # of builds: each round drops the mutants that fail


class Tree:
    def __init__(self, root, build, sources, switch):
        """`sources`: the Source of each file that is instrumented."""
        self.root, self.path, self.sources = root, build / "tree", {source.file: source for source in sources}
        self.switch, self.record = switch, build / "dropped.json"
        self.dropped = set(json.loads(self.record.read_text())) if self.record.exists() else set()
        self.programs = self.path / "build/release"

    def write(self):
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=self.root,
                                check=True, capture_output=True, text=True).stdout
        files = {name for name in listed.split("\0") if name and (self.root / name).is_file()}
        for name in files:
            self.write_file(name, self.contents(name))
            shutil.copymode(self.root / name, self.path / name)
        self.write_file(SWITCH, self.switch.read_bytes())
        for folder in ("jobs", "tests", "cmake"):
            for path in (self.path / folder).rglob("*"):
                if path.is_file() and str(path.relative_to(self.path)) not in files:
                    path.unlink()

    def contents(self, name):
        source = self.sources.get(name)
        if source is None or not any(mutant.is_planted(self.dropped) for mutant in source.mutants):
            return (self.root / name).read_bytes()
        return (f'#include "{SWITCH}"\n' + source.instrumented(self.dropped)).encode()

    def write_file(self, name, contents):
        """Leaves a file with these contents alone, so that nothing is compiled twice."""
        path = self.path / name
        if not path.exists() or path.read_bytes() != contents:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(contents)

    def build(self, targets):
        environment = dict(os.environ)
        if shutil.which("ccache"):
            environment |= {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_SLOPPINESS": "pch_defines,time_macros"}
        jobs = environment.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count()))
        for _ in range(MOST_ROUNDS):
            self.write()
            configured = subprocess.run(["cmake", "--preset", "release", "--log-level=WARNING", *OPTIONS], cwd=self.path,
                                        env=environment, capture_output=True, text=True)
            if configured.returncode != 0:
                raise SystemExit(f"mutate: the tree is not configured:\n{configured.stderr}")
            built = subprocess.run(["cmake", "--build", "--preset", "release", "--parallel", jobs,
                                    *(["--target", *targets] if targets else []), "--", "-k", "0"],
                                   cwd=self.path, env=environment, capture_output=True, text=True)
            if built.returncode == 0:
                return
            refused = self.refused(built.stdout)
            if not refused:
                raise SystemExit(f"mutate: the build fails in code without mutants:\n{built.stdout[-6000:]}")
            self.dropped |= refused
            self.record.write_text(json.dumps(sorted(self.dropped), indent=0))
            print(f"mutate: {len(refused)} mutants do not compile", flush=True)
        raise SystemExit(f"mutate: after {MOST_ROUNDS} builds some mutants still do not compile")

    def refused(self, output):
        """The mutants that the errors name."""
        for kind in (ERROR, CAUSE):
            if refused := set().union(*(self.refused_at(*place) for place in kind.findall(output))):
                return refused
        return set()

    def refused_at(self, name, line):
        """The mutants of a line; if there are none, those of the function at the line."""
        path = os.path.normpath(os.path.join(self.programs, name))
        source = self.sources.get(os.path.relpath(path, self.path))
        if source is None:
            return set()
        line = int(line) - 1  # below the #include
        here = [mutant for mutant in source.mutants if mutant.is_planted(self.dropped)]
        exact = [mutant for mutant in here if mutant.line <= line <= mutant.last_line]
        likely = [mutant for mutant in exact if mutant.operator in ("border", "swap", "by_one")]
        above = [mutant for mutant in here if mutant.line <= line]
        around = [mutant for mutant in here if above and mutant.function == above[-1].function]
        return {mutant.id for mutant in likely or exact or around}
