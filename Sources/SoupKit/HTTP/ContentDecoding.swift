internal import CGLib
internal import CSoup
internal import GLibKit

/// The decoding of response bodies by libsoup.
///
/// libsoup adds a stream around the body for each content coding that the server names, without a limit. Each read
/// passes through all of them, and several thousand streams overflow the stack of the loop's thread.
enum ContentDecoding {
    /// Disables decoding for this `SoupMessage` if its response names several codings (RFC 9110 §8.4).
    static func restrict(in message: ObjectRef) {
        // libsoup wraps the streams after this signal.
        message.connect("got-headers") { arguments in
            guard let message = arguments.object(0), Self.codings(of: message) > 1 else { return }
            Self.disable(in: message)
        }
    }

    static func disable(in message: ObjectRef) {
        soup_message_disable_feature(message.opaque, soup_content_decoder_get_type())
    }

    static func isDisabled(in message: ObjectRef) -> Bool {
        soup_message_is_feature_disabled(message.opaque, soup_content_decoder_get_type()) != 0
    }

    /// Returns the number of content codings of the response in all its fields, as libsoup counts them.
    private static func codings(of message: ObjectRef) -> Int {
        let headers = soup_message_get_response_headers(message.opaque)
        guard let value = soup_message_headers_get_list(headers, "Content-Encoding") else { return 0 }
        let names = soup_header_parse_list(value)
        defer { soup_header_free_list(names) }
        return Int(g_slist_length(names))
    }
}
