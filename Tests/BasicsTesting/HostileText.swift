/// Combining marks in an order in which Swift takes quadratic time to compare them; `count` is rounded to an even number.
package func marks(_ count: Int) -> String {
    String(repeating: "\u{301}", count: count / 2) + String(repeating: "\u{316}", count: count / 2)
}
