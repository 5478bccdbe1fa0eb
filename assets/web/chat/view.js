// The view of the chat: the list of people beside the conversation that is open.

import { has, language, text } from "../strings.js";
import { Composer } from "./composer.js";
import { REACTIONS } from "./conversation.js";
import { describeFile, fileName, handleOf, isDeleted, isName, isPicture, kindOf, titleOf } from "./describe.js";

const element = (id) => document.getElementById(id);
/** Signs of the reactions, for people whose fonts have them. */
const SIGNS = { like: "👍", love: "❤️", laugh: "😄", wow: "😮", sad: "😢", thanks: "🙏" };
/** The distance from the end, in pixels, within which the newest message stays in view. */
const NEAR = 80;

/**
 * @typedef {object} ChatHandlers
 * @property {() => void} onAccept
 * @property {() => void} onDecline
 * @property {() => void} onRetry
 * @property {(person: {id: number, name: string}) => void} onOpen
 * @property {() => void} onClose
 * @property {() => void} onCall
 * @property {() => void} onPerson
 * @property {() => void} onUnblock
 * @property {(text: string) => boolean} onSend whether the text was accepted
 * @property {() => void} onTyping
 * @property {(files: File[]) => void} onFiles
 * @property {(sound: Blob, person: {id: number}) => void} onVoice
 * @property {(problem: string) => void} onProblem
 * @property {(id: string) => void} onUploadAgain
 * @property {(id: string) => void} onUploadDiscard
 * @property {() => void} onOlder
 * @property {(isAtEnd: boolean) => void} onScrolled whether the newest message is in view
 * @property {(key: string) => void} onAgain
 * @property {(key: string) => void} onDiscard
 * @property {(item: object, reaction: string) => void} onReact
 * @property {(item: object) => void} onDelete
 */

export class ChatView {
  #handlers;
  #clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" });
  #day = new Intl.DateTimeFormat(language, { day: "numeric", month: "long", year: "numeric" });
  /** What is being written. */
  composer;
  #collator = new Intl.Collator(language);
  #peer = null;
  /** The elements of the people that are listed, by ID, each with what it shows. */
  #listed = new Map();
  /** @type {import("./conversation.js").Item[] | null} the messages that are shown, if any were */
  #shown = null;
  #isExtended = false;
  /** Whether the newest message stays in view. */
  #followsEnd = true;
  #lastTop = 0;
  /** The rows of the messages that are shown, by key. */
  #rows = new Map();
  /** The elements of the days that are shown, by date. */
  #days = new Map();
  /** The elements of the files on their way, by ID, each with the failure that it shows. */
  #uploads = new Map();

  /** @param {ChatHandlers} handlers */
  constructor(handlers) {
    this.#handlers = handlers;
    element("chat-accept").addEventListener("click", handlers.onAccept);
    element("chat-decline").addEventListener("click", handlers.onDecline);
    element("chat-retry").addEventListener("click", handlers.onRetry);
    element("chat-back").addEventListener("click", handlers.onClose);
    element("chat-call").addEventListener("click", handlers.onCall);
    element("chat-person").addEventListener("click", handlers.onPerson);
    element("chat-unblock").addEventListener("click", handlers.onUnblock);
    this.composer = new Composer({
      ...handlers,
      onSend: (words) => {
        const isAccepted = handlers.onSend(words);
        if (isAccepted) this.#scrollToEnd();
        return isAccepted;
      },
    });
    element("chat-messages").addEventListener("scroll", () => {
      const isAtEnd = this.#isAtEnd;
      handlers.onScrolled(isAtEnd);
      // Without a move upwards, the messages have grown, for example by a picture that is being loaded.
      const { scrollTop } = element("chat-messages");
      if (isAtEnd || scrollTop < this.#lastTop) this.#followsEnd = isAtEnd;
      this.#lastTop = scrollTop;
      if (element("chat-messages").scrollTop < 200) handlers.onOlder();
      if (isAtEnd) element("chat-new").hidden = true;
    });
    // A picture gets its height when it is loaded.
    element("chat-messages").addEventListener("load", () => {
      if (this.#followsEnd) this.#scrollToEnd();
    }, true);
    element("chat-new").addEventListener("click", () => this.#scrollToEnd());
  }

  // The account of the link

  /**
   * Asks whether to write with the account of the link, instead of showing the chat.
   * @param {import("./link-account.js").LinkAccount} account
   */
  ask({ state, name }) {
    element("chat").classList.add("asking");
    element("chat-asked").hidden = false;
    element("chat-asked-title").textContent = state === "known"
      ? text("chat.asked", { name }) : text(`chat.asked.${state}`);
    element("chat-accept").textContent = text(state === "unreachable" ? "chat.retry" : "chat.asked.accept");
    element("chat-accept").hidden = state === "loading" || state === "refused";
    element("chat-asked-title").focus();
  }

  /** Shows the chat, after the question about the account. */
  stopAsking() {
    element("chat").classList.remove("asking");
    element("chat-asked").hidden = true;
  }

  // The people

  /**
   * @param {{people: object[] | null, problem: string, own: number, name: string,
   *   inbox: import("./inbox.js").Inbox, standing: (id: number) => {isBlocked: boolean, isMuted: boolean}}} state
   */
  showPeople({ people, problem, own, name, inbox, standing }) {
    element("chat-own").textContent = text("chat.own", { name });
    element("chat-problem").hidden = !problem;
    element("chat-problem").querySelector("span").textContent = problem;
    const isUnread = ({ id, isMuted }) => !isMuted && (inbox.conversations.get(id)?.unread ?? 0) > 0;
    const others = (people ?? [])
      .filter(({ id }) => id !== own)
      .map((person) => ({ ...person, ...standing(person.id), isOnline: inbox.presence.get(person.id) ?? person.isOnline }))
      .sort((one, other) =>
        isUnread(other) - isUnread(one) || other.isOnline - one.isOnline
        || this.#collator.compare(one.name, other.name));
    const before = this.#listed;
    this.#listed = new Map();
    // The keyboard focus stays with a person about whom nothing has changed.
    reconcile(element("chat-people"), others.map((person) => {
      const conversation = inbox.conversations.get(person.id);
      const digest = JSON.stringify([person, conversation]);
      const known = before.get(person.id);
      const row = known?.digest === digest ? known : { digest, element: this.#person(person, conversation) };
      this.#listed.set(person.id, row);
      return row.element;
    }));
  }

  /** @param {number} count the number of conversations with something that was not read */
  showUnread(count) {
    element("chat-unread").textContent = count > 0 ? String(count) : "";
  }

  #person(person, conversation) {
    const handle = handleOf(person);
    const note = conversation?.last || person.status || text("chat.no-status");
    const state = person.isBlocked ? "blocked" : person.isMuted ? "muted" : person.isOnline ? "online" : "offline";
    const button = make("button", { type: "button", className: "person" },
      make("span", { className: person.isOnline ? "avatar online" : "avatar", ariaHidden: "true" }, initials(person.name)),
      make("span", { className: "words" },
        make("strong", {}, person.name),
        // No text that somebody has written has the color of a user name.
        make("small", {}, handle && make("bdi", { className: "username" }, handle), handle && " ", note)),
      make("span", { className: state === "online" ? "state on" : "state" }, text(`chat.${state}`)),
      conversation?.unread > 0 && make("span", { className: "badge" }, String(conversation.unread)));
    button.addEventListener("click", () => this.#handlers.onOpen(person));
    return make("li", {}, button);
  }

  // The conversation

  /** Shows the conversation with a person; nobody shows the list alone. */
  open(person) {
    this.#peer = person;
    this.#shown = null;
    this.#rows.clear();
    this.#days.clear();
    element("chat").classList.toggle("talking", person !== null);
    element("chat-talk").hidden = person === null;
    element("chat-none").hidden = person !== null;
    if (!person) return this.composer.open(null);
    element("chat-name").textContent = person.name;
    element("chat-username").textContent = handleOf(person);
    element("chat-messages").replaceChildren();
    element("chat-new").hidden = true;
    this.composer.open(person);
  }

  /**
   * @param {import("./conversation.js").Conversation} conversation
   * @param {number} own
   * @param {{isBlocked: boolean, isMuted: boolean}} standing
   */
  showConversation(conversation, own, { isBlocked, isMuted }) {
    const { items, link, isTyping, isLoaded, problem } = conversation;
    const isOnline = conversation.isOnline ?? this.#peer?.isOnline;
    const state = link === "connecting" || link === "reconnecting" ? `chat.${link}` : isBlocked ? "chat.blocked"
      : isDeleted(this.#peer) ? "chat.deletedAccount" : isTyping ? "chat.typing" : isOnline ? "chat.online" : "chat.offline";
    element("chat-state").textContent = [text(state), isMuted && !isBlocked && text("chat.muted")].filter(Boolean).join(" · ");
    element("chat-state").classList.toggle("on", state === "chat.online");
    const canBeCalled = isOnline && !isBlocked && link === "open" && conversation.mode === "extended"
      && !conversation.isPeerSimulated;
    element("chat-call").hidden = !canBeCalled;
    const isClosed = isBlocked || isDeleted(this.#peer);
    element("chat-write").hidden = isClosed;
    this.composer.takeFiles(conversation.mode === "extended" && !isClosed);
    element("chat-blocked").hidden = !isBlocked;
    element("chat-blocked").querySelector("span").textContent = text("chat.blocked.note", { name: this.#peer.name });
    element("chat-refusal").hidden = !problem;
    element("chat-refusal").textContent = problem;
    element("chat-empty").hidden = !isLoaded || items.length > 0;
    this.#showMessages(items, own, conversation.mode === "extended");
  }

  /** Shows messages; those that are the same objects as before are not looked at. */
  #showMessages(items, own, isExtended) {
    const isSame = this.#shown?.length === items.length && items.every((item, index) => item === this.#shown[index]);
    if (isSame && isExtended === this.#isExtended) return;
    const wasAtEnd = this.#shown === null || this.#followsEnd;
    const list = element("chat-messages");
    const hadLast = list.lastElementChild?.dataset.key;
    const anchor = wasAtEnd ? null : firstInView(list);
    const place = anchor?.getBoundingClientRect().top;
    [this.#shown, this.#isExtended] = [items, isExtended];
    reconcile(list, this.#elements(items, own, isExtended));
    const last = items.at(-1);
    // A file is stored before its message is shown.
    const isJustWritten = last && last.key !== hadLast && last.isMine && (last.progress !== "stored" || last.media);
    if (wasAtEnd || isJustWritten) this.#scrollToEnd();
    // What is being read stays at its place, whatever comes before it.
    else if (anchor?.isConnected) list.scrollTop += anchor.getBoundingClientRect().top - place;
    if (!wasAtEnd && last && last.key !== hadLast && !last.isMine) element("chat-new").hidden = false;
  }

  /**
   * Returns the elements of messages and days. One that shows the same is used again, so that what plays in it goes on.
   */
  #elements(items, own, isExtended) {
    const [rows, days] = [this.#rows, this.#days];
    [this.#rows, this.#days] = [new Map(), new Map()];
    let day = "";
    return items.flatMap((item) => {
      let row = rows.get(item.key);
      if (row?.item !== item || row.isExtended !== isExtended) {
        const date = this.#day.format(item.time);
        row = { item, isExtended, date, element: this.#bubble(item, own, isExtended) };
      }
      this.#rows.set(item.key, row);
      if (row.date === day) return [row.element];
      day = row.date;
      const head = days.get(day) ?? make("li", { className: "day" }, day);
      this.#days.set(day, head);
      return [head, row.element];
    });
  }

  #bubble(item, own, isExtended) {
    const isFile = item.media && !item.isDeleted && isName(item.text, String(item.media.type));
    const words = item.isDeleted ? text("chat.deleted") : isFile ? "" : item.text;
    const progress = item.isRead ? "read" : item.isAnswered ? "delivered" : item.progress;
    const notes = [item.isAutomatic && text("chat.automatic"), item.isEdited && !item.isDeleted && text("chat.edited"),
      this.#clock.format(item.time), item.isMine && text(`chat.progress.${progress}`)];
    const bubble = make("li", { className: item.isMine ? "bubble mine" : "bubble" },
      ...(item.media ? this.#media(item.media, isFile ? fileName(item.text) : "", item.text) : []),
      words && make("p", { className: item.isDeleted ? "gone" : "" }, words),
      make("small", {}, notes.filter(Boolean).join(" · ")));
    bubble.dataset.key = item.key;
    bubble.dataset.progress = item.progress;
    const given = Object.entries(item.reactions).filter(([, people]) => people.length > 0);
    if (given.length > 0) {
      bubble.lastElementChild.before(make("span", { className: "given" }, ...given.map(([reaction, people]) =>
        this.#reaction(item, reaction, `${SIGNS[reaction]} ${people.length}`, people.includes(own)))));
    }
    if (item.progress === "not-sent") {
      bubble.append(make("span", { className: "deeds" },
        this.#button("chat.again", () => this.#handlers.onAgain(item.key)),
        this.#button("chat.discard", () => this.#handlers.onDiscard(item.key))));
    } else if (isExtended && item.progress === "stored" && !item.isDeleted) {
      const menu = make("details", {},
        make("summary", { ariaLabel: text("chat.more") }, "⋯"),
        ...REACTIONS.map((reaction) => this.#reaction(item, reaction, SIGNS[reaction], false)),
        item.isMine && !item.isAutomatic && this.#button("chat.delete", () => this.#handlers.onDelete(item)));
      bubble.append(menu);
    }
    return bubble;
  }

  /**
   * Makes what shows or plays a file, and the row with its name, which may be empty; pictures that are shown have no row.
   */
  #media({ url, type, bytes, width, height }, name, words) {
    const file = { type: String(type), bytes, width, height };
    const kind = kindOf(file.type);
    const title = name || text(`chat.file.${titleOf(file.type, words)}`);
    // Only files of this server are shown.
    const path = /^\/api\/media\/[\w-]+$/.test(url) ? this.mediaURL(url) : null;
    const row = make("div", { className: "file" },
      make(path ? "a" : "span", path ? { href: path, download: name } : {}, make("bdi", {}, title)),
      make("small", {}, describeFile(file, name)));
    if (path && isPicture(file)) return [make("img", { src: path, alt: title, loading: "lazy" })];
    if (!path || kind === "file" || kind === "picture") return [row];
    return [make(kind, { src: path, controls: true, preload: "none" }), row];
  }

  /**
   * Shows the files that are on their way to the person.
   * @param {import("./outgoing.js").OutgoingFile[]} files
   */
  showUploads(files) {
    const before = this.#uploads;
    this.#uploads = new Map(files.map((file) => {
      const known = before.get(file.id);
      // A button that is being pressed stays.
      return [file.id, known?.failure === file.failure ? known : { failure: file.failure, element: this.#upload(file) }];
    }));
    for (const { id, share, failure } of files) {
      if (!failure) this.#uploads.get(id).element.querySelector("progress").value = share;
    }
    reconcile(element("chat-uploads"), [...this.#uploads.values()].map(({ element }) => element));
  }

  #upload({ id, name, failure }) {
    const title = make("bdi", {}, fileName(name) || text("chat.file.voice"));
    if (failure === 0) {
      const progress = make("progress", { max: 1, ariaLabel: text("chat.upload.progress") });
      return make("li", {}, title, progress, this.#button("chat.upload.cancel", () => this.#handlers.onUploadDiscard(id)));
    }
    const problem = has(`chat.upload.${failure}`) ? `chat.upload.${failure}` : "chat.upload.failed";
    return make("li", { className: "failed" }, title, make("span", { className: "error" }, text(problem, { status: failure })),
      this.#button("chat.again", () => this.#handlers.onUploadAgain(id)),
      this.#button("chat.discard", () => this.#handlers.onUploadDiscard(id)));
  }

  /** Makes the URL of a file, which names the user. */
  mediaURL = (path) => path;

  #reaction(item, reaction, label, isMine) {
    const button = make("button", { type: "button", className: isMine ? "reaction own" : "reaction" }, label);
    button.setAttribute("aria-label", text(`chat.reaction.${reaction}`));
    button.addEventListener("click", () => this.#handlers.onReact(item, reaction));
    return button;
  }

  #button(key, act) {
    const button = make("button", { type: "button", className: "small" }, text(key));
    button.addEventListener("click", act);
    return button;
  }

  get #isAtEnd() {
    const list = element("chat-messages");
    return list.scrollHeight - list.scrollTop - list.clientHeight < NEAR;
  }

  #scrollToEnd() {
    this.#followsEnd = true;
    element("chat-messages").scrollTop = element("chat-messages").scrollHeight;
    element("chat-new").hidden = true;
  }
}

/** Makes these the children of a list, and moves none that is at its place already. */
function reconcile(list, wanted) {
  const all = new Set(wanted);
  for (const child of [...list.children]) if (!all.has(child)) child.remove();
  let next = list.firstElementChild;
  for (const child of wanted) {
    if (child === next) next = next.nextElementSibling;
    else list.insertBefore(child, next);
  }
}

/** Returns the first message that is in view, at least in part. */
function firstInView(list) {
  const { top } = list.getBoundingClientRect();
  return [...list.children].find((row) => row.dataset.key !== undefined && row.getBoundingClientRect().bottom > top);
}

function make(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children.filter((child) => child || child === 0));
  return made;
}

function initials(name) {
  const words = name.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return "??";
  return [words[0], words.length > 1 && words.at(-1)].filter(Boolean).map((word) => [...word][0].toUpperCase()).join("");
}
