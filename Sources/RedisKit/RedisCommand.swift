package import NIOCore

/// A command in the form that is sent to Redis: an array of bulk strings.
package struct RedisCommand: Hashable, Sendable {
    package let encoded: ByteBuffer

    package init(_ words: any RedisWord...) { self.init(words) }

    package init(_ words: [any RedisWord]) {
        var buffer = ByteBuffer()
        buffer.writeString("*\(words.count)\r\n")
        for word in words { word.writeBulk(to: &buffer) }
        encoded = buffer
    }
}

/// An argument of a command.
package protocol RedisWord: Sendable {
    func writeBulk(to buffer: inout ByteBuffer)
}

extension String: RedisWord {
    package func writeBulk(to buffer: inout ByteBuffer) {
        buffer.writeString("$\(utf8.count)\r\n")
        buffer.writeString(self)
        buffer.writeString("\r\n")
    }
}

extension Int: RedisWord {
    package func writeBulk(to buffer: inout ByteBuffer) { description.writeBulk(to: &buffer) }
}

extension [UInt8]: RedisWord {
    package func writeBulk(to buffer: inout ByteBuffer) {
        buffer.writeString("$\(count)\r\n")
        buffer.writeBytes(self)
        buffer.writeString("\r\n")
    }
}
