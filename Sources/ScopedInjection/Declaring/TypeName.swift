/// The names of types as people write them, which the runtime spells out.
enum TypeName {
    /// The name, with the `any` of an array's elements, which the runtime leaves out.
    static func written(_ type: Any.Type) -> String {
        guard let element = (type as? any Listing.Type)?.element, element != Any.self, element != AnyObject.self,
            "\(Swift.type(of: element))".hasSuffix(".Protocol"), !"\(element)".hasPrefix("any ")
        else { return written("\(type)") }
        return "[any \(written("\(element)"))]"
    }

    /// The name with `User?`, `[Int]`, `[String: Int]` and `any Clock<Duration>`.
    private static func written(_ name: Substring) -> String {
        guard let open = name.firstIndex(of: "<") else { return String(name) }
        let generic = name[..<open].reversed().prefix { $0.isLetter || $0.isNumber || $0 == "_" }.reversed()
        let before = name[..<open].dropLast(generic.count)
        let (parts, rest) = arguments(name[open...].dropFirst())
        let text =
            switch (String(generic), parts.count) {
            case ("Optional", 1): parts[0].contains(" ") && !isBracketed(parts[0]) ? "(\(parts[0]))?" : "\(parts[0])?"
            case ("Array", 1): "[\(parts[0])]"
            case ("Dictionary", 2): "[\(parts[0]): \(parts[1])]"
            default: "\(String(generic))<\(parts.joined(separator: ", "))>"
            }
        return before + text + written(rest)
    }

    /// The arguments of a list, and what comes after it; of `Self.Clock.Duration == Duration` what stands on the right.
    private static func arguments(_ list: Substring) -> (parts: [String], rest: Substring) {
        var (parts, depth, last): ([Substring], Int, Character) = ([""], 0, " ")
        // The arrow of a function ends no list.
        let end = list.firstIndex { character in
            if "<([".contains(character) { depth += 1 }
            if ")]".contains(character) || character == ">" && last != "-" { depth -= 1 }
            if depth == 0, character == "," { parts.append("") } else { parts[parts.count - 1].append(character) }
            last = character
            return depth < 0
        }
        parts[parts.count - 1].removeLast()
        let texts = parts.map { part in
            let text = part.drop { $0 == " " }
            guard text.hasPrefix("Self."), let sign = text.firstIndex(of: "=") else { return written(text) }
            return written(text[sign...].drop { $0 == "=" || $0 == " " })
        }
        return (texts, list[(end ?? list.endIndex)...].dropFirst())
    }

    /// Whether the whole is one list or tuple.
    private static func isBracketed(_ text: String) -> Bool {
        text.hasPrefix("[") && text.hasSuffix("]") || text.hasPrefix("(") && text.hasSuffix(")")
    }
}

private protocol Listing { static var element: Any.Type { get } }
extension Array: Listing { fileprivate static var element: Any.Type { Element.self } }
