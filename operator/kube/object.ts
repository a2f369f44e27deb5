/** Objects as the API server sends them: JSON, in which every time is text (RFC 3339). */

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  readonly name: string;
  /** Absent for a kind that is not namespaced. */
  readonly namespace?: string;
  readonly uid?: string;
  /** Opaque: compared for equality, never for order. */
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly managedFields?: readonly unknown[];
}

export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
}

/** Where an object is among those of its kind. */
export interface Ref {
  /** Null for a kind that is not namespaced. */
  readonly namespace: string | null;
  readonly name: string;
}

/** A type of the generated client as it is on the wire, and not to be changed: that client would read times as dates. */
export type Wire<T> = 0 extends 1 & T ? unknown : T extends Date ? string : T extends object ? { readonly [K in keyof T]: Wire<T[K]> } : T;

/** An object of the generated client, with the metadata that every stored object has. */
export type WireObject<T> = Wire<Omit<T, 'apiVersion' | 'kind' | 'metadata'>> & KubeObject;

/** `namespace/name`, or the name alone. Neither part can have a slash. */
export function keyOf({ metadata: { namespace, name } }: KubeObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

export function refOfKey(key: string): Ref {
  const at = key.indexOf('/');
  return at < 0 ? { namespace: null, name: key } : { namespace: key.slice(0, at), name: key.slice(at + 1) };
}

export function refOf({ metadata: { namespace, name } }: KubeObject): Ref {
  return { namespace: namespace ?? null, name };
}

/** The one owner that manages this object; the API server refuses a second one. */
export function controllerOf({ metadata }: KubeObject): OwnerReference | null {
  return metadata.ownerReferences?.find((owner) => owner.controller === true) ?? null;
}
