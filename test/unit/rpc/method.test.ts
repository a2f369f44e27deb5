import { create } from '@bufbuild/protobuf';
import test from 'ava';
import { CoordinatorService } from '../../../runtime/rpc/gen/rollout/v1/coordinator_pb.ts';
import { RunService } from '../../../runtime/rpc/gen/rollout/v1/run_pb.ts';
import { BeatResponseSchema, WorkerService } from '../../../runtime/rpc/gen/rollout/v1/worker_pb.ts';
import { codecOf, serviceDefinition } from '../../../runtime/rpc/method.ts';

test('paths are the ones of the .proto files, for clients in every language', (t) => {
  const paths = [WorkerService, RunService, CoordinatorService].flatMap((service) =>
    Object.values(serviceDefinition(service)).map(({ path }) => path),
  );
  t.deepEqual(paths, [
    '/rollout.v1.WorkerService/Beat',
    '/rollout.v1.WorkerService/Beats',
    '/rollout.v1.WorkerService/Poll',
    '/rollout.v1.WorkerService/Session',
    '/rollout.v1.WorkerService/Deregister',
    '/rollout.v1.RunService/Status',
    '/rollout.v1.RunService/Drain',
    '/rollout.v1.RunService/Hint',
    '/rollout.v1.CoordinatorService/Identify',
  ]);
});

test('a message survives its codec', (t) => {
  const { serialize, deserialize } = codecOf(BeatResponseSchema);
  t.deepEqual(
    deserialize(serialize(create(BeatResponseSchema, { epoch: 7, superseded: true }))),
    create(BeatResponseSchema, { epoch: 7, superseded: true }),
  );
});
