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
 * @property {(sound: Blob, person: {id: number}) => void} onVoice
 * @property {(problem: string) => void} onProblem
 */

export class Composer {
  /** @type {import("./kept.js").Kept} what was typed and not sent, by person */
  drafts;
  #handlers;
  #peer = null;
  #takesFiles = false;
  /** @type {{recorder: Recorder, peer: {id: number}, isSentAtEnd: boolean} | null} the recording that goes on */
  #recording = null;
  /** @type {Map<number, Blob>} the voice messages that were recorded and not sent, by person */
  #voices = new Map();
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
    return this.#recording !== null || this.#voices.size > 0;
  }

  /** Begins to write to a person; null ends that. */
  open(person) {
    this.endRecording();
    this.#peer = person;
    if (!person) return;
    element("chat-field").value = this.drafts.get(person.id);
    this.#fit();
    this.#showVoice();
    element("chat-field").focus();
  }

  /** Shows whether files can be sent; a recording ends if they cannot. */
  takeFiles(isPossible) {
    if (this.#takesFiles === isPossible) return;
    this.#takesFiles = isPossible;
    if (!isPossible) this.endRecording();
    this.#showButtons();
  }

  /** Ends the recording, which stays with the person to whom it was spoken, also if nobody sees it any more. */
  endRecording() {
    if (!this.#recording || this.#recording.recorder.stop()) return;
    // The microphone was not open yet.
    this.#recording = null;
    this.#showVoice();
  }

  /** Forgets what was recorded, for another account. */
  reset() {
    this.#recording?.recorder.cancel();
    this.#recording = null;
    this.#voices.clear();
    this.#showVoice();
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
      element("chat-field").focus();
    });
    element("chat-field").addEventListener("paste", (event) => {
      // Many programs put a picture of a text beside it.
      if (!event.clipboardData.types.includes("text/plain")) this.#sendFiles(event, event.clipboardData);
    });
    element("chat-talk").addEventListener("drop", (event) => this.#sendFiles(event, event.dataTransfer));
    // The browser would open the file in place of the page.
    for (const kind of ["dragover", "drop"]) {
      window.addEventListener(kind, (event) => {
        if (event.dataTransfer.types.includes("Files")) event.preventDefault();
      });
    }
  }

  #sendFiles(event, { files }) {
    if (!this.#takesFiles || files.length === 0) return;
    event.preventDefault();
    this.#handlers.onFiles([...files]);
  }

  // Voice messages

  #prepareVoice() {
    element("chat-voice").addEventListener("click", () => this.#record());
    element("voice-stop").addEventListener("click", () => this.endRecording());
    element("voice-send").addEventListener("click", () => this.#sendVoice());
    element("voice-discard").addEventListener("click", () => this.#discardVoice());
  }

  #record() {
    const recording = { recorder: null, peer: this.#peer, isSentAtEnd: false };
    const end = () => {
      // Another one may go on by now.
      if (this.#recording === recording) this.#recording = null;
    };
    recording.recorder = new Recorder({
      onLevel: (level, time) => {
        element("voice-level").value = level;
        element("voice-time").textContent = clock(time);
      },
      onEnd: (sound, isBroken) => {
        end();
        if (recording.isSentAtEnd) this.#handlers.onVoice(sound, recording.peer);
        else this.#voices.set(recording.peer.id, sound);
        this.#showVoice();
        if (isBroken) this.#handlers.onProblem("chat.voice.broken");
      },
      onFailure: (reason) => {
        end();
        this.#showVoice();
        this.#handlers.onProblem(`chat.voice.${reason}`);
      },
    });
    this.#recording = recording;
    this.#showVoice();
    element("voice-stop").focus();
    recording.recorder.start();
  }

  #sendVoice() {
    if (this.#recording) {
      this.#recording.isSentAtEnd = true;
      this.endRecording();
    } else {
      const sound = this.#voices.get(this.#peer.id);
      this.#voices.delete(this.#peer.id);
      this.#showVoice();
      if (sound) this.#handlers.onVoice(sound, this.#peer);
    }
    element("chat-field").focus();
  }

  #discardVoice() {
    this.#recording?.recorder.cancel();
    this.#recording = null;
    this.#voices.delete(this.#peer.id);
    this.#showVoice();
    element("chat-field").focus();
  }

  /** Shows the recording in place of the field, while there is one. */
  #showVoice() {
    const sound = this.#voices.get(this.#peer?.id);
    const isRecording = this.#recording !== null;
    const hadFocus = document.activeElement === element("voice-stop");
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
    if (hadFocus && !isRecording) element(sound ? "voice-send" : "chat-field").focus();
  }
}

/** Writes milliseconds as minutes and seconds. */
function clock(time) {
  const seconds = Math.floor(time / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
