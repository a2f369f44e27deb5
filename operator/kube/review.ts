import type { SubjectAccessReview, TokenReview } from './kind.ts';

/** Who asks for a page, and whether he may have it, in the words of the API server. Pure. */

/** The token of a header `Authorization: Bearer …`; null where there is none. */
export function bearerToken(authorization: string | undefined): string | null {
  return /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization ?? '')?.[1] ?? null;
}

export function tokenReview(token: string): TokenReview {
  return { metadata: NAMELESS, spec: { token } };
}

/** As the API server knows a user: what it says of him goes back to it unchanged. */
export type User = NonNullable<NonNullable<TokenReview['status']>['user']>;

/** Null where the token is nobody's. */
export function userOf({ status }: TokenReview): User | null {
  return status?.authenticated === true ? (status.user ?? null) : null;
}

/** Whether the user may get a page that is no object of the API. */
export function accessReview({ username, uid, groups, extra }: User, path: string): SubjectAccessReview {
  const user = given({ user: username, uid, groups, extra });
  return { metadata: NAMELESS, spec: { ...user, nonResourceAttributes: { path, verb: 'get' } } };
}

export function isAllowed({ status }: SubjectAccessReview): boolean {
  return status?.allowed === true && status.denied !== true;
}

/** Reviews are answered and not kept, so that they have no names. */
const NAMELESS = { name: '' } as const;

function given<T extends object>(values: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as ReturnType<typeof given<T>>;
}
