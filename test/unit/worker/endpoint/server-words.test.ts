import test from 'ava';
import { hidingOf } from '../../../../runtime/worker/backends/hiding.ts';
import { isWebPage, serverWords } from '../../../../runtime/worker/endpoint/server-words.ts';

const hide = hidingOf([]);

function words(text: string): string {
  try {
    return serverWords(text, JSON.parse(text), hide);
  } catch {
    return serverWords(text, undefined, hide);
  }
}

for (const [body, told] of [
  ['{"error": {"message": "no such model", "code": 404}}', 'no such model'],
  ['{"error": "Unauthorized"}', 'Unauthorized'],
  ['{"detail": "Not Found"}', 'Not Found'],
  ['{"detail": [{"loc": ["body", "messages"], "msg": "field required", "type": "missing"}]}', 'body.messages: field required'],
  ['{"message": "Invalid API key", "request_id": "r"}', 'Invalid API key'],
  ['[{"error": {"code": 400, "message": "API key not valid", "status": "INVALID_ARGUMENT"}}]', 'API key not valid'],
  ['{"success": false, "errors": [{"code": 7003, "message": "Could not route"}]}', 'Could not route'],
  ['{"error": {"code": "x", "message": ""}, "detail": "second"}', 'second'],
  ['{"ok": false}', '{"ok": false}'],
  ['"Forbidden"', 'Forbidden'],
  ['<html><head><title> 403 Forbidden </title></head><body>nginx</body></html>', '403 Forbidden'],
  ['<!DOCTYPE html><html><script>var a;</script><body><h1>Sign\n in</h1></body></html>', 'Sign in'],
  ['no healthy upstream', 'no healthy upstream'],
  ['one\ntwo\u001b[31m\u0007 three', 'one two [31m three'],
  ['', ''],
] as const) {
  test(`the server's words in ${JSON.stringify(body).slice(0, 80)}`, (t) => {
    t.is(words(body), told);
  });
}

test('long words are cut, and an error that is wrapped without end says nothing of its own', (t) => {
  t.true(words(JSON.stringify({ error: { message: 'x'.repeat(10_000) } })).length < 600);
  t.true(words('y'.repeat(10_000)).length < 300);
  const deep = `${'{"error":'.repeat(5_000)}"x"${'}'.repeat(5_000)}`;
  t.true(words(deep).length < 300);
});

test('a web page is known by its type or by its beginning', (t) => {
  t.true(isWebPage('text/html; charset=utf-8', ''));
  t.true(isWebPage('', ' \n<!DOCTYPE HTML><p>'));
  t.false(isWebPage('application/json', '{"a": "<html>"}'));
  t.false(isWebPage('text/plain', 'no healthy upstream'));
});
