"""Plants many faults in one build, each behind a switch, so that only its tests have to run for each.

A line is written anew such that `isPlanted(N)` chooses between the line with the fault and the line as it is. Where that cannot
be written, or does not compile, the fault is planted by itself.
"""
import re

# The switch, in a file of the copy.
SWITCH = """\
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

private let planted = getenv("PLANTED_FAULT").map { atol($0) } ?? -1

@usableFromInline
package func isPlanted(_ number: Int) -> Bool { planted == number }
"""
VARIABLE = "PLANTED_FAULT"

NOT_A_STATEMENT = re.compile(r"(else|switch|case|defer|func|static|private|fileprivate|extension|\}|\?|:)\b|[})?:]")
CONDITION = re.compile(r"(?P<head>(?:if|guard|while) )(?P<body>.*?)(?P<tail>,| \{| else \{(?: .* \})?)$")
BINDING = re.compile(r"(?P<head>(?:let|var) \w+(?:: [\w.]+\??)? = )(?P<body>.*)$")
GETTER = re.compile(r"(?P<head>var \w+: \w+ \{ )(?P<body>.*)(?P<tail> \})$")
ARGUMENT = re.compile(r"(?P<head>\w+: )(?P<body>.*)(?P<tail>,)$")


def elements(text):
    """The conditions of a list, split at the commas outside of brackets."""
    found, depth, start = [], 0, 0
    for index, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            found.append(text[start:index].strip())
            start = index + 1
    return found + [text[start:].strip()]


def is_binding(condition):
    return re.match(r"(let|var|case)\b", condition) is not None


def chosen(number, fault, original):
    """One condition, or one value; None where there is no such expression."""
    if fault == original:
        return original
    first, second = BINDING.match(fault), BINDING.match(original)
    if first and second and first["head"] == second["head"]:
        return f"{second['head']}isPlanted({number}) ? ({first['body']}) : ({second['body']})"
    if is_binding(fault) or is_binding(original):
        return None
    return f"(isPlanted({number}) ? ({fault}) : ({original}))"


def conditions(number, fault, original):
    """The conditions of a list; a fault may change some, add `false` or leave one out."""
    faulty, right = elements(fault), elements(original)
    if len(faulty) == len(right) + 1 and "false" in faulty:
        index = faulty.index("false")
        if faulty[:index] + faulty[index + 1:] == right:
            return ", ".join(right[:index] + [f"!isPlanted({number})"] + right[index:])
    if len(faulty) + 1 == len(right):
        for index, condition in enumerate(right):
            if faulty == right[:index] + right[index + 1:] and not is_binding(condition):
                return ", ".join(right[:index] + [f"(isPlanted({number}) || ({condition}))"] + right[index + 1:])
    if len(faulty) != len(right):
        return None
    all_chosen = [chosen(number, one, other) for one, other in zip(faulty, right)]
    return None if None in all_chosen else ", ".join(all_chosen)


def both(pattern, fault, original):
    """The matches of both lines, if only the body differs."""
    one, other = pattern.match(fault), pattern.match(original)
    if not one or not other:
        return None
    same = all(one[name] == other[name] for name in pattern.groupindex if name != "body")
    return (one, other) if same else None


def within_expression(number, fault, original):
    """A line that is a part of an expression or of a list of conditions."""
    for operator, without in (("&& ", "isPlanted({}) || "), ("|| ", "!isPlanted({}) && ")):
        if original.startswith(operator):
            if not fault:
                return f"{operator}({without.format(number)}({original[3:]}))"
            if fault.startswith(operator):
                return f"{operator}{chosen(number, fault[3:], original[3:])}"
            return None
    comma = "," if original.endswith(",") else ""
    if not fault:
        return f"(isPlanted({number}) || ({original.removesuffix(',')})),"
    if comma and not fault.endswith(","):
        return None
    text = conditions(number, fault.removesuffix(comma), original.removesuffix(comma))
    return None if text is None else text + comma


def switched(number, fault, original, before, after):
    """The line with a switch between the fault and the original; None where that cannot be written.

    `before` and `after` are the lines around it.
    """
    fault, original = fault.strip(), original.strip()
    if original.startswith(("&&", "||")) or original.endswith(",") and not CONDITION.match(original):
        matches = both(ARGUMENT, fault, original)
        if matches:
            one, other = matches
            return f"{other['head']}{chosen(number, one['body'], other['body'])},"
        return within_expression(number, fault, original)
    if re.search(r"(,|\(|=|\bguard|\bif|\bwhile|&&|\|\|)$", before) and not original.endswith("{"):
        return within_expression(number, fault, original) if fault else None
    if after.startswith(("&&", "||", ".", "?")) or original.startswith("."):
        return None
    matches = both(GETTER, fault, original) or both(BINDING, fault, original)
    if matches:
        one, other = matches
        tail = other["tail"] if "tail" in other.re.groupindex else ""
        if other["body"].endswith("{"):
            return None
        return f"{other['head']}{chosen(number, one['body'], other['body'])}{tail}"
    matches = both(CONDITION, fault, original)
    if matches:
        one, other = matches
        text = conditions(number, one["body"], other["body"])
        return None if text is None else f"{other['head']}{text}{other['tail']}"
    is_whole = all(line.count("{") == line.count("}") for line in (fault, original))
    binds = re.match(r"guard\b.*\b(let|var)\b|let\b|var\b", original)
    if not is_whole or binds or original.startswith("guard") and fault == "" or NOT_A_STATEMENT.match(original):
        return None
    return f"if isPlanted({number}) {{ {fault} }} else {{ {original} }}"


def write(text, faults):
    """The text of a file with switches for its faults, and the numbers of those that it has.

    `faults` are a number, a line and what stands there with the fault.
    """
    lines, numbers = text.split("\n"), []
    for number, at, fault in faults:
        code = lines[at]
        before = next((line.partition("//")[0].rstrip() for line in reversed(lines[:at]) if line.partition("//")[0].strip()), "")
        after = lines[at + 1].strip() if at + 1 < len(lines) else ""
        new = switched(number, fault, code, before, after)
        if new is not None:
            lines[at] = code[: len(code) - len(code.lstrip())] + new
            numbers.append(number)
    return "\n".join(lines), numbers
