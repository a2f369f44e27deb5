import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import test from 'ava';
import { ownVersion } from '../../../../runtime/base/process/own-version.ts';

test('the version is that of the package that a file is in, at whatever depth', async (t) => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  for (const path of ['operator/main.ts', 'runtime/coordinator/main.ts', 'dist/coordinator.js'])
    t.is(await ownVersion(pathToFileURL(path).href), version, path);
  await t.throwsAsync(ownVersion('file:///nowhere/at/all.js'), { message: /no package\.json stands above/ });
});
