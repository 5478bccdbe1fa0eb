// The account whose access token a link contains.

/** The time in milliseconds within which the server must tell the account. */
const LIMIT = 10_000;

/**
 * A link may come from anybody, and may sign in to an account that others read; so its name is shown before anything is
 * written with it.
 */
export class LinkAccount {
  /** @type {"loading" | "known" | "unreachable" | "refused"} */
  state = "loading";
  /** The name and the user name, which the server tells. */
  name = "";
  id;
  token;

  /**
   * @param {number} id
   * @param {string} token
   */
  constructor(id, token) {
    this.id = id;
    this.token = token;
  }

  /** Returns the account of an access token; null for other tokens, such as those of rooms. */
  static of(token) {
    try {
      const claims = JSON.parse(atob(token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/")));
      const id = Number(claims.sub);
      return claims.typ === "access" && Number.isSafeInteger(id) && id > 0 ? new LinkAccount(id, token) : null;
    } catch {
      return null;
    }
  }

  /** Asks the server for the name. */
  async fetch() {
    this.state = "loading";
    try {
      const answer = await fetch("/api/v1/users/me/", {
        headers: { Authorization: `Bearer ${this.token}` }, signal: AbortSignal.timeout(LIMIT),
      });
      const { id, name, username } = (answer.ok && (await answer.json()).profile_data) || {};
      const isSame = id === this.id && typeof name === "string";
      this.state = isSame ? "known" : answer.ok || isLasting(answer.status) ? "refused" : "unreachable";
      // Names are free to choose; user names are unique.
      if (isSame) this.name = username ? `${name} (@${username})` : name;
    } catch {
      this.state = "unreachable";
    }
  }
}

/** Whether asking again for the account gives the same answer. */
function isLasting(status) {
  return status < 500 && status !== 408 && status !== 429;
}
