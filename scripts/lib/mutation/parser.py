# Finds the functions of a C++ source and the statements in their bodies, without a compiler: the
# sources have one layout, and mutants that do not compile are dropped (tree.py). Calls a visitor:
#   visitor.statement(kind, first, last)   tokens [first, last] of a statement; kind is "expression",
#                                          "jump" (break, continue, return;) or "other"
#   visitor.condition(kind, first, last)   the tokens of a condition; kind is "if", "loop" or "return"
#   visitor.run(statements)                neighbouring expression statements of one block
#   visitor.order(first, last)             JOBS_ORDER(name, order);
# visitor.function is the name of the function that is being visited.
from tokens import partners_of, tokens_of

WORDS_OF_DECLARATIONS = {"const", "constexpr", "static", "auto", "using", "typedef", "struct", "class", "enum", "union",
                         "unsigned", "int", "bool", "char", "double", "float", "void", "template", "thread_local",
                         "static_assert", "asm", "__asm__", "co_return", "throw", "goto", "extern", "alignas", "volatile", "delete"}
NO_OPERAND = {"return", "else", "case", "new", "delete", "throw", "const"}


class Parser:
    def __init__(self, text, visitor):
        self.tokens, self.visitor = tokens_of(text), visitor
        self.partners = partners_of(self.tokens)
        self.scopes = []

    def parse(self):
        self.declarations(0, len(self.tokens))

    def text(self, index):
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    # --- namespaces and classes
    def declarations(self, at, end):
        first = at
        while at < end:
            token = self.text(at)
            if token == "JOBS_ORDER" and self.text(at + 1) == "(":
                last = self.partners[at + 1] + 1
                self.visitor.order(at, last)
                at = first = last + 1
            elif token == ";" or (token == ":" and self.text(at - 1) in ("public", "private", "protected")):
                at = first = at + 1
            elif token in ("(", "["):
                at = self.partners[at] + 1
            elif token == "{":
                at, first = self.brace(first, at)
            else:
                at += 1

    def brace(self, first, at):
        """(next token, first token of its declaration) after the brace of a declaration."""
        end = self.partners[at]
        outside = self.outside(first, at)
        words = [self.text(index) for index in outside]
        if "namespace" in words or words[:2] == ["extern", '"C"']:
            self.declarations(at + 1, end)
            return end + 1, end + 1
        if "enum" in words:
            return end + 1, first
        opening = next((index for index in outside if self.text(index) == "(" and not self.is_attribute(index)), None)
        if opening is not None and self.text(opening - 1) == "operator":
            opening = self.partners[opening] + 1  # operator()
        if opening is None:
            kind = next((index for index in outside if self.text(index) in ("class", "struct", "union")), None)
            if kind is None or "=" in words:
                return end + 1, first  # an initialiser
            self.scopes.append(self.class_name(kind, at))
            self.declarations(at + 1, end)
            self.scopes.pop()
            return end + 1, first
        if "=" in words[outside.index(opening):] or self.is_member_initialiser(outside, opening, at):
            return end + 1, first
        if not {"consteval", "asm"} & set(words):
            self.visitor.function = "::".join([*self.scopes, self.function_name(opening)])
            self.visitor.returns_bool = "bool" in words[:outside.index(opening)]
            self.members(opening, at)
            self.block(at)
        return end + 1, end + 1

    def outside(self, first, end):
        """The tokens of a declaration that stand in no bracket; of a bracket its opening."""
        found = []
        while first < end:
            found.append(first)
            first = self.partners[first] + 1 if self.text(first) in ("(", "[", "{") else first + 1
        return found

    def is_attribute(self, opening):
        return self.text(opening - 1) in ("...", "alignas", "noexcept", "requires", "__attribute__", "explicit", "decltype")

    def class_name(self, kind, end):
        name = "?"
        for index in self.outside(kind + 1, end):
            if self.text(index) in (":", "final", "<"):
                break
            if self.tokens[index].is_word():
                name = self.text(index)
        return name

    def function_name(self, opening):
        at = opening - 1
        symbol = ""
        while at > 0 and not self.tokens[at].is_word():  # operator==, operator[]
            symbol = self.text(at) + symbol
            at -= 1
        if self.text(at) != "operator":
            at, symbol = opening - 1, ""
        parts = [self.text(at) + symbol]
        if self.text(at - 1) == "~":
            at, parts = at - 1, ["~" + parts[0]]
        while self.text(at - 1) == "::":
            at -= 2
            if self.text(at) in (">", ">>"):  # of a template's arguments
                while self.text(at) != "<":
                    at -= 1
                at -= 1
            if at < 0 or not self.tokens[at].is_word():
                break
            parts.insert(0, self.text(at))
        return "::".join(parts)

    def is_member_initialiser(self, outside, opening, at):
        colon = any(self.text(index) == ":" for index in outside[outside.index(opening):])
        return colon and (self.tokens[at - 1].is_word() or self.text(at - 1) == ">") and self.text(at - 1) != "noexcept"

    def members(self, opening, at):
        """The lambdas in the member initialisers of a constructor."""
        self.lambdas(self.partners[opening] + 1, at)

    # --- statements
    def block(self, at):
        """The block that the brace at `at` opens. Returns the token behind it."""
        end, run = self.partners[at], []
        at += 1
        while at < end:
            first = at
            at, kind = self.statement(at)
            if kind == "expression":
                run.append((first, at - 1))
            else:
                self.end_run(run)
                run = []
        self.end_run(run)
        return end + 1

    def end_run(self, run):
        if len(run) > 1:
            self.visitor.run(run)

    def statement(self, at):
        """The statement at `at`: (the token behind it, its kind)."""
        while self.text(at) == "[" and self.text(at + 1) == "[":
            at = self.partners[at] + 1
        token = self.text(at)
        if token == "{":
            return self.block(at), "block"
        if token in ("if", "while", "for", "switch"):
            return self.controlled(at), "block"
        if token == "else":
            return self.statement(at + 1)[0], "block"
        if token == "do":
            at, _ = self.statement(at + 1)
            self.visitor.condition("loop", at + 2, self.partners[at + 1] - 1)
            return self.partners[at + 1] + 2, "block"
        if token in ("try", "JOBS_TRY"):
            return self.block(at + 1), "block"
        if token in ("catch", "JOBS_CATCH", "JOBS_CATCH_ALL"):
            return self.block(self.partners[at + 1] + 1 if self.text(at + 1) == "(" else at + 1), "block"
        if token in ("case", "default"):
            while self.text(at) != ":":
                at += 1
            return at + 1, "block"
        return self.simple(at)

    def controlled(self, at):
        kind = self.text(at)
        opening = at + 2 if self.text(at + 1) == "constexpr" else at + 1
        first, last = opening + 1, self.partners[opening] - 1
        parts = self.split(first, last, ";")
        self.lambdas(first, last + 1)
        if self.text(at + 1) == "constexpr" or kind == "switch":
            pass
        elif kind == "for":
            if len(parts) == 3 and parts[1][0] <= parts[1][1]:
                self.visitor.condition("loop", *parts[1])
        elif not self.declares(*parts[-1]):
            self.visitor.condition("if" if kind == "if" else "loop", *parts[-1])
        if self.text(last + 2) == ";":
            return last + 3
        at, _ = self.statement(last + 2)
        if kind == "if" and self.text(at) == "else":
            at, _ = self.statement(at)
        return at

    def split(self, first, last, separator):
        parts, start, at = [], first, first
        while at <= last:
            if self.text(at) == separator:
                parts.append((start, at - 1))
                start = at + 1
            at = self.partners[at] + 1 if self.text(at) in ("(", "[", "{") else at + 1
        return [*parts, (start, last)]

    def simple(self, at):
        """A statement up to its semicolon."""
        first = at
        while self.text(at) != ";":
            if at >= len(self.tokens):
                raise ValueError(f"no end of the statement at character {self.tokens[first].start}")
            at = self.partners[at] + 1 if self.text(at) in ("(", "[", "{") else at + 1
        self.lambdas(first, at)
        kind = "other"
        if self.text(first) in ("break", "continue", "return") and at == first + 1:
            kind = "jump"
        elif self.text(first) == "return":
            if self.visitor.returns_bool and not self.in_lambda:
                self.visitor.condition("return", first + 1, at - 1)
        elif at > first and self.text(first) not in WORDS_OF_DECLARATIONS and not self.declares(first, at - 1):
            kind = "expression"
        self.visitor.statement(kind, first, at)
        return at + 1, kind

    def declares(self, first, last):
        """Whether the tokens begin with a type and a name."""
        if self.text(first) in WORDS_OF_DECLARATIONS:
            return True
        at = first
        while at < last and (self.tokens[at].is_word() or self.text(at) == "::"):
            if self.tokens[at].is_word() and self.tokens[at + 1].is_word():
                return True
            at += 1
        if self.text(at) == "<" and not self.tokens[at].spaced:
            depth = 0
            while at <= last:
                depth += {"<": 1, ">": -1, ">>": -2}.get(self.text(at), 0)
                at += 1
                if depth <= 0:
                    break
            if self.text(at) == "::":
                return self.declares(at + 1, last)
            return at <= last and (self.tokens[at].is_word() or self.text(at) in ("*", "&", "&&"))
        # `Type& name` and `Type* const name`; an expression statement begins with no product
        return at > first and self.text(at) in ("*", "&", "&&") and not self.tokens[at].spaced and self.tokens[at + 1].is_word()

    # --- lambdas
    in_lambda = False

    def lambdas(self, at, end):
        """Visits the bodies of the lambdas in [at, end)."""
        while at < end:
            if self.text(at) == "[" and self.begins_lambda(at):
                body = self.body_of_lambda(at)
                if body is not None:
                    before, self.in_lambda = self.in_lambda, True
                    at = self.block(body)
                    self.in_lambda = before
                    continue
            at += 1

    def begins_lambda(self, at):
        before = self.tokens[at - 1]
        if self.text(at + 1) == "[" or before.text == "[":
            return False  # an attribute
        return not (before.is_word() and before.text not in NO_OPERAND) and before.text not in (")", "]", "}", ">")

    def body_of_lambda(self, at):
        at = self.partners[at] + 1
        while self.text(at) not in ("{", ";", ""):
            at = self.partners[at] + 1 if self.text(at) in ("(", "[") else at + 1
            if self.text(at) in (")", "}", "]", ","):
                return None
        return at if self.text(at) == "{" else None
