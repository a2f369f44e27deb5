import { ApiError, apiErrorOf, isConflict } from './api-error.ts';
import { apiVersionOf, collectionPath, type Kind, objectPath } from './kind.ts';
import { type KubeObject, type Ref, refOf } from './object.ts';
import type { Answer, Call, Transport } from './transport.ts';

export interface ListQuery {
  /** Null: of all namespaces. */
  readonly namespace: string | null;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** '0': whatever the server has at hand. Absent: the newest. */
  readonly resourceVersion?: string;
  /** Of one page. The server ignores it where `resourceVersion` is '0'. */
  readonly limit?: number;
  readonly continueToken?: string;
}

export interface Listed<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** For the next page; null where this was the last one. */
  readonly continueToken: string | null;
}

export interface ApplyOptions {
  readonly fieldManager: string;
  /** Takes over fields that another manager has. */
  readonly force: boolean;
  readonly subresource?: 'status';
}

export interface PatchOptions {
  readonly type: 'merge' | 'json';
  readonly fieldManager: string;
  readonly subresource?: 'status' | 'scale';
}

export interface DeleteOptions {
  /** Only the object with this uid, and not a later one of the same name. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly gracePeriodSeconds?: number;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
}

/** Calls of the API server. They throw ApiError where it refuses, NoAnswer where nobody knows. None of them is tried again here. */
export interface KubeClient {
  /** Null where there is no such object. */
  get<T extends KubeObject>(kind: Kind<T>, ref: Ref): Promise<T | null>;
  list<T extends KubeObject>(kind: Kind<T>, query: ListQuery): Promise<Listed<T>>;
  create<T extends KubeObject>(kind: Kind<T>, object: T): Promise<T>;
  /** Server-side apply: `object` has the fields that its manager owns, and no others. */
  apply<T extends KubeObject>(kind: Kind<T>, object: T, options: ApplyOptions): Promise<T>;
  /** A merge patch with `metadata.resourceVersion` is refused with 409 where the object has another one. */
  patch<T extends KubeObject>(kind: Kind<T>, ref: Ref, patch: object, options: PatchOptions): Promise<T>;
  /** 'gone': there is no such object, or none with that uid. */
  delete(kind: Kind<KubeObject>, ref: Ref, options: DeleteOptions): Promise<'deleted' | 'gone'>;
}

const PATCH_TYPES: Readonly<Record<PatchOptions['type'], string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
};
/** JSON is YAML, and the server takes the patch under this name alone. */
const APPLY_TYPE = 'application/apply-patch+yaml';

/** `deadlineMs` is for each call; the transport has a default. */
export function createClient(transport: Transport, deadlineMs?: number): KubeClient {
  return new TransportClient(transport, deadlineMs === undefined ? {} : { deadlineMs });
}

class TransportClient implements KubeClient {
  readonly #transport: Transport;
  readonly #limits: Pick<Call, 'deadlineMs'>;

  constructor(transport: Transport, limits: Pick<Call, 'deadlineMs'>) {
    this.#transport = transport;
    this.#limits = limits;
  }

  async get<T extends KubeObject>(kind: Kind<T>, ref: Ref): Promise<T | null> {
    const answer = await this.#transport.call({ method: 'GET', path: objectPath(kind, ref), ...this.#limits });
    return answer.status === 404 ? null : parsed<T>(`get ${nameOf(kind, ref)}`, answer);
  }

  async list<T extends KubeObject>(kind: Kind<T>, query: ListQuery): Promise<Listed<T>> {
    const path = `${collectionPath(kind, query.namespace)}${listParameters(query)}`;
    const answer = await this.#transport.call({ method: 'GET', path, ...this.#limits });
    const { items, metadata } = parsed<ListBody<T>>(`list ${kind.plural}`, answer);
    return { items: items ?? [], resourceVersion: metadata?.resourceVersion ?? '', continueToken: metadata?.continue || null };
  }

  async create<T extends KubeObject>(kind: Kind<T>, object: T): Promise<T> {
    const ref = refOf(object);
    const path = collectionPath(kind, kind.isNamespaced ? ref.namespace : null);
    return await this.#send<T>(`create ${nameOf(kind, ref)}`, 'POST', path, 'application/json', withKind(kind, object));
  }

  async apply<T extends KubeObject>(kind: Kind<T>, object: T, options: ApplyOptions): Promise<T> {
    const ref = refOf(object);
    const query = parameters({ fieldManager: options.fieldManager, force: String(options.force) });
    const path = `${objectPath(kind, ref, options.subresource)}${query}`;
    return await this.#send<T>(`apply ${nameOf(kind, ref)}`, 'PATCH', path, APPLY_TYPE, withKind(kind, object));
  }

  async patch<T extends KubeObject>(kind: Kind<T>, ref: Ref, patch: object, options: PatchOptions): Promise<T> {
    const path = `${objectPath(kind, ref, options.subresource)}${parameters({ fieldManager: options.fieldManager })}`;
    return await this.#send<T>(`patch ${nameOf(kind, ref)}`, 'PATCH', path, PATCH_TYPES[options.type], patch);
  }

  async delete(kind: Kind<KubeObject>, ref: Ref, options: DeleteOptions): Promise<'deleted' | 'gone'> {
    const what = `delete ${nameOf(kind, ref)}`;
    const body = { text: JSON.stringify(deleteBody(options)), contentType: 'application/json' };
    const answer = await this.#transport.call({ method: 'DELETE', path: objectPath(kind, ref), body, ...this.#limits });
    if (answer.status === 404) return 'gone';
    try {
      parsed<unknown>(what, answer);
      return 'deleted';
    } catch (error) {
      if (isOfOtherUid(error)) return 'gone';
      throw error;
    }
  }

  async #send<T>(what: string, method: 'POST' | 'PATCH', path: string, contentType: string, body: object): Promise<T> {
    const text = JSON.stringify(body);
    return parsed<T>(what, await this.#transport.call({ method, path, body: { text, contentType }, ...this.#limits }));
  }
}

interface ListBody<T> {
  readonly items?: readonly T[];
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

/** The query of a list, with its question mark. */
export function listParameters(query: Omit<ListQuery, 'namespace'>): string {
  return parameters({
    labelSelector: query.labelSelector,
    fieldSelector: query.fieldSelector,
    resourceVersion: query.resourceVersion,
    limit: query.limit === undefined ? undefined : String(query.limit),
    continue: query.continueToken,
  });
}

function parameters(values: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

function parsed<T>(what: string, { status, headers, body }: Answer): T {
  if (status < 200 || status > 299) throw apiErrorOf(what, status, headers, body);
  try {
    return JSON.parse(body) as T;
  } catch (cause) {
    throw new ApiError(status, `${what}: the answer is not JSON (${(cause as Error).message})`);
  }
}

function withKind<T extends KubeObject>(kind: Kind<T>, object: T): object {
  return { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind };
}

function deleteBody({ uid, resourceVersion, gracePeriodSeconds, propagation }: DeleteOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(uid === undefined && resourceVersion === undefined ? {} : { preconditions: { uid, resourceVersion } }),
    gracePeriodSeconds,
    propagationPolicy: propagation,
  };
}

/** The answer to a uid that does not fit has no reason of its own, and there are two texts for it. */
function isOfOtherUid(error: unknown): boolean {
  return isConflict(error) && /\bUID in (?:the )?precondition/.test((error as ApiError).message);
}

function nameOf(kind: Kind<KubeObject>, { namespace, name }: Ref): string {
  return `${kind.plural} ${namespace === null ? name : `${namespace}/${name}`}`;
}
