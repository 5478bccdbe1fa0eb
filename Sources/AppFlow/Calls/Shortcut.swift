/// A key with which a screen of calls can be controlled, named by its letter on a Latin keyboard.
package enum Shortcut: Hashable, Sendable {
    case q, m, v, plus, minus, escape
}
