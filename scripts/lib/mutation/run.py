# The tests of the tree of mutants: which mutants each test reaches, and which test kills a mutant.
import ctypes
import hashlib
import json
import os
import re
import resource
import signal
import subprocess
import tempfile
import time

OTHER_LABELS = {"style", "consumer", "extra", "sample", "cost", "bench", "flags", "gdb", "seeds"}
OTHER_TESTS = re.compile(r"\.IsNeeded/|^NotShownOrders|_NOT_BUILT|^MustNotCompile|^link\.|^example\.")
SEEDS = "500"  # of each scenario of a simulation
SLOWEST = 40.0  # seconds of a test that takes part
LEAST_TIMEOUT = 5.0
LIBC, PR_SET_PDEATHSIG = ctypes.CDLL(None), 1
MOST_MEMORY = 8 << 30  # of a program whose mutant allocates for ever


class Test:
    def __init__(self, name, command, environment, folder, labels):
        self.name, self.command, self.environment, self.folder = name, command, environment, folder
        self.is_model, self.is_simulation = "model" in labels, "sim" in labels
        self.seconds, self.reached = 0.0, set()

    def run(self, timeout, **environment):
        """(None if the test passes, otherwise how it fails; seconds)"""
        begin = time.monotonic()
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(self.command, cwd=self.folder, env=os.environ | self.environment | environment, stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=output, start_new_session=True, preexec_fn=limit)
            try:
                code = process.wait(timeout)
                how = None if code in (0, 77) else "crash" if code < 0 else "failed"
            except subprocess.TimeoutExpired:
                how = "hang"
            try:
                os.killpg(process.pid, signal.SIGKILL)  # also what the program has started
            except ProcessLookupError:
                pass
            process.wait()
        return how, time.monotonic() - begin


def limit():
    """In the process of a test: it may not use up the machine, and ends with this script."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def tests_of(tree):
    """The tests that ctest knows in the tree and that are built."""
    listed = json.loads(subprocess.run(["ctest", "--preset", "release", "--show-only=json-v1"], cwd=tree.path, check=True,
                                       capture_output=True, text=True).stdout)
    tests = []
    for entry in listed["tests"]:
        properties = {item["name"]: item["value"] for item in entry.get("properties", [])}
        labels = set(properties.get("LABELS", []))
        command = entry.get("command")
        if not command or labels & OTHER_LABELS or OTHER_TESTS.search(entry["name"]) or not command[0].startswith(str(tree.programs)):
            continue
        if "--seeds" in command:
            command[command.index("--seeds") + 1] = SEEDS
        environment = dict(item.split("=", 1) for item in properties.get("ENVIRONMENT", []))
        if os.path.exists(command[0]):
            tests.append(Test(entry["name"], command, environment, properties.get("WORKING_DIRECTORY", tree.programs), labels))
    return tests


def measure(tests, mutants, record, say):
    """Sets seconds and reached of each test, from the record if it is of this program. Returns the tests that take part."""
    known = json.loads(record.read_text()) if record.exists() else {}
    key = hashlib.sha1("\n".join(mutant.id for mutant in mutants).encode()).hexdigest()
    if known.get("key") != key:
        known = {"key": key, "tests": {}}
    measured = 0
    for test in tests:
        built = os.stat(test.command[0]).st_mtime
        if known["tests"].get(test.name, {}).get("built") != built:
            with tempfile.NamedTemporaryFile() as reached:
                reached.write(bytes(len(mutants) + 1))
                reached.flush()
                how, seconds = test.run(2 * SLOWEST, JOBS_MUTANTS_REACHED=reached.name)
                table = open(reached.name, "rb").read()
            known["tests"][test.name] = {"how": how, "seconds": seconds, "built": built,
                                         "reached": [number for number in range(1, len(table)) if table[number]]}
            if how:
                say(f"mutate: without a mutant, {test.name}: {how} after {seconds:.1f} s; it does not take part")
            measured += 1
            if measured % 100 == 0:
                record.write_text(json.dumps(known))
        test.seconds, test.reached = known["tests"][test.name]["seconds"], set(known["tests"][test.name]["reached"])
    record.write_text(json.dumps(known))
    return [test for test in tests if known["tests"][test.name]["how"] is None and test.seconds <= SLOWEST]


def judge(mutant, tests, budget):
    """The result of a mutant: the tests that reach it run until one fails, for at most `budget` seconds.

    Models go first, and simulations if the mutant concerns other threads. Then quick tests, and
    tests that reach little else."""
    begin = time.monotonic()
    def rank(test):
        controls_order = test.is_model or (test.is_simulation and mutant.is_concurrency)
        return not controls_order, (test.seconds + 0.02) * len(test.reached)

    reaching = sorted((test for test in tests if mutant.number in test.reached), key=rank)
    result = {"id": mutant.id, "text": mutant.text, "outcome": "survived" if reaching else "unreached", "tests": 0, "left": 0}
    for position, test in enumerate(reaching):
        if time.monotonic() - begin > budget:
            result["left"] = len(reaching) - position
            break
        timeout = max(LEAST_TIMEOUT, 10 * test.seconds)
        result["tests"] += 1
        how, _ = test.run(timeout, JOBS_MUTANT=str(mutant.number))
        # A test that fails without the mutant, too, on a busy machine, proves nothing.
        if how and test.run(timeout)[0] is None:
            result |= {"outcome": "killed", "how": how, "by": test.name}
            break
    return result | {"seconds": round(time.monotonic() - begin, 2)}
