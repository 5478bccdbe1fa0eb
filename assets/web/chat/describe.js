// The words for people, files and messages, as the app has them.

import { number, text } from "../strings.js";

/** The longest name of a file on Linux, in bytes. */
const LONGEST_NAME = 255;
/** More UTF-16 units than a summary has room for, and than a name has that is shown as such. */
const LONGEST_SUMMARY = 300;
/** The characters that show nothing, or a name in another order; joiners belong to letters and emoji. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
/** The endings of names, by the type that the first bytes of a file show. */
const ENDINGS = {
  "image/jpeg": ["jpg", "jpeg"], "image/png": ["png"], "image/gif": ["gif"], "image/webp": ["webp"],
  "audio/ogg": ["ogg", "oga", "opus"], "audio/flac": ["flac"], "audio/mpeg": ["mp3"], "audio/wav": ["wav"],
  "audio/mp4": ["m4a", "mp4"], "audio/webm": ["weba", "webm", "mka"], "video/quicktime": ["mov"],
  "video/mp4": ["mp4", "m4v"], "video/webm": ["webm", "mkv"],
};
/** The endings of the names of files whose first bytes show nothing, by kind. */
const KINDS = {
  text: ["txt", "text", "md", "log", "json", "xml", "yaml", "yml", "ini", "conf"],
  pdf: ["pdf"],
  archive: ["zip", "tar", "gz", "tgz", "xz", "bz2", "zst", "7z", "rar"],
  document: ["odt", "doc", "docx", "rtf"],
  table: ["csv", "ods", "xls", "xlsx"],
  slides: ["odp", "ppt", "pptx"],
};
/** The kinds of files that the page shows or plays, by the beginning of their type. */
const PLAYED = new Map([["image", "picture"], ["audio", "audio"], ["video", "video"]]);
/** The formats whose size the server tells. */
const PICTURES = new Set(["image/jpeg", "image/png", "image/webp"]);
/** The largest picture that is shown, in pixels a side, as in the app. */
const LARGEST_SIDE = 4096;

/** Returns the name of a person, which for a guest or a deleted account is in the user's language. */
export function nameOf(person) {
  const { id, name } = person;
  if (isDeleted(person)) return text("chat.deletedAccount");
  return id >= 100 && id <= 999 && name === `Guest ${id}` ? text("chat.guest", { id }) : name;
}

/** Whether the account of a person was deleted. */
export function isDeleted({ id, name, username }) {
  return id > 999 && name === "Deleted account" && !username;
}

/** Returns the user name of an account, which nobody else has, as names are free to choose; an empty text for others. */
export function handleOf({ username }) {
  return typeof username === "string" && username ? `@${username}` : "";
}

/** Returns `picture`, `audio` or `video`, or `file` for other types. */
export function kindOf(type) {
  return PLAYED.get(type.split("/")[0]) ?? "file";
}

/** Whether a picture is shown; one of a larger or unknown size could take more memory than a tab may have. */
export function isPicture({ type, width, height }) {
  const isSize = (side) => Number.isSafeInteger(side) && side >= 1 && side <= LARGEST_SIDE;
  return PICTURES.has(type) && isSize(width) && isSize(height);
}

/**
 * Whether the text of a message is the name of its file: it is for files that are neither shown nor played, and for
 * others if it ends as the name of such a file does.
 */
export function isName(words, type) {
  if (kindOf(type) === "file") return true;
  if (words.includes("\n") || new TextEncoder().encode(words).length > LONGEST_NAME) return false;
  return (ENDINGS[type] ?? []).includes(ending(words));
}

/** Returns the name of a file as it is shown, so that its end is seen at its end. */
export function fileName(words) {
  return words.replace(UNSEEN, "").trim();
}

/** Describes a file by its kind and its size. */
export function describeFile({ type, bytes }, name) {
  const size = Number.isSafeInteger(bytes) && bytes >= 0 && sizeOf(bytes);
  return [text(`chat.file.${label(type, name)}`), size].filter(Boolean).join(" · ");
}

/** Describes a message in one line: by the beginning of its text, or by what it is. */
export function summary({ message = "", media, deleted }) {
  if (deleted) return text("chat.deleted");
  const words = String(message).slice(0, LONGEST_SUMMARY);
  if (!media) return words;
  const type = String(media.type);
  const kind = kindOf(type);
  const isShown = kind !== "file" && isName(words, type);
  return (!isShown && (kind === "file" ? fileName(words) : words.trim())) || text(`chat.file.${titleOf(type, words)}`);
}

/** Returns the end of the name of the text for a file that is shown without its name; sound without words is a voice. */
export function titleOf(type, words) {
  const kind = kindOf(type);
  return kind === "audio" && !words.trim() ? "voice" : kind;
}

function label(type, name) {
  const kind = kindOf(type);
  if (kind !== "file") return kind;
  if (type === "application/pdf") return "pdf";
  if (type.startsWith("text/")) return "text";
  return Object.keys(KINDS).find((kind) => KINDS[kind].includes(ending(name))) ?? "file";
}

/** Returns the ending of a name in small letters, without the dot; an empty one if there is none. */
function ending(name) {
  return name.lastIndexOf(".") > 0 ? name.split(".").at(-1).toLowerCase() : "";
}

function sizeOf(bytes) {
  if (bytes < 1000) return text("chat.size.bytes", { size: number(bytes) });
  if (bytes < 1_000_000) return text("chat.size.kilobytes", { size: number(Math.round(bytes / 1000)) });
  return text("chat.size.megabytes", { size: number(bytes / 1_000_000, 1) });
}
