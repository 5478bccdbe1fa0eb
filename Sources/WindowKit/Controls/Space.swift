/// The standard distances of the layout, in points.
package enum Space {
    package static let tiny = 4.0
    package static let small = 8.0
    package static let medium = 12.0
    package static let large = 16.0
    package static let huge = 24.0
}

/// The standard corner radii, in points.
package enum Corner {
    package static let small = 6.0
    package static let medium = 10.0
    package static let large = 16.0
}
