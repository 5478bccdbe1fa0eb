// Connects the people, the inbox and the conversation that is open.

import { text } from "../strings.js";
import { ChatCalls } from "./calls.js";
import { Conversation } from "./conversation.js";
import { nameOf } from "./describe.js";
import { Inbox } from "./inbox.js";
import { Kept } from "./kept.js";
import { LinkAccount } from "./link-account.js";
import { frameOf, Outbox } from "./outbox.js";
import { LARGEST, Outgoing } from "./outgoing.js";
import { PersonDialog } from "./person.js";
import { ChatView } from "./view.js";

/** The time between two fetches of the list while it is shown, in milliseconds. */
const REFRESH = 20_000;
/** The time in milliseconds within which the server must tell the list. */
const FETCH_LIMIT = 10_000;
/** The time after which a message is sent again that came too fast, in milliseconds. */
const PACE = 1000;
/** The time for which a ring waits for the name of its caller, in milliseconds. */
const FIND_LIMIT = 2000;

/**
 * @typedef {object} LinkDecision the user's answers to the question about the account of a link
 * @property {() => void} onAccept
 * @property {() => void} onDecline
 */

/** The chat of this page. */
export class Chat {
  /** @type {object[] | null} */
  #people = null;
  #problem = "";
  /** @type {import("./connection.js").Identity | null} null until the user has decided about the account of the link */
  #identity = null;
  /** @type {LinkAccount | null} the account of a link that is used */
  #account = null;
  /** @type {LinkAccount | null} the account of a link about which the user is asked */
  #asked = null;
  #decision;
  /** @type {Inbox | null} */
  #inbox = null;
  /** @type {Outgoing | null} */
  #outgoing = null;
  /** The messages of files that the inbox sends, by ID, each with its person and the outbox that keeps it. */
  #sentByInbox = new Map();
  /** @type {Kept} the muted people */
  #muted;
  #fetching = null;
  #view;
  #person;
  #timer = 0;
  /** The next animation frame, if it shows anything. */
  #frame = 0;
  /** @type {Conversation | null} */
  #conversation = null;
  #peer = null;
  #calls;

  /**
   * @param {string | undefined} token the access token from the URL
   * @param {import("./calls.js").Phone} phone
   * @param {LinkDecision} decision
   */
  constructor(token, phone, decision) {
    this.#decision = decision;
    this.#calls = new ChatCalls(phone, {
      send: (frame) => this.#inbox.send(frame),
      own: () => this.#identity.own,
      // Others see it in their language.
      name: () => this.#listed?.name || `Guest ${this.#identity.own}`,
      find: (id) => this.#find(id),
      isSilent: (id) => this.#isMuted(id) || this.#inbox.blocked.has(id),
      mute: (id) => this.#mute(id, true),
    });
    this.#person = new PersonDialog({
      isMuted: (id) => this.#isMuted(id),
      onMute: (id, isMuted) => this.#mute(id, isMuted),
      isBlocked: (id) => this.#inbox.blocked.has(id),
      send: (frame) => this.#inbox.send(frame),
    });
    this.#view = new ChatView({
      onAccept: () => this.#accept(),
      onDecline: () => this.#decline(),
      onRetry: () => this.#fetch(),
      onOpen: (person) => this.#open(person),
      onClose: () => this.#close(),
      onCall: () => this.#calls.call(this.#peer),
      onPerson: () => this.#person.open(this.#peer, this.#conversation?.mode === "extended"),
      onUnblock: () => this.#person.unblock(this.#peer),
      onSend: (words) => this.#conversation?.send(words) ?? false,
      onTyping: () => this.#conversation?.typing(),
      onFiles: (files) => this.#sendFiles(files),
      onVoice: (sound, person) => this.#sendFiles([sound], person),
      onProblem: (problem) => this.#conversation?.refuse(problem),
      onUploadAgain: (id) => this.#outgoing.retry(id),
      onUploadDiscard: (id) => this.#outgoing.discard(id),
      onOlder: () => this.#conversation?.loadOlder(),
      onScrolled: (isAtEnd) => {
        if (this.#conversation) this.#conversation.isReading = !isAtEnd;
      },
      onAgain: (key) => this.#conversation?.retry(key),
      onDiscard: (key) => this.#conversation?.discard(key),
      onReact: (item, reaction) => this.#conversation?.react(item, reaction),
      onDelete: (item) => this.#conversation?.delete(item),
    });
    // What came while the page was hidden is read when it is seen.
    document.addEventListener("visibilitychange", () => this.#showSoon());
    // The browser asks before it forgets what only this page has.
    window.addEventListener("beforeunload", (event) => {
      if (this.#hasUnsent) event.preventDefault();
    });
    this.#view.mediaURL = (path) => `${path}?${this.#query()}`;
    this.offer(token);
    if (!this.#asked) this.#use({ own: guest() });
  }

  /** Asks whether to use the account of an access token; other tokens, such as those of rooms, change nothing. */
  offer(token) {
    const account = token === this.#identity?.token ? null : LinkAccount.of(token);
    if (!account) return;
    this.#asked = account;
    this.#ask();
  }

  /** Begins to show the chat. */
  show() {
    if (this.#asked) return this.#view.ask(this.#asked);
    if (!this.#timer) {
      this.#timer = setInterval(() => this.#fetch(), REFRESH);
      this.#inbox.start();
      this.#conversation?.start();
    }
    this.#fetch();
    this.#view.open(this.#peer);
    this.#showSoon();
  }

  /** Stops to show the chat, and closes the connection of the conversation; the inbox goes on, so that calls ring. */
  hide() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#conversation?.stop();
    this.#view.composer.endRecording();
  }

  /**
   * Opens the conversation from which a call came, after it.
   * @param {import("./calls.js").Visit} visit
   * @param {boolean} wasCall whether media has flowed
   */
  visited(visit, wasCall) {
    this.#calls.ended(visit, wasCall);
    if (!visit.isForeign) this.#open(visit.peer);
  }

  // The account of the link

  async #ask() {
    const account = this.#asked;
    const fetched = account.fetch();
    this.#view.ask(account);
    await fetched;
    if (account === this.#asked) this.#view.ask(account);
  }

  #accept() {
    const account = this.#asked;
    if (account?.state === "unreachable") return this.#ask();
    if (account?.state !== "known") return;
    if (this.#hasUnsent && !confirm(text("chat.asked.unsent"))) return;
    this.#decision.onAccept();
    this.#leaveAccount();
    this.#account = account;
    this.#use({ own: account.id, token: account.token });
    this.#begin();
  }

  #decline() {
    this.#decision.onDecline();
    if (!this.#identity) this.#use({ own: guest() });
    this.#begin();
  }

  #begin() {
    this.#asked = null;
    this.#view.stopAsking();
    this.show();
  }

  /** Ends what belongs to the account that was used so far, if there is one. */
  #leaveAccount() {
    if (!this.#identity) return;
    // The other person is told by the account that called.
    this.#calls.reset();
    this.#person.reset();
    this.hide();
    this.#close();
    this.#inbox.stop();
    this.#outgoing.stop();
    this.#sentByInbox.clear();
    this.#view.composer.reset();
    this.#people = this.#fetching = null;
  }

  #use(identity) {
    this.#identity = identity;
    this.#muted = new Kept("muted", identity.own);
    this.#view.composer.drafts = new Kept("draft", identity.own);
    this.#outgoing = new Outgoing({
      url: () => `/api/media?${this.#query()}`,
      onStored: ({ peer, name }, media) => this.#sendFile(peer, name, media),
      onChange: () => this.#showSoon(),
    });
    this.#inbox = new Inbox(identity, {
      onChange: () => this.#inboxChanged(),
      onConnected: () => {
        this.#calls.connected();
        for (const id of this.#sentByInbox.keys()) this.#sendByInbox(id);
      },
      onStored: (id) => this.#confirmed(id),
      onLost: () => this.#person.fail("", text("chat.problem.unconnected")),
      onCall: (frame) => this.#calls.handle(frame),
      onError: (frame) => this.#refused(frame),
      isMuted: (id) => this.#isMuted(id),
    });
  }

  // Files

  /** Whether there are files, recordings or messages that only this page has. */
  get #hasUnsent() {
    const hasFiles = this.#outgoing !== null && !this.#outgoing.isEmpty;
    return hasFiles || this.#view.composer.hasRecording || Outbox.unkept.size > 0;
  }

  /** Sends files, and recordings, which have no name. */
  #sendFiles(files, person = this.#peer) {
    for (const file of files) {
      if (file.size === 0) this.#conversation?.refuse("chat.upload.empty");
      else if (file.size > LARGEST) this.#conversation?.refuse("chat.upload.413");
      else this.#outgoing.add(person, file, file.name ?? "");
    }
  }

  /** Sends the message of a file that the server has, by the conversation or, if another one is open, by the inbox. */
  #sendFile(peer, name, media) {
    if (this.#conversation && this.#peer.id === peer.id) return this.#conversation.sendFile(media, name);
    const outbox = new Outbox(this.#identity.own, peer.id);
    const message = outbox.add(name, media);
    this.#sentByInbox.set(message.id, { message, outbox, peer });
    this.#sendByInbox(message.id);
  }

  /** Sends a message that is not confirmed yet; the server stores it once, however often it is sent. */
  #sendByInbox(id) {
    const sent = this.#sentByInbox.get(id);
    if (sent) this.#inbox.send({ ...frameOf(sent.message), withId: sent.peer.id });
  }

  #confirmed(id) {
    this.#sentByInbox.get(id)?.outbox.remove(id);
    this.#sentByInbox.delete(id);
  }

  /** Handles the refusal of a message of the inbox; false if it is none. */
  #refusedMessage({ ref, code }) {
    const sent = this.#sentByInbox.get(ref);
    if (!sent) return false;
    if (code === "too_fast" || code === "busy") setTimeout(() => this.#sendByInbox(ref), PACE);
    else {
      // The conversation shows it as not sent when it is opened.
      sent.message.isFailed = true;
      sent.outbox.keep(sent.message);
      this.#sentByInbox.delete(ref);
    }
    return true;
  }

  #inboxChanged() {
    this.#person.changed();
    this.#showSoon();
  }

  #refused(frame) {
    if (this.#refusedMessage(frame)) return;
    // Refusals of blocking name nothing; those of calls name the room, or are as old servers have them.
    const isOfCall = frame.ref !== undefined || frame.code === "offline";
    if (this.#person.isWaiting && !isOfCall) this.#person.fail(frame.code, String(frame.message ?? frame.code));
    else this.#calls.handle(frame);
  }

  #isMuted(id) {
    return this.#muted.get(id) !== "";
  }

  #mute(id, isMuted) {
    this.#muted.set(id, isMuted ? "1" : "");
    this.#showSoon();
  }

  /** The name of the user, as others see it. */
  get #name() {
    return this.#account?.name || (this.#listed ? nameOf(this.#listed) : text("chat.guest", { id: this.#identity.own }));
  }

  /** The user in the list of people, if there. */
  get #listed() {
    return this.#people?.find(({ id }) => id === this.#identity.own);
  }

  /** Finds a person, who may have come after the list was fetched. */
  async #find(id) {
    const known = () => this.#people?.find((person) => person.id === id);
    if (!known()) await Promise.race([this.#fetch(), new Promise((resolve) => setTimeout(resolve, FIND_LIMIT))]);
    const person = known() ?? { id, name: `Guest ${id}`, isOnline: true };
    return { ...person, name: nameOf(person) };
  }

  #query() {
    const { own, token } = this.#identity;
    return new URLSearchParams({ userId: String(own), ...(token && { token }) });
  }

  /** Fetches the list of people; several requests at once share one answer. */
  #fetch() {
    const identity = this.#identity;
    this.#fetching ??= this.#fetchAs(identity).finally(() => {
      if (identity === this.#identity) this.#fetching = null;
    });
    return this.#fetching;
  }

  async #fetchAs(identity) {
    let people = null;
    let problem = "";
    try {
      const answer = await fetch(`/api/users?${this.#query()}`, { signal: AbortSignal.timeout(FETCH_LIMIT) });
      if (!answer.ok) throw new Error(String(answer.status));
      people = (await answer.json()).filter(({ id, name }) => Number.isInteger(id) && typeof name === "string");
    } catch (error) {
      const isRefused = error.message === "401";
      problem = text(isRefused ? "chat.problem.account" : "chat.problem.unreachable");
    }
    // Another account may be used by now.
    if (identity !== this.#identity) return;
    this.#people = people ?? this.#people;
    this.#problem = problem;
    this.#showSoon();
  }

  #open(person) {
    if (this.#peer?.id === person.id) {
      this.#view.open(person);
      return this.#showSoon();
    }
    this.#conversation?.stop();
    this.#peer = person;
    const conversation = new Conversation(this.#identity, person, () => {
      if (conversation === this.#conversation) this.#showSoon();
    });
    this.#conversation = conversation;
    this.#view.open(person);
    conversation.start();
    this.#showSoon();
  }

  #close() {
    this.#conversation?.stop();
    this.#conversation = this.#peer = null;
    this.#view.open(null);
    this.#showSoon();
  }

  /** Shows everything once before the next frame, however often it changes until then; a hidden page has no frames. */
  #showSoon() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#show();
    });
  }

  #show() {
    if (!this.#identity) return;
    // Only the number of unread conversations is seen beside a call.
    if (this.#timer) {
      this.#showConversation();
      this.#showPeople();
    }
    this.#view.showUnread(this.#inbox.unread);
  }

  #showConversation() {
    if (!this.#conversation) return;
    this.#view.showUploads(this.#outgoing.to(this.#peer));
    this.#view.showConversation(this.#conversation, this.#identity.own, this.#standing(this.#peer.id));
    if (document.visibilityState !== "visible") return;
    this.#conversation.read();
    this.#inbox.seen(this.#peer.id);
  }

  #showPeople() {
    const { own } = this.#identity;
    this.#view.showPeople({
      people: this.#people?.map((person) => ({ ...person, name: nameOf(person) })) ?? null,
      problem: this.#problem, own, name: this.#name, inbox: this.#inbox,
      standing: (id) => this.#standing(id),
    });
  }

  /** Whether the user has blocked or muted a person. */
  #standing(id) {
    return { isBlocked: this.#inbox.blocked.has(id), isMuted: this.#isMuted(id) };
  }
}

/** The ID of somebody without an account, which the browser keeps. */
function guest() {
  const place = "callrunner.guest";
  try {
    const kept = Number(localStorage.getItem(place));
    if (Number.isInteger(kept) && kept >= 100 && kept <= 999) return kept;
  } catch {}
  const id = 100 + Math.floor(Math.random() * 900);
  try {
    localStorage.setItem(place, String(id));
  } catch {}
  return id;
}
