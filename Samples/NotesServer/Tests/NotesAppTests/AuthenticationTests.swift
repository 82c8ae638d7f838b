import Foundation
import HTTPTypes
import NIOCore
import NotesApp
import Testing

@Suite struct AuthenticationTests {
    @Test(arguments: [
        nil, "", "Bearer", "Bearer ", "Bearer wrong", "Basic YWxpY2U6eA==", TestUser.alice.token,
        "Bearer \(TestUser.alice.token)x", "Bearer \(TestUser.alice.token.dropLast())", "Bearer ä",
    ])
    func aRequestMustCarryTheTokenOfAnAccount(authorization: String?) async throws {
        try await withServer { client in
            let requests: [(HTTPRequest.Method, String)] = [
                (.post, "/notes"), (.post, "/notes/batch"), (.get, "/notes"), (.get, "/notes/1"), (.delete, "/notes/1"),
            ]
            var headers = HTTPFields()
            headers[.authorization] = authorization
            for (method, path) in requests {
                let body = method == .post ? ByteBuffer(string: #"{"text": "milk"}"#) : nil
                let answer = try await client.send(method, path, headers: headers, body: body)
                try expectRefusal(answer, status: 401)
                #expect(answer.headers[.wwwAuthenticate] == "Bearer")
                #expect(answer.headers[.user] == nil)
                #expect(answer.headers[.tenant] == nil)
            }
        }
    }

    @Test func twoTokensAreNone() async throws {
        try await withServer { client in
            var headers = HTTPFields()
            for user in [TestUser.alice, .bob] {
                headers.append(HTTPField(name: .authorization, value: "Bearer \(user.token)"))
            }
            try expectRefusal(try await client.send(.get, "/notes", headers: headers), status: 401)
        }
    }

    @Test func anAnswerSaysForWhomItWasMade() async throws {
        try await withServer { client in
            for user in [TestUser.alice, .bob, .southernAlice] {
                for path in ["/notes", "/notes/1", "/nothing"] {
                    let answer = try await client.send(.get, path, as: user)
                    #expect(answer.headers[.user] == user.name)
                    #expect(answer.headers[.tenant] == user.tenant)
                }
            }
        }
    }

    @Test func aTokenFindsItsAccount() {
        let accounts = Accounts(TestUser.all.map(\.account))
        for user in TestUser.all {
            let account = accounts.account(forToken: user.token)
            #expect(account?.user.name == user.name)
            #expect(account?.tenant.name == user.tenant)
        }
        #expect(accounts.account(forToken: "") == nil)
        #expect(accounts.account(forToken: "token-of-alice-in-northern") == nil)
    }

    @Test func accountsAreReadFromJSON() throws {
        // The SHA-256 of "secret".
        let digest = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
        let json = #"[{"user": "alice", "tenant": "north", "tokenSHA256": "\#(digest)"}]"#
        let accounts = try Accounts(json: Data(json.utf8))
        #expect(accounts.account(forToken: "secret")?.user.name == "alice")
        #expect(accounts.tenants.map(\.name) == ["north"])
    }

    @Test(arguments: [
        ("", "it is not a JSON array of user, tenant and tokenSHA256"),
        ("[]", "there is no account in it"),
        (#"[{"user": "a b", "tenant": "north", "tokenSHA256": ""}]"#, "'a b' cannot name a user"),
        (#"[{"user": "alice", "tenant": "../x", "tokenSHA256": ""}]"#, "'../x' cannot name a tenant"),
        (
            #"[{"user": "alice", "tenant": "north", "tokenSHA256": "secret"}]"#,
            "the tokenSHA256 of alice is not 64 hexadecimal digits"
        ),
    ])
    func accountsThatCannotBeUsedAreRefused(json: String, reason: String) {
        let error = #expect(throws: AccountsError.self) { try Accounts(json: Data(json.utf8)) }
        #expect(error?.description == reason)
    }
}
