import { existsSync, readdirSync } from 'node:fs';
import test from 'ava';
import { parse } from 'yaml';
import { readText } from '../../style/sources.ts';

const lines = (readText('Dockerfile') ?? '').split('\n');
const { version } = JSON.parse(readText('package.json') ?? '') as { readonly version: string };
const IMAGE = `ghcr.io/rollout-run/rollout:${version}`;

test('what the build copies is there, and .dockerignore lets it through', (t) => {
  const copied = lines.filter((line) => /^COPY (?!--from)/.test(line)).flatMap((line) => line.split(' ').slice(1, -1));
  t.true(copied.length >= 5);
  const sent = (readText('.dockerignore') ?? '').split('\n').filter((line) => line.startsWith('!'));
  t.deepEqual(
    copied.map((path) => `!${path}`).filter((path) => !sent.includes(path) || !existsSync(path.slice(1))),
    [],
  );
});

test('the last stage runs node itself, as a user that a cluster sees not to be root', (t) => {
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
  t.true(last.includes('USER 65532:65532'));
  t.true(last.includes('ENTRYPOINT ["node"]'));
  t.deepEqual(
    last.filter((line) => line.startsWith('RUN')),
    [],
  );
});

test('chart, examples and this file name the image of this version', (t) => {
  const chart = parse(readText('charts/rollout/Chart.yaml') ?? '') as { readonly version: string; readonly appVersion: string };
  t.deepEqual([chart.appVersion, chart.version], [version, version]);
  const examples = readdirSync('examples').filter((name) => name.startsWith('rolloutrun'));
  for (const path of ['Dockerfile', 'kind-config.yaml', ...examples.map((name) => `examples/${name}`)]) {
    const named = (readText(path) ?? '').match(/ghcr\.io\/rollout-run\/rollout:[\w.-]+/g) ?? [];
    t.deepEqual([...new Set(named)], [IMAGE], path);
  }
});
