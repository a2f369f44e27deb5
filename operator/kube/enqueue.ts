import { apiVersionOf, type Kind } from './kind.ts';
import { controllerOf, type KubeObject } from './object.ts';
import type { Change } from './store.ts';
import type { Priority } from './workqueue.ts';

/** Which keys of a controller a change concerns. Pure. */
export type KeysOf<T> = (object: T) => readonly string[];

export interface Enqueued {
  readonly keys: readonly string[];
  readonly priority: Priority;
}

/** An update concerns what the object belonged to before as well. */
export function enqueuedBy<T extends KubeObject>(change: Change<T>, keysOf: KeysOf<T>): Enqueued {
  switch (change.kind) {
    case 'added':
      return { keys: keysOf(change.object), priority: change.isInitial ? 'low' : 'high' };
    case 'updated':
      return { keys: [...new Set([...keysOf(change.before), ...keysOf(change.object)])], priority: change.isResync ? 'low' : 'high' };
    case 'deleted':
      return { keys: keysOf(change.object), priority: 'high' };
  }
}

/**
 * The key of the object of `owner` that controls this one. The uid is not looked at: a child of an owner that is gone stands in the way of
 * the next owner of that name, which has to hear when it goes. Whose child it is, its uid says to those who use it.
 */
export function controllerKeys(owner: Kind<KubeObject>): KeysOf<KubeObject> {
  return (object) => {
    const controller = controllerOf(object);
    if (controller === null || controller.kind !== owner.kind || groupOf(controller.apiVersion) !== groupOf(apiVersionOf(owner))) return [];
    const { namespace } = object.metadata;
    return [owner.isNamespaced && namespace !== undefined ? `${namespace}/${controller.name}` : controller.name];
  };
}

/**
 * Whether anything but the status has changed. The server counts `generation` up where the spec changes, or a deletion begins. An object
 * that was added or deleted, or is shown again, always counts.
 */
export function isBeyondStatus<T extends KubeObject>(change: Change<T>): boolean {
  if (change.kind !== 'updated' || change.isResync) return true;
  const [before, after] = [change.before.metadata, change.object.metadata];
  return (
    before.generation !== after.generation ||
    before.deletionTimestamp !== after.deletionTimestamp ||
    JSON.stringify([before.labels, before.annotations, before.finalizers]) !==
      JSON.stringify([after.labels, after.annotations, after.finalizers])
  );
}

function groupOf(apiVersion: string): string {
  const at = apiVersion.indexOf('/');
  return at < 0 ? '' : apiVersion.slice(0, at);
}
