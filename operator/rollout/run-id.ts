const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ULID_LENGTH = 26;
const BITS = 5n;
const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The id of the run that an object stands for: its uid, a UUID of 128 bits, written as a ULID. So an object that is deleted and created
 * again under the same name is another run, and nobody has to remember an id.
 */
export function runIdOf(uid: string): string {
  if (!UID.test(uid)) throw new Error(`not the uid of an object: ${uid}`);
  let rest = BigInt(`0x${uid.replaceAll('-', '')}`);
  let text = '';
  for (let at = 0; at < ULID_LENGTH; at += 1) {
    text = `${CROCKFORD[Number(rest & 31n)]}${text}`;
    rest >>= BITS;
  }
  return text;
}
