import test from 'ava';
import { keptText } from '../../../../operator/rollout/kept-text.ts';

const command = (options: string): string =>
  `redis-cli ${options} --scan --pattern 'rollout:{01ARZ}:*' | xargs -r redis-cli ${options} unlink`;

test('what stays is told with the run, the server, the reason, and the command that removes it', (t) => {
  t.is(
    keptText('01ARZ', 'redis://r', 'no answer'),
    `the keys of the run 01ARZ stay on redis://r: no answer. Once nothing works on it, remove them there (a password: in REDISCLI_AUTH): ${command('-h r -p 6379')}`,
  );
});

for (const [url, options] of [
  ['rediss://of%20us@redis.team.svc:6380/2', "-h redis.team.svc -p 6380 --tls -n 2 --user 'of us'"],
  ['redis://team@[fd00::1]:6379', '-h fd00::1 -p 6379 --user team'],
] as const)
  test(`the command goes to the server of ${url}`, (t) => {
    const told = keptText('01ARZ', url, 'no answer');
    t.true(told.endsWith(command(options)), told);
    t.is(told.includes('--cacert'), url.startsWith('rediss:'));
  });

for (const [url, where] of [
  ['redis://h1:6379,h2:6379,h3:6379', 'on each primary of the Cluster, as HOST and PORT'],
  ['redis+sentinel://h1:26379,h2:26379/main', 'on the primary of main, which its Sentinels name, as HOST and PORT'],
] as const)
  test(`servers that take over from each other are named by people: ${url}`, (t) => {
    const told = keptText('01ARZ', url, 'no answer');
    t.true(told.includes(where), told);
    t.true(told.endsWith(command('-h HOST -p PORT')), told);
  });

test('a URL with a password, or one that is not known, is not shown', (t) => {
  for (const url of ['redis://me:pw@r:6379', null]) {
    const told = keptText('01ARZ', url, 'no answer');
    t.regex(told, /stay on its Redis server/);
    t.notRegex(told, /pw/);
  }
});
