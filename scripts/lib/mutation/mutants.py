# The mutants of a source, and its instrumented text, which contains all of them: each mutant is one
# branch that the environment selects at run time (switch.hpp). So one build serves every mutant.
#
# | operator | change |
# |---|---|
# | remove   | an expression statement, break, continue or return; is left out |
# | swap     | two neighbouring calls change places; at least one concerns other threads |
# | always, never | a condition, or the result of a bool function, is true, or false |
# | drop     | an operand of && or of \|\| has no effect |
# | border   | < becomes <=, > becomes >=, and the reverse |
# | by_one   | + 1 or - 1 becomes + 0 |
# | relax    | a JOBS_ORDER becomes relaxed; only a model can tell |
#
# The identity of a mutant is file, function, operator and a hash of the changed text. It survives
# changes of other lines.
import hashlib
import re

from conditions import absent_lines
from parser import Parser
from tokens import flat

CONCURRENCY = re.compile(r"\b(store|exchange|compare_exchange\w*|fetch_\w+|\w*fence|signal\w*|notify\w*|wake\w*|unpark|post\w*"
                         r"|push\w*|unlock|lock|release\w*|publish\w*|resume\w*|grant\w*|give_turn|close|open|reset|await\w*|wait\w*)\b")
# Two statements are exchanged if both call a function, and one of these concerns other threads. Other statements seldom depend on their order.
ORDERED = re.compile(r"\b(store|exchange|compare_exchange\w*|fetch_\w+|\w*fence|signal\w*|notify\w*|wake\w*|unpark|post\w*|publish\w*"
                     r"|unlock|give_turn|push|stop\w*|close|reset|refuse|admit|leave|finish|discard\w*)\(")
UNORDERED = re.compile(r"^[^(]* [-+|&]?= |^(\+\+|--)|relaxed|kHint")
# Statements for tools: no test can miss them.
FOR_TOOLS = re.compile(r"^(\[\[maybe_unused\]\] )?(sanitizer::|chaos::|assert\(|static_cast<void>\(|annotate|JOBS_ANNOTATE|cpu_relax)")
OTHER_BORDER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
ENDS = {  # tokens that end an operand of a lower or the same precedence
    "relation": {"&&", "||", "==", "!=", "?", ":", ",", ";", "=", "return", "&", "|", "^", "<", ">", "<=", ">=", "+=", "-=", "|=", "&="},
    "&&": {"&&", "||", "?", ":", ",", ";", "=", "return", "|=", "&="},
    "||": {"||", "?", ":", ",", ";", "=", "return", "|=", "&="},
    "?": {"?", ":", ",", ";", "=", "return", "+=", "-=", "|=", "&="},
}
BINARY = {"&", "|", "^", "<", ">", "<=", ">=", "&&", "||"}  # otherwise part of a type


class Mutant:
    def __init__(self, file, function, operator, text, lines, is_concurrency):
        self.file, self.function, self.operator, self.text = file, function, operator, text
        self.line, self.last_line = lines
        self.is_concurrency = is_concurrency
        self.number = 0  # of the build: 1, 2, …; 0: not planted
        self.hash = ""

    @property
    def id(self):
        return f"{self.file} {self.function} {self.operator} {self.hash}"

    def is_planted(self, dropped):
        return self.number != 0 and self.id not in dropped


class Edit:
    """Replaces [start, end) of a text by render(texts of the parts); the parts may have edits."""

    def __init__(self, parts, mutants, render):
        self.parts, self.mutants, self.render = parts, mutants, render
        self.start, self.end = parts[0][0], parts[-1][1]


class Source:
    """The mutants and edits of one file."""

    def __init__(self, file, text):
        self.file, self.source, self.edits, self.function, self.returns_bool = file, text, [], "", False
        self.absent = absent_lines(text)
        self.parser = Parser(text, self)
        self.parser.parse()
        self.mutants = [mutant for edit in self.edits for mutant in edit.mutants]
        seen = {}
        for mutant in self.mutants:
            base = hashlib.sha1(mutant.text.encode()).hexdigest()[:8]
            key = (mutant.function, mutant.operator, base)
            seen[key] = seen.get(key, 0) + 1
            mutant.hash = base if seen[key] == 1 else f"{base}.{seen[key]}"

    # --- the visitor of the parser
    def span(self, first, last):
        tokens = self.parser.tokens
        return tokens[first].start, tokens[last].end

    def add(self, operators, parts, render, text=None):
        start, end = parts[0][0], parts[-1][1]
        if re.search(r"^[ \t]*#", self.source[start:end], re.M):
            return  # contains lines of the preprocessor
        if self.lines(start, end)[0] in self.absent:
            return
        if not isinstance(text, list):
            text = [text or flat(self.source[start:end])] * len(operators)
        lines = self.lines(start, end)
        whole = self.source[self.source.rfind("\n", 0, start) + 1:end]
        mutants = [Mutant(self.file, self.function, *pair, lines, bool(CONCURRENCY.search(whole))) for pair in zip(operators, text)]
        self.edits.append(Edit(parts, mutants, render))

    def lines(self, start, end):
        return self.source.count("\n", 0, start) + 1, self.source.count("\n", 0, end) + 1

    def statement(self, kind, first, last):
        span = self.span(first, last)
        text = flat(self.source[span[0]:span[1]])
        if kind != "other" and not FOR_TOOLS.match(text):
            self.add(["remove"], [span], lambda numbers, parts: f"{{ if (!{on(numbers[0])}) {{ {parts[0]} }} }}")
        if not re.match(r"(static )?constexpr |static_assert|using |asm|static const", text):
            self.expressions(first, last)

    def condition(self, kind, first, last):
        span = self.span(first, last)
        text = flat(self.source[span[0]:span[1]])
        operators = {"if": ["always", "never"], "loop": ["never"], "return": ["always", "never"]}[kind]
        operators = [o for o in operators if (o, text) not in (("always", "true"), ("never", "false"))]
        if text not in ("true", "false") or kind == "return":
            self.add(operators, [span], lambda numbers, parts: condition_of(operators, numbers, parts[0]))
        if kind != "return":  # the statement visits its expressions itself
            self.expressions(first, last)

    def run(self, statements):
        spans = [self.span(*statement) for statement in statements]
        texts = [flat(self.source[start:end]) for start, end in spans]
        pairs = [i for i in range(len(spans) - 1) if any(ORDERED.search(text) for text in texts[i:i + 2])
                 and not any(FOR_TOOLS.match(text) or UNORDERED.search(text) for text in texts[i:i + 2])]
        while pairs:  # neighbouring pairs share a statement, so one edit has all of them
            group = [pairs.pop(0)]
            while pairs and pairs[0] == group[-1] + 1:
                group.append(pairs.pop(0))
            begin, end = group[0], group[-1] + 2
            self.add_swaps(spans[begin:end], texts[begin:end])

    def add_swaps(self, spans, texts):
        def render(numbers, parts):
            branches = []
            for i, number in enumerate(numbers):
                swapped = [*parts[:i], parts[i + 1], parts[i], *parts[i + 2:]]
                branches.append(f"if ({on(number)}) {{ {' '.join(swapped)} }} else ")
            return f"{''.join(branches)}{{ {' '.join(parts)} }}"
        self.add(["swap"] * (len(spans) - 1), spans, render, [f"{first} {second}" for first, second in zip(texts, texts[1:])])

    def order(self, first, last):
        start, end = self.span(first, last)
        text = flat(self.source[start:end])
        name, order = re.match(r"JOBS_ORDER\((\w+), (\w+)\)", text).groups()
        self.function = name
        if order == "relaxed":
            return
        self.add(["relax"], [(start, end)], lambda numbers, parts: f"{parts[0]} JOBS_MUTANT_RELAX({numbers[0]}, {name})")
        self.edits[-1].mutants[0].is_concurrency = True

    # --- expressions
    def expressions(self, first, last):
        tokens, inside = self.parser.tokens, first
        while inside <= last:
            token = tokens[inside]
            if token.text == "[" and self.parser.begins_lambda(inside):
                body = self.parser.body_of_lambda(inside)
                if body is not None:
                    inside = self.parser.partners[body] + 1  # visited as statements
                    continue
            if token.text in OTHER_BORDER and token.spaced:
                self.border(inside, first, last)
            elif token.text in ("&&", "||") and token.spaced:
                self.operands(inside, first, last)
            elif token.text == "?":
                left = self.operand(inside, -1, "?", first, last)
                if left:
                    operators = ["always", "never"]
                    self.add(operators, [left], lambda numbers, parts: condition_of(operators, numbers, parts[0]))
            elif re.fullmatch(r"1[uUlL]*", token.text) and tokens[inside - 1].text in "+-" and tokens[inside - 1].spaced:
                self.add(["by_one"], [(token.start, token.end)],
                         lambda numbers, parts: f"({on(numbers[0])} ? {parts[0].replace('1', '0', 1)} : {parts[0]})",
                         flat(self.source[tokens[max(first, inside - 4)].start:tokens[min(last, inside + 1)].end]))
            inside += 1

    def operand(self, at, step, kind, first, last):
        """The span of the operand left (-1) or right (1) of the operator at `at`; None if there is none."""
        tokens, partners = self.parser.tokens, self.parser.partners
        near, at = at + step, at + step
        far = None
        while first <= at <= last:
            token = tokens[at]
            if token.text in partners_texts(step):
                far, at = partners[at], partners[at] + step
                continue
            if token.text in ("(", "[", "{", ")", "]", "}"):
                break
            if token.text in ENDS[kind] and (token.text not in BINARY or token.spaced):
                break
            far, at = at, at + step
        if far is None:
            return None
        return self.span(min(near, far), max(near, far))

    def border(self, at, first, last):
        left, right = (self.operand(at, step, "relation", first, last) for step in (-1, 1))
        if left and right:
            operator = self.parser.tokens[at].text
            self.add(["border"], [left, right], lambda numbers, parts:
                     f"({on(numbers[0])} ? ({parts[0]}) {OTHER_BORDER[operator]} ({parts[1]}) : ({parts[0]}) {operator} ({parts[1]}))")

    def operands(self, at, first, last):
        operator = self.parser.tokens[at].text
        left, right = (self.operand(at, step, operator, first, last) for step in (-1, 1))
        before = "{0} || " if operator == "&&" else "!{0} && "
        render = lambda numbers, parts: f"({before.format(on(numbers[0]))}({parts[0]}))"
        done = {edit.parts[0] for edit in self.edits if edit.mutants and edit.mutants[0].operator == "drop"}
        for span in (left, right):
            if span and span not in done:
                self.add(["drop"], [span], render, flat(self.source[span[0]:span[1]]))

    # --- the instrumented text
    def instrumented(self, dropped):
        """The text with each numbered mutant that is not in `dropped`; with the same lines."""
        # The outer edit first: of two edits with one span, the edit with a part of that span.
        edits = sorted(self.edits, key=lambda edit: (edit.start, -edit.end, len(edit.parts)))
        edits = [edit for edit in edits if any(mutant.is_planted(dropped) for mutant in edit.mutants)]
        return self.emit(0, len(self.source), edits, dropped)

    def emit(self, start, end, edits, dropped):
        parts, at = [], start
        while edits:
            edit, rest = edits[0], edits[1:]
            inside = [other for other in rest if other.start < edit.end]
            edits = rest[len(inside):]
            texts = []
            for first, last in edit.parts:
                texts.append(flat(self.emit(first, last, [o for o in inside if first <= o.start and o.end <= last], dropped)))
            numbers = [mutant.number if mutant.is_planted(dropped) else 0 for mutant in edit.mutants]
            parts.append(self.source[at:edit.start] + edit.render(numbers, texts))
            parts.append("\n" * self.source.count("\n", edit.start, edit.end))
            at = edit.end
        return "".join([*parts, self.source[at:end]])


def partners_texts(step):
    return (")", "]", "}") if step < 0 else ("(", "[", "{")


def on(number):
    return f"JOBS_MUTANT({number})" if number else "false"


def condition_of(operators, numbers, text):
    number = dict(zip(operators, numbers))
    text = f"!{on(number['never'])} && ({text})" if "never" in number else f"({text})"
    return f"({on(number['always'])} || ({text}))" if "always" in number else f"({text})"
