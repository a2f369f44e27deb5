import type { ChannelOptions } from '@grpc/grpc-js';

/** 16 MiB either way: an item's line may have 8 MiB. */
export const MAX_MESSAGE_BYTES: number = 16 * 1024 ** 2;

/**
 * How often a client pings, by what its connection carries. grpc-js pings whether or not something has been heard, and a ping costs the
 * coordinator as much as a beat.
 * - Calls that wait for long: a silent coordinator is noticed in about three seconds. One whose loop stood still for a second or two is not
 *   left by all its workers at once, who would all shake hands again.
 * - A session: the worker hears a silent coordinator by itself; the pings tell within five seconds that nothing gets there any more.
 * - Beats, which are asked for answers, are pings themselves.
 */
const PING_MS = { calls: 1_000, session: 3_000, beats: 20_000 } as const;

export type Carries = keyof typeof PING_MS;

const PING_ANSWERED_MS = 2_000;
/**
 * Of a silent worker the beats decide, and streams notice silence by themselves: this only lets go of connections. A ping costs the
 * coordinator as much as two beats, so that it comes seldom.
 */
const SERVER_KEEPALIVE: ChannelOptions = { 'grpc.keepalive_time_ms': 10_000, 'grpc.keepalive_timeout_ms': 5_000 };

const MESSAGES: ChannelOptions = {
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  // Counters that nobody reads.
  'grpc.enable_channelz': 0,
};

export const SERVER_OPTIONS: ChannelOptions = { ...SERVER_KEEPALIVE, ...MESSAGES };

/**
 * What may be on its way to a client before it has read any of it. With the 64 KiB of HTTP/2 a batch of lines (delivery.ts) waits for the
 * worker in the middle: a run of 200,000 small items made a fifth more system calls. Servers of grpc-js have no such option.
 */
const WINDOW_BYTES = 2 ** 20;

const CLIENT_OPTIONS: ChannelOptions = {
  ...MESSAGES,
  'grpc-node.flow_control_window': WINDOW_BYTES,
  'grpc.keepalive_timeout_ms': PING_ANSWERED_MS,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  // Names are looked up again soon after pods have moved.
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
  'grpc.service_config_disable_resolution': 1,
  // A call that failed is told to its caller, who knows whether to repeat it.
  'grpc.enable_retries': 0,
  // A proxy of the environment is for the outside; coordinators are dialled as they are.
  'grpc.enable_http_proxy': 0,
  // Each client has connections of its own, which end with it.
  'grpc.use_local_subchannel_pool': 1,
  // Node warns of an address as a TLS server name. The name is not what a coordinator is known by (tls.ts).
  'grpc.ssl_target_name_override': 'localhost',
};

export function clientOptions(carries: Carries): ChannelOptions {
  return { ...CLIENT_OPTIONS, 'grpc.keepalive_time_ms': PING_MS[carries] };
}
