import test from 'ava';
import {
  claimedFiles,
  isSameFile,
  notOwn,
  ofAnotherRun,
  readClaim,
  writtenFiles,
  writtenLine,
} from '../../../../runtime/results/export/output-owner.ts';

const FILE = { size: 12, mtimeNs: '1795867275111000001' };

test('what was noted is read again, also behind a line that a crash has cut', (t) => {
  const whole = writtenLine('/out', FILE);
  t.deepEqual(writtenFiles(`${whole}{"path":"/ou${writtenLine('/out', { ...FILE, size: 13 })}`), [FILE, { ...FILE, size: 13 }]);
  t.deepEqual(writtenFiles(''), []);
  t.deepEqual(writtenFiles('{"size":"1","mtimeNs":5}\n[]\nnull\n'), []);
});

test('a file is known by its size and the moment of its last change', (t) => {
  t.true(isSameFile(FILE, { ...FILE }));
  t.false(isSameFile(FILE, { ...FILE, size: 13 }));
  t.false(isSameFile(FILE, { ...FILE, mtimeNs: '1795867275111000002' }));
});

test('a claim that cannot be read is nobody’s', (t) => {
  t.deepEqual(readClaim('{"stateDir":"/runs/a"}\n'), { stateDir: '/runs/a' });
  for (const text of ['', '{', '[]', 'null', '{"stateDir":1}']) t.is(readClaim(text), null, text);
  t.deepEqual(claimedFiles('["/a","/b",1]'), ['/a', '/b']);
  for (const text of [null, '', '{}', '{"0":"/a"}']) t.deepEqual(claimedFiles(text), []);
});

test('a refusal names the ways out, as the reader gives them', (t) => {
  t.regex(notOwn('/out', 'flags').message, /^\/out is there already.*--output.*move.*--overwrite$/);
  t.regex(notOwn('/out', 'settings').message, /setting `output`.*`overwrite: true`$/);
  t.regex(ofAnotherRun('/out', '/other.rollout', 'flags').message, /unfinished run in \/other\.rollout.*--output.*--overwrite$/);
  t.is(notOwn('/out', 'flags').exit, 2);
});
