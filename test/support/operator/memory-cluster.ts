import { ApiError } from '../../../operator/kube/api-error.ts';
import type { ApplyOptions, DeleteOptions, KubeClient, Listed, ListQuery } from '../../../operator/kube/client.ts';
import type { Kind } from '../../../operator/kube/kind.ts';
import { type KubeObject, type Ref, refOf } from '../../../operator/kube/object.ts';

/**
 * The objects of a cluster, in memory: for tests of what is asked for and in which order. What a server makes of it, the tests on a real
 * one see.
 */
export class MemoryCluster implements KubeClient {
  /** Each write as `verb Kind name`, in their order. */
  readonly writes: string[] = [];
  /** Each question as `verb Kind name`. */
  readonly reads: string[] = [];
  readonly #objects = new Map<string, KubeObject>();
  #uids = 0;

  find<T extends KubeObject>(kind: Kind<T>, ref: Ref): T | null {
    return (this.#objects.get(keyIn(kind, ref)) as T | undefined) ?? null;
  }

  /** Is there from the beginning. */
  put<T extends KubeObject>(kind: Kind<T>, object: T): void {
    this.#keep(kind, object);
  }

  async get<T extends KubeObject>(kind: Kind<T>, ref: Ref): Promise<T | null> {
    this.reads.push(`get ${kind.kind} ${ref.name}`);
    return this.find(kind, ref);
  }

  async list<T extends KubeObject>(kind: Kind<T>, { namespace }: ListQuery): Promise<Listed<T>> {
    this.reads.push(`list ${kind.kind}`);
    const start = keyIn(kind, { namespace, name: '' });
    const items = [...this.#objects].filter(([key]) => key.startsWith(start)).map(([, object]) => object as T);
    return { items, resourceVersion: '1', continueToken: null };
  }

  async create<T extends KubeObject>(kind: Kind<T>, object: T): Promise<T> {
    const { name } = object.metadata;
    if (this.find(kind, refOf(object)) !== null)
      throw new ApiError(409, `create ${kind.kind} ${name}: it is there`, { reason: 'AlreadyExists' });
    this.writes.push(`create ${kind.kind} ${name}`);
    return this.#keep(kind, object);
  }

  async apply<T extends KubeObject>(kind: Kind<T>, object: T, { subresource }: ApplyOptions): Promise<T> {
    this.writes.push(`apply ${kind.kind} ${object.metadata.name}${subresource === undefined ? '' : ` ${subresource}`}`);
    const found = this.find(kind, refOf(object));
    return this.#keep(kind, { ...found, ...object, metadata: { ...found?.metadata, ...object.metadata } });
  }

  /** Metadata alone is merged. What is deleted and waits for nobody any more is gone then. */
  async patch<T extends KubeObject>(kind: Kind<T>, ref: Ref, patch: object): Promise<T> {
    const found = this.find(kind, ref);
    if (found === null) throw new ApiError(404, `patch ${kind.kind} ${ref.name}: there is none`, { reason: 'NotFound' });
    this.writes.push(`patch ${kind.kind} ${ref.name}`);
    const metadata = { ...found.metadata, ...(patch as Partial<KubeObject>).metadata };
    const patched = this.#keep(kind, { ...found, metadata });
    if (metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0) this.#objects.delete(keyIn(kind, ref));
    return patched;
  }

  async delete(kind: Kind<KubeObject>, ref: Ref, { uid }: DeleteOptions): Promise<'deleted' | 'gone'> {
    const found = this.find(kind, ref);
    if (found === null || (uid !== undefined && found.metadata.uid !== uid)) return 'gone';
    this.writes.push(`delete ${kind.kind} ${ref.name}`);
    this.#objects.delete(keyIn(kind, ref));
    return 'deleted';
  }

  #keep<T extends KubeObject>(kind: Kind<T>, object: T): T {
    this.#uids += 1;
    const uid = object.metadata.uid ?? this.find(kind, refOf(object))?.metadata.uid ?? `uid-${this.#uids}`;
    const kept = { ...object, metadata: { ...object.metadata, uid } };
    this.#objects.set(keyIn(kind, refOf(object)), kept);
    return kept;
  }
}

function keyIn({ plural }: Kind<KubeObject>, { namespace, name }: Ref): string {
  return `${plural} ${namespace ?? ''}/${name}`;
}
