import { NumberText, numbersText, parseNumbers } from '../../base/json/json-numbers.ts';
import { isJsonObject as isObject, type JsonObject } from '../../base/json/json-object.ts';

/**
 * Collects the events of a streamed completion into the answer that the same request without `stream` gets. Pure but for its own state.
 * What it builds is the only body that is not the server's own bytes; its numbers have the characters of the server.
 */
export class EventCollector {
  private rest = '';
  /** \n may follow, which belongs to the same line end. */
  private isAfterReturn = false;
  private data: string[] = [];
  /** What the events say beside their choices, by name; what was said first counts, but for the usage. */
  private readonly answer = new Map<string, unknown>();
  private readonly choices = new Map<number, JsonObject>();
  private isDone = false;
  private isError = false;
  private failed: string | null = null;
  private collectedBytes = 0;
  /** Of `data`, in characters. */
  private dataLength = 0;

  /** What is held: the parts that were collected, and the event that is not whole yet. */
  get bytes(): number {
    return this.collectedBytes + this.dataLength + this.rest.length;
  }

  /** `text`: decoded, in parts as they come. */
  add(text: string): void {
    // A line may be as long as the answer: it is split off once it is whole, not looked at again with each of its parts.
    if (!this.isAfterReturn && !/[\r\n]/.test(text)) {
      this.rest += text;
      return;
    }
    this.isAfterReturn = text.endsWith('\r');
    const lines = `${this.rest}${text}`.split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.onLine(line);
  }

  /** The body of the whole answer, or the event that is none, as JSON text; null where the stream has ended too early. */
  end(): string | null {
    this.add('\n\n');
    if (this.failed !== null) return this.failed;
    const choices = [...this.choices.values()];
    if (choices.length === 0 ? !this.isDone : !choices.every(isFinished)) return null;
    return numbersText({ ...Object.fromEntries(this.answer), choices: choices.toSorted(byIndex).map(withoutPlaces) });
  }

  private onLine(line: string): void {
    if (line.startsWith('event:')) this.isError = line.slice('event:'.length).trim() === 'error';
    if (line !== '') {
      const [, value] = /^data: ?(.*)$/s.exec(line) ?? [];
      if (value !== undefined) this.addData(value);
      return;
    }
    if (this.data.length > 0) this.onEvent(this.data.join('\n'));
    this.data = [];
    this.dataLength = 0;
    this.isError = false;
  }

  private addData(value: string): void {
    this.data.push(value);
    this.dataLength += value.length + 1;
  }

  private onEvent(text: string): void {
    if (this.failed !== null || this.isDone) return;
    if (text === '[DONE]') {
      this.isDone = true;
      return;
    }
    const event = parsed(text);
    if (!isJsonObject(event) || this.isError || isError(event)) {
      this.failed = text;
      return;
    }
    const { choices, object, usage, ...others } = event;
    for (const [name, value] of Object.entries(others)) this.addMember(name, value);
    this.answer.set('object', objectOf(object));
    if (usage !== undefined && usage !== null) this.answer.set('usage', usage);
    if (Array.isArray(choices)) for (const choice of choices) this.onChoice(choice);
  }

  private addMember(name: string, value: unknown): void {
    if (this.answer.has(name)) return;
    this.collectedBytes += name.length + JSON.stringify(value).length;
    this.answer.set(name, value);
  }

  private onChoice(choice: unknown): void {
    if (!isJsonObject(choice)) return;
    const index = placeOf(choice) ?? 0;
    const { delta, ...others } = choice;
    const part = isJsonObject(delta) ? { ...others, message: delta } : others;
    const known = this.choices.get(index);
    this.collectedBytes += sizeOf(choice) + (known === undefined ? CHOICE_BYTES : 0);
    this.choices.set(index, merge(known ?? { index, finish_reason: null }, { ...part, index }) as JsonObject);
  }
}

/** Some servers send an empty reason until they know one. [DONE] may come of a proxy whose server has gone away. */
function isFinished({ finish_reason: reason }: JsonObject): boolean {
  return reason !== null && reason !== '';
}

/** Of a choice that has nothing but its number. */
const CHOICE_BYTES = 64;

/** About how many bytes a part adds to the answer: texts and lists grow, everything else is replaced. */
function sizeOf(part: unknown): number {
  if (typeof part === 'string') return Buffer.byteLength(part);
  if (!Array.isArray(part)) return isJsonObject(part) ? sum(Object.values(part).map(sizeOf)) : 0;
  return sum(part.map((one) => (placeOf(one) === null ? JSON.stringify(one).length : sizeOf(one))));
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}

/** Said once, or said again with every part; all other texts come in parts. */
const WHOLE_TEXTS: ReadonlySet<string> = new Set([
  'role',
  'id',
  'type',
  'name',
  'format',
  'finish_reason',
  'stop_reason',
  'object',
  'model',
]);

function merge(before: unknown, part: unknown, name = ''): unknown {
  if (part === undefined || part === null) return before ?? part;
  if (before === undefined || before === null) return part;
  if (typeof before === 'string' && typeof part === 'string') return WHOLE_TEXTS.has(name) ? part || before : before + part;
  if (Array.isArray(before) && Array.isArray(part)) return mergeLists(before, part);
  return isJsonObject(before) && isJsonObject(part) ? mergeObjects(before, part) : part;
}

function mergeObjects(before: JsonObject, part: JsonObject): JsonObject {
  const merged = Object.entries(part).map(([name, value]) => [name, merge(before[name], value, name)]);
  return { ...before, ...(Object.fromEntries(merged) as JsonObject) };
}

/** Tool calls come in parts that name their place; tokens are appended. */
function mergeLists(before: readonly unknown[], part: readonly unknown[]): readonly unknown[] {
  const list = [...before];
  for (const one of part) {
    const place = placeOf(one);
    const at = place === null ? -1 : list.findIndex((other) => placeOf(other) === place);
    if (at < 0) list.push(one);
    else list[at] = merge(list[at], one);
  }
  return list;
}

function placeOf(value: unknown): number | null {
  if (!isJsonObject(value)) return null;
  const { index } = value;
  if (index instanceof NumberText) return Number(index.text);
  return typeof index === 'number' ? index : null;
}

function byIndex(one: JsonObject, other: JsonObject): number {
  return Number(one['index']) - Number(other['index']);
}

/** In a whole answer the tool calls do not name their places. */
function withoutPlaces(choice: JsonObject): JsonObject {
  const message = choice['message'];
  if (!isJsonObject(message) || !Array.isArray(message['tool_calls'])) return choice;
  const calls = message['tool_calls'].map((call: unknown) => {
    if (!isJsonObject(call)) return call;
    const { index: _, ...others } = call;
    return others;
  });
  return { ...choice, message: { ...message, tool_calls: calls } };
}

function objectOf(object: unknown): unknown {
  return object === 'chat.completion.chunk' ? 'chat.completion' : object;
}

function isError({ error, object }: JsonObject): boolean {
  return (error !== undefined && error !== null) || object === 'error';
}

function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value) && !(value instanceof NumberText);
}

function parsed(text: string): unknown {
  try {
    return parseNumbers(text);
  } catch {
    return undefined;
  }
}
