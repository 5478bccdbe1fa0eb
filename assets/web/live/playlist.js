// Playlists of HLS (RFC 8216).

/**
 * @typedef {object} Segment
 * @property {URL} uri
 * @property {number} duration in seconds
 * @property {boolean} isDiscontinuous whether the segment does not continue the previous one
 */

/**
 * @typedef {object} Playlist
 * @property {number} first the number of the first segment
 * @property {number} target the maximum duration of segments in seconds
 * @property {boolean} isEnded whether no more segments will be added
 * @property {URL[]} files the files of a recording, in order; none for a live stream
 * @property {Segment[]} segments
 */

/**
 * Parses a playlist; tags that are not needed to play it are ignored.
 * @param {string} playlist
 * @param {string} base the URL of the playlist
 * @returns {Playlist}
 */
export function parse(playlist, base) {
  if (!playlist.startsWith("#EXTM3U")) throw new Error("this is not a playlist");
  const list = { first: 0, target: 1, isEnded: false, files: [], segments: [] };
  let [duration, isDiscontinuous] = [0, false];
  for (const line of playlist.split(/\r?\n/)) {
    const value = line.slice(line.indexOf(":") + 1);
    if (line.startsWith("#EXT-X-MEDIA-SEQUENCE:")) list.first = Number(value);
    else if (line.startsWith("#EXT-X-TARGETDURATION:")) list.target = Number(value);
    else if (line.startsWith("#EXT-X-ENDLIST")) list.isEnded = true;
    else if (line.startsWith("#EXT-X-DISCONTINUITY") && !line.includes(":")) isDiscontinuous = true;
    else if (line.startsWith("#EXTINF:")) duration = Number.parseFloat(value);
    else if (line.startsWith("#EXT-X-MAP:")) {
      const uri = /URI="([^"]+)"/.exec(value)?.[1];
      if (uri) list.files.push(new URL(uri, base));
    } else if (line && !line.startsWith("#")) {
      list.segments.push({ uri: new URL(line, base), duration, isDiscontinuous });
      isDiscontinuous = false;
    }
  }
  return list;
}
