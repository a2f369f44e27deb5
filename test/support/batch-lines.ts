/** Input lines for tests: OpenAI Batch items whose text is their custom_id, so that a server knows which item it executes. */

export function batchLine(customId: string, content: string = customId): string {
  return JSON.stringify({
    custom_id: customId,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'test-model', messages: [{ role: 'user', content }] },
  });
}

export function itemIds(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `item-${String(index).padStart(6, '0')}`);
}

export function batchLines(count: number): readonly string[] {
  return itemIds(count).map((id) => batchLine(id));
}
