import { isJsonObject, type JsonObject } from '../../base/json-object.ts';

/**
 * Collects the events of a streamed completion into the answer that the same request without `stream` gets. Pure but for its own state.
 * What it builds is the only body that is not the server's own bytes.
 */
export class EventCollector {
  private rest = '';
  private data: readonly string[] = [];
  private answer: JsonObject = {};
  private choices: readonly JsonObject[] = [];
  private isDone = false;
  private isError = false;
  private failed: string | null = null;
  /** Of the parts that were collected: the answer is somewhat smaller. */
  bytes = 0;

  /** `text`: decoded, in parts as they come. */
  add(text: string): void {
    const lines = `${this.rest}${text}`.split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.onLine(line);
  }

  /** The body of the whole answer, or the event that is none, as JSON text; null where the stream has ended too early. */
  end(): string | null {
    this.add('\n\n');
    if (this.failed !== null) return this.failed;
    const isFinished = this.choices.length > 0 && this.choices.every((choice) => choice['finish_reason'] !== null);
    if (!this.isDone && !isFinished) return null;
    return JSON.stringify({ ...this.answer, choices: this.choices.toSorted(byIndex).map(withoutPlaces) });
  }

  private onLine(line: string): void {
    if (line.startsWith('event:')) this.isError = line.slice('event:'.length).trim() === 'error';
    if (line !== '') {
      const [, value] = /^data: ?(.*)$/s.exec(line) ?? [];
      if (value !== undefined) this.data = [...this.data, value];
      return;
    }
    if (this.data.length > 0) this.onEvent(this.data.join('\n'));
    this.data = [];
    this.isError = false;
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
    this.answer = { ...others, ...this.answer, object: objectOf(object) };
    if (usage !== undefined && usage !== null) this.answer = { ...this.answer, usage };
    if (Array.isArray(choices)) for (const choice of choices) this.onChoice(choice);
  }

  private onChoice(choice: unknown): void {
    if (!isJsonObject(choice)) return;
    const index = typeof choice['index'] === 'number' ? choice['index'] : 0;
    const { delta, ...others } = choice;
    this.bytes += JSON.stringify(delta ?? others['text'] ?? '').length;
    const part = isJsonObject(delta) ? { ...others, message: delta } : others;
    const at = this.choices.findIndex((one) => one['index'] === index);
    const merged = merge(at < 0 ? { index, finish_reason: null } : this.choices[at], { ...part, index }) as JsonObject;
    this.choices = at < 0 ? [...this.choices, merged] : this.choices.with(at, merged);
  }
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
  return isJsonObject(value) && typeof value['index'] === 'number' ? value['index'] : null;
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
