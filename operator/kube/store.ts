import { type KubeObject, keyOf } from './object.ts';
import { StoreIndex } from './store-index.ts';

/** What has become known about an object. */
export type Change<T> =
  /** `isInitial`: it is part of the first list. */
  | { readonly kind: 'added'; readonly object: T; readonly isInitial: boolean }
  /** `isResync`: nothing has changed; it is shown again in case something was overlooked. */
  | { readonly kind: 'updated'; readonly before: T; readonly object: T; readonly isResync: boolean }
  /** `isAssumed`: it is not in a later list. The object is the last one seen; changes before its end may be missing. */
  | { readonly kind: 'deleted'; readonly object: T; readonly isAssumed: boolean };

/** A cache of one kind, as everybody but its informer sees it. What it returns is not to be changed. */
export interface ReadStore<T> {
  readonly size: number;
  /** By `namespace/name`, or the name alone. */
  get(key: string): T | undefined;
  list(): Iterable<T>;
  inNamespace(namespace: string): Iterable<T>;
  /** The objects with an owner reference to this uid. */
  ownedBy(uid: string): Iterable<T>;
  /** The objects that the store's own index `name` has under `value`. */
  by(name: string, value: string): Iterable<T>;
}

/** The values under which an object is found, by the name of the index. */
export type Indexes<T> = Readonly<Record<string, (object: T) => readonly string[]>>;

export class Store<T extends KubeObject> implements ReadStore<T> {
  readonly #objects = new Map<string, T>();
  readonly #namespaces: StoreIndex<T> = new StoreIndex(({ metadata }) => (metadata.namespace === undefined ? [] : [metadata.namespace]));
  readonly #owners: StoreIndex<T> = new StoreIndex(({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid) ?? []);
  readonly #own: ReadonlyMap<string, StoreIndex<T>>;
  #hasAll = false;

  constructor(indexes: Indexes<T> = {}) {
    this.#own = new Map(Object.entries(indexes).map(([name, valuesOf]) => [name, new StoreIndex(valuesOf)]));
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): Iterable<T> {
    return this.#objects.values();
  }

  inNamespace(namespace: string): Iterable<T> {
    return this.#namespaces.get(namespace);
  }

  ownedBy(uid: string): Iterable<T> {
    return this.#owners.get(uid);
  }

  by(name: string, value: string): Iterable<T> {
    const index = this.#own.get(name);
    if (index === undefined) throw new Error(`the store has no index ${name}`);
    return index.get(value);
  }

  /** Takes a whole list: what is in it, and what is not in it any more. */
  replace(objects: readonly T[]): readonly Change<T>[] {
    const listed = new Set(objects.map(keyOf));
    const changes: Change<T>[] = [];
    for (const [key, object] of this.#objects) {
      if (!listed.has(key)) changes.push(...this.#remove(key, object, true));
    }
    for (const object of objects) changes.push(...this.#put(object, !this.#hasAll));
    this.#hasAll = true;
    return changes;
  }

  put(object: T): readonly Change<T>[] {
    return this.#put(object, false);
  }

  /** `object` is the last state of what was deleted. */
  remove(object: T): readonly Change<T>[] {
    const key = keyOf(object);
    const known = this.#objects.get(key);
    if (known === undefined) return [];
    this.#remove(key, known, false);
    return [{ kind: 'deleted', object, isAssumed: false }];
  }

  #put(object: T, isInitial: boolean): readonly Change<T>[] {
    const key = keyOf(object);
    const before = this.#objects.get(key);
    if (before?.metadata.resourceVersion !== undefined && before.metadata.resourceVersion === object.metadata.resourceVersion) return [];
    this.#objects.set(key, object);
    for (const index of this.#indexes()) index.move(key, before, object);
    if (before === undefined) return [{ kind: 'added', object, isInitial }];
    // Another object of the same name: that the first one is gone was not seen.
    if (before.metadata.uid !== object.metadata.uid) {
      return [
        { kind: 'deleted', object: before, isAssumed: true },
        { kind: 'added', object, isInitial },
      ];
    }
    return [{ kind: 'updated', before, object, isResync: false }];
  }

  #remove(key: string, object: T, isAssumed: boolean): readonly Change<T>[] {
    this.#objects.delete(key);
    for (const index of this.#indexes()) index.move(key, object, undefined);
    return [{ kind: 'deleted', object, isAssumed }];
  }

  #indexes(): readonly StoreIndex<T>[] {
    return [this.#namespaces, this.#owners, ...this.#own.values()];
  }
}
