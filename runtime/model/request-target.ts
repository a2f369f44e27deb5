/** `.` and `..`, also percent-encoded: a client or a proxy that resolves them asks for another path than the line names. */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

const FORBIDDEN = /[^\x21-\x7e]/u;

/**
 * Why an item's url cannot be the target of a request to the server of the run; null where it can. It must be an absolute path with
 * an optional query, as it stands in a request line (RFC 9112, section 3.2.1): what is not allowed there is percent-encoded.
 */
export function requestTargetProblem(url: string): string | null {
  if (url.startsWith('//')) return 'begins with "//", which names another host: begin it with a single "/"';
  const forbidden = FORBIDDEN.exec(url);
  if (forbidden !== null) return `holds ${characterName(forbidden[0])}: percent-encode it`;
  if (url.includes('#')) return 'holds "#", and what follows it is never sent: leave it out, or write %23';
  if (url.includes('\\')) return 'holds "\\": write "/", or %5C';
  // Hardly any path holds one of them, and a path is looked at for each item.
  if (!url.includes('/.') && !url.includes('%')) return null;
  const [path = ''] = url.split('?', 1);
  if (path.split('/').some((segment) => DOT_SEGMENT.test(segment))) return 'holds the path segment "." or "..": write the path without it';
  return null;
}

/** Only visible ASCII is shown as it is. */
function characterName(character: string): string {
  if (character === ' ') return 'a blank';
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return character < ' ' || character === '\x7f' ? `the control character U+${code}` : `the character U+${code}, which is not ASCII`;
}
