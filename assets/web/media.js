// Cameras and microphones: listing them, and opening them separately or together.

/** Whether the browser allows this page to use a camera, which it does only on localhost and over https. */
export const isAllowed = Boolean(navigator.mediaDevices?.getUserMedia);

/**
 * @typedef {"video" | "audio"} Kind
 * @typedef {{kind: Kind, why: "denied" | "missing" | "busy" | "failed", detail: string}} Problem
 */

/**
 * Lists the devices of each kind; they have no labels until the user has granted permission.
 * @returns {Promise<Record<Kind, {id: string, label: string}[]>>}
 */
export async function devices() {
  const all = isAllowed ? await navigator.mediaDevices.enumerateDevices().catch(() => []) : [];
  const of = (kind) =>
    all
      .filter((device) => device.kind === kind && device.deviceId && device.deviceId !== "default")
      .map(({ deviceId, label }) => ({ id: deviceId, label }));
  return { video: of("videoinput"), audio: of("audioinput") };
}

/** Calls back whenever a device is plugged in or pulled out. */
export function watchDevices(changed) {
  navigator.mediaDevices?.addEventListener?.("devicechange", changed);
}

/**
 * Opens the wanted devices. Those that cannot be opened are reported as problems, the others are used.
 * @param {Partial<Record<Kind, string>>} wanted per kind the device's id, or "" for any
 * @returns {Promise<{stream: MediaStream, problems: Problem[]}>}
 */
export async function open(wanted) {
  const kinds = Object.keys(wanted);
  if (kinds.length === 0) return { stream: new MediaStream(), problems: [] };
  try {
    // Together, so that the browser asks for permission once.
    return { stream: await get(wanted), problems: [] };
  } catch (error) {
    if (kinds.length === 1) return { stream: new MediaStream(), problems: [problem(kinds[0], error)] };
  }
  const stream = new MediaStream();
  const problems = [];
  for (const kind of kinds) {
    try {
      for (const track of (await get({ [kind]: wanted[kind] })).getTracks()) stream.addTrack(track);
    } catch (error) {
      problems.push(problem(kind, error));
    }
  }
  return { stream, problems };
}

/** Releases the devices. */
export function close(stream) {
  for (const track of stream.getTracks()) track.stop();
}

function get(wanted) {
  const device = (id) => (id ? { deviceId: { exact: id } } : {});
  return navigator.mediaDevices.getUserMedia({
    ...("video" in wanted && {
      video: { ...device(wanted.video), width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } },
    }),
    ...("audio" in wanted && { audio: wanted.audio ? device(wanted.audio) : true }),
  });
}

/** @returns {Problem} */
function problem(kind, error) {
  const reasons = {
    NotAllowedError: "denied", SecurityError: "denied",
    NotFoundError: "missing", OverconstrainedError: "missing",
    NotReadableError: "busy", AbortError: "busy",
  };
  return { kind, why: reasons[error.name] ?? "failed", detail: error.message };
}
