"""A C++ file as the rules see it: text, code without comments and literals, includes, brace structure.

This is no parser. It knows enough of the language, and of how we format it, to find function bodies and full
expressions; what it cannot classify it treats as a plain block.
"""

import bisect
import re

LITERAL_OR_COMMENT = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | (?:u8|[uUL])?R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'""",
    re.VERBOSE | re.DOTALL,
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
CONTROL = re.compile(r"^(?:if|for|while|switch|catch|else|do|try|case|default)\b")
TYPE = re.compile(r"(?:^|\s|>)(?:class|struct|union|enum)\s+(?!.*\)\s*(?:const|noexcept|override)?\s*$)")
LAMBDA = re.compile(
    r"\[(?P<capture>[^\[\]]*)\]\s*(?:<[^{}]*>\s*)?(?:\([^{}]*\)\s*)?(?:mutable\s*|noexcept\s*)*(?:->[^{}=;]*)?$",
    re.DOTALL,
)
OPEN, CLOSE = "([{", ")]}"


def blank(match):
    """Spaces as long as the match, with its line ends; a literal keeps its quotes."""
    text = match.group()
    inside = re.sub(r"[^\n]", " ", text)
    return inside if text.startswith("/") else text[0] + inside[1:-1] + text[-1]


class Block:
    """Braces and what is between them. Kind: namespace, type, function, lambda, block or braces."""

    def __init__(self, kind, head, start, end, parent):
        self.kind, self.head, self.start, self.end, self.parent = kind, head, start, end, parent
        self.children = []

    def is_body(self):
        return self.kind in ("function", "lambda")

    def is_inside(self, *kinds):
        block = self.parent
        while block is not None:
            if block.kind in kinds:
                return True
            block = block.parent
        return False


class CppSource:
    def __init__(self, path, text):
        self.path, self.text = path, text
        self.code = LITERAL_OR_COMMENT.sub(blank, text)
        self.line_starts = [0] + [match.end() for match in re.finditer("\n", text)]
        self.includes = [
            (match.group(2), match.group(1) == "<", self.line_of(match.start(1)))
            for match in INCLUDE.finditer(text)
            if "#" in self.code[match.start() : match.start(1)]
        ]
        # Preprocessor lines may hold unbalanced braces and mean nothing to the rules on structure.
        self.structure = re.sub(
            r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda match: re.sub(r"[^\n]", " ", match.group()),
            self.code, flags=re.MULTILINE,
        )
        self.partner = self.match_brackets()
        self.blocks = self.find_blocks()

    def literals(self):
        """Where each string begins, and it with its quotes."""
        for match in LITERAL_OR_COMMENT.finditer(self.text):
            if match.group().endswith('"'):
                yield match.start(), match.group()

    def line_of(self, position):
        return bisect.bisect_right(self.line_starts, position)

    def match_brackets(self):
        partner, stack = {}, []
        for position, char in enumerate(self.structure):
            if char in OPEN:
                stack.append(position)
            elif char in CLOSE:
                while stack and OPEN.index(self.structure[stack[-1]]) != CLOSE.index(char):
                    stack.pop()
                if stack:
                    partner[position] = stack.pop()
                    partner[partner[position]] = position
        return partner

    def find_blocks(self):
        blocks, stack = [], []
        for position, char in enumerate(self.structure):
            if char != "{" or position not in self.partner:
                continue
            while stack and stack[-1].end < position:
                stack.pop()
            parent = stack[-1] if stack else None
            head = self.head_before(position)
            block = Block(self.kind_of(head, parent), head, position, self.partner[position], parent)
            if parent:
                parent.children.append(block)
            stack.append(block)
            blocks.append(block)
        return blocks

    def head_before(self, brace):
        """What stands between the end of the previous statement or block and this brace."""
        position = brace - 1
        while position >= 0:
            char = self.structure[position]
            if char in CLOSE and position in self.partner:
                if char == "}" and not self.is_initializer_before(position, brace):
                    break
                position = self.partner[position]
            elif char in ";{}" or (char in "([" and position in self.partner):
                break
            elif char == ":" and re.search(r"\b(?:public|private|protected)\s*$", self.structure[:position]):
                break
            position -= 1
        return self.structure[position + 1 : brace].strip()

    def is_initializer_before(self, close, brace):
        """True: the braces that end here belong to the head, as in ': a_{1}, b_(2) {' or 'f(X{1}) {'."""
        after = self.structure[close + 1 : brace].strip()
        opened = self.structure[: self.partner[close]].rstrip()
        return bool(re.search(r"[\w>]$", opened)) and (after == "" or after[0] in ",).")

    def kind_of(self, head, parent):
        if re.match(r"(?:inline\s+)?namespace\b", head) or head.startswith("extern"):
            return "namespace"
        if CONTROL.match(head) or head == "":
            return "block"
        if LAMBDA.search(head):
            return "lambda"
        if re.match(r"(?:co_)?return\b", head):
            return "braces"
        bare = re.sub(r"template\s*<[^{}]*?>\s*(?=class|struct|union)", "", head)
        if TYPE.search(bare) and "=" not in bare and not re.search(r"\)\s*(?:->.*)?$", bare):
            return "type"
        inside_body = parent is not None and (parent.is_body() or parent.is_inside("function", "lambda"))
        if "(" in head and not inside_body and not re.search(r"(?<!operator)(?<![=!<>])=(?!=)\s*[\w:<>]*$", head):
            return "function"
        return "braces"

    def body_at(self, position):
        """The innermost function or lambda around a position, or None."""
        found = None
        for block in self.blocks:
            if block.start > position:
                break
            if position < block.end and block.is_body():
                found = block
        return found

    def own_code(self, body):
        """The code of a body with the bodies of nested lambdas blanked."""
        code = self.structure[body.start : body.end]
        for block in self.blocks:
            if body.start < block.start < body.end and block.is_body():
                first, last = block.start - body.start, block.end - body.start
                code = code[:first] + re.sub(r"[^\n]", " ", code[first:last]) + code[last:]
        return code

    def is_statement_bracket(self, opened):
        """True: this bracket does not belong to an expression: a block, or the parentheses of an if."""
        if self.structure[opened] == "(":
            return bool(re.search(r"\b(?:if|for|while|switch|if\s+constexpr)\s*$", self.structure[:opened]))
        if self.structure[opened] == "{":
            return any(b.start == opened and b.kind != "braces" for b in self.blocks)
        return False

    def full_expression(self, position):
        """Start and end of the full expression around a position."""
        start, end = position, position
        while start > 0:
            char = self.structure[start - 1]
            if char == ";":
                break
            if char in CLOSE and start - 1 in self.partner:
                opened = self.partner[start - 1]
                if char != "]" and self.is_statement_bracket(opened) and not self.is_lambda(opened):
                    break
                start = opened
                continue
            if char in OPEN and self.is_statement_bracket(start - 1):
                break
            start -= 1
        while end < len(self.structure):
            char = self.structure[end]
            if char == ";":
                break
            if char in OPEN and end in self.partner:
                end = self.partner[end] + 1
                continue
            if char in CLOSE and end in self.partner and self.is_statement_bracket(self.partner[end]):
                break
            end += 1
        return start, end

    def is_lambda(self, opened):
        return any(block.start == opened and block.kind == "lambda" for block in self.blocks)
