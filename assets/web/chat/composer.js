// What is being written to a person: a text, files, or a voice message.

import { text } from "../strings.js";
import { canRecord, Recorder } from "./recorder.js";

const element = (id) => document.getElementById(id);
/** The largest height of the field in pixels: six lines. */
const HIGHEST = 160;

/**
 * @typedef {object} ComposerHandlers
 * @property {(text: string) => boolean} onSend whether the text was accepted
 * @property {() => void} onTyping
 * @property {(files: File[]) => void} onFiles
 * @property {(sound: Blob) => void} onVoice
 * @property {(problem: string) => void} onProblem
 */

export class Composer {
  /** @type {import("./kept.js").Kept} what was typed and not sent, by person */
  drafts;
  #handlers;
  #peer = null;
  #takesFiles = false;
  #recorder = null;
  /** @type {Map<number, Blob>} the voice messages that were recorded and not sent, by person */
  #voices = new Map();
  /** What becomes of the recording at its end: it is sent, or the user may hear it first. */
  #isSentAtEnd = false;
  #soundURL = "";

  /** @param {ComposerHandlers} handlers */
  constructor(handlers) {
    this.#handlers = handlers;
    this.#prepareField();
    this.#prepareFiles();
    this.#prepareVoice();
  }

  /** Whether something would be lost if the page was closed. */
  get hasRecording() {
    return this.#recorder !== null || this.#voices.size > 0;
  }

  /** Begins to write to a person; nobody ends it. */
  open(person) {
    this.#stop();
    this.#peer = person;
    if (!person) return;
    element("chat-field").value = this.drafts.get(person.id);
    this.#fit();
    this.#showVoice();
    element("chat-field").focus();
  }

  /** Shows whether files can be sent. */
  takeFiles(isPossible) {
    if (this.#takesFiles === isPossible) return;
    this.#takesFiles = isPossible;
    this.#showButtons();
  }

  /** Forgets what was recorded, for another account. */
  reset() {
    this.#recorder?.cancel();
    this.#recorder = null;
    this.#voices.clear();
  }

  // The text

  #prepareField() {
    element("chat-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    const field = element("chat-field");
    field.placeholder = text("chat.field");
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#send();
    });
    field.addEventListener("input", () => {
      this.#fit();
      this.drafts.set(this.#peer.id, field.value);
      if (field.value) this.#handlers.onTyping();
    });
  }

  #send() {
    const field = element("chat-field");
    if (!field.value.trim() || !this.#handlers.onSend(field.value)) return;
    field.value = "";
    this.drafts.set(this.#peer.id, "");
    this.#fit();
    field.focus();
  }

  /** Makes the field as high as its text. */
  #fit() {
    const field = element("chat-field");
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight + 2, HIGHEST)}px`;
    this.#showButtons();
  }

  #showButtons() {
    const isEmpty = !element("chat-field").value.trim();
    const canSpeak = isEmpty && this.#takesFiles && canRecord;
    element("chat-attach").hidden = !this.#takesFiles;
    element("chat-voice").hidden = !canSpeak;
    element("chat-send").hidden = canSpeak;
    element("chat-send").disabled = isEmpty;
  }

  // Files

  #prepareFiles() {
    const input = element("chat-file");
    element("chat-attach").addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      this.#handlers.onFiles([...input.files]);
      input.value = "";
    });
    element("chat-field").addEventListener("paste", (event) => this.#take(event, event.clipboardData));
    element("chat-talk").addEventListener("dragover", (event) => {
      if (this.#takesFiles && event.dataTransfer.types.includes("Files")) event.preventDefault();
    });
    element("chat-talk").addEventListener("drop", (event) => this.#take(event, event.dataTransfer));
  }

  #take(event, { files }) {
    if (!this.#takesFiles || files.length === 0) return;
    event.preventDefault();
    this.#handlers.onFiles([...files]);
  }

  // Voice messages

  #prepareVoice() {
    element("chat-voice").addEventListener("click", () => this.#record());
    element("voice-stop").addEventListener("click", () => this.#stop());
    element("voice-send").addEventListener("click", () => this.#sendVoice());
    element("voice-discard").addEventListener("click", () => this.#discardVoice());
  }

  #record() {
    const { id } = this.#peer;
    this.#isSentAtEnd = false;
    const recorder = new Recorder({
      onLevel: (level, time) => {
        element("voice-level").value = level;
        element("voice-time").textContent = clock(time);
      },
      onEnd: (sound, isBroken) => {
        this.#recorder = null;
        this.#voices.set(id, sound);
        if (this.#isSentAtEnd && this.#peer?.id === id) this.#sendVoice();
        this.#showVoice();
        if (isBroken) this.#handlers.onProblem("chat.voice.broken");
      },
      onFailure: (why) => {
        this.#recorder = null;
        this.#showVoice();
        this.#handlers.onProblem(`chat.voice.${why}`);
      },
    });
    this.#recorder = recorder;
    this.#showVoice();
    element("voice-stop").focus();
    recorder.start();
  }

  /** Ends the recording, which stays with the person to whom it was spoken. */
  #stop() {
    if (!this.#recorder || this.#recorder.stop()) return;
    // The microphone was not open yet.
    this.#recorder = null;
    this.#showVoice();
  }

  #sendVoice() {
    if (this.#recorder) {
      this.#isSentAtEnd = true;
      return this.#stop();
    }
    const sound = this.#voices.get(this.#peer.id);
    this.#voices.delete(this.#peer.id);
    this.#showVoice();
    if (sound) this.#handlers.onVoice(sound);
    element("chat-field").focus();
  }

  #discardVoice() {
    this.#recorder?.cancel();
    this.#recorder = null;
    this.#voices.delete(this.#peer.id);
    this.#showVoice();
    element("chat-field").focus();
  }

  /** Shows the recording in place of the field, while there is one. */
  #showVoice() {
    const sound = this.#voices.get(this.#peer?.id);
    const isRecording = this.#recorder !== null;
    element("chat-recording").hidden = !isRecording && !sound;
    element("chat-form").classList.toggle("covered", isRecording || Boolean(sound));
    element("voice-stop").hidden = element("voice-level").hidden = element("voice-time").hidden = !isRecording;
    element("voice-sound").hidden = isRecording || !sound;
    if (isRecording) {
      element("voice-level").value = 0;
      element("voice-time").textContent = clock(0);
    }
    URL.revokeObjectURL(this.#soundURL);
    this.#soundURL = sound && !isRecording ? URL.createObjectURL(sound) : "";
    if (this.#soundURL) element("voice-sound").src = this.#soundURL;
    else element("voice-sound").removeAttribute("src");
  }
}

/** Writes milliseconds as minutes and seconds. */
function clock(time) {
  const seconds = Math.floor(time / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
