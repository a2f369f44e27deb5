import { type DescMessage, type DescMethod, type DescService, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';

/** Joins protobuf-es descriptors to grpc-js: paths and serializers, made from the generated code. */

export type Codec<T> = { readonly serialize: (message: T) => Buffer; readonly deserialize: (bytes: Buffer) => T };

export function codecOf<Desc extends DescMessage>(desc: Desc): Codec<MessageShape<Desc>> {
  return {
    serialize: (message) => {
      const bytes = toBinary(desc, message);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
    deserialize: (bytes) => fromBinary(desc, bytes),
  };
}

export function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

/** The handlers' names are the methods' names in lower camel case, as protobuf-es has them. */
export function serviceDefinition(service: DescService): ServiceDefinition {
  return Object.fromEntries(service.methods.map((method) => [method.localName, methodDefinition(method)]));
}

function methodDefinition(method: DescMethod): MethodDefinition<unknown, unknown> {
  const request = codecOf(method.input) as Codec<unknown>;
  const response = codecOf(method.output) as Codec<unknown>;
  return {
    path: pathOf(method),
    requestStream: method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming',
    responseStream: method.methodKind === 'server_streaming' || method.methodKind === 'bidi_streaming',
    requestSerialize: request.serialize,
    requestDeserialize: request.deserialize,
    responseSerialize: response.serialize,
    responseDeserialize: response.deserialize,
  };
}
