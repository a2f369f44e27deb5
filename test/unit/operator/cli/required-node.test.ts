import test from 'ava';
import { requireClientNode } from '../../../../operator/cli/required-node.ts';

test('the client of the cluster needs Node 22.19', (t) => {
  for (const version of ['20.19.0', '21.9.0', '22.18.9'])
    t.throws(() => requireClientNode(version), { message: `Node ${version} is too old to ask a cluster: install Node 22.19 or later` });
  for (const version of ['22.19.0', '22.20.1', '24.0.0']) t.notThrows(() => requireClientNode(version));
});
