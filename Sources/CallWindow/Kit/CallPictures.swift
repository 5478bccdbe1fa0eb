/// Which of a call's pictures there are, in their pixels.
struct CallPictures: Hashable, Sendable {
    struct Size: Hashable, Sendable {
        var width: Int
        var height: Int
    }

    var remote: Size?
    var local: Size?
}
