"""File-local names of C++: what anonymous namespaces, and static at the scope of a namespace, define. A unity build
compiles several files of a target as one text, in which two such names meet."""

import collections
import re

# What is no code: comments, strings and characters, and lines of the preprocessor.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^()\s\\]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                     r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
NAMESPACE = re.compile(r"(?:inline\s+)?namespace\b\s*([\w:]*)\s*\{")
TYPE = re.compile(r"(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(?:alignas\([^)]*\)\s*)?(\w+)\b[^;(=]*\{")
ALIAS = re.compile(r"using\s+(\w+)\s*=(.*)", re.S)
FUNCTION = re.compile(r"[\w>&*\]]\s*[\s&*]\s*(\w+)\s*\((.*)", re.S)
CONSTANT = re.compile(r"(\w+)\s*(?:\[[^]]*\]\s*)*(?:=|\{|;|$)")

Name = collections.namedtuple("Name", "name kind detail line")


def without_text(found):
    """Spaces, and the same lines; what was a string is still a value."""
    text = found[0]
    value = "0" if text[0] in "\"'R" else " "
    return value + re.sub(r"[^\n]", " ", text[1:])


def end_of_group(code, at):
    """One past the bracket that closes the one at `at`."""
    depth = 0
    for found in re.compile(r"[(){}\[\]]").finditer(code, at):
        depth += 1 if found[0] in "({[" else -1
        if depth == 0:
            return found.end()
    return len(code)


def end_of_declaration(code, at):
    """One past the declaration that begins at `at`: past its semicolon, or past a function's body."""
    start, takes_body = at, False
    while at < len(code):
        found = re.compile(r"[({\[;}]").search(code, at)
        if not found or found[0] in ";}":
            return found.end() if found else len(code)
        at = end_of_group(code, found.start())
        if found[0] == "(":
            takes_body |= "=" not in re.sub(r"operator\s*[=!<>]=?|<[^<>]*>", "", code[start:found.start()])
        if found[0] == "{" and takes_body and not re.compile(r"\s*[,{]").match(code, at):
            return at
    return at


def parameters(text):
    """The types of a parameter list, which begins after its bracket: without names, defaults and spaces."""
    text = text[: end_of_group("(" + text, 0) - 2]
    while re.search(r"<[^<>]*,", text):  # commas of template arguments part no parameters
        text = re.sub(r"<([^<>]*)>", lambda inner: "\1" + inner[1].replace(",", "\2") + "\3", text)
    types = []
    for parameter in text.split(","):
        parameter = re.sub(r"=.*", "", parameter, flags=re.S).strip()
        parameter = re.sub(r"(?<=[\w&*>\3])(?:\s+|(?<=[&*]))(?!const\b|int\b|char\b|long\b|double\b)\w+$", "", parameter)
        types.append(re.sub(r"\s+(?!\w)|(?<!\w)\s+", "", parameter))
    return ",".join(types).translate({1: "<", 2: ",", 3: ">"})


def name_of(declaration, line):
    """The Name that a declaration at the scope of a namespace defines, None of one that defines none."""
    text = re.sub(r"\[\[.*?\]\]", "", declaration).strip()
    if text.startswith(("template", "static_assert", "extern", "namespace")) or re.match(r"using [^=]*$", text):
        return None  # what the compiler tells apart, or takes twice
    if found := ALIAS.match(text):
        return Name(found[1], "type", re.sub(r"\s+", "", found[2]), line)
    if found := TYPE.match(text):
        return Name(found[1], "type", "", line)
    head = re.split(r"=(?!=)|\{", text)[0]
    if found := FUNCTION.search(re.sub(r"\w+\s*<[^<>()]*\([^()]*\)>", "F", head) if "(" in head else ""):
        if "::" in head[: head.index("(")].split()[-1].lstrip("&*"):
            return None  # a member of a class
        return Name(found[1], "function", parameters(text[text.index(found[1] + "(") + len(found[1]) + 1:])
                    if found[1] + "(" in text else "", line)
    if "(" not in head and (found := CONSTANT.search(text)) and re.match(r"[\w:]+[\s<&*]", text):
        return Name(found[1], "constant", "", line)
    return None


def with_own_aliases(found):
    """`found`, where parameters that are of a type by the file's own name for it have that type: Words is no other
    type than std::vector<std::string>."""
    own = {name.name: name.detail.rstrip(";") for _, name in found if name.kind == "type" and name.detail}
    if not own:
        return found
    word = re.compile(r"\b(?:" + "|".join(own) + r")\b")
    return [(scopes, name._replace(detail=word.sub(lambda match: own[match[0]], name.detail))
             if name.kind == "function" else name) for scopes, name in found]


def names(text):
    """{(namespace, Name)} that are local to a file with this text."""
    code = NO_CODE.sub(without_text, text)
    found, scopes, at, line, seen = [], [], 0, 1, 0
    space = re.compile(r"[\s;]*")
    while (at := space.match(code, at).end()) < len(code):
        if opened := NAMESPACE.match(code, at):
            scopes.append(opened[1])
            at = opened.end()
        elif code[at] == "}":
            scopes, at = scopes[:-1], at + 1
        else:
            end = end_of_declaration(code, at)
            if "" in scopes or code.startswith("static ", at):
                line, seen = line + code.count("\n", seen, at), at
                name = name_of(code[at:end], line)
                found += [(tuple(filter(None, scopes)), name)] if name and not name.name.isupper() else []
            at = max(end, at + 1)
    return with_own_aliases(found)


def meet(one, other):
    """Whether the compiler takes both for one name when it reads them in one text."""
    if one.kind == other.kind == "function":
        return one.detail == other.detail
    return not (one.kind == other.kind == "type" and one.detail and one.detail == other.detail)


def problems(files):
    """What is wrong with these files of one target, {name of the file: its text}."""
    known, found = collections.defaultdict(list), []
    for file, text in sorted(files.items()):
        own = names(text)
        for namespace, name in own:
            earlier = next((place for place in known[namespace, name.name] if place[0] != file and meet(place[1], name)),
                           None)
            if earlier:
                found.append(f"{file}:{name.line}: the {name.kind} {name.name} has the name of a {earlier[1].kind} in "
                             f"{earlier[0]}:{earlier[1].line}, which a unity build compiles in the same text; "
                             "name them by what they are, or let them share one in a header")
        for namespace, name in own:
            known[namespace, name.name].append((file, name))
    return found
