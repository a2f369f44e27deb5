import type { Reply } from './reply.ts';

/** What a healthy model server answers, by the address asked; as events where the request wants them. */
export function fine(url: string, item: string, isStream: boolean): Reply {
  if (isStream) return { kind: 'events', events: [...chatEvents(item), '[DONE]'] };
  return { kind: 'answer', status: 200, body: JSON.stringify(fineBody(url, item)) };
}

export function fineBody(url: string, item: string): object {
  const path = url.replace(/\?.*$/, '');
  if (path.endsWith('/embeddings')) return { object: 'list', data: [{ index: 0, embedding: [0.5, -0.5] }], model: 'test-model' };
  if (path.endsWith('/responses'))
    return {
      id: `resp-${item}`,
      object: 'response',
      status: 'completed',
      error: null,
      output: [{ type: 'message', content: [text(item)] }],
    };
  const choice = path.endsWith('/chat/completions') ? { message: { role: 'assistant', content: text(item) } } : { text: text(item) };
  return {
    id: `chatcmpl-${item}`,
    object: 'chat.completion',
    choices: [{ index: 0, ...choice, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

/** A chat completion in parts. */
export function chatEvents(item: string): readonly string[] {
  const part = (delta: object, finish: string | null = null): string =>
    JSON.stringify({
      id: `chatcmpl-${item}`,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  return [part({ role: 'assistant', content: '' }), part({ content: 'answer ' }), part({ content: `to ${item}` }), part({}, 'stop')];
}

function text(item: string): string {
  return `answer to ${item}`;
}
