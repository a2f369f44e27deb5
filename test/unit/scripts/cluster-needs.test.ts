import test from 'ava';
import { type ClusterFacts, missingForCluster } from '../../../scripts/cluster-needs.ts';

const FIT: ClusterFacts = { platform: 'linux', uid: 0, missingPackages: [], isBuilt: false, go: 'go1.26.8', wantedGo: '1.26.0' };

test('a machine that has everything needs nothing', (t) => {
  t.deepEqual(missingForCluster(FIT), []);
  t.deepEqual(missingForCluster({ ...FIT, go: 'go1.27' }), []);
  t.deepEqual(missingForCluster({ ...FIT, go: 'devel +abc' }), [], 'Go compares by itself where its version cannot be read');
});

test('everything that is missing is said at once', (t) => {
  const wrong = missingForCluster({ ...FIT, platform: 'darwin', uid: undefined, missingPackages: ['runc', 'golang-go'], go: null });
  t.is(wrong.length, 4);
  for (const [at, word] of [/Linux/, /^root/, /the packages runc$/, /Go 1\.26\.0 or later/].entries()) t.regex(wrong[at] ?? '', word);
});

test('a Go that is too old is told with its version', (t) => {
  for (const go of ['go1.19.8', 'go1.25.12', 'go1.26rc1'])
    t.true(
      missingForCluster({ ...FIT, go, wantedGo: '1.26.1' })
        .join()
        .endsWith(`here is ${go}`),
      go,
    );
});

test('what only a build needs is not asked for where the programs are there', (t) => {
  const built = { ...FIT, isBuilt: true, go: null, missingPackages: ['gcc', 'golang-go', 'libc6-dev'] };
  t.deepEqual(missingForCluster(built), []);
  t.regex(missingForCluster({ ...built, missingPackages: ['gcc', 'runc'] }).join(), /^the packages runc$/);
});
