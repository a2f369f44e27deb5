import { apiErrorOf } from '../kube/api-error.ts';
import { collectionPath, type Kind, objectPath } from '../kube/kind.ts';
import type { KubeObject } from '../kube/object.ts';
import type { Call, Transport } from '../kube/transport.ts';
import type { FieldPath, Mistake } from './manifest/schema-check.ts';

const FIELD_MANAGER = 'kubectl-rollout-run';
const DRY = 'dryRun=All&fieldValidation=Strict';

/**
 * What the API server would say to `kubectl apply`: its rules, also those about changes of what is there, admission and quotas. Nothing is
 * changed. Throws ApiError where it refuses for another reason than the object itself.
 */
export async function serverMistakes<T extends KubeObject>(transport: Transport, kind: Kind<T>, object: T): Promise<readonly Mistake[]> {
  const { namespace = null, name } = object.metadata;
  const text = JSON.stringify(object);
  // One that gets its name from the server cannot be there yet.
  const isNamed = name !== undefined;
  const path = isNamed ? objectPath(kind, { namespace, name }) : collectionPath(kind, namespace);
  return ask(transport, `check ${kind.plural} ${name ?? ''}`, {
    method: isNamed ? 'PATCH' : 'POST',
    path: `${path}?${DRY}&fieldManager=${FIELD_MANAGER}${isNamed ? '&force=true' : ''}`,
    body: { text, contentType: isNamed ? 'application/apply-patch+yaml' : 'application/json' },
  });
}

/** The same of an object that must not be there yet. */
export async function mistakesOfNew<T extends KubeObject>(transport: Transport, kind: Kind<T>, object: T): Promise<readonly Mistake[]> {
  const { namespace = null, name } = object.metadata;
  const path = `${collectionPath(kind, namespace)}?${DRY}&fieldManager=${FIELD_MANAGER}`;
  const body = { text: JSON.stringify(object), contentType: 'application/json' };
  return ask(transport, `create ${kind.plural} ${name}`, { method: 'POST', path, body });
}

interface Status {
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] };
}

/** An object that is refused for its own sake: invalid (422), or with fields that are not known (400). */
const OF_OBJECT: ReadonlySet<number> = new Set([400, 422]);

async function ask(transport: Transport, what: string, call: Call): Promise<readonly Mistake[]> {
  const { status, headers, body } = await transport.call(call);
  if (status >= 200 && status <= 299) return [];
  if (!OF_OBJECT.has(status)) throw apiErrorOf(what, status, headers, body);
  const { message = body, details } = statusIn(body) ?? {};
  const causes = (details?.causes ?? []).filter((cause) => cause.message !== undefined);
  if (causes.length === 0) return [{ path: [], problem: message }];
  return causes.map(({ field = '', message: problem = '' }) => ({ path: pathOf(field), problem: `${field}: ${problem}` }));
}

/** Null where something between here and the API server has answered. */
function statusIn(body: string): Status | null {
  try {
    return JSON.parse(body) as Status;
  } catch {
    return null;
  }
}

/** `spec.workers.template.spec.containers[0].name`. */
function pathOf(field: string): FieldPath {
  return [...field.matchAll(/[^.[\]]+/g)].map(([part]) => (/^\d+$/.test(part) ? Number(part) : part));
}
