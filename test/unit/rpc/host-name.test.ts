import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { clusterDomain, isHostUnknown, type NameServers } from '../../../runtime/rpc/host-name.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

const POD = 'search team.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n';
const NO_SUCH_NAME = 3;
const SERVER_FAILURE = 2;

test('a host with an address is known, whoever listens there', async (t) => {
  t.false(await isHostUnknown('localhost:1'));
  t.false(await isHostUnknown('127.0.0.1:50051'));
});

/** A pod whose name servers answer each question with this code, and what they were asked. */
async function podWith(
  t: ExecutionContext,
  code: number,
  config = POD,
): Promise<{ readonly names: NameServers; readonly asked: string[] }> {
  const [socket, asked] = [createSocket('udp4'), [] as string[]];
  socket.on('message', (query, { port, address }) => {
    asked.push(questionOf(query));
    const answer = Buffer.from(query);
    // RFC 1035, 4.1.1: a response, with the code in the last four bits.
    answer.writeUInt16BE(0x8180 | code, 2);
    socket.send(answer, port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  const resolver = new Resolver({ timeout: 5_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  const path = join(temporaryDir(t), 'resolv.conf');
  writeFileSync(path, config);
  // What the system says where the last of the names that it has tried was not answered.
  const lookup = async (): Promise<never> => Promise.reject(Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' }));
  return { names: { lookup, resolve: (name) => resolver.resolve4(name), config: path }, asked };
}

function questionOf(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; query[at] !== 0 && at < query.length; at += (query[at] ?? 0) + 1)
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)));
  return labels.join('.').toLowerCase();
}

test('a name of the cluster does not exist where its name servers say so of the whole name, though they cannot ask others', async (t) => {
  const { names, asked } = await podWith(t, NO_SUCH_NAME);
  t.true(await isHostUnknown('gone-coordinator.team.svc:50051', names));
  t.deepEqual(asked, ['gone-coordinator.team.svc.cluster.local']);
});

test('name servers that fail say nothing, and of a name that is not of the cluster nobody else is asked', async (t) => {
  const failing = await podWith(t, SERVER_FAILURE);
  t.false(await isHostUnknown('gone-coordinator.team.svc:50051', failing.names));
  const { names, asked } = await podWith(t, NO_SUCH_NAME);
  t.false(await isHostUnknown('head.example.com:50051', names));
  const host = await podWith(t, NO_SUCH_NAME, 'search example.com\n');
  t.false(await isHostUnknown('gone-coordinator.team.svc:50051', host.names));
  t.false(await isHostUnknown('gone-coordinator.team.svc:50051', { ...names, config: '/nowhere/resolv.conf' }));
  t.deepEqual([...asked, ...host.asked], []);
});

test('the domain of a cluster stands in the last search line', (t) => {
  const cases: readonly (readonly [string, string | null])[] = [
    [POD, 'cluster.local'],
    ['nameserver 1.1.1.1\n', null],
    ['', null],
    ['search example.com\n', null],
    ['# search svc.no.example\nsearch a.svc.corp.example  svc.corp.example\tcorp.example host.example \n', 'corp.example'],
    ['search svc.first.example\nsearch svc.last.example\n', 'last.example'],
  ];
  for (const [text, domain] of cases) t.is(clusterDomain(text), domain, text);
});
