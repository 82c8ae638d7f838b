package import Foundation
package import GRDB

/// A note of a user.
package struct Note: Codable, Equatable, Sendable {
    package let id: Int64
    package let user: String
    package let text: String
    package let createdAt: Date
}

extension Note: FetchableRecord, TableRecord {
    package static let databaseTableName = "note"

    package enum Columns {
        package static let id = Column("id")
        package static let user = Column("user")
        package static let createdAt = Column("createdAt")
    }
}
