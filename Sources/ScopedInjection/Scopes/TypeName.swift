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
    static func written(_ name: some StringProtocol) -> String {
        guard let open = name.firstIndex(of: "<"), let close = end(of: name, from: open) else { return String(name) }
        let generic = name[..<open].reversed().prefix { $0.isLetter || $0.isNumber || $0 == "_" }.reversed()
        let before = name[..<open].dropLast(generic.count)
        let parts = arguments(name[name.index(after: open)..<close])
        let text =
            switch (String(generic), parts.count) {
            case ("Optional", 1): parts[0].contains(" ") && !isBracketed(parts[0]) ? "(\(parts[0]))?" : "\(parts[0])?"
            case ("Array", 1): "[\(parts[0])]"
            case ("Dictionary", 2): "[\(parts[0]): \(parts[1])]"
            default: "\(String(generic))<\(parts.joined(separator: ", "))>"
            }
        return before + text + written(name[name.index(after: close)...])
    }

    /// The end of what begins with `<`; the arrow of a function is none.
    private static func end<Name: StringProtocol>(of name: Name, from open: Name.Index) -> Name.Index? {
        var depth = 0
        for index in name[open...].indices {
            if name[index] == "<" { depth += 1 }
            if name[index] == ">", name[name.index(before: index)] != "-" { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// The arguments; of `Self.Clock.Duration == Duration` what stands on the right.
    private static func arguments(_ list: some StringProtocol) -> [String] {
        var (parts, depth, last): ([String], Int, Character) = ([""], 0, " ")
        for character in list {
            if "<([".contains(character) { depth += 1 }
            if ")]".contains(character) || character == ">" && last != "-" { depth -= 1 }
            if depth == 0, character == "," { parts.append("") } else { parts[parts.count - 1].append(character) }
            last = character
        }
        return parts.map { part in
            let text = part.drop { $0 == " " }
            guard text.hasPrefix("Self."), let sign = text.firstIndex(of: "=") else { return written(text) }
            return written(text[sign...].drop { $0 == "=" || $0 == " " })
        }
    }

    /// Whether the whole is one list or tuple.
    private static func isBracketed(_ text: String) -> Bool {
        text.hasPrefix("[") && text.hasSuffix("]") || text.hasPrefix("(") && text.hasSuffix(")")
    }
}

private protocol Listing { static var element: Any.Type { get } }
extension Array: Listing { fileprivate static var element: Any.Type { Element.self } }
