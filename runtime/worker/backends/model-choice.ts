import { withMember } from '../../base/json/json-members.ts';
import { isJsonObject } from '../../base/json/json-object.ts';
import type { Request } from './contract.ts';

export interface ModelChoice {
  /** Fills `body.model` where it is absent or null. */
  readonly model: string | null;
  /** Replaces `body.model`. */
  readonly overrideModel: string | null;
}

/** The request's own bytes, with the model inserted as text: serializing the body again would lose digits, duplicates and member order. */
export function bodyWithModel(request: Request, { model, overrideModel }: ModelChoice): Uint8Array {
  const body = request.bytes();
  if (overrideModel !== null) return withMember(body, 'model', overrideModel);
  const own = isJsonObject(request.item.body) ? request.item.body['model'] : undefined;
  return model !== null && (own === undefined || own === null) ? withMember(body, 'model', model) : body;
}
