# The lines of a source that the build of the mutants leaves out: branches of the preprocessor for
# sanitizers, other processors and other compilers. A mutant in such a line has no effect.
import re
from itertools import product

# The release build by g++ on x86-64 compiles none of ABSENT_FILES. It defines NDEBUG, and no macro of
# ABSENT. Whether a program defines any other macro is not known here: models define some.
ABSENT = {"JOBS_ASAN", "JOBS_TSAN", "JOBS_TSAN_NO_SYNC", "JOBS_ANNOTATE_SYNC", "JOBS_CHAOS", "JOBS_CHECK_MUTEXES", "JOBS_BOOST_CONTEXT",
          "__SANITIZE_ADDRESS__", "__SANITIZE_THREAD__", "__aarch64__", "__clang__", "__AVX512F__", "__ARM_FEATURE_SVE"}
PRESENT = {"NDEBUG", "__x86_64__", "__GNUC__"}
ABSENT_FILES = {"jobs/fiber/context_aarch64.hpp", "jobs/fiber/context_boost.hpp"}
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b(.*)")
ATOM = re.compile(r"defined\s*\(?\s*(\w+)\s*\)?|__has_\w+\([^)]*\)|[\w.]+(?:[<>=]=?[\w.]+)?")


def absent_lines(text):
    """The set of the numbers of these lines."""
    absent, stack = set(), []  # of each open #if: the conditions of its branches so far
    for number, line in enumerate(text.split("\n"), 1):
        if found := DIRECTIVE.match(line):
            kind, condition = found[1], re.sub(r"//.*|/\*.*?\*/", "", found[2]).strip()
            if kind in ("ifdef", "ifndef"):
                condition = ("!" if kind == "ifndef" else "") + f"defined({condition})"
            if kind.startswith("if"):
                stack.append([condition])
            elif kind == "endif":
                stack.pop()
            else:
                stack[-1].append(condition if kind == "elif" else "1")
        elif not all(is_possible(branches) for branches in stack):
            absent.add(number)
    return absent


def is_possible(branches):
    """Whether a program may have the last of the branches: its condition holds, and none before it."""
    unknown, terms = {}, []
    for condition in branches:
        terms.append(ATOM.sub(lambda atom: value_of(atom, unknown), condition.replace(" ", "")))
    text = " and ".join([f"not ({term})" for term in terms[:-1]] + [f"({terms[-1]})"])
    text = re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or "))
    return any(eval(text, {"v": values}) for values in product((False, True), repeat=len(unknown)))


def value_of(atom, unknown):
    name = atom[1]
    if name in ABSENT or atom[0] == "0":
        return "False"
    if name in PRESENT or atom[0] == "1":
        return "True"
    return f"v[{unknown.setdefault(atom[0], len(unknown))}]"
