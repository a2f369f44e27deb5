import { createAnswerBudget } from '../../runtime/worker/backends/answer-budget.ts';
import type { OpenAiSettings } from '../../runtime/worker/backends/openai.ts';

/** Settings of a backend for OpenAI-compatible servers, with what a test wants changed. */
export function openAiSettings(more: Partial<OpenAiSettings> & Pick<OpenAiSettings, 'baseUrls'>): OpenAiSettings {
  return {
    model: null,
    overrideModel: null,
    apiKey: null,
    apiKeyEnv: 'OPENAI_API_KEY',
    apiKeyHeader: null,
    headers: {},
    concurrency: 4,
    maxAnswerBytes: 12 * 1024 ** 2,
    budget: createAnswerBudget(32 * 1024 ** 2),
    env: {},
    authorities: null,
    ...more,
  };
}
