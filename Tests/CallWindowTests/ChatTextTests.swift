import ChatCore
import Testing

@testable import AppFlow
@testable import CallWindow
@testable import WindowKit

extension CallWindowTests {
    @Suite("Texts of the chat")
    @WindowActor struct ChatTextTests {
        private let strings = Strings(.ukrainian, folder: ScreenBench.strings)

        private func message(_ text: String, type: String? = nil, isDeleted: Bool = false) -> ChatMessage {
            var message = SampleChat.message(1, text, isMine: false, minute: 0).message
            message.media = type.map {
                ChatMedia(id: "c2369121-562f", url: "/api/media/x", type: $0, bytes: 1)
            }
            message.isDeleted = isDeleted
            return message
        }

        @Test("A message is summarized by its text, or else by its type")
        func summary() {
            #expect(strings.summary(of: message("привіт")) == "привіт")
            #expect(strings.summary(of: message("", isDeleted: true)) == "Це повідомлення видалено")
            #expect(strings.summary(of: message("", type: "image/png")) == "Зображення")
            #expect(strings.summary(of: message("pic.png", type: "image/png")) == "Зображення")
            #expect(strings.summary(of: message("my cat", type: "image/png")) == "my cat")
            #expect(strings.summary(of: message("", type: "audio/ogg")) == "Голосове повідомлення")
            #expect(strings.summary(of: message("a.ogg", type: "audio/ogg")) == "Аудіо")
            #expect(strings.summary(of: message("plan.pdf", type: "application/pdf")) == "plan.pdf")
        }

        @Test("Characters that change the writing direction are removed from a displayed file name")
        func shownNames() throws {
            let trick = message("invoice\u{202E}fdp.exe", type: "application/octet-stream")
            let view = try #require(MediaView(trick, ChatTransfers()))
            #expect(view.shownName.unicodeScalars.elementsEqual("invoicefdp.exe".unicodeScalars))
            #expect(strings.summary(of: trick).unicodeScalars.elementsEqual("invoicefdp.exe".unicodeScalars))
            let unseen = message("\u{202E}\u{2066}", type: "application/octet-stream")
            #expect(strings.summary(of: unseen) == strings["chat.file.file"])
        }

        @Test("A video is shown at a visible height, whatever size the server reports")
        func stageHeight() throws {
            var transfers = ChatTransfers()
            transfers.playsSounds = true
            func height(_ width: Int, _ height: Int) throws -> Double {
                var film = message("", type: "video/mp4")
                film.media?.width = width
                film.media?.height = height
                let view = try #require(MediaView(film, transfers))
                return view.size(300).height - SoundView.height
            }
            #expect(try height(1_000_000, 1) > 50)
            #expect(try height(1, 1_000_000) < 400)
            #expect(try height(1600, 900) > height(1_000_000, 1))
        }

        @Test("The names of guests and deleted accounts are translated, and other names are not")
        func names() {
            #expect(strings.name(of: ChatPerson(id: 361, name: "Guest 361")) == "Гість 361")
            #expect(strings.name(of: ChatPerson(id: 362, name: "Guest 361")) == "Guest 361")
            #expect(strings.name(of: ChatPerson(id: 1361, name: "Guest 1361")) == "Guest 1361")
            #expect(strings.name(of: ChatPerson(id: 361, name: "Ann")) == "Ann")
            #expect(strings.name(of: .deleted(1361)) == "Видалений обліковий запис")
        }

        @Test("The peer of a call has the same name as in the chat")
        func peers() {
            #expect(strings.name(ofPeer: "Guest 361") == "Гість 361")
            for name in ["Ann", "Guest", "Guest 1361", "Guest 361 ", "361", ""] {
                #expect(strings.name(ofPeer: name) == name)
            }
            #expect(strings.name(ofPeer: nil) == strings["common.peer"])
        }

        @Test(
            "A file is saved under its own name, or under a generated name with the extension of its type",
            arguments: [
                ("pic.png", "image/png", "pic.png"), ("photo.JPEG", "image/jpeg", "photo.JPEG"),
                ("", "image/jpeg", "c2369121-562.jpg"), ("my cat", "image/png", "c2369121-562.png"),
                ("two\nlines.png", "image/png", "c2369121-562.png"), ("notes.txt", "text/plain", "notes.txt"),
                ("", "application/octet-stream", "c2369121-562.bin"), ("film.mkv", "video/webm", "film.mkv"),
            ]
        )
        func savedNames(text: String, type: String, name: String) throws {
            let view = try #require(MediaView(message(text, type: type), ChatTransfers()))
            #expect(view.savedName == name)
        }

        @Test(
            "A file is described by its type, or else by its name",
            arguments: [
                ("notes.txt", "application/octet-stream", FileLabel.text), ("a.PDF", "application/pdf", .pdf),
                ("a.tar.gz", "application/octet-stream", .archive), ("a", "application/octet-stream", .file),
                (".txt", "application/octet-stream", .file), ("trick.txt", "image/png", .picture),
                ("budget.ods", "application/octet-stream", .table),
            ]
        )
        func labels(name: String, type: String, label: FileLabel) {
            #expect(FileLabel(ChatMedia(id: "x", url: "", type: type, bytes: 1), name: name) == label)
        }

        @Test(
            "Every file type has a description in every language",
            arguments: AppSettings.Language.allCases
        )
        func texts(language: AppSettings.Language) {
            let strings = Strings(language, folder: ScreenBench.strings)
            for label in FileLabel.allCases { #expect(strings.has("chat.file.\(label.rawValue)")) }
        }
    }
}
