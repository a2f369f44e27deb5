import type { ServiceDefinition } from '@grpc/grpc-js';
import { decode, encode, type Message } from './message.ts';

/** One stream in each direction, as the product has. */
export const SERVICE: ServiceDefinition = {
  session: {
    path: '/rollout.bench.Bare/Session',
    requestStream: true,
    responseStream: true,
    requestSerialize: (message: Message) => encode(message),
    requestDeserialize: decode,
    responseSerialize: (message: Message) => encode(message),
    responseDeserialize: decode,
  },
};
