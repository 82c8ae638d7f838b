extension Collection {
    /// The elements in the order of texts.
    ///
    /// Sorting is compiled for each type anew, and takes kilobytes; this sorts indices, whatever the elements are.
    func ordered(by text: (Element) -> String) -> [Element] {
        let elements = Array(self)
        return order(of: elements.map(text)).map { elements[$0] }
    }
}

/// The indices of texts in the order of these.
@inline(never)
private func order(of texts: [String]) -> [Int] { texts.indices.sorted { texts[$0] < texts[$1] } }
