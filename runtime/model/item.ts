import { isJsonObject } from '../base/json/json-object.ts';

/** One unit of work as its input line names it. For plain items (`--raw`) customId is the line number and url is empty. */
export interface Item {
  readonly customId: string;
  readonly method: string;
  readonly url: string;
  /** An object in the batch form; any JSON value in the raw form. */
  readonly body: unknown;
}

/** Whether the answer is asked for as a stream of events. */
export function isStreamed({ body }: Item): boolean {
  return isJsonObject(body) && body['stream'] === true;
}
