import { FieldCheck } from '../../runtime/rpc/mapping/field-check.ts';

/** The field that is refused while a message of the wire is read; null where none is. */
export function refusedField(read: (check: FieldCheck) => unknown): string | null {
  const check = new FieldCheck();
  read(check);
  const done = check.done(null);
  return done.kind === 'invalid' ? done.field : null;
}
