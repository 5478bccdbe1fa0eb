/// A key with which a call or a stream can be controlled, named by its letter on a Latin keyboard.
package enum Shortcut: Hashable, Sendable {
    case q, m, v, p, plus, minus, escape
}
