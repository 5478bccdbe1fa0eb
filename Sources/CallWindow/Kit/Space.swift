/// The standard distances of the layout, in points.
enum Space {
    static let tiny = 4.0
    static let small = 8.0
    static let medium = 12.0
    static let large = 16.0
    static let huge = 24.0
}

/// The standard corner radii, in points.
enum Corner {
    static let small = 6.0
    static let medium = 10.0
    static let large = 16.0
}
