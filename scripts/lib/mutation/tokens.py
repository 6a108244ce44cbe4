# Tokens of a C++ source, for parser.py. Comments and preprocessor lines are no tokens. The sources
# are in the layout of clang-format: a binary < > && || has white space on both sides, the brackets
# of a template and the && of a reference have not.
import re

TOKEN = re.compile(
    r'(?P<skip>//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|\s+)'
    r'|R"(?P<mark>\w*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
    r"|[A-Za-z_]\w*|\d[\w.']*"
    r'|<<=|>>=|<=>|\.\.\.|->\*|::|->|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^=!<>]=|.', re.S | re.M)
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}


class Token:
    __slots__ = ("text", "start", "end", "spaced")

    def __init__(self, text, start, end, spaced):
        self.text, self.start, self.end, self.spaced = text, start, end, spaced

    def is_word(self):
        return self.text[0].isalpha() or self.text[0] == "_"


def tokens_of(text):
    tokens = []
    for match in TOKEN.finditer(text):
        if match["skip"] is None:
            start, end = match.span()
            spaced = start > 0 and text[start - 1].isspace() and text[end:end + 1].isspace()
            tokens.append(Token(match[0], start, end, spaced))
    return tokens


def partners_of(tokens):
    """{index of a bracket: index of its partner}, in both directions."""
    partners, open_brackets = {}, []
    for index, token in enumerate(tokens):
        if token.text in OPENING:
            open_brackets.append(index)
        elif token.text in CLOSING:
            if not open_brackets or OPENING[tokens[open_brackets[-1]].text] != token.text:
                raise ValueError(f"a bracket without a partner at character {token.start}")
            partners[index] = open_brackets.pop()
            partners[partners[index]] = index
    if open_brackets:
        raise ValueError(f"a bracket without a partner at character {tokens[open_brackets[-1]].start}")
    return partners


def flat(text):
    """The text in one line, without comments."""
    words = []
    for match in TOKEN.finditer(text):
        words.append(match[0] if match["skip"] is None else " ")
    return re.sub(r" {2,}", " ", "".join(words)).strip()
